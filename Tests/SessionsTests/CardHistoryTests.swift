// What cards showed when, and whose they are, step by step.

import Basics
import Journal
import Planning
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
