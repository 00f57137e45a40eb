// What a relay owes for a session.

import Basics
import Metrics
@testable import Planning
import PlanKnobs
import Pushes
import Scenarios
import Testing

struct ExpectationTests {
    private func expectations(_ steps: [ScriptStep] = Knobs.steps, calls: [ProfileCall] = Knobs.calls) -> [Metrics
        .Expectation]
    {
        let plan = Knobs.plan(
            Knobs.scenario(arrivals: [.constant(rate: 1, duration: .seconds(1))], steps: steps, calls: calls))
        return plan.account(0, origin: Instant(nanoseconds: 1_000_000_000)).rows
    }

    private func at(_ seconds: Double) -> ScriptStep.Time { .at(.constant(seconds)) }

    @Test func `a whole session owes a start, updates, an alert and an end`() {
        let found = expectations()
        #expect(found.map(\.step) == [1, 3, 4, 5, 6, 7, 8, 8])
        #expect(found.map(\.event) == [.start, .update, .update, .update, .update, .update, nil, .end])
        let types: [PushType] = Array(repeating: .liveactivity, count: 6) + [.alert, .liveactivity]
        #expect(found.map(\.type) == types)
        #expect(found.map(\.kind).last == 4)
        #expect(found[0].plannedAt == Instant(nanoseconds: 2_000_000_000))
        #expect(found[0].deadline == .seconds(5))
        #expect(found.map(\.mayBeSuperseded) == [false, true, true, true, true, true, false, false])
    }

    @Test func `each push names the token it goes to`() {
        let identity = Knobs.plan().session(0).identity
        let found = expectations()
        #expect(found[0].token == TokenHash(identity.startToken))
        #expect(found[1].token == TokenHash(identity.activityToken))
        #expect(found[6].token == TokenHash(identity.deviceToken))
    }

    @Test func `only the last live activity push is the last state`() {
        #expect(expectations().map(\.isFinal) == [false, false, false, false, false, false, false, true])
        let twice = [
            Knobs.step(2, at(0)), Knobs.step(4, at(1)), Knobs.step(3, at(2)), Knobs.step(4, at(3)),
        ]
        #expect(expectations(twice).filter(\.isFinal).map(\.step) == [3])
    }

    @Test func `nothing is owed to a token the relay was never told`() {
        #expect(expectations([Knobs.step(4, at(0))]).isEmpty)
        #expect(expectations([Knobs.step(3, at(0))]).isEmpty)
    }

    @Test func `nothing is owed to a token that was taken back`() {
        let steps = [Knobs.step(2, at(0)), Knobs.step(5, at(1)), Knobs.step(4, at(2))]
        #expect(expectations(steps).isEmpty)
    }

    @Test func `no start is owed once the activity has a token`() {
        let steps = [Knobs.step(0, at(0)), Knobs.step(2, at(1)), Knobs.step(1, at(2))]
        #expect(expectations(steps).isEmpty)
    }

    @Test func `a further start before the token is known is owed, or else its state with the token`() throws {
        let steps = [
            Knobs.step(0, at(0)), Knobs.step(1, at(1)), Knobs.step(1, at(2)), Knobs.step(2, at(30)), Knobs.step(1, at(40)),
        ]
        let found = expectations(steps)
        #expect(found.map(\.step) == [1, 2, 2])
        #expect(found.map(\.event) == [.start, .start, .update])
        #expect(found.map { $0.flags.contains(.isAgain) } == [false, true, false])
        #expect(found.map { $0.flags.contains(.insteadOfStart) } == [false, false, true])
        let state = try #require(found.last)
        #expect(state.deadline == .seconds(28 + 5) && state.flags.contains(.wasHeld))
        // A session that was over begins anew.
        let anew = [Knobs.step(0, at(0)), Knobs.step(1, at(1)), Knobs.step(4, at(2)), Knobs.step(1, at(3))]
        #expect(expectations(anew).allSatisfy { !$0.flags.contains(.isAgain) })
    }

    @Test func `states before the token is known are held, and the newest is owed from then on`() {
        let steps = [Knobs.step(3, at(1)), Knobs.step(3, at(2)), Knobs.step(2, at(30)), Knobs.step(3, at(40))]
        let found = expectations(steps)
        #expect(found.map(\.step) == [0, 1, 3])
        #expect(found.map(\.deadline.seconds) == [44.0, 43.0, 15.0])
    }

    @Test func `of held states only the newest must arrive`() {
        var calls = Knobs.calls
        calls[3].pushes[0].coalesce = false
        let steps = [Knobs.step(3, at(1)), Knobs.step(3, at(2)), Knobs.step(2, at(30))]
        #expect(expectations(steps, calls: calls).map(\.mayBeSuperseded) == [true, false])
    }

    @Test func `held states of a token that never comes are not owed`() {
        #expect(expectations([Knobs.step(0, at(0)), Knobs.step(3, at(1))]).isEmpty)
    }

    @Test func `a state that waits when the session has its last event is not owed any more`() {
        let steps = [Knobs.step(3, at(1)), Knobs.step(4, at(2)), Knobs.step(2, at(30)), Knobs.step(3, at(40))]
        #expect(expectations([Knobs.step(0, at(0))] + steps).map(\.step) == [2, 4])
        // Where the last event is held itself, it is the newest.
        var calls = Knobs.calls
        calls[4].pushes[1].held = true
        #expect(expectations([Knobs.step(0, at(0))] + steps, calls: calls).map(\.step) == [2, 1, 2, 4])
        // An alert that waits has nothing to do with the card.
        calls = Knobs.calls
        calls[3].pushes[0].channel = .alert
        #expect(expectations([Knobs.step(0, at(0))] + steps, calls: calls).map(\.step) == [2, 1, 4])
    }

    @Test func `a push without hold is not owed later`() {
        var calls = Knobs.calls
        calls[3].pushes[0].held = false
        #expect(expectations([Knobs.step(3, at(1)), Knobs.step(2, at(2))], calls: calls).isEmpty)
    }
}
