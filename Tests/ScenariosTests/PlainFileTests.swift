// Files that somebody names: what is none is refused with its path, and not waited for.

import Basics
import Foundation
import Glibc
import Scenarios
import Testing

@Suite("A file that a scenario names", .timeLimit(.minutes(10)))
struct PlainFileTests {
    private static let relay = #"relay: { url: "http://127.0.0.1:1", profile: { topic: a.b, calls: { one: { path: /one } } } }"#

    /// A pipe that nobody writes to, in the place of each file that may be named. A key of the file's text, and what stands there.
    private static let places = [
        ("scenario", ""), ("extends", "extends: pipe"), ("profile", "relay: { profile: pipe }"),
        ("profile that extends", "relay: { profile: { extends: pipe } }"),
        ("relayFrom", "relayFrom: pipe"), ("script", relay + "\nworkload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: pipe }] }"),
        ("secret", "relay: { profile: { topic: a.b, auth: { bearer: { file: pipe } }, calls: { one: { path: /one } } } }"),
        ("schema", "relay: { profile: { topic: a.b, schemas: { contentState: pipe }, calls: { one: { path: /one } } } }"),
    ]

    @Test("is refused in one line where it is a pipe", arguments: places)
    func pipe(name: String, text: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "plain-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        let path = folder + (text.isEmpty ? "/pipe" : "/scenario.yaml")
        if !text.isEmpty { try Data(("name: x\n" + text + "\n").utf8).write(to: URL(filePath: path)) }
        let failure = #expect(throws: Failure.self, "\(name)") { try Scenario.load(path: path) }
        let words = failure?.description ?? ""
        let line = words.split(separator: "\n").first { $0.contains("no plain file") }
        #expect(line?.contains("pipe`") == true && line?.contains("it is no plain file") == true, "\(name): \(words)")
    }
}
