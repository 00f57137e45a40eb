// Holds a push against what the call of its marker declares.

import Basics
import Conformance
import Journal
import Metrics
import Planning
import Scenarios

/// Confined to the judge's thread.
final class DeclaredCheck {
    private let checker: DeclaredChecker
    private let renderer: CallRenderer

    /// Nil where the profile declares nothing.
    init?(_ plan: Plan, _ renderer: CallRenderer) {
        guard let checker = DeclaredChecker(plan.scenario.relay.profile) else { return nil }
        self.checker = checker
        self.renderer = renderer
    }

    /// `calls`: see `ContentCheck.look`. One that a fault of ours refused is a try like any other.
    func look(at entry: PushEntry, _ calls: ArraySlice<SeenCall>, _ push: inout SeenPush, _ context: RunContext) {
        guard push.isAccepted || push.metFault, !entry.isCut, push.isMarked, let call = calls.last, call.place == push.place
        else { return }
        let index = renderer.index(of: call)
        guard checker.judges(call: index, push.form) else { return }
        let arrivals = Set([push.arrivedWall, entry.arrivedWall]).sorted()
        let told = told(call, by: push)
        var sent = DeclarablePush(
            form: push.form, arrivals: arrivals,
            told: arrivals[0] - (push.arrivedAt - told.lowerBound)...arrivals.last! - (push.arrivedAt - told.upperBound))
        sent.priority = entry.priority
        sent.topic = entry.topic
        sent.collapseID = entry.header("apns-collapse-id")
        sent.expiration = entry.header("apns-expiration")
        sent.stamp = push.stamp
        sent.isHigh = push.priority >= 10
        sent.hasNotification = push.flags.contains(.hasNotification)
        push.flags.insert(.isDeclared)
        let found = checker.deviations(sent, entry.payload.span, call: index) { renderer.text($0, of: call)?.array() }
        push.deviation = context.deviations.number(of: found)
        push.shortened = shortened(call, sent)
    }

    /// What was made of an ID that is longer than APNs takes.
    private func shortened(_ call: SeenCall, _ sent: DeclarablePush) -> SeenPush.Shortened? {
        guard let given = sent.collapseID, let meant = collapseID(of: call, sent.form),
            meant.utf8.count > DeclaredChecker.mostCollapseBytes
        else { return nil }
        func number(_ text: String) -> UInt64 { withBytes(of: text) { Hash128(hashing: $0).low } }
        return SeenPush.Shortened(meant: number(meant), given: number(given))
    }

    /// What its call declares as its `apns-collapse-id`.
    func collapseID(of call: SeenCall, _ form: PushForm) -> String? {
        guard let template = checker.collapseID(call: renderer.index(of: call), form) else { return nil }
        return renderer.text(template, of: call)?.text
    }

    /// When the relay was given the call, as far as is known: its own record may come after the push.
    private func told(_ call: SeenCall, by push: SeenPush) -> ClosedRange<Instant> {
        guard call.state == .sent else { return min(call.plannedAt, push.arrivedAt)...push.arrivedAt }
        let latest = call.wasAnswered ? min(call.answeredAt, push.arrivedAt) : push.arrivedAt
        return min(call.sentAt, push.arrivedAt)...max(call.sentAt, latest)
    }
}
