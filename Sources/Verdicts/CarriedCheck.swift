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
    /// When what counts a session's seconds began, by its first push.
    private var begun: [UInt32: [Double?]] = [:]

    /// Nil where the profile carries nothing.
    init?(_ plan: Plan) {
        guard let checker = CarriedChecker(plan.scenario.relay.profile) else { return nil }
        self.checker = checker
        renderer = CallRenderer(plan)
        lastShown = plan.scenario.relay.profile.activities.restart == nil ? nil : [:]
    }

    struct Findings {
        /// Shown otherwise than the push's own call said, and than was said before.
        var said: [SchemaFinding] = []
        var kept: [SchemaFinding] = []
        var fall: [SchemaFinding] = []
        var drift: [SchemaFinding] = []
    }

    /// `calls`: those of the push's session, up to its own.
    func look(at payload: Span<UInt8>, _ push: SeenPush, _ calls: ArraySlice<SeenCall>) -> Findings {
        guard push.isLiveActivity, push.isMarked, let call = calls.last, call.place == push.place else { return Findings() }
        let differences = checker.differences(payload, state(behind: calls, push))
        var findings = Findings(said: differences.said, kept: differences.kept)
        guard checker.judgesNumbers else { return findings }
        let numbers = checker.numbers(payload)
        findings.fall = fall(numbers.rising, push)
        findings.drift = drift(numbers.counting, push)
        // The session is over: what comes under its name begins anew.
        if push.event == .end, checker.isFinal(call: renderer.index(of: call)) {
            begun[push.session] = nil
            lastShown?[push.session] = nil
        }
        return findings
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

    private func drift(_ numbers: [Double?], _ push: SeenPush) -> [SchemaFinding] {
        guard let stamp = push.stamp, !numbers.isEmpty else { return [] }
        if begun.count >= Self.most { begun.removeAll() }
        let before = begun[push.session] ?? numbers.map { _ in nil }
        let (finding, beginnings) = checker.drift(from: before, to: numbers, stamp: stamp)
        begun[push.session] = beginnings
        return finding.map { [$0] } ?? []
    }

    private func fall(_ numbers: [Double?], _ push: SeenPush) -> [SchemaFinding] {
        let card = Card(session: push.session, token: push.token)
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
