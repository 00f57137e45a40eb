// SigV4 as AWS's own Python does it (Tests/Signatures), over whole requests that a profile renders.

import Basics
import Foundation
import HTTP
import Net
@testable import Planning
import Scenarios
import Testing

@testable import LoadGenerator

@Suite struct BotocoreTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    private static let python = root + "/.build/signatures/bin/python"
    private static let authority = "sns.eu-central-1.example:8443"

    /// What a call has beside its `auth`.
    private static let calls = [
        #"path: /"#, #"{ path: /, method: GET, query: { Action: Publish, Version: "2010-03-31" } }"#,
        #"{ path: /, form: { Action: Publish, Message: "{{marker}} Ä & =", TargetArn: "arn:aws:sns:eu-central-1:1:a/b" } }"#,
        #"{ path: "/v1/apps/{{sessionID}}/messages", json: { text: "{{marker}} 京", n: [1, 2] } }"#,
        #"{ path: /a%20b/c%2Fd/~e.f-g_h, method: PUT, json: {} }"#, #"{ path: /endpoints, method: DELETE, query: { b: "2", a: "1", A: "0" } }"#,
        #"{ path: /q, method: GET, query: { key: "a b+c/d?e", empty: "", u: "Ä京" } }"#,
        #"{ path: "/devices/arn:aws:sns:x", text: "{{marker}}" }"#, #"{ path: /, text: "x", headers: { content-type: "text/plain; charset=utf-8" } }"#,
        #"{ path: "/it's(a)!*path", method: GET }"#, #"{ path: /many, method: GET, query: { z: "9", y: "8", x: "7", w: "6" } }"#,
        #"{ path: /multi, multipart: { a: "{{marker}}", b: "two" } }"#,
    ]

    @Test(arguments: [false, true])
    func `a dozen rendered requests are signed as botocore signs them`(hasToken: Bool) throws {
        try #require(FileManager.default.fileExists(atPath: Self.python), "script/setup --tests installs botocore")
        let (requests, texts) = try withFolder { folder in try signed(folder, hasToken: hasToken) }
        try #require(requests.count == Self.calls.count && texts.count == Self.calls.count)
        for (request, text) in zip(requests, texts) {
            #expect(request.head.text("authorization") == text, "\(request.head.text(":path") ?? "")")
        }
    }

    private func signed(_ folder: String, hasToken: Bool) throws -> ([OutgoingRequest], [String]) {
        for (name, text) in [("key", "wJalr/XUt+nFEMI"), ("token", "AQoD/token+=")] {
            try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
        }
        let session = hasToken ? ", sessionToken: { file: \(folder)/token }" : ""
        let text = """
            relay:
              url: http://127.0.0.1:1
              profile:
                topic: com.example.app
                auth:
                  sigv4: { accessKeyID: AKIDEXAMPLE, secretAccessKey: { file: \(folder)/key }\(session), region: eu-central-1, service: sns }
                calls:
            \(Self.calls.enumerated().map { "      c\($0): \($1.hasPrefix("{") ? $1 : "{ \($1) }")" }.joined(separator: "\n"))
            workload:
              arrivals: [{ rate: 1, for: 1s }]
              scripts: [{ script: { steps: [\(Self.calls.indices.map { "{ call: c\($0) }" }.joined(separator: ", "))] } }]
            """
        let plan = Plan(scenario: try Scenario.parse(text: text, path: "t.yaml"), seed: Seed(1), run: 7, shard: .whole)
        let driver = RelayDriver(plan.workload, authority: Self.authority)
        let now = try #require(WallTime(iso8601: "2026-11-26T20:15:09Z"))
        let requests = try plan.session(0).events.map { event in
            let request = OutgoingRequest()
            let refusal = driver.render(event, script: 0, into: request, at: now)
            try #require(refusal == nil)
            return request
        }
        let items = requests.map { request -> JSONValue in
            var item: JSONObject = [
                "method": .string(request.head.text(":method") ?? ""),
                "url": .string("https://\(Self.authority)" + (request.head.text(":path") ?? "")), "body": .string(request.body.text),
                "date": "20261126T201509Z", "key": "AKIDEXAMPLE", "secret": "wJalr/XUt+nFEMI", "region": "eu-central-1",
                "service": "sns",
            ]
            if let type = request.head.text("content-type") { item["type"] = .string(type) }
            if hasToken { item["token"] = "AQoD/token+=" }
            return .object(item)
        }
        try JSONValue.array(items).text.write(toFile: folder + "/requests.json", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: Self.python)
        process.arguments = [Self.root + "/Tests/Signatures/sign.py", folder + "/requests.json"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (requests, try JSONValue(parsing: String(decoding: output, as: UTF8.self)).array?.compactMap(\.string) ?? [])
    }
}
