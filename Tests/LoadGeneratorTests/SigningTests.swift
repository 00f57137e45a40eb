// A call proves from whom it comes: what stands in its head, byte for byte, by the instant of signing.

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

@Suite struct SigningTests {
    private static let now = WallTime(milliseconds: 1_700_000_000_123)

    /// The request of a profile's one call, signed. `auth` as in the file; `SECRET` stands for a file that holds `key`.
    private func request(
        _ auth: String, call: String = "auth: { spoil: false }", key: String = "top secret", captured: String? = nil
    ) throws -> (request: OutgoingRequest, refusal: String?) {
        try withFolder { folder in
            try (key + "\n").write(toFile: folder + "/key", atomically: true, encoding: .utf8)
            let text = """
                relay:
                  url: http://127.0.0.1:1
                  profile:
                    topic: com.example.app
                    auth: \(auth.split(separator: "SECRET").joined(separator: "{ file: \(folder)/key }"))
                    calls:
                      zero: { path: /z, auth: none, captures: { token: /token } }
                      one:
                        path: /ab/{{sessionID}}
                        method: PUT
                        text: "{{marker}}"
                        query: { q: 1 }
                        \(call)
                workload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: { steps: [{ call: zero }, { call: one }] } }] }
                """
            let scenario = try Scenario.parse(text: text, path: "t.yaml")
            let plan = Plan(scenario: scenario, seed: Seed(1), run: 7, shard: .whole)
            let request = OutgoingRequest()
            var context = EventContext()
            context.captured = [captured.map { CapturedValue(bytes: Array($0.utf8), isText: true) }]
            let refusal = RelayDriver(plan.workload).render(
                plan.session(0).events[1], script: 0, into: request, context, at: Self.now)
            return (request, refusal)
        }
    }

    private func header(_ request: OutgoingRequest, _ name: StaticString) -> String { request.head.text(name) ?? "" }

    private func code(_ message: String, _ algorithm: HMACAlgorithm = .sha256, key: String = "top secret") -> [UInt8] {
        hmac(algorithm, key: Array(key.utf8).span, Array(message.utf8).span)
    }

    @Test func `bearer, basic and other headers hold the secret without the line's end of its file`() throws {
        let bearer = try request("{ bearer: SECRET }").request
        #expect(header(bearer, "authorization") == "Bearer top secret")
        let head = bearer.head
        #expect(head.isNeverIndexed(at: try #require(head.index(of: "authorization"))))
        let basic = try request("{ basic: { user: me, password: SECRET } }").request
        #expect(header(basic, "authorization") == "Basic " + Data("me:top secret".utf8).base64EncodedString())
        let other = try request("{ header: { name: X-API-Key, prefix: \"Key \", value: SECRET } }").request
        #expect(header(other, "x-api-key") == "Key top secret")
        let captured = try request("{ bearer: \"{{token}}\" }", captured: "abc")
        #expect(header(captured.request, "authorization") == "Bearer abc" && captured.refusal == nil)
    }

    @Test func `a credential may be joined of several parts, and encoded as a whole`() throws {
        let auth = """
            { header: { name: X-Auth, prefix: "Key ", value: { join: ["{{sessionID}}", ":", SECRET, ":",
                  { value: "{{token}}", prefix: t_, as: hex }], encode: base64url } } }
            """
        let signed = try request(auth, captured: "t_616263").request
        let id = header(signed, ":path").dropFirst("/ab/".count).prefix { $0 != "?" }
        #expect(header(signed, "x-auth") == "Key " + Base64URL.encode(Array("\(id):top secret:abc".utf8).span))
        // What an answer gave in another form than is said makes no credential, and the call is not sent.
        #expect(try request(auth, captured: "t_no hex").refusal == "a secret that an answer gave is not written as the profile says")
    }

