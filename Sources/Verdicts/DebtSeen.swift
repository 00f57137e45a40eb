// What the calls of one session owed and what became of each, for whoever reads its history: the same that the judge counts,
// with what decided it.

package import Basics
package import Conformance
package import Journal
package import Metrics
import Pushes

/// One planned push.
package struct DebtSeen: Hashable, Sendable {
    package var step: UInt32
    /// The name of its call.
    package var call: String
    /// What was owed, such as `liveactivity end`.
    package var what: String
    package var outcome: DeliveryClass
    /// What decided that, in words.
    package var words: String
    /// The entry of the push that was accepted for it, or of the last that was tried.
    package var push: UInt64?
    /// Entries that decided it beside that one: of the newer state that took its place, or of the answer that told of a death.
    package var deciding: [UInt64] = []

    init(_ joined: JoinedAccount, _ index: Int, _ run: RunContext, phones: Int) {
        let (row, delivery) = (joined.account.rows[index], joined.deliveries[index])
        (step, outcome) = (row.step, delivery.outcome)
        call = run.kind(row.kind)
        what = (row.provider == .fcm ? "message" : "\(row.type.word)") + (row.event.map { " \($0.word)" } ?? "")
            + (phones > 1 ? " on phone \(row.lane.phone + 1)" : "")
        let accepted = delivery.accepted.map { joined.account.pushes[$0] }
        push = accepted?.id ?? joined.attempts(of: index).last?.id
        words = Self.words(joined, index, run, since: delivery.since, until: accepted?.arrivedAt)
        switch outcome {
        case .superseded: deciding = Self.newer(joined, index).flatMap { joined.attempts(of: $0).last?.id }.map { [$0] } ?? []
        case .excused: deciding = Self.death(joined, index).map { [$0.id] } ?? []
        default: break
        }
    }

    private static func words(
        _ joined: JoinedAccount, _ index: Int, _ run: RunContext, since: Instant, until accepted: Instant?
    ) -> String {
        let (row, delivery) = (joined.account.rows[index], joined.deliveries[index])
        let end = max(since, min(accepted ?? run.circumstances.end, run.circumstances.end))
        let (able, stopped) = joined.ability(index, until: end)
        let clock = stopped.isEmpty ? "" : "; of that only \(able) counts, for the relay was kept from sending for \(stopped)"
        let allowed = " (allowed: \(row.deadline))"
        switch delivery.outcome {
        case .delivered, .late: return "\(end - since) after it was told\(allowed)\(clock)"
        case .lost, .undecided:
            let isAltered = joined.attempts(of: index).last?.isAccepted ?? false
            let came = isAltered ? "; what came was not it: activity-event-fits and content-unchanged say what differs" : ""
            let open = delivery.outcome == .undecided ? "; the run ended before that was over" : ""
            return "not in \(end - since) since it was told\(allowed)\(clock)\(open)\(came)"
        case .excused where delivery.due > run.circumstances.end:
            return "\(delivery.excuse ?? ""): not in the \(end - since) until the run ended\(allowed)\(clock)"
        case .excused: return (delivery.excuse ?? "") + reason(joined, index, run)
        case .superseded where joined.saysAgain(index): return "its card was told the same last"
        case .superseded:
            guard let newer = newer(joined, index) else { return "a newer state of its card took its place" }
            let came = joined.attempts(of: newer).first?.arrivedAt ?? .distantFuture
            let own = joined.attempts(of: index).last { $0.metFault }
            let stop = delivery.stops.last { $0.from == own?.arrivedAt } ?? delivery.stops.last { $0.from <= came }
            let why = stop.map { ", for \($0.cause) had kept the relay from sending it" } ?? ""
            return "the newer state of step \(joined.account.rows[newer].step) took its place\(why)"
        case .unsent: return "its call, or the registration of its token, was not sent"
        case .duplicated, .reordered, .unexpected, .misdirected, .altered: return ""
        }
    }

    /// Why that excuse holds: the entry or the call that decides it.
    private static func reason(_ joined: JoinedAccount, _ index: Int, _ run: RunContext) -> String {
        let excuse = joined.deliveries[index].excuse
        if excuse == Circumstances.heldDown { return ": we ended the relay so soon behind its call that it may not know of it" }
        if let told = death(joined, index) {
            let answer = ": the answer \(run.reason(told)) to entry \(told.id)"
            if run.tellsOfDeathForGood(told) {
                return answer + " declared its token dead, and no call registered that token after it; "
                    + "another push to that token on that host would be a break"
            }
            return answer + " says that nothing gets to its token with that topic or sender; "
                + "whether those are wrong is for other rules to say"
        }
        if excuse == Circumstances.takenBack, let call = joined.takingBack(index) {
            return ": `\(run.kind(call.kind))` of step \(call.step) ended its use before the deadline was over, "
                + "and until then the push need not have left"
        }
        guard let last = joined.attempts(of: index).last, last.status >= 400, !last.isRefusedForNow,
            run.circumstances.fault(last.faultRule)?.label == excuse
        else { return "" }
        let isOld = joined.tokens.speaksOfThePast(last, run.circumstances)
        return ": PushRig gave that answer on purpose; it refuses this push alone, "
            + "and the relay owes the token what is told next"
            + (isOld ? ", for the answer's timestamp lies before its registration" : "")
    }

    /// The push whose answer told of its token's death, where that is why nothing is owed.
    private static func death(_ joined: JoinedAccount, _ index: Int) -> SeenPush? {
        guard joined.deliveries[index].excuse?.hasPrefix("dead token") == true else { return nil }
        return joined.tokens.deaths[joined.account.rows[index].token]?.first.map { joined.account.pushes[$0.push] }
    }

    /// The next state for its card that came, else the next one.
    private static func newer(_ joined: JoinedAccount, _ index: Int) -> Int? {
        let row = joined.account.rows[index]
        let newer = joined.account.rows.indices.filter { other in
            let next = joined.account.rows[other]
            return next.session == row.session && next.lane == row.lane && next.type == row.type && next.place > row.place
        }
        return newer.first { joined.deliveries[$0].accepted != nil } ?? newer.first
    }
}

