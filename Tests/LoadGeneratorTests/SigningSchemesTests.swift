// Signatures of the kinds that vendors publish, held against their own examples.

import Basics
import Foundation
import HTTP
import Net
@testable import Planning
import PlanKnobs
import Scenarios
import Testing
import TLS

@testable import LoadGenerator

@Suite struct SigningSchemesTests {
    private static let now = WallTime(milliseconds: 1_700_000_000_123)

    /// The first `count` events of a profile's one call, signed. `SECRET` stands for a file that holds `key`, `OTHER` for one
    /// that holds `other`.
    private func requests(
        _ auth: String, call: String = "json: { a: \"{{marker}}\" }", key: String = "top secret", count: Int = 1,
        at now: WallTime = now
    ) throws -> [OutgoingRequest] {
        try withFolder { folder in
            try (key + "\n").write(toFile: folder + "/key", atomically: true, encoding: .utf8)
            try "other\n".write(toFile: folder + "/other", atomically: true, encoding: .utf8)
            let spec = auth.split(separator: "SECRET", omittingEmptySubsequences: false)
                .joined(separator: "{ file: \(folder)/key }").split(separator: "OTHER", omittingEmptySubsequences: false)
                .joined(separator: "{ file: \(folder)/other }")
            let text = """
                relay:
                  url: http://127.0.0.1:1
                  profile:
                    topic: com.example.app
                    auth: \(spec)
                    calls:
                      one:
                        path: /apps/3/events
                        query: { Name: "a b" }
                        \(call)
                workload:
                  arrivals: [{ rate: 1, for: 1s }]
                  scripts: [{ script: { steps: [{ call: one, every: 1s, count: \(count) }] } }]
                """
            let plan = Plan(scenario: try Scenario.parse(text: text, path: "t.yaml"), seed: Seed(1), run: 7, shard: .whole)
            let driver = RelayDriver(plan.workload, authority: "127.0.0.1:1")
            return try plan.session(0).events.map { event in
                let request = OutgoingRequest()
                let refusal = driver.render(event, script: 0, into: request, at: now)
                try #require(refusal == nil)
                return request
            }
        }
    }

    private static let pusher = """
        { hmac: { key: SECRET, over: [method, "\\n", resource, "\\n", parameters], parameter: auth_signature,
              parameters: { auth_key: rig, auth_version: "1.0" }, timestamp: { parameter: auth_timestamp },
              digest: { of: md5, parameter: body_md5 } } }
        """

