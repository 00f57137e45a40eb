// Provider tokens (docs/apns.md §8).

import APNs
import Basics
import Pushes
import Testing

@Suite struct ProviderTokenTests {
    let rig = ValidatorRig()

    private func reason(_ jwt: String, on rig: ValidatorRig? = nil) -> Reason? {
        (rig ?? self.rig).reason { $0["authorization"] = "bearer " + jwt }
    }

    @Test(
        "no credential, another scheme or nothing after it is MissingProviderToken (§2.4)",
        arguments: [nil, "", "bearer", "bearer ", "basic abc", "a.b.c"])
    func missing(value: String?) {
        #expect(rig.reason { $0["authorization"] = value } == .missingProviderToken)
    }

    @Test("bearer and Bearer are the same (§3)", arguments: ["bearer ", "Bearer ", "BEARER "])
    func scheme(prefix: String) {
        let jwt = rig.jwt()
        #expect(rig.reason { $0["authorization"] = prefix + jwt } == nil)
    }

    @Test("blanks in the JSON parts and typ are harmless (§8, observed)")
    func blanks() {
        let now = rig.time.wall().seconds
        let jwt = rig.jwt(
            header: #"{ "typ": "JWT", "alg": "ES256", "kid": "KEY0000001" }"#,
            claims: "{ \"iss\" : \"TEAM000001\",\n \"iat\": \(now) }")
        #expect(reason(jwt) == nil)
    }