extension Verdicts {
    /// What happened around a push of a run: the lines that a finding about it would have. Empty where no plan was played, or
    /// it bears no marker. Throws what judging throws.
    package static func history(
        around push: PushEntry, _ deciding: [UInt64] = [], in directory: String
    ) throws(Failure) -> [HistoryLine] {
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        guard let marker = push.marker, let plan = try planNote(reader), plan.note.run == marker.run else { return [] }
        let judgement = try Judgement(plan, JudgeOptions())
        let finding = Finding(
            message: "", expected: "", seen: "", session: marker.session, step: marker.step, entries: [push.id] + deciding)
        return try judgement.evidence(reader).prove([finding]).first?.history ?? []
    }

    /// What that session owed, in the order of its steps; empty where no plan was played. Throws what judging throws.
    package static func debts(ofSession session: UInt32, in directory: String) throws(Failure) -> [DebtSeen] {
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        guard let plan = try planNote(reader) else { return [] }
        return try Judgement(plan, JudgeOptions()).debts(ofSession: session, reader)
    }
}

extension Judgement {
    fileprivate func debts(ofSession session: UInt32, _ reader: JournalReader) throws(Failure) -> [DebtSeen] {
        var pass = try pass(reader)
        pass.users = []
        var debts: [DebtSeen] = []
        pass.onClose = { joined, run in
            let rows = joined.account.rows
            let phones = Set(rows.map(\.lane.phone)).count
            for index in rows.indices where rows[index].session == session {
                debts.append(DebtSeen(joined, index, run, phones: phones))
            }
        }
        try read(reader, into: &pass)
        return debts
    }
}
