// Why a provider token was refused: Apple says one word for all of it, and the mock what is wrong, where it was asked
// (journal), by whom (admin API) and on its page. Every token goes over the wire.

import APNs
import Basics
import EventLoop
import Journal
import MockServer
import Pushes
import TLS
import Testing

private let path = "/3/device/" + TestMock.device

@Suite("A provider token that is refused")
struct CredentialCauseTests {
    /// What a token is made of; one thing is spoiled.
    struct Parts {
        var header: String
        var claims: String
        let key: P256PrivateKey
        let kid, team: String
        let now: Int64

        init(_ mock: TestMock) {
            (kid, team, key) = (mock.service.coordinates.keyID, mock.service.coordinates.teamID, mock.key)
            now = SystemTime().wall().seconds
            header = Self.header(kid)
            claims = #"{"iss":"\#(team)","iat":\#(now)}"#
        }

        static func header(_ kid: String) -> String { #"{"alg":"ES256","kid":"\#(kid)"}"# }
        static func encoded(_ text: String) -> String { withBytes(of: text) { Base64URL.encode($0) } }
        func claims(_ iss: String, _ iat: String) -> String { #"{"iss":"\#(iss)","iat":\#(iat)}"# }

        var message: String { Self.encoded(header) + "." + Self.encoded(claims) }
        func signed(_ message: String, by other: P256PrivateKey? = nil) -> [UInt8] {
            (other ?? key).sign(Array(message.utf8).span)
        }
        func token(_ signature: [UInt8]? = nil) -> String {
            let signature = signature ?? signed(message)
            return message + "." + Base64URL.encode(signature.span)
        }
    }

    struct Spoiled: Sendable, CustomTestStringConvertible {
        var cause: CredentialCause
        var reason = "InvalidProviderToken"
        /// In the words; `KID` and `TEAM` are the mock's.
        var says: String
        /// The value of `authorization`; nil: there is none.
        var make: @Sendable (Parts) -> String?
        var testDescription: String { "\(cause.word)" }

        init(_ cause: CredentialCause, _ says: String, _ make: @escaping @Sendable (Parts) -> String?) {
            (self.cause, self.says, self.make) = (cause, says, make)
        }

        static func missing(
            _ cause: CredentialCause, _ says: String, _ make: @escaping @Sendable (Parts) -> String?
        ) -> Spoiled {
            var spoiled = Spoiled(cause, says, make)
            spoiled.reason = "MissingProviderToken"
            return spoiled
        }

        /// Another header.
        static func header(
            _ cause: CredentialCause, _ says: String, _ header: @escaping @Sendable (Parts) -> String
        ) -> Spoiled {
            Spoiled(cause, says) {
                var parts = $0
                parts.header = header(parts)
                return "bearer " + parts.token()
            }
        }

        /// Other claims.
        static func claims(
            _ cause: CredentialCause, _ says: String, _ claims: @escaping @Sendable (Parts) -> String
        ) -> Spoiled {
            Spoiled(cause, says) {
                var parts = $0
                parts.claims = claims(parts)
                return "bearer " + parts.token()
            }
        }
    }

    static let spoiled: [Spoiled] = [
        .missing(.noField, "no field authorization") { _ in nil },
        .missing(.bareToken, "the word bearer") { $0.token() },
        .missing(.otherScheme, #""Basic" is not the scheme bearer"#) { "Basic " + $0.token() },
        .missing(.noToken, "nothing follows") { _ in "bearer" },
        Spoiled(.tooLong, "4,096 bytes") { "bearer " + $0.token() + String(repeating: "A", count: 4_096) },
        Spoiled(.otherParts, "the token has 2 parts") { "bearer " + $0.message },
        Spoiled(.otherParts, "the token has 4 parts") { "bearer " + $0.token() + ".x" },
        Spoiled(.padded, "the token's signature ends with =") { "bearer " + $0.token() + "==" },
        Spoiled(.plainBase64, "the token's header is base64 with + or /") { parts in
            let header = #"{"alg":"ES256","kid":"\#(parts.kid)","x":"???>>>"}"#
            let plain = String(Base64.encode(Array(header.utf8).span).filter { $0 != "=" })
            let message = plain + "." + Parts.encoded(parts.claims)
            return "bearer \(message)." + Base64URL.encode(parts.signed(message).span)
        },
        Spoiled(.notBase64URL, "the token's claims part is not base64url") {
            "bearer " + Parts.encoded($0.header) + ".{}." + Base64URL.encode($0.signed($0.message).span)
        },
        .header(.headerNotJSON, "header is not a JSON object") { _ in "alg=ES256" },
        .header(.headerNotJSON, "header is not a JSON object") { _ in "[]" },
        .header(.algorithmMissing, "no text alg") { #"{"kid":"\#($0.kid)"}"# },
        .header(.algorithmOther, #"alg "HS256" is not ES256"#) { #"{"alg":"HS256","kid":"\#($0.kid)"}"# },
        .header(.algorithmOther, #"alg "none" is not ES256"#) { #"{"alg":"none","kid":"\#($0.kid)"}"# },
        .header(.algorithmOther, #"alg "RS256" is not ES256"#) { #"{"alg":"RS256","kid":"\#($0.kid)"}"# },
        .header(.keyMissing, "no text kid") { _ in #"{"alg":"ES256"}"# },
        .header(.keyMissing, "no text kid") { _ in #"{"alg":"ES256","kid":7}"# },
        .header(.keyUnknown, #"kid "ZZZZZZZZZ9" is unknown: no key"#) { _ in Parts.header("ZZZZZZZZZ9") },
        .header(.keyWithLineEnd, #"kid "KID\n" is unknown; it would be known without its line's end"#) {
            Parts.header($0.kid + #"\n"#)
        },
        .header(.keyWithLineEnd, #"kid "KID\r\n" is unknown"#) { Parts.header($0.kid + #"\r\n"#) },
        .header(.keyWithSpace, #"kid " KID" is unknown; it would be known without the space"#) { Parts.header(" " + $0.kid) },
        .header(.keyInOtherLetters, "known in capital letters") { Parts.header($0.kid.lowercased()) },
        .header(.keyIsTeam, #"kid "TEAM" is a team's ID where the key's ID belongs; iss "TEAM""#) { Parts.header($0.team) },
        .header(.keyWithMore, #"kid "AuthKey_KID.p8" is unknown; it holds"#) { Parts.header("AuthKey_\($0.kid).p8") },
        .claims(.claimsNotJSON, "claims are not a JSON object") { _ in "iss" },
        .claims(.teamMissing, "no text iss") { #"{"iat":\#($0.now)}"# },
        .claims(.teamUnknown, #"iss "ZZZZZZZZZ9" is unknown"#) { $0.claims("ZZZZZZZZZ9", "\($0.now)") },
        .claims(.teamWithLineEnd, #"iss "TEAM\n" is unknown; it would be known without its line's end"#) {
            $0.claims($0.team + #"\n"#, "\($0.now)")
        },
        .claims(.teamWithSpace, "known without the space") { $0.claims($0.team + " ", "\($0.now)") },
        .claims(.teamInOtherLetters, "known in capital letters") { $0.claims($0.team.lowercased(), "\($0.now)") },
        .claims(.teamIsKey, #"iss "KID" is a key's ID where the team's ID belongs"#) { $0.claims($0.kid, "\($0.now)") },
        .claims(.teamOther, #"iss "OTHERTEAM1" is not the team of kid "KID""#) { $0.claims("OTHERTEAM1", "\($0.now)") },
        .claims(.issuedMissing, "no iat") { #"{"iss":"\#($0.team)"}"# },
        .claims(.issuedNotNumber, #"iat "today" is not a number"#) { $0.claims($0.team, #""today""#) },
        Spoiled(.signatureLength, "the signature has 32 bytes") {
            "bearer " + $0.token(hmac(.sha256, key: [1].span, Array($0.message.utf8).span))
        },
        Spoiled(.signatureOther, #"with the key of kid "KID""#) {
            "bearer " + $0.token($0.signed($0.message, by: P256PrivateKey()))
        },
        Spoiled(.signatureOther, "not made of this header and these claims") { "bearer " + $0.token($0.signed("other")) },
    ]

    private static func words(_ spoiled: Spoiled, _ parts: Parts) -> String {
        spoiled.says.replacing("KID", with: parts.kid).replacing("TEAM", with: parts.team)
            .replacing("OTHER\(parts.team)1", with: "OTHERTEAM1")
    }

    @Test("is told with its cause by journal and admin API, and Apple's answer stays as it is")
    func causes() throws {
        try withMock { mock in
            _ = try mock.key(.team, team: "OTHERTEAM1")
            for spoiled in Self.spoiled {
                let parts = Parts(mock)
                let fields = mock.fields().dropFirst() + (spoiled.make(parts).map { [("authorization", $0)] } ?? [])
                let reply = try mock.provider().ask("POST", path, Array(fields), body: alert)
                #expect(reply.status == 403 && reply.text == #"{"reason":"\#(spoiled.reason)"}"#, "\(spoiled)")
            }
            let entries = try mock.journal()
            let parts = Parts(mock)
            #expect(entries.count == Self.spoiled.count && Self.spoiled.count >= 19)
            for (entry, spoiled) in zip(entries, Self.spoiled) {
                #expect(entry.credentialCause == spoiled.cause, "\(spoiled): \(entry.credentialWords ?? "")")
                #expect(entry.credentialWords?.contains(Self.words(spoiled, parts)) == true, "\(entry.credentialWords ?? "")")
            }
            let shown = try #require(try mock.admin.ask("GET", "/v1/pushes?limit=100").json["pushes"]?.array)
            #expect(shown.map { $0["cause"]?.string } == Self.spoiled.map { "\($0.cause.word)" })
            #expect(shown.map { $0["causeText"]?.string } == entries.map(\.credentialWords))
            let page = try mock.admin.ask("GET", "/").text
            #expect(page.contains("push.causeText"), "the page shows what the API tells")
        }
    }

    @Test("by the clock, by another key, by the connection, the environment or the topic is told as well")
    func places() throws {
        try withMock { mock in
            let now = SystemTime().wall()
            func cause(
                _ authorization: String, on client: TestClient? = nil, topic: String = "com.example.app"
            ) throws -> String {
                let fields = [("authorization", authorization)] + mock.fields(topic: topic).dropFirst()
                let reply = try (client ?? mock.provider()).ask("POST", path, Array(fields), body: alert)
                let entry = try #require(try mock.journal().last)
                return "\(reply.json["reason"]?.string ?? "200") \(entry.credentialCause.map { "\($0.word)" } ?? "none")"
            }
            var parts = Parts(mock)
            #expect(try cause("bearer " + parts.token()) == "200 none")
            #expect(try cause(mock.authorization(at: now - .seconds(3_700))) == "ExpiredProviderToken expired")
            #expect(try cause(mock.authorization(at: now + .seconds(7_200))) == "ExpiredProviderToken iat-ahead")
            parts.claims = parts.claims(parts.team, "\(now.milliseconds)")
            #expect(try cause("bearer " + parts.token()) == "ExpiredProviderToken iat-in-milliseconds")
            parts = Parts(mock)
            let other = try mock.key(.team)
            // The header names the first key, the other one has signed.
            let signer = try P256PrivateKey(pem: readText(mock.service.credentials.store.path(of: other.file)) ?? "")
            #expect(
                try cause("bearer " + parts.token(parts.signed(parts.message, by: signer)))
                    == "InvalidProviderToken signature-of-other-key")
            let client = try mock.provider()
            #expect(try cause(mock.authorization, on: client) == "200 none")
            let foreign = try mock.bearer(try mock.key(.team, team: "OTHERTEAM1"))
            #expect(try cause(foreign, on: client) == "InvalidProviderToken connection-of-other-team")
            let sandbox = try mock.bearer(try mock.key(.environment(.sandbox)))
            #expect(try cause(sandbox) == "BadEnvironmentKeyInToken kid-of-other-environment")
            let topic = try mock.bearer(try mock.key(.topics(["com.example.app"], .production, related: nil)))
            #expect(try cause(topic, topic: "com.example.other") == "TopicDisallowed kid-of-other-topics")
            #expect(try cause(topic, on: client) == "TooManyProviderTokenUpdates too-many-tokens")
            let classic = try mock.provider()
            #expect(try cause(mock.authorization, on: classic) == "200 none")
            #expect(try cause(topic, on: classic) == "UnrelatedKeyIdInToken kid-unrelated")
            let spoiled = try mock.provider()
            #expect(try cause(mock.authorization(at: now - .seconds(3_700)), on: spoiled) == "ExpiredProviderToken expired")
            #expect(try cause(mock.authorization, on: spoiled) == "ExpiredProviderToken connection-spoiled")
        }
    }

    @Test("has a word, and a sentence for anybody's token, each its own")
    func rows() {
        #expect(Set(CredentialCause.allCases.map { "\($0.word)" }).count == CredentialCause.allCases.count)
        #expect(Set(CredentialCause.allCases.map(\.explanation)).count == CredentialCause.allCases.count)
        for cause in CredentialCause.allCases { #expect(!cause.explanation.contains("{"), "\(cause.explanation)") }
    }
}
