// Where tests work: folders of their own, free ports, the repository's scenarios.

import Basics
import Foundation
import Net
import Scenarios

enum Place {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static func withFolder<R>(_ body: (String) throws -> R) throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "harness-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(folder)
    }

    /// Free now.
    static func freePort() throws -> UInt16 {
        try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0)).boundAddress.port
    }

    static func scenario(_ name: String, _ overrides: [(path: String, value: String)] = []) throws -> Scenario {
        try Scenario.load(path: root + "/Scenarios/\(name).yaml", overrides: overrides)
    }
}