    @Test func `a header that the call sends may be signed`() throws {
        let auth = #"{ hmac: { key: SECRET, over: [{ header: X-Id }, ".", body], header: s, prefix: "v1," } }"#
        let signed = try request(auth, call: #"headers: { x-id: "{{sessionID}}" }"#).request
        #expect(!header(signed, "x-id").isEmpty)
        #expect(header(signed, "s") == "v1," + Hex.encode(code(header(signed, "x-id") + "." + signed.body.text).span))
    }

    @Test func `what is signed are the parts as they are listed`() throws {
        let auth = """
            { hmac: { key: SECRET, over: [method, { text: " {{sessionID}} " }, path, "\\n", timestamp, ".", body],
                  header: X-Signature, prefix: "sha256=", timestamp: { header: X-Timestamp, unit: ms } } }
            """
        let signed = try request(auth).request
        let path = header(signed, ":path")
        let id = path.dropFirst("/ab/".count).prefix { $0 != "?" }
        #expect(path.hasSuffix("?q=1") && signed.body.text.hasPrefix("[pr:"))
        let message = "PUT \(id) \(path)\n1700000000123.\(signed.body.text)"
        #expect(header(signed, "x-timestamp") == "1700000000123")
        #expect(header(signed, "x-signature") == "sha256=" + Hex.encode(code(message).span))
    }

    @Test(arguments: HMACAlgorithm.allCases)
    func `each algorithm signs, in Base64 too`(algorithm: HMACAlgorithm) throws {
        let auth = "{ hmac: { key: SECRET, algorithm: \(algorithm.rawValue), encoding: base64, over: [body], header: s } }"
        let signed = try request(auth).request
        #expect(header(signed, "s") == Data(code(signed.body.text, algorithm)).base64EncodedString())
    }

    @Test func `seconds are whole ones`() throws {
        let auth = "{ hmac: { key: SECRET, over: [timestamp], header: s, timestamp: { header: t } } }"
        let signed = try request(auth).request
        #expect(header(signed, "t") == "1700000000")
        #expect(header(signed, "s") == Hex.encode(code("1700000000").span))
    }

    @Test func `a token is minted with its times, its claims and its key's name`() throws {
        let auth = "{ jwt: { key: SECRET, kid: k1, lifetime: 90s, claims: { aud: relay, sub: \"{{token}}\" } } }"
        let signed = try request(auth, captured: "a\"b").request
        let value = header(signed, "authorization")
        #expect(value.hasPrefix("Bearer "))
        let parts = value.dropFirst(7).split(separator: ".")
        try #require(parts.count == 3)
        let texts = try parts.map { try #require(Base64URL.decode(String($0))) }
        #expect(String(decoding: texts[0], as: UTF8.self) == #"{"alg":"HS256","typ":"JWT","kid":"k1"}"#)
        #expect(
            String(decoding: texts[1], as: UTF8.self)
                == #"{"iat":1700000000,"exp":1700000090,"aud":"relay","sub":"a\"b"}"#)
        #expect(texts[2] == code(parts[0] + "." + parts[1]))
        let plain = try request("{ jwt: { key: SECRET, header: x-t, prefix: \"\" } }")
        #expect(plain.refusal == nil)
    }

    @Test func `a token may be signed with a private key`() throws {
        let key = P256PrivateKey()
        let signed = try request("{ jwt: { key: SECRET, algorithm: ES256 } }", key: key.pem).request
        let parts = header(signed, "authorization").dropFirst(7).split(separator: ".")
        try #require(parts.count == 3)
        let signature = try #require(Base64URL.decode(String(parts[2])))
        let message = Array((parts[0] + "." + parts[1]).utf8)
        let isRight = key.publicKey.verify(message.span, signature: signature.span)
        #expect(isRight && signature.count == 64)
        let spoilt = try request("{ jwt: { key: SECRET, algorithm: ES256 } }", call: "auth: { spoil: true }", key: key.pem).request
        let other = header(spoilt, "authorization").dropFirst(7).split(separator: ".")
        let wrong = try #require(Base64URL.decode(String(other[2])))
        let text = Array((other[0] + "." + other[1]).utf8)
        let isWrong = !key.publicKey.verify(text.span, signature: wrong.span)
        #expect(isWrong)
    }

    @Test(arguments: [
        "{ bearer: SECRET }", "{ basic: { user: me, password: SECRET } }", "{ header: { name: authorization, value: SECRET } }",
        "{ hmac: { key: SECRET, over: [body], header: authorization } }",
        "{ hmac: { key: SECRET, over: [body], header: authorization, encoding: base64 } }", "{ jwt: { key: SECRET } }",
    ])
    func `what is spoilt is wrong, of the same length, and nothing else is changed`(auth: String) throws {
        let right = try request(auth).request
        let wrong = try request(auth, call: "auth: { spoil: true }").request
        #expect(header(right, "authorization") != header(wrong, "authorization"))
        #expect(header(right, "authorization").utf8.count == header(wrong, "authorization").utf8.count)
        #expect(right.body.text == wrong.body.text && right.head.count == wrong.head.count)
    }

    @Test func `a credential of an earlier time is right, as of then`() throws {
        let old = "auth: { spoil: 10m }"
        let stamped = "{ hmac: { key: SECRET, over: [timestamp], header: s, timestamp: { header: t } } }"
        let signed = try request(stamped, call: old).request
        #expect(header(signed, "t") == "1699999400")
        #expect(header(signed, "s") == Hex.encode(code("1699999400").span))
        let minted = try request("{ jwt: { key: SECRET } }", call: old).request
        let parts = header(minted, "authorization").dropFirst(7).split(separator: ".").map { String($0) }
        try #require(parts.count == 3)
        #expect(String(decoding: Base64URL.decode(parts[1]) ?? [], as: UTF8.self) == #"{"iat":1699999400,"exp":1699999460}"#)
        #expect(Base64URL.decode(parts[2]) == code(parts[0] + "." + parts[1]))
        let amazon = try request(
            "{ sigv4: { accessKeyID: me, secretAccessKey: SECRET, region: r, service: s } }", call: old).request
        #expect(header(amazon, "x-amz-date") == "20231114T220320Z")
    }

    @Test func `a call without credentials has none, and a secret that would break its header is not sent`() throws {
        #expect(try request("{ bearer: SECRET }", call: "auth: none").request.head.text("authorization") == nil)
        let broken = try request("{ bearer: \"{{token}}\" }", captured: "a\r\nb: c")
        #expect(broken.refusal == "the header `authorization` would hold a control character")
        #expect(broken.request.head.text("authorization") == nil)
    }

    @Test func `nothing is signed where nothing is sent`() throws {
        let request = OutgoingRequest()
        var call = Knobs.call("one")
        call.auth = AuthSpec(kind: .plain(header: Array("k".utf8), prefix: [], .kept(KeptSecret([65]))))
        let signing = Knobs.plan(Knobs.scenario(steps: [Knobs.step(0, .at(.constant(0)))], calls: [call]))
        RelayDriver(signing.workload).render(signing.session(0).events[0], script: 0, into: request)
        #expect(request.head.text("k") == nil)
        #expect("\(KeptSecret([65]))" == "(secret)" && String(reflecting: call.auth as Any).contains("65") == false)
    }

    @Test func `an answer that says a secret again is recorded without it`() throws {
        var call = Knobs.call("one")
        call.auth = AuthSpec(kind: .basic(user: Knobs.literal("me"), password: .kept(KeptSecret(Array("hush".utf8)))))
        call.fields.append((name: "x-ticket", value: Knobs.hole(.captured(0))))
        let plan = Knobs.plan(Knobs.scenario(steps: [Knobs.step(0, .at(.constant(0)))], calls: [call]))
        let driver = RelayDriver(plan.workload)
        let request = OutgoingRequest()
        var context = EventContext()
        context.captured = [CapturedValue(bytes: Array("t1cket".utf8), isText: true)]
        driver.render(plan.session(0).events[0], script: 0, into: request, context, at: Self.now)
        func recorded(_ text: String, _ limit: Int = 100) -> String {
            let answer = ByteBuffer()
            answer.append(text)
            return String(decoding: driver.redact(answer, of: 0, request, upTo: limit), as: UTF8.self)
        }
        let credential = Data("me:hush".utf8).base64EncodedString()
        #expect(recorded("no hush, not \(credential)!") == "no (secret), not (secret)!")
        #expect(recorded("t1ckett1cke") == "(secret)t1cke")
        #expect(recorded("hus") == "hus" && recorded("") == "")
        #expect(recorded("12345678hush", 10) == "12345678(s")
        #expect(recorded("0123456789hush", 10) == "0123456789")
    }
}
