// What the calls of one session owed and what became of each, for whoever reads its history: the same that the judge counts,
// with what decided it.

package import Basics
import Conformance
import Journal
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

    init(_ joined: JoinedAccount, _ index: Int, _ run: RunContext, phones: Int) {
        let (row, delivery) = (joined.account.rows[index], joined.deliveries[index])
        (step, outcome) = (row.step, delivery.outcome)
        call = run.kind(row.kind)
        what = (row.provider == .fcm ? "message" : "\(row.type.word)") + (row.event.map { " \($0.word)" } ?? "")
            + (phones > 1 ? " on phone \(row.lane.phone + 1)" : "")
        let accepted = delivery.accepted.map { joined.account.pushes[$0] }
        push = accepted?.id ?? joined.attempts(of: index).last?.id
        let end = min(accepted?.arrivedAt ?? run.circumstances.end, run.circumstances.end)
        let (able, stopped) = joined.ability(index, until: max(end, delivery.since))
        let clock = stopped.isEmpty ? "" : ", able for \(able) of that; stopped for \(stopped)"
        let allowed = "allowed \(row.deadline)"
        words =
            switch delivery.outcome {
            case .delivered, .late: "\(end - delivery.since) after it was told\(clock); \(allowed)"
            case .lost, .undecided: "not in \(max(.zero, end - delivery.since))\(clock); \(allowed)"
            case .excused: (delivery.excuse ?? "") + clock
            case .superseded where joined.saysAgain(index): "its card was told the same last"
            case .superseded: "a newer state took its place\(clock)"
            case .unsent: "its call, or the registration of its token, was not sent"
            case .duplicated, .reordered, .unexpected, .misdirected, .altered: ""
            }
    }
}

extension Verdicts {
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
