// What cards showed when, and whose they are, step by step.

import Basics
import Journal
import LoadGenerator
import Pushes
import Scenarios
import Schemas
import Testing

@testable import Sessions

@Suite("The history of a card")
struct CardHistoryTests {
    private func push(
        _ plan: Plan, _ event: ActivityEvent, _ outcome: Outcome, _ body: String, at seconds: Double, step: UInt32
    ) -> PushEntry {
        let aps: JSONValue = [
            "event": .string("\(event.word)"), "attributes": ["sessionId": "s"],
            "content-state": ["status": "working", "sessionTitle": "Parser", "lastMessage": .string(body), "retryInfo": .null],
        ]
        let variable: SessionVariable = event == .start ? .startToken : .activityToken
        let payload: JSONValue = ["aps": aps]
        return PushEntry(
            id: UInt64(step), arrivedAt: at(seconds), arrivedWall: wall(seconds), outcome: outcome,
            token: plan.token(variable, session: 2), pushType: "liveactivity", event: event,
            marker: Marker(run: Played.run, session: 2, step: step), payload: payload.encoded())
    }

    private func wall(_ seconds: Double) -> WallTime { WallTime(seconds: 1_760_000_000) + .seconds(seconds) }

    @Test("a state that waits is drawn with the next drawing, once")
    func drawing() throws {
        let plan = Plan(scenario: try Played.scenario(), seed: Seed(5), run: Played.run)
        let cards = try #require(CardHistory(plan, session: 2))
        #expect(cards.see(push(plan, .start, .started, "Thinking", at: 10, step: 1))?.hasNewer == false)
        #expect(cards.drawings(until: wall(1_000)).isEmpty, "nothing waits")
        let look = cards.see(push(plan, .update, .coalesced, "Reading", at: 12, step: 2))
        #expect(look?.text.body == "Thinking" && look?.hasNewer == true)
        #expect(cards.drawings(until: wall(24.9)).isEmpty, "a card is drawn once in 15 s")
        let drawn = cards.drawings(until: wall(25))
        #expect(drawn.map(\.at) == [wall(25)] && drawn.first?.look.text.body == "Reading" && drawn.first?.look.hasNewer == false)
        #expect(cards.drawings(until: wall(1_000)).isEmpty, "nothing waits any more")
    }
}

@Suite("A user's sessions while they are open")
struct WatchedUserTests {
    @Test("know the token that a reaction has registered, and what it is owed")
    func reaction() throws {
        let scenario = try Scenario.parse(
            text: """
                name: reacting
                relay: { profile: relays/epilogue.yaml, url: "http://127.0.0.1:1" }
                workload:
                  arrivals: [{ rate: 1, for: 1s }]
                  phones: {}
                  scripts:
                    - script:
                        steps: [{ call: registerDevice }, { call: startSession, at: 10s }, { call: updateContent, at: 20s }]
                        reactions: [{ on: token, call: registerActivity, times: 8 }]
                """, path: Played.root + "/Scenarios/reacting.yaml", searchPath: [Played.root + "/Scenarios"])
        let plan = Plan(scenario: scenario, seed: Seed(1), run: 1)
        var user = try #require(WatchedUser(0, plan, origin: origin))
        let token = String(repeating: "a1", count: 80)
        #expect(user.phone(of: token) == nil)
        let made = MadeReaction(
            session: 0, step: EventNumber.reaction(1, after: 2), reaction: 0, plannedAt: at(15), phone: 0, token: token)
        user.react(made, 0, plan, origin: origin)
        #expect(user.phone(of: token) == 0)
        #expect(user.cards.contains { $0.owed(at: 2) != nil }, "the update has somewhere to go by now")
    }
}
