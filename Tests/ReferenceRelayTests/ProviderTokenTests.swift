import Basics
import Testing

@testable import ReferenceRelay

@Suite struct ProviderTokenTests {
    private let start = WallTime(seconds: 1_760_000_000)

    private func make(signsAlways: Bool = false) -> ProviderToken {
        ProviderToken(
            keyID: "KEYKEYKEY1", teamID: "TEAMTEAM12", lifetime: .seconds(3_000), signsAlways: signsAlways,
            sign: { _ in [UInt8](repeating: 7, count: 64) })
    }

    @Test func theTokenHasTheClaimsThatAppleWants() throws {
        var token = make()
        let value = token.value(at: start)
        #expect(value.hasPrefix("bearer "))
        let parts = value.dropFirst(7).split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let header = try JSONValue(parsing: String(decoding: Base64URL.decode(parts[0])!, as: UTF8.self))
        let claims = try JSONValue(parsing: String(decoding: Base64URL.decode(parts[1])!, as: UTF8.self))
        #expect(header == ["alg": "ES256", "kid": "KEYKEYKEY1"])
        #expect(claims == ["iss": "TEAMTEAM12", "iat": 1_760_000_000])
        #expect(Base64URL.decode(parts[2]) == [UInt8](repeating: 7, count: 64))
    }

    @Test func itIsSignedOnceInFiftyMinutes() {
        var token = make()
        for second in stride(from: 0, to: 2_999, by: 7) {
            _ = token.value(at: start + .seconds(Double(second)))
        }
        #expect(token.serial == 1)
        _ = token.value(at: start + .seconds(3_000))
        #expect(token.serial == 2)
    }

    @Test func aClockThatWentBackGetsANewToken() {
        var token = make()
        _ = token.value(at: start)
        _ = token.value(at: start - .seconds(10))
        #expect(token.serial == 2)
    }

    @Test func aRejectedTokenIsReplacedAtMostOnceAMinute() {
        var token = make()
        _ = token.value(at: start)
        let granted = token.renew(rejected: 1, at: start + .seconds(1))
        #expect(granted && token.serial == 2)
        let isThere = token.renew(rejected: 1, at: start + .seconds(1))
        #expect(isThere && token.serial == 2)
        let tooSoon = token.renew(rejected: 2, at: start + .seconds(60))
        #expect(!tooSoon && token.serial == 2)
        let again = token.renew(rejected: 2, at: start + .seconds(61))
        #expect(again && token.serial == 3)
    }
}
