// Settings about provider tokens and connections: whose updates count together, and wedges (docs/apns.md §8).

import APNs
import Basics
import Testing

@Suite struct UpdateScopeTests {
    private let rig = ValidatorRig { $0.tokenUpdateScope = .peerAndTeam }
    private let host = "192.0.2.1"

    private func push(
        age: Double, from peer: String? = nil, key: String = ValidatorRig.keyID, team: String = ValidatorRig.teamID
    ) -> Reason? {
        rig.connection = ProviderConnection(peer: peer ?? host)
        let jwt = rig.jwt(keyID: key, teamID: team, age: .seconds(age))
        return rig.reason { $0["authorization"] = "bearer " + jwt }
    }

    @Test("tokens of one peer and team count together over its connections (§8, an engineer's word)")
    func acrossConnections() {
        #expect(push(age: 1) == nil)
        #expect(push(age: 2) == nil)
        #expect(push(age: 3) == .tooManyProviderTokenUpdates)
        // The same token may be used on many connections.
        #expect(push(age: 1) == nil)
        #expect(push(age: 2) == nil)
        rig.time.advance(by: .seconds(20 * 60))
        #expect(push(age: 3) == nil)
    }

    @Test("changing the address cures it, and another team is counted apart (§8, observed)")
    func parties() {
        rig.add("KEY0000002", teamID: "TEAM000002")
        #expect(push(age: 1) == nil && push(age: 2) == nil)
        #expect(push(age: 3, from: "192.0.2.2") == nil)
        #expect(push(age: 3, key: "KEY0000002", team: "TEAM000002") == nil)
        #expect(push(age: 3) == .tooManyProviderTokenUpdates)
    }

    @Test("keys of one team are not told apart (§8, an engineer's word)")
    func keysOfOneTeam() {
        rig.add("KEY0000002")
        rig.add("KEY0000003")
        #expect(push(age: 1) == nil)
        #expect(push(age: 1, key: "KEY0000002") == nil)
        #expect(push(age: 1, key: "KEY0000003") == .tooManyProviderTokenUpdates)
    }

    @Test("a refused connection is of no use until enough time has passed, a new one with an old token is (§8)")
    func blocked() {
        let tokens = (0..<3).map { rig.jwt(age: .seconds(Double($0))) }
        func push(_ index: Int) -> Reason? { rig.reason { $0["authorization"] = "bearer " + tokens[index] } }
        rig.connection = ProviderConnection(peer: host)
        #expect([push(0), push(1)] == [nil, nil])
        #expect([push(2), push(0)] == [.tooManyProviderTokenUpdates, .tooManyProviderTokenUpdates])
        let blocked = rig.connection
        rig.connection = ProviderConnection(peer: host)
        #expect(push(0) == nil)
        rig.connection = blocked
        rig.time.advance(by: .seconds(1199))
        #expect(push(0) == .tooManyProviderTokenUpdates)
        rig.time.advance(by: .seconds(1))
        #expect(push(2) == nil)
    }

    @Test("unreadable tokens count as one party's")
    func rubbish() {
        let reasons = ["a.b.c", "a.b.d", "a.b.e"].map { jwt in
            rig.connection = ProviderConnection(peer: host)
            return rig.reason { $0["authorization"] = "bearer " + jwt }
        }
        #expect(reasons == [.invalidProviderToken, .invalidProviderToken, .tooManyProviderTokenUpdates])
    }

    @Test("a flood of parties does not grow the ledger without end")
    func bounded() {
        for number in 0..<9_000 {
            rig.connection = ProviderConnection(peer: "peer-\(number)")
            _ = rig.reason { $0["authorization"] = "bearer a.b.c" }
        }
        #expect(push(age: 1) == nil)
    }

    @Test("a token connection may fall into 500 until it is replaced (§8, observed; off by default)")
    func internalError() {
        let rig = ValidatorRig { $0.internalErrorAfter = 2 }
        #expect((0..<4).map { _ in rig.reason { _ in } } == [nil, nil, .internalServerError, .internalServerError])
        rig.connection = ProviderConnection()
        #expect(rig.reason { _ in } == nil)
        rig.connection = ProviderConnection(certificate: Paper().certificate)
        #expect((0..<4).allSatisfy { _ in rig.reason { _ in } == nil })
    }

    @Test("every setting can be read and given by its name", arguments: APNsSettings.table.map(\.name))
    func table(name: String) throws {
        let row = try #require(APNsSettings.table.first { $0.name == name })
        var settings = APNsSettings()
        let words = row.values.split(separator: "|").map(String.init)
        for value in words.count > 1 ? words : [row.value(in: settings)] {
            try settings.set(name, to: value)
            #expect(row.value(in: settings) == value)
        }
        let failure = #expect(throws: Failure.self) { try settings.set(name, to: "rubbish!") }
        #expect(failure?.hint?.hasPrefix("give ") == true)
        #expect(throws: Failure.self) { try settings.set(name + "x", to: "1") }
    }
}