    @Test func `Pusher's signature is the last field of a query that is signed in order of its names`() throws {
        let request = try #require(try requests(Self.pusher).first)
        let path = request.head.text(":path") ?? ""
        let body = request.body.array()
        let code5 = md5(body.span)
        let digest = Hex.encode(code5.span)
        let message = "POST\n/apps/3/events\nauth_key=rig&auth_timestamp=1700000000&auth_version=1.0"
            + "&body_md5=\(digest)&name=a b"
        let code = Hex.encode(hmac(.sha256, key: Array("top secret".utf8).span, Array(message.utf8).span).span)
        #expect(
            path == "/apps/3/events?Name=a%20b&auth_key=rig&auth_version=1.0&auth_timestamp=1700000000&body_md5=\(digest)"
                + "&auth_signature=\(code)")
        #expect(request.head.text("content-type") == "application/json")
    }

    @Test func `a digest is neither sent nor signed where there is no body`() throws {
        let path = try #require(try requests(Self.pusher, call: "method: GET").first).head.text(":path") ?? ""
        #expect(!path.contains("body_md5") && path.contains("auth_signature="))
        let auth = "{ hmac: { key: SECRET, over: [digest], header: s, digest: { of: sha256, header: d, encoding: base64 } } }"
        let request = try #require(try requests(auth).first)
        let body = request.body.array()
        let digest = Data(sha256(body.span)).base64EncodedString()
        #expect(request.head.text("d") == digest)
        let code = hmac(.sha256, key: Array("top secret".utf8).span, Array(digest.utf8).span)
        #expect(request.head.text("s") == Hex.encode(code.span))
    }

    /// The examples of AWS's published test suite for Signature Version 4: key, date, scope and host are its own.
    @Test(arguments: [
        ("GET", "/", "", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST", "/", "", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        ("GET", "/?Param2=value2&Param1=value1", "", "", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        (
            "POST", "/", "application/x-www-form-urlencoded", "Param1=value1",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        ),
    ])
    func `sigv4 gives the signatures that AWS publishes`(
        method: String, path: String, type: String, body: String, code: String
    ) throws {
        let request = OutgoingRequest(
            method: method, path: path, fields: type.isEmpty ? [] : [("content-type", type)], body: Array(body.utf8))
        let spec = SigV4Spec(
            accessKeyID: Knobs.literal("AKIDEXAMPLE"),
            secretAccessKey: .kept(KeptSecret(Array("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".utf8))), region: "us-east-1",
            service: "service")
        let now = try #require(WallTime(iso8601: "2015-08-30T12:36:00Z"))
        let refusal = RequestSigner(authority: "example.amazonaws.com")
            .sign(request, AuthSpec(kind: .sigv4(spec)), EventValues(Knobs.plan().workload), at: now)
        #expect(refusal == nil)
        let signed = (type.isEmpty ? "" : "content-type;") + "host;x-amz-date"
        #expect(
            request.head.text("authorization")
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(signed), Signature=\(code)")
        #expect(request.head.text("x-amz-date") == "20150830T123600Z")
    }

    private static let sigv4 =
        "{ sigv4: { accessKeyID: me, secretAccessKey: SECRET, sessionToken: OTHER, region: eu-1, service: sns } }"

    @Test func `the token of an AWS session is sent and signed`() throws {
        let head = try #require(try requests(Self.sigv4).first).head
        #expect(head.text("x-amz-security-token") == "other")
        #expect(head.text("authorization")?.contains("content-type;host;x-amz-date;x-amz-security-token") == true)
    }

    @Test(arguments: [("RS256", "-sha256"), ("RS384", "-sha384"), ("RS512", "-sha512")])
    func `a token may be signed with RSA, as openssl verifies`(algorithm: String, digest: String) throws {
        try withFolder { folder in
            func openssl(_ words: String...) throws -> Int32 {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
                process.arguments = words
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                return process.terminationStatus
            }
            #expect(try openssl("genrsa", "-out", folder + "/rsa.pem", "2048") == 0)
            #expect(try openssl("rsa", "-in", folder + "/rsa.pem", "-pubout", "-out", folder + "/public.pem") == 0)
            let pem = try String(contentsOfFile: folder + "/rsa.pem", encoding: .utf8)
            for (call, code) in [("json: {}", 0), ("json: {}\n        auth: { spoil: true }", 1)] as [(String, Int32)] {
                let auth = "{ jwt: { key: SECRET, algorithm: \(algorithm) } }"
                let head = try #require(try requests(auth, call: call, key: pem).first).head
                let parts = (head.text("authorization") ?? "").dropFirst(7).split(separator: ".")
                try #require(parts.count == 3)
                try Data((parts[0] + "." + parts[1]).utf8).write(to: URL(fileURLWithPath: folder + "/text"))
                let signature = try #require(Base64URL.decode(String(parts[2])))
                try Data(signature).write(to: URL(fileURLWithPath: folder + "/signature"))
                let verified = try openssl(
                    "dgst", digest, "-verify", folder + "/public.pem", "-signature", folder + "/signature", folder + "/text")
                #expect(verified == code)
            }
        }
    }

    @Test func `an EC key signs no RS256, and says so in one line`() throws {
        let failure = #expect(throws: Failure.self) {
            try requests("{ jwt: { key: SECRET, algorithm: RS256 } }", key: P256PrivateKey().pem)
        }
        #expect(failure.map { "\($0)".contains("the private key is no RSA key") } == true)
    }

    @Test func `several secrets take turns, by event or by time`() throws {
        let turns = try requests("{ bearer: { turns: [SECRET, OTHER] } }", count: 4)
        let seen = turns.map { $0.head.text("authorization") }
        #expect(seen[0] == seen[2] && seen[1] == seen[3] && Set(seen) == ["Bearer top secret", "Bearer other"])
        for (second, name) in [(0, "top secret"), (9, "top secret"), (10, "other"), (20, "top secret")] as [(Int64, String)] {
            let timed = try requests(
                "{ bearer: { turns: [SECRET, OTHER], every: 10s } }", count: 2, at: WallTime(seconds: 1_700_000_000 + second))
            #expect(timed.map { $0.head.text("authorization") } == ["Bearer " + name, "Bearer " + name])
        }
    }

    @Test(arguments: [pusher, sigv4, "{ bearer: { turns: [SECRET, OTHER] } }"])
    func `what is spoilt is wrong, and as long`(auth: String) throws {
        let right = try #require(try requests(auth).first)
        let call = "json: { a: \"{{marker}}\" }\n        auth: { spoil: true }"
        let wrong = try #require(try requests(auth, call: call).first)
        func all(_ request: OutgoingRequest) -> [String] {
            let head = request.head
            return (0..<head.count).map { head.name(at: $0).text + ": " + head.value(at: $0).text }
        }
        #expect(all(right) != all(wrong) && all(right).map(\.utf8.count) == all(wrong).map(\.utf8.count))
    }

    @Test(arguments: [pusher, sigv4, "{ bearer: { turns: [SECRET, OTHER] } }"])
    func `an answer that says a secret or a signature again is recorded without it`(auth: String) throws {
        let request = try #require(try requests(auth).first)
        #expect(!(request.head.text(":path") ?? "").contains("top secret"))
        try withFolder { folder in
            for (name, text) in [("key", "top secret"), ("other", "other")] {
                try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            }
            let spec = auth.replacingOccurrences(of: "SECRET", with: "{ file: \(folder)/key }")
                .replacingOccurrences(of: "OTHER", with: "{ file: \(folder)/other }")
            let text = """
                relay:
                  url: http://127.0.0.1:1
                  profile: { topic: com.example.app, auth: \(spec), calls: { one: { path: /z, text: a } } }
                workload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: { steps: [{ call: one }] } }] }
                """
            let plan = Plan(scenario: try Scenario.parse(text: text, path: "t.yaml"), seed: Seed(1), run: 7, shard: .whole)
            let answer = ByteBuffer()
            let credential = request.head.text("authorization") ?? request.head.text(":path") ?? ""
            let last = credential.split(whereSeparator: { " =&".contains($0) }).last.map { String($0) } ?? ""
            // A word of the placeholder's own proves nothing.
            answer.append("no top secret, \(last == "secret" ? "top secret" : last)!")
            let words = RelayDriver(plan.workload).redact(answer, of: 0, request, upTo: 500)
            #expect(!String(decoding: words, as: UTF8.self).contains("top secret"))
            #expect(String(decoding: words, as: UTF8.self) == "no (secret), (secret)!")
        }
    }
}
