// Follows what each card is to show, call by call, and holds the pushes of a session against it.

import Basics
import LoadGenerator
import Metrics
import Pushes
import Scenarios
import Schemas

/// Confined to the judge's thread.
final class CarriedCheck {
    private struct Card: Hashable {
        var session: UInt32
        var token: TokenHash
    }

    /// Sessions and cards remembered at a time. Beyond them all are forgotten: a session is followed from its first call
    /// again, and a card's numbers count from its next push on.
    private static let most = 16_384

    private let checker: CarriedChecker
    private let renderer: CallRenderer
    private var sessions: [UInt32: (step: UInt32, state: CarriedState)] = [:]
    private var shown: [Card: (step: UInt32, numbers: [Double?])] = [:]
    /// Where an activity takes another's place, the session's numbers go on: what its last card showed.
    private var lastShown: [UInt32: [Double?]]?

    /// Nil where the profile carries nothing.
    init?(_ plan: Plan) {
        guard let checker = CarriedChecker(plan.scenario.relay.profile) else { return nil }
        self.checker = checker
        renderer = CallRenderer(plan)
        lastShown = plan.scenario.relay.profile.restart == nil ? nil : [:]
    }

    /// What the push shows otherwise than its own call said, otherwise than was said before, and what has fallen.
    /// `calls`: those of its session, up to its own.
    func look(
        at payload: Span<UInt8>, _ push: SeenPush, _ calls: ArraySlice<SeenCall>
    ) -> (said: [SchemaFinding], kept: [SchemaFinding], fall: [SchemaFinding]) {
        guard push.isLiveActivity, push.isMarked, calls.last?.place == push.place else { return ([], [], []) }
        let differences = checker.differences(payload, state(behind: calls, push))
        return (differences.said, differences.kept, fall(payload, push))
    }

    private func state(behind calls: ArraySlice<SeenCall>, _ push: SeenPush) -> CarriedState {
        var (known, state) = sessions[push.session].map { (Optional($0.step), $0.state) } ?? (nil, checker.beginning)
        // An older state again: followed anew, and not remembered.
        let isOlder = known.map { push.step < $0 } ?? false
        if isOlder { (known, state) = (nil, checker.beginning) }
        for call in calls where !call.wasRefusedAsItMay && known.map({ call.step > $0 }) ?? true {
            checker.take(call: renderer.index(of: call), body: renderer.body(of: call).bytes, into: &state)
        }
        if !isOlder {
            if sessions.count >= Self.most { sessions.removeAll() }
            sessions[push.session] = (push.step, state)
        }
        return state
    }

    private func fall(_ payload: Span<UInt8>, _ push: SeenPush) -> [SchemaFinding] {
        guard checker.hasRising else { return [] }
        let card = Card(session: push.session, token: push.token)
        let numbers = checker.numbers(payload)
        if let last = lastShown?.updateValue(numbers, forKey: push.session), push.event == .start {
            return checker.fall(from: last, to: numbers).map { [$0] } ?? []
        }
        if lastShown?.count ?? 0 > Self.most { lastShown = [:] }
        let before = shown[card]
        // An older state is out of order, which is judged by itself.
        if let before, push.step < before.step { return [] }
        if push.event == .end {
            shown[card] = nil
        } else {
            if shown.count >= Self.most { shown.removeAll() }
            shown[card] = (push.step, numbers)
        }
        guard let before, push.event != .start else { return [] }
        return checker.fall(from: before.numbers, to: numbers).map { [$0] } ?? []
    }
}
