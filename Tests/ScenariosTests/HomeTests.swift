// Files that are no part of a scenario, of a run that is played again from another folder.

import Basics
import Foundation
import Scenarios
import Testing

@Suite("A recorded scenario")
struct HomeTests {
    private static let text = Sample.with(
        "topic: com.example.app", "topic: com.example.app\n    auth: { bearer: { file: relay.key } }")

    @Test("finds its secret where its run was started, from whatever folder")
    func secret() throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: home.appendingPathComponent("sub"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        try "for-tests-only\n".write(to: home.appendingPathComponent("sub/relay.key"), atomically: true, encoding: .utf8)
        let files = [SourceText(path: "sub/tiny.yaml", text: Self.text)]
        #expect(throws: Never.self) { _ = try Scenario.load(files, from: home.path, readsSecrets: true) }
        #expect { try Scenario.load(files, readsSecrets: true) } throws: { "\($0)".contains("cannot read the secret's file") }
    }
}
