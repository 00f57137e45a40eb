// The real program in processes of its own, with the clients that users have.

import APNs
import Basics
import EventLoop
import Foundation
import Journal
import Net
import TLS
import Testing

enum Rig {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// What `script/test` built, or what `swift test` built beside the tests.
    static let pushrig: String = {
        if let path = ProcessInfo.processInfo.environment["PUSHRIG"], !path.isEmpty { return path }
        return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "pushrig").path
    }()

    /// A folder of its own under the system's temporary folder; gone when `body` is done.
    static func withFolder<R>(_ body: (String) throws -> R) throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pushrig-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(folder)
    }

    struct Output: Sendable {
        var code: Int32
        var out: String
        var error: String
    }

    /// One of 127.0.0.1 at which nobody listens.
    static func freePort() throws -> Int {
        let found = try run(
            "python3", ["-c", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"])
        return try #require(Int(found.out.filter(\.isNumber)))
    }

    /// Runs a program to its end, at most for `seconds`.
    static func run(_ program: String, _ arguments: [String], seconds: Double = 120) throws -> Output {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = URL(filePath: root)
        let out = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".out").path
        let error = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".err").path
        for path in [out, error] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        defer { for path in [out, error] { try? FileManager.default.removeItem(atPath: path) } }
        process.standardOutput = FileHandle(forWritingAtPath: out)
        process.standardError = FileHandle(forWritingAtPath: error)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let deadline = Date.now.addingTimeInterval(seconds)
        while process.isRunning, Date.now < deadline { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return Output(code: process.terminationStatus, out: try text(out), error: try text(error))
    }

    /// Not by `String(contentsOfFile:)`, which leaks 4 KiB for each empty file.
    private static func text(_ path: String) throws -> String {
        let file = try #require(FileHandle(forReadingAtPath: path))
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Waits until something is so; false when it is not within `seconds`.
    @discardableResult
    static func wait(seconds: Double = 20, until isSo: () throws -> Bool) rethrows -> Bool {
        let deadline = Date.now.addingTimeInterval(seconds)
        while Date.now < deadline {
            if try isSo() { return true }
            usleep(20_000)
        }
        return false
    }

    static func json(_ path: String) throws -> JSONValue {
        try JSONValue(parsing: try String(contentsOfFile: path, encoding: .utf8))
    }
}

/// `pushrig mock` in a process of its own.
final class MockProcess {
    let process = Process()
    let ready: JSONValue
    let journal: String
    let errorPath: String
    let address: SocketAddress
    let topic: String
    let ca: String
    /// A provider token that is good for an hour.
    let providerToken: String

    /// `limit` is a shell's `ulimit -f` for its files, in KiB.
    init(folder: String, limit: Int? = nil, arguments: [String] = []) throws {
        let words =
            [Rig.pushrig, "mock", "--state", folder, "--apns", "127.0.0.1:0", "--admin", "127.0.0.1:0"] + arguments
        if let limit {
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", "ulimit -f \(limit); exec \"$@\"", "mock"] + words
        } else {
            process.executableURL = URL(filePath: words[0])
            process.arguments = Array(words.dropFirst())
        }
        let pipe = Pipe()
        errorPath = folder + "-stderr"
        _ = FileManager.default.createFile(atPath: errorPath, contents: nil)
        process.standardOutput = pipe
        process.standardError = FileHandle(forWritingAtPath: errorPath)
        try process.run()
        var line: [UInt8] = []
        while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { line.append(byte) }
        ready = try JSONValue(parsing: line.span)
        journal = folder + "/journal"
        address = try SocketAddress(parsing: try #require(ready["apns"]?.string))
        ca = try #require(ready["ca"]?.string)
        topic = try #require(ready["topics"]?.array?.first?.string)
        let key = try P256PrivateKey(
            pem: try String(contentsOfFile: try #require(ready["apnsKey"]?.string), encoding: .utf8))
        providerToken = ProviderToken.sign(
            keyID: try #require(ready["keyId"]?.string), teamID: try #require(ready["teamId"]?.string),
            issuedAt: SystemTime().wall()
        ) { key.sign($0) }
    }

    deinit {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: errorPath)
    }

    var origin: Origin { Origin(isTLS: true, host: "127.0.0.1", port: address.port) }
    var headers: [(String, String)] {
        [("authorization", "bearer \(providerToken)"), ("apns-topic", topic), ("apns-push-type", "alert")]
    }
    var url: String { "https://\(address)/3/device/" + String(repeating: "a1", count: 32) }

    func kill9() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func admin(_ path: String) throws -> JSONValue {
        let admin = try #require(ready["admin"]?.string)
        return try JSONValue(parsing: try Rig.run("curl", ["-s", admin + path]).out)
    }

    /// How many pushes of each status the journal holds.
    func journaled() throws -> [UInt16: Int] {
        var counts: [UInt16: Int] = [:]
        _ = try JournalReader(directory: journal).forEach(since: nil) { entry in
            if case .push(let push) = entry { counts[push.status, default: 0] += 1 }
            return true
        }
        return counts
    }
}
