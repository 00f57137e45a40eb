// Kinds of provider keys, what they may do on one connection, and the portal's limits (docs/apns.md §8).

import APNs
import Basics
import Pushes
import Testing

private let app = "com.example.app"
private let other = "com.example.other"

@Suite struct ProviderKeyTests {
    /// The rules of sandbox.
    private let rig = ValidatorRig()

    private func add(_ id: String, _ scope: KeyScope, team: String = ValidatorRig.teamID) throws(Failure) {
        try rig.keys.add(KeyRecord(keyID: id, teamID: team, scope: scope), verifier: FakeKey())
    }

    private func push(_ id: String, _ topic: String = app, team: String = ValidatorRig.teamID) -> Reason? {
        let jwt = rig.jwt(keyID: id, teamID: team)
        return rig.reason {
            $0["authorization"] = "bearer " + jwt
            $0["apns-topic"] = topic
        }
    }

    /// The second key's push after the first key's, on one connection.
    private func second(_ id: String, _ topic: String = app, after first: String) -> Reason? {
        rig.connection = ProviderConnection()
        #expect(push(first) == nil)
        return push(id, topic)
    }

    private func makeKeys() throws {
        try add("TEAMKEY001", .team)
        try add("SANDBOX001", .environment(.sandbox))
        try add("SANDBOX002", .environment(.sandbox))
        try add("PRODUCT001", .environment(.production))
        try add("TOPICKEY01", .topics([app], .sandbox, related: nil))
        try add("TOPICKEY02", .topics([app, other], .sandbox, related: nil))
        try add("RELATED001", .topics([other, app], .sandbox, related: "TOPICKEY01"))
        try add("TOPICPROD1", .topics([app], .production, related: nil))
    }

    @Test("after a team-scoped key topic-specific keys and those of the other environment fail (§8)")
    func afterTeamScopedKey() throws {
        try makeKeys()
        #expect(second("SANDBOX002", after: "SANDBOX001") == nil)
        #expect(second("TEAMKEY001", after: "SANDBOX001") == nil)
        #expect(second("TOPICKEY01", after: "SANDBOX001") == .unrelatedKeyIdInToken)
        #expect(second("PRODUCT001", after: "SANDBOX001") == .badEnvironmentKeyInToken)
        #expect(second("TOPICPROD1", after: "SANDBOX001") == .badEnvironmentKeyInToken)
    }

    @Test("after a topic-specific key only its relative is taken (§8)")
    func afterTopicKey() throws {
        try makeKeys()
        #expect(second("TOPICKEY02", after: "TOPICKEY01") == .unrelatedKeyIdInToken)
        #expect(second("SANDBOX001", after: "TOPICKEY01") == .unrelatedKeyIdInToken)
        #expect(second("TEAMKEY001", after: "TOPICKEY01") == .unrelatedKeyIdInToken)
        #expect(second("TOPICPROD1", after: "TOPICKEY01") == .badEnvironmentKeyInToken)
        #expect(second("TOPICKEY01", other, after: "TOPICKEY01") == .topicDisallowed)
        #expect(second("RELATED001", other, after: "TOPICKEY01") == nil)
        #expect(second("TOPICKEY01", after: "RELATED001") == nil)
        // The connection is not spoilt by the failure.
        #expect(second("TOPICKEY02", after: "TOPICKEY01") == .unrelatedKeyIdInToken)
        #expect(push("TOPICKEY01") == nil)
    }

    @Test("a key for one environment is refused in the other from the first push on (§6, §13)")
    func environmentFirst() throws {
        try makeKeys()
        for id in ["PRODUCT001", "TOPICPROD1"] {
            rig.connection = ProviderConnection()
            #expect(push(id) == .badEnvironmentKeyInToken)
        }
    }

    @Test("a team has at most two team-scoped keys in an environment (§8)")
    func teamScopedLimit() throws {
        try makeKeys()
        let refused = #expect(throws: Failure.self) { try add("SANDBOX003", .environment(.sandbox)) }
        #expect(refused?.message == "team TEAM000001 has 2 team-scoped keys for sandbox already")
        try add("SANDBOX002", .environment(.sandbox))
        try add("PRODUCT002", .environment(.production))
        try add("SANDBOX003", .environment(.sandbox), team: "TEAM000002")
        try add("TEAMKEY002", .team)
        #expect(rig.keys.remove(keyID: "SANDBOX001"))
        try add("SANDBOX004", .environment(.sandbox))
    }

