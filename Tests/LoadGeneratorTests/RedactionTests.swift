// A secret that an answer says again is recorded in none of the forms in which a relay may say it.

import Basics
import Foundation
import HTTP
import Net
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

@testable import LoadGenerator

@Suite struct RedactionTests {
    private static let secret = "S3cr3t+Zebra/Quagga=\"7\\&~"

    /// What is recorded of `text`, for a call with `secret` as the password of basic.
    private func recorded(_ text: String, secret: String = secret, isSpoilt: Bool = false, upTo limit: Int = 512) -> String {
        var call = Knobs.call("one")
        var auth = AuthSpec(kind: .basic(user: Knobs.literal("me"), password: .kept(KeptSecret(Array(secret.utf8)))))
        auth.isSpoilt = isSpoilt
        call.auth = auth
        let plan = Knobs.plan(Knobs.scenario(steps: [Knobs.step(0, .at(.constant(0)))], calls: [call]))
        let driver = RelayDriver(plan.workload)
        let request = OutgoingRequest()
        driver.render(
            plan.session(0).events[0], script: 0, into: request, EventContext(), at: WallTime(milliseconds: 1_700_000_000_123))
        let answer = ByteBuffer()
        answer.append(text)
        return String(decoding: driver.redact(answer, of: 0, request, upTo: limit), as: UTF8.self)
    }

    private static func hex(_ text: String) -> String { Hex.encode(Array(text.utf8).span) }
    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    private static func base64url(_ text: String) -> String { Base64URL.encode(Array(text.utf8).span) }
    private static func percent(_ text: String) -> String { text.utf8.map { "%" + hex(String(UnicodeScalar($0))) }.joined() }

    @Test(arguments: [
        ("a slash of PHP's", #"S3cr3t+Zebra\/Quagga=\"7\\&~"#),
        (".NET's", #"S3cr3t\u002BZebra\/Quagga=\u00227\u005c\u0026~"#),
        ("every character", secret.utf16.map { "\\u00" + hex(String(UnicodeScalar(UInt8($0)))) }.joined()),
        ("twice", #"S3cr3t\\u002BZebra\\/Quagga=\\\"7\\\\&~"#),
        ("percent", "S3cr3t%2BZebra%2FQuagga%3D%227%5C%26~"), ("percent, small", "S3cr3t%2bZebra%2fQuagga%3d%227%5c%26~"),
        ("percent of each", percent(secret)), ("percent twice", "S3cr3t%252BZebra%252FQuagga%253D%25227%255C%2526~"),
        ("HTML", "S3cr3t+Zebra/Quagga=&quot;7\\&amp;~"), ("HTML by numbers", "S3cr3t&#43;Zebra&#x2F;Quagga&#61;&#34;7\\&#38;~"),
        ("base64", base64(secret)), ("base64url", base64url(secret)), ("base64 in JSON", base64(secret).replacing("/", with: "\\/")),
        ("base64 in a URL", base64(secret).replacing("=", with: "%3D").replacing("+", with: "%2B").replacing("/", with: "%2F")),
        ("base64, one further", base64("a" + secret)), ("base64, two further", base64("ab" + secret + "cd")),
        ("base64, three further", base64url("abc" + secret + "d")), ("base64 of base64", base64(base64("me:" + secret))),
        ("hex", hex(secret)), ("hex in capitals", hex(secret).uppercased()), ("JSON in base64", base64(#"{"k":"S3cr3t\u002BZebra\/Quagga=\"7\\&~"}"#)),
    ])
    func `of a secret nothing is recorded`(form: String, said: String) {
        let words = recorded(#"{"error":"bad key <\#(said)>!"}"#)
        #expect(words.hasPrefix(#"{"error":"bad key <"#) && words.hasSuffix(#">!"}"#), "\(form): \(words)")
        let shown = words.dropFirst(#"{"error":"bad key <"#.count).dropLast(4)
        #expect(shown.contains("(secret)"), "\(form): \(words)")
        // A form that holds more than the secret may keep a little of what stands around it.
        #expect(shown.count < 28 && !shown.contains("Zebra"), "\(form): \(words)")
    }

    @Test func `a blank of a form is a plus`() {
        #expect(recorded("k=top+secret+words&l=1", secret: "top secret words") == "k=(secret)&l=1")
    }

    @Test(arguments: [(6, "no (secret)!"), (5, "no S3cr3!")])
    func `a cut secret counts from its sixth character on`(count: Int, words: String) {
        #expect(recorded("no \(Self.secret.prefix(count))!") == words)
    }

    @Test func `of one that was spoilt on purpose its last character stays`() {
        let spoilt = String(Self.secret.dropLast()) + "x"
        for said in [spoilt, spoilt.replacing("+", with: "%2B"), spoilt.replacing("/", with: "\\/")] {
            #expect(recorded("no \(said)!", isSpoilt: true).hasPrefix("no (secret)"), "\(said)")
        }
        let words = recorded("no \(Self.base64("you:" + spoilt))!", isSpoilt: true)
        #expect(words.hasPrefix("no eW91O") == false || words.contains("(secret)"))
        #expect(!words.contains(Self.base64("you:" + Self.secret).dropLast(4).suffix(12)))
    }

    @Test func `what holds none stays, whatever it looks like`() {
        let text = #"{"a":"\u002B\/%2F&amp;","id":"ZXJyb3IgaW4gYSB3b3Jk","trace":"8e3f28b393370d90fa7f51894e5fe02f","path":"/v1/Quagga"}"#
        #expect(recorded(text) == text)
    }

    @Test func `work is bounded, whatever a relay says`() {
        let text = String(repeating: #"%5Cu0025&#x5C;\\u002541aGVsbG8+d29ybGQ/"#, count: 4_000)
        let clock = ContinuousClock()
        let spent = clock.measure { #expect(recorded(text).utf8.count == 512) }
        #expect(spent < .milliseconds(500))
    }
}
