// Follows what each card is to show, call by call, and holds the pushes of a session against it.

import Basics
import Metrics
import Planning
import Pushes
import Scenarios
import Schemas

/// Confined to the judge's thread.
final class CarriedCheck {
    private struct Card: Hashable {
        var session: UInt32
        var token: TokenHash
    }

    /// Of a session's life, from a call that began it to one that ended it.
    private struct Counted {
        /// Unix seconds at which what counts the life's seconds began, by its first push.
        var begun: [Double?] = []
        /// When APNs had accepted the life's first start.
        var startedAt: Instant?
    }

    /// Sessions and cards remembered at a time. Beyond them all are forgotten: a session is followed from its first call
    /// again, and a card's numbers count from its next push on.
    private static let most = 16_384

    private let checker: CarriedChecker
    private let renderer: CallRenderer
    private var sessions: [UInt32: (life: UInt64, step: UInt32, state: CarriedState)] = [:]
    private var shown: [Card: (life: UInt64, step: UInt32, numbers: [Double?])] = [:]
    /// Where an activity takes another's place, the session's numbers go on: what its last card showed.
    private var lastShown: [UInt32: (life: UInt64, numbers: [Double?])]?
    private let lives: SessionLives
    /// By session, and by the place of the call that began its life.
    private var counted: [UInt32: [UInt64: Counted]] = [:]
    /// Where nobody knows which call that was.
    private static let nowhere = UInt64.max
    /// Of a life that is met anew nobody knows whether it has had a start.
    private var hasForgotten = false

    /// Nil where the profile carries nothing.
    init?(_ plan: Plan) {
        guard let checker = CarriedChecker(plan.scenario.relay.profile) else { return nil }
        self.checker = checker
        renderer = CallRenderer(plan)
        lives = SessionLives(plan.scenario.relay.profile)
        lastShown = plan.scenario.relay.profile.activities.restart == nil ? nil : [:]
    }

    struct Findings {
        /// What the push shows was held against what was said.
        var hasCompared = false
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
        var findings = Findings(hasCompared: true, said: differences.said, kept: differences.kept)
        guard checker.judgesNumbers else { return findings }
        let numbers = checker.numbers(payload)
        let beginning = lives.beginning(calls)
        findings.fall = fall(numbers.rising, push, life: beginning?.place ?? Self.nowhere)
        findings.drift = drift(numbers.counting, push, beginning)
        // The session is over: what comes under its name begins anew.
        if push.event == .end, checker.isFinal(call: renderer.index(of: call)) {
            lastShown?[push.session] = nil
            counted[push.session]?[Self.nowhere] = nil
        }
        return findings
    }

    private func state(behind calls: ArraySlice<SeenCall>, _ push: SeenPush) -> CarriedState {
        let calls = ofThisLife(calls)
        let life = calls.first?.place ?? Self.nowhere
        var (known, state): (UInt32?, CarriedState) = (nil, checker.beginning)
        let last = sessions[push.session].flatMap { $0.life == life ? $0 : nil }
        // An older state again: followed anew, and not remembered.
        let isOlder = sessions[push.session].map { push.step < $0.step } ?? false
        if let last, !isOlder { (known, state) = (last.step, last.state) }
        for call in calls where !call.wasRefusedAsItMay && known.map({ call.step > $0 }) ?? true {
            checker.take(call: renderer.index(of: call), body: renderer.body(of: call).bytes, into: &state)
        }
        if !isOlder {
            if sessions.count >= Self.most { sessions.removeAll() }
            sessions[push.session] = (life, push.step, state)
        }
        return state
    }

    /// The calls of the life that the last of them belongs to, for what was said before the session was over is not said of it:
    /// from the call that began it; where none did, from the end of the one before.
    private func ofThisLife(_ calls: ArraySlice<SeenCall>) -> ArraySlice<SeenCall> {
        let end = calls.dropLast().lastIndex { call in
            call.wasTaken && !call.wasRefusedAsItMay && checker.isFinal(call: renderer.index(of: call))
        }
        guard let end else { return calls }
        let behind = calls[(end + 1)...]
        guard let beginning = lives.beginning(calls) else { return behind }
        return behind.drop { $0.place < beginning.place }
    }

    /// Nothing of the session is asked for any more.
    func forget(_ session: UInt32) { counted[session] = nil }

    private func drift(_ numbers: [Double?], _ push: SeenPush, _ beginning: SeenCall?) -> [SchemaFinding] {
        guard let stamp = push.stamp, !numbers.isEmpty else { return [] }
        if counted.count >= Self.most {
            counted.removeAll()
            hasForgotten = true
        }
        let life = beginning?.place ?? Self.nowhere
        var known = counted[push.session]?[life] ?? Counted(begun: numbers.map { _ in nil })
        // Tried again, it may bear the marker of what was said last.
        let isFirst = known.begun.allSatisfy { $0 == nil }
        if push.event == .start, push.place == life || isFirst,
            known.startedAt.map({ push.arrivedAt - $0 <= .minute }) ?? true
        {
            known.startedAt = push.answeredAt
        }
        let since = beginning.flatMap { bounds($0, known.startedAt, push) }
        let (finding, begun) = checker.drift(from: known.begun, to: numbers, stamp: stamp, since: since)
        known.begun = begun
        counted[push.session, default: [:]][life] = known
        return finding.map { [$0] } ?? []
    }

    /// The Unix seconds between which a relay may take the session to have begun: it has the call, and at last its start
    /// was accepted. Nil where the call came to nothing, or is not answered yet.
    private func bounds(_ call: SeenCall, _ startedAt: Instant?, _ push: SeenPush) -> CountedSince? {
        guard call.wasTaken else { return nil }
        func seconds(_ instant: Instant) -> Double {
            Double((push.arrivedWall - (push.arrivedAt - instant)).milliseconds) / 1_000
        }
        let isKnown = startedAt != nil || !hasForgotten
        return CountedSince(
            earliest: seconds(call.sentAt),
            latest: isKnown ? seconds(max(call.answeredAt, startedAt ?? call.answeredAt)) : nil)
    }

    /// Within a life of the session: the next one counts anew, whatever became of the end of the one before.
    private func fall(_ numbers: [Double?], _ push: SeenPush, life: UInt64) -> [SchemaFinding] {
        let card = Card(session: push.session, token: push.token)
        if let last = lastShown?.updateValue((life, numbers), forKey: push.session), push.event == .start {
            return last.life == life ? checker.fall(from: last.numbers, to: numbers).map { [$0] } ?? [] : []
        }
        if lastShown?.count ?? 0 > Self.most { lastShown = [:] }
        let before = shown[card]
        // An older state is out of order, which is judged by itself.
        if let before, push.step < before.step { return [] }
        if push.event == .end {
            shown[card] = nil
        } else {
            if shown.count >= Self.most { shown.removeAll() }
            shown[card] = (life, push.step, numbers)
        }
        guard let before, push.event != .start, before.life == life else { return [] }
        return checker.fall(from: before.numbers, to: numbers).map { [$0] } ?? []
    }
}
