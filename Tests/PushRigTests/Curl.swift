// Real pushes, sent by curl over HTTP/2, and a relay of a few lines around it.

import APNs
import Basics
import Foundation
import PushRig
import TLS

/// Sends pushes to a mock as a relay would.
struct Curl: Sendable {
    let mock: MockServer
    let authorization: String

    /// Signs with the mock's first key unless told otherwise.
    init(_ mock: MockServer, keyFile: String? = nil, keyID: String? = nil) throws {
        self.mock = mock
        let file = keyFile ?? mock.providerKeyFile
        let key = try P256PrivateKey(pem: try String(contentsOfFile: file, encoding: .utf8))
        let now = WallTime(seconds: Int64(Date.now.timeIntervalSince1970))
        authorization =
            "bearer "
            + ProviderToken.sign(keyID: keyID ?? mock.keyID, teamID: mock.teamID, issuedAt: now) { key.sign($0) }
    }

    struct Answer: Hashable, Sendable {
        /// 0: none came.
        var status: Int
        var body: String
    }

    func push(
        _ body: String = #"{"aps":{"alert":{"title":"Build finished"}}}"#, to token: String, type: String = "alert",
        topic: String = "com.example.app", priority: Int = 10, seconds: Double = 10
    ) throws -> Answer {
        let text = try Self.run([
            "--silent", "--http2", "--cacert", mock.caFile, "--max-time", String(seconds),
            "--header", "authorization: \(authorization)", "--header", "apns-topic: \(topic)",
            "--header", "apns-push-type: \(type)", "--header", "apns-priority: \(priority)",
            "--data-binary", body, "--write-out", "\n%{http_code}", "\(mock.url)/3/device/\(token)",
        ])
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return Answer(status: Int(lines.last ?? "") ?? 0, body: lines.dropLast().joined(separator: "\n"))
    }

    /// Any request; the answer's head and body as they came.
    func ask(_ method: String, _ url: String, _ fields: [String] = [], body: String? = nil, more: [String] = [])
        throws -> String
    {
        var arguments = [
            "--silent", "--http2", "--include", "--cacert", mock.caFile, "--max-time", "10", "--request", method,
            "--header", "authorization: \(authorization)",
        ]
        for field in fields { arguments += ["--header", field] }
        if let body { arguments += ["--data-binary", body] }
        return try Self.run(arguments + more + [url])
    }

    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["curl"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}

/// A relay with one good idea: it forgets a token when Apple says that it died after it was registered.
final class TinyRelay {
    private let curl: Curl
    private var registeredAt: [String: Date] = [:]

    init(_ mock: MockServer) throws { curl = try Curl(mock) }

    func register(_ token: String) throws { registeredAt[token] = Date.now.addingTimeInterval(-1) }

    func notifyAll(_ title: String) throws {
        for (token, since) in registeredAt {
            for _ in 0..<4 {
                let answer = try curl.push(#"{"aps":{"alert":{"title":"\#(title)"}}}"#, to: token)
                if answer.status == 429 || answer.status >= 500 { continue }
                if answer.status == 410, let died = try JSONValue(parsing: answer.body)["timestamp"]?.double,
                    died / 1000 > since.timeIntervalSince1970
                {
                    registeredAt[token] = nil
                }
                break
            }
        }
    }
}
