// Whose tokens a call takes back: those of the phone that it names, else of all the session's phones.

import Basics
import Metrics
@testable import Planning
import PlanKnobs
import Pushes
import Scenarios
import Testing

@Suite("A call that takes tokens back")
struct TakenBackTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let origin = Instant(nanoseconds: 1_000_000_000)

    /// A step every ten seconds; `phone`: which one says goodbye behind the fifth, where both had told of their activities.
    private func account(_ calls: [String], reacting phone: Int? = nil) throws -> Account {
        let steps = calls.enumerated().map { "{ call: \($1), at: \($0 * 10)s }" }.joined(separator: ", ")
        let text = """
            name: back
            relay:
              profile: relays/opencode.yaml
              url: "http://127.0.0.1:1"
            workload:
              arrivals: [{ rate: 1, for: 1s }]
              phones: {}
              scripts:
                - script:
                    steps: [\(steps)]
                    reactions: [{ on: token, call: registerActivity }, { on: dismissed, call: unregisterActivity }]
            """
        let scenario = try Scenario.parse(
            text: text, path: Self.root + "/Scenarios/back.yaml", searchPath: [Self.root + "/Scenarios"])
        var made: [MadeReaction] = []
        func react(_ reaction: Int, after step: UInt32, phone: Int) {
            made.append(
                MadeReaction(
                    session: 0, step: EventNumber.reaction(UInt32(made.count + 1), after: step + 1), reaction: reaction,
                    plannedAt: Self.origin + .seconds(Double(step) * 10 + 5 + Double(made.count)), phone: phone,
                    token: String(repeating: "a\(phone)", count: 80)))
        }
        if let phone {
            react(0, after: 2, phone: 0)
            react(0, after: 2, phone: 1)
            react(1, after: 4, phone: phone)
        }
        return Plan(scenario: scenario, seed: Seed(1), run: 1).account(number: 0, origin: Self.origin, reactions: made)
    }

    /// The phones to which a step owes pushes of that type.
    private func phones(_ account: Account, step: UInt32, _ type: PushType) -> [UInt8] {
        account.rows.filter { $0.step == step && $0.type == type }.map(\.lane.phone).sorted()
    }

    @Test("names a device: that phone's alone")
    func device() throws {
        let account = try account([
            "registerDevice", "registerSecondDevice", "start", "registerActivity", "registerSecondActivity", "permission",
            "unregisterDevice", "permission",
        ])
        #expect(phones(account, step: 5, .alert) == [0, 1] && phones(account, step: 7, .alert) == [1])
        #expect(phones(account, step: 7, .liveactivity) == [0, 1])
        let taken = account.tokenCalls.filter { !$0.isRegistration }
        #expect(!taken.isEmpty && taken.allSatisfy { $0.lane.phone == 0 })
    }

    @Test("names the session: those of all its phones, whichever of them made the app say so", arguments: [0, 1])
    func session(phone: Int) throws {
        let account = try account(
            ["registerDevice", "registerSecondDevice", "start", "permission", "progress", "permission", "complete"],
            reacting: phone)
        #expect(phones(account, step: 3, .liveactivity) == [0, 1] && phones(account, step: 5, .liveactivity) == [])
        #expect(phones(account, step: 5, .alert) == [0, 1])
        let goodbyes = Set(account.calls.filter { EventNumber.isReaction($0.step) }.map(\.place))
        let taken = account.tokenCalls.filter { !$0.isRegistration && goodbyes.contains($0.place) }
        #expect(Set(taken.map(\.lane.phone)) == [0, 1])
    }

    @Test("names a phone's activity: that phone's alone, which in a reaction is the one whose event it is")
    func activity() {
        var call = Knobs.call("goodbye", unregisters: [.activityToken], body: Knobs.hole(.session(.activityToken)))
        #expect(OwingCall(call).unregistered(by: nil).allSatisfy { $0.phone == 0 })
        #expect(OwingCall(call).unregistered(by: 1) == [.activityToken2])
        call.body = Knobs.hole(.event(.phone))
        #expect(Set(OwingCall(call).unregistered(by: nil).map(\.phone)) == [0, 1])
        #expect(OwingCall(call).unregistered(by: 1) == [.activityToken2])
        // What ends the session ends it on all of them.
        var end = Knobs.call("end", isFinal: true, unregisters: [.activityToken], body: Knobs.hole(.session(.deviceToken)))
        end.pushes = [Knobs.end]
        #expect(Set(OwingCall(end).unregistered(by: nil).map(\.phone)) == [0, 1])
    }
}