    @Test("a fraction in iat, as Python's clock gives it, is dropped")
    func fractionalIssuedAt() {
        let now = rig.time.wall().seconds
        let jwt = rig.jwt(
            header: #"{"alg":"ES256","kid":"KEY0000001"}"#, claims: #"{"iss":"TEAM000001","iat":\#(now).734}"#)
        #expect(reason(jwt) == nil)
    }

    @Test(
        "a header without the right alg and kid is InvalidProviderToken (§6, §8)",
        arguments: [
            #"{"alg":"RS256","kid":"KEY0000001"}"#, #"{"alg":"none","kid":"KEY0000001"}"#, #"{"kid":"KEY0000001"}"#,
            #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"KEY0000002"}"#, #"{"alg":"ES256","kid":1}"#, "[]", "x",
        ])
    func header(header: String) {
        let now = rig.time.wall().seconds
        #expect(
            reason(rig.jwt(header: header, claims: #"{"iss":"TEAM000001","iat":\#(now)}"#)) == .invalidProviderToken)
    }

    @Test(
        "claims without the right iss and a numeric iat are InvalidProviderToken (§6, §8)",
        arguments: [
            #"{"iss":"TEAM000002","iat":1760000000}"#, #"{"iat":1760000000}"#, #"{"iss":"TEAM000001"}"#,
            #"{"iss":"TEAM000001","iat":"now"}"#, #"{"iss":"TEAM000001","iat":""}"#, #"{"iss":"TEAM000001","iat":null}"#,
            #"{"iss":"TEAM000001","iat":"-1760000000"}"#, #"{"iss":"TEAM000001","iat":"1760000000000000000000"}"#, "x",
        ])
    func claims(claims: String) {
        #expect(
            reason(rig.jwt(header: #"{"alg":"ES256","kid":"KEY0000001"}"#, claims: claims)) == .invalidProviderToken)
    }

    @Test("an iat in a text of digits is as good as a number, and ages like one (§8)")
    func textualIssuedAt() {
        let now = rig.time.wall().seconds
        func reason(_ issuedAt: Int64) -> Reason? {
            self.reason(
                rig.jwt(
                    header: #"{"alg":"ES256","kid":"KEY0000001"}"#, claims: #"{"iss":"TEAM000001","iat":"\#(issuedAt)"}"#),
                on: ValidatorRig())
        }
        #expect(reason(now) == nil)
        #expect(reason(now - 3_601) == .expiredProviderToken)
        // Apple's printed sample: milliseconds, far ahead.
        #expect(reason(now * 1_000) == .expiredProviderToken)
    }

    @Test("a wrong signature or shape is InvalidProviderToken (§6)")
    func signature() {
        let good = rig.jwt()
        let header = #"{"alg":"ES256","kid":"KEY0000001"}"#
        let claims = #"{"iss":"TEAM000001","iat":1760000000}"#
        for jwt in [
            rig.jwt(key: FakeKey(number: 2)), rig.jwt(header: header, claims: claims, signature: []),
            good + ".x", good + "=", String(good.dropLast(3)), ".", "..", String(repeating: "a", count: 5000),
        ] {
            #expect(reason(jwt, on: ValidatorRig()) == .invalidProviderToken, "\(jwt.prefix(200))")
        }
    }

    @Test("the verifier is asked once per token, not per push, and not per connection")
    func verifiedOnce() {
        let key = CountingKey()
        rig.add(ValidatorRig.keyID, verifier: key)
        let jwt = rig.jwt()
        for _ in 0..<5 { #expect(reason(jwt) == nil) }
        rig.connection = ProviderConnection()
        #expect(reason(jwt) == nil)
        #expect(key.calls == 1)
    }

    @Test("a replaced or revoked key ends what was concluded with it (§8: revoked key)")
    func revoked() {
        let jwt = rig.jwt()
        #expect(reason(jwt) == nil)
        rig.add(ValidatorRig.keyID, verifier: FakeKey(number: 2))
        #expect(reason(jwt) == .invalidProviderToken)
        rig.keys.remove(keyID: ValidatorRig.keyID)
        #expect(reason(jwt) == .invalidProviderToken)
    }

    // MARK: age

    @Test("a token lives exactly one hour (§8)")
    func expiry() {
        #expect(reason(rig.jwt(age: .seconds(3600))) == nil)
        #expect(reason(rig.jwt(age: .seconds(3601)), on: ValidatorRig()) == .expiredProviderToken)
    }

    @Test("a token that was good on this connection expires on it too (§8)")
    func expiryOnFastPath() {
        let jwt = rig.jwt()
        #expect(reason(jwt) == nil)
        rig.time.advance(by: .seconds(3600))
        #expect(reason(jwt) == nil)
        rig.time.advance(by: .seconds(1))
        #expect(reason(jwt) == .expiredProviderToken)
    }

    @Test("an iat in milliseconds is not now (§14, P1)")
    func millisecondIssuedAt() {
        let jwt = rig.jwt(
            header: #"{"alg":"ES256","kid":"KEY0000001"}"#, claims: #"{"iss":"TEAM000001","iat":1760000000000}"#)
        #expect(reason(jwt) == .expiredProviderToken)
    }

    @Test("up to one hour ahead is fine; beyond, the reason is a setting (§8, §15.11, unsure)")
    func future() {
        #expect(reason(rig.jwt(age: .seconds(-3600))) == nil)
        #expect(reason(rig.jwt(age: .seconds(-3601)), on: ValidatorRig()) == .expiredProviderToken)
        #expect(
            reason(rig.jwt(age: .seconds(-3601)), on: ValidatorRig { $0.futureIssuedAt = .invalid })
                == .invalidProviderToken)
        #expect(reason(rig.jwt(age: .seconds(-3601)), on: ValidatorRig { $0.futureIssuedAt = .accept }) == nil)
    }

    @Test("after ExpiredProviderToken only a new connection helps (§8, observed)")
    func wedge() {
        #expect(reason(rig.jwt(age: .seconds(4000))) == .expiredProviderToken)
        let fresh = rig.jwt()
        #expect(reason(fresh) == .expiredProviderToken)
        rig.connection = ProviderConnection()
        #expect(reason(fresh) == nil)
        let soft = ValidatorRig { $0.wedgesAfterExpiredToken = false }
        #expect(reason(soft.jwt(age: .seconds(4000)), on: soft) == .expiredProviderToken)
        #expect(reason(soft.jwt(), on: soft) == nil)
    }

    // MARK: update rate

    @Test("a third different token within 20 minutes is TooManyProviderTokenUpdates, and blocks (§7, §8)")
    func updateRate() {
        let (first, second, third) = (rig.jwt(age: .seconds(3)), rig.jwt(age: .seconds(2)), rig.jwt())
        #expect(reason(first) == nil)
        rig.time.advance(by: .seconds(60))
        #expect(reason(second) == nil)
        #expect(reason(first) == nil)
        #expect(reason(third) == .tooManyProviderTokenUpdates)
        #expect(reason(first) == .tooManyProviderTokenUpdates)
        rig.time.advance(by: .seconds(1139))
        #expect(reason(second) == .tooManyProviderTokenUpdates)
        rig.time.advance(by: .seconds(1))
        #expect(reason(third) == nil)
    }

    @Test("one new token every 20 minutes is what Apple asks for (§8)")
    func steadyRefresh() {
        for _ in 0..<10 {
            #expect(reason(rig.jwt()) == nil)
            rig.time.advance(by: .seconds(20 * 60))
        }
        #expect(rig.connection.tokenChanges == 10)
    }

    @Test("signing each push anew is refused from the third on; a new connection forgets (§8, P1)")
    func perPushSigning() {
        let reasons = (0..<4).map { reason(rig.jwt(age: .seconds(Double($0)))) }
        #expect(reasons == [nil, nil, .tooManyProviderTokenUpdates, .tooManyProviderTokenUpdates])
        rig.connection = ProviderConnection()
        #expect(reason(rig.jwt(age: .seconds(9))) == nil)
    }

    @Test("without the enforcement any number of tokens is fine")
    func unenforced() {
        let rig = ValidatorRig { $0.enforceTokenUpdateRate = false }
        for age in 0..<10 { #expect(reason(rig.jwt(age: .seconds(Double(age))), on: rig) == nil) }
    }

    // MARK: binding

    @Test("a second team on a connection is InvalidProviderToken, on its own connection it is fine (§8, observed)")
    func secondTeam() {
        rig.add("KEY0000002", teamID: "TEAM000002")
        let other = rig.jwt(keyID: "KEY0000002", teamID: "TEAM000002")
        #expect(reason(rig.jwt()) == nil)
        #expect(rig.connection.teamID == ValidatorRig.teamID)
        #expect(reason(other) == .invalidProviderToken)
        rig.connection = ProviderConnection()
        #expect(reason(other) == nil)
    }

    @Test("a key for one environment is good there and BadEnvironmentKeyInToken elsewhere (§6, §8)")
    func environmentKey() {
        rig.add(ValidatorRig.keyID, .environment(.production))
        #expect(reason(rig.jwt()) == .badEnvironmentKeyInToken)
        rig.add(ValidatorRig.keyID, .environment(.sandbox))
        #expect(reason(rig.jwt()) == nil)
    }

    @Test("a topic-specific key pushes to its topics only (§8)")
    func topicKey() {
        rig.add(ValidatorRig.keyID, .topics(["com.example.app"], .sandbox, related: nil))
        #expect(rig.reason { _ in } == nil)
        #expect(rig.reason { $0["apns-topic"] = "com.example.other" } == .topicDisallowed)
        #expect(
            rig.reason {
                $0["apns-topic"] = "com.example.app.voip"
                $0["apns-push-type"] = "voip"
            } == nil)
    }

    @Test("keys that are not related cannot share a connection (§6, §8)")
    func relation() {
        func add(_ id: String, topics: [String]?, related: String? = nil) {
            rig.add(id, topics.map { .topics($0, .sandbox, related: related) } ?? .team)
        }
        func second(_ id: String, after first: String) -> Reason? {
            rig.connection = ProviderConnection()
            #expect(reason(rig.jwt(keyID: first)) == nil)
            return reason(rig.jwt(keyID: id))
        }
        add("TOPICKEY01", topics: ["com.example.app"])
        add("TOPICKEY02", topics: ["com.example.app"])
        add("TOPICKEY03", topics: ["com.example.app"], related: "TOPICKEY01")
        add("TEAMKEY001", topics: nil)
        #expect(second("TOPICKEY01", after: ValidatorRig.keyID) == .unrelatedKeyIdInToken)
        #expect(second(ValidatorRig.keyID, after: "TOPICKEY01") == .unrelatedKeyIdInToken)
        #expect(second("TOPICKEY02", after: "TOPICKEY01") == .unrelatedKeyIdInToken)
        #expect(second("TOPICKEY03", after: "TOPICKEY01") == nil)
        #expect(second("TOPICKEY01", after: "TOPICKEY03") == nil)
        #expect(second("TEAMKEY001", after: ValidatorRig.keyID) == nil)
    }

    @Test("a connection has accepted a token once a credential passed, though the push be refused (§2.1)")
    func acceptedToken() {
        #expect(reason("a.b.c") == .invalidProviderToken)
        #expect(!rig.connection.hasAcceptedToken)
        #expect(rig.reason { $0["apns-priority"] = "7" } == .badPriority)
        #expect(rig.connection.hasAcceptedToken)
        #expect(rig.connection.requestCount == 2)
    }

    @Test("a signed token has ES256, kid, iss and iat, and a raw signature of 64 bytes")
    func signed() throws {
        let parts = rig.jwt().split(separator: ".").map(String.init)
        #expect(
            Base64URL.decode(parts[0]).map { String(decoding: $0, as: UTF8.self) }
                == #"{"alg":"ES256","kid":"KEY0000001"}"#)
        #expect(
            Base64URL.decode(parts[1]).map { String(decoding: $0, as: UTF8.self) }
                == #"{"iss":"TEAM000001","iat":1760000000}"#)
        #expect(Base64URL.decode(parts[2])?.count == 64)
    }
}