    @Test("a team has at most 200 topic-specific keys in an environment, of 1 to 400 topics (§8)")
    func topicLimits() throws {
        func id(_ number: Int) -> String { "K" + String(1_000_000_000 + number).dropFirst() }
        for number in 0..<200 { try add(id(number), .topics([app], .sandbox, related: nil)) }
        let refused = #expect(throws: Failure.self) { try add(id(200), .topics([app], .sandbox, related: nil)) }
        #expect(refused?.message.contains("has 200 topic-specific keys for sandbox already") == true)
        try add(id(200), .topics([app], .production, related: nil))
        let many = (0..<401).map { "com.example.app\($0)" }
        try add(id(1), .topics(Array(many.dropLast()), .sandbox, related: nil))
        for topics in [many, [], ["com example"]] {
            #expect(throws: Failure.self) { try add(id(1), .topics(topics, .sandbox, related: nil)) }
        }
    }

    @Test("a key has at most one related key, of the same team, kind and environment (§8)")
    func relatives() throws {
        try makeKeys()
        for scope in [
            KeyScope.topics([app], .sandbox, related: "TOPICKEY01"), .topics([app], .sandbox, related: "RELATED001"),
            .topics([app], .sandbox, related: "NOSUCHKEY1"), .topics([app], .sandbox, related: "SANDBOX001"),
            .topics([app], .production, related: "TOPICKEY02"),
        ] {
            #expect(throws: Failure.self) { try add("TOPICKEY09", scope) }
        }
        try add("TOPICKEY09", .topics([app], .sandbox, related: "TOPICKEY02"))
    }

    @Test(
        "IDs have ten capital letters and digits (§8)", arguments: ["", "KEY", "KEY00000001", "key0000001", "KEY000000é"])
    func identifiers(id: String) {
        #expect(throws: Failure.self) { try add(id, .team) }
    }

    // MARK: Binding

    @Test("a topic added to a key later needs a new connection; one taken away is gone at once (§8)")
    func topicsAreBound() throws {
        try add("TOPICKEY01", .topics([app], .sandbox, related: nil))
        #expect(push("TOPICKEY01") == nil)
        try add("TOPICKEY01", .topics([app, other], .sandbox, related: nil))
        #expect(push("TOPICKEY01") == nil)
        #expect(push("TOPICKEY01", other) == .topicDisallowed)
        rig.connection = ProviderConnection()
        #expect(push("TOPICKEY01", other) == nil)
        try add("TOPICKEY01", .topics([app], .sandbox, related: nil))
        #expect(push("TOPICKEY01", other) == .topicDisallowed)
    }

    @Test("what is bound is a setting: the key's list as it is now, or the first push's topic alone (§8)")
    func bindingSettings() throws {
        func topics(_ binding: TopicBinding) -> [Reason?] {
            let rig = ValidatorRig { $0.topicBinding = binding }
            rig.add("TOPICKEY01", .topics([app], .sandbox, related: nil))
            func push(_ topic: String) -> Reason? {
                rig.reason {
                    $0["authorization"] = "bearer " + rig.jwt(keyID: "TOPICKEY01")
                    $0["apns-topic"] = topic
                }
            }
            let first = push(app)
            rig.add("TOPICKEY01", .topics([app, other], .sandbox, related: nil))
            return [first, push(other), push(app + ".voip")]
        }
        #expect(topics(.none) == [nil, nil, .invalidPushType])
        #expect(topics(.keyTopics) == [nil, .topicDisallowed, .invalidPushType])
        #expect(topics(.firstPush) == [nil, .topicDisallowed, .invalidPushType])
        // Several apps of a team on one connection: only the strictest reading objects.
        for (binding, expected) in [(TopicBinding.keyTopics, nil), (.firstPush, Reason.topicDisallowed)] {
            let rig = ValidatorRig { $0.topicBinding = binding }
            #expect(rig.reason { _ in } == nil)
            #expect(rig.reason { $0["apns-topic"] = other } == expected)
            #expect(rig.reason { _ in } == nil)
        }
    }
}
