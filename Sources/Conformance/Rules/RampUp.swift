// Whether messages to FCM rise as our calls do: a relay that saves messages up and lets them go at once makes a peak of its own
// (docs/fcm.md §4, §7). It asks across accounts.

import Basics
import Metrics
import Pushes

struct RampUp: RuleMachine {
    static let rule = Rule(
        "messages-ramp-up", ["F23"], .should, basis: .timing, on: .fcm,
        requirement: "Messages do not leap within a second to what our calls never asked for in one.",
        norm: "Google, Best practices when sending FCM messages at scale: from nothing to the peak in a minute or longer",
        advice: "spread what has been saved up, a minute's messages over a minute, and draw each one's instant at random",
        span: { _ in .second }, make: { RampUp() })

    /// Fewer in a second are no load to anybody.
    private static let fewest = 200
    /// So many times what was asked for: a machine that stood still for a moment makes up for it.
    private static let most = 5
    /// Quarters of a second: any four that follow each other are a second, wherever a relay's own seconds begin.
    private static let quarters: Int64 = 4
    /// So many quarters before the leap count as asked for.
    private static let memory = 60 * quarters
    /// So long behind trouble whoever waited as he was told comes with all others who did.
    private static let rest = 120 * quarters

    /// By the quarter of a second of the run's clock: messages and the first of them, pushes that our calls owed, and answers
    /// of trouble.
    private var sent: [Int64: (count: Int, first: UInt64)] = [:]
    private var asked: [Int64: Int] = [:]
    private var trouble: Set<Int64> = []

    mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
        for row in joined.account.rows {
            let at = joined.account.call(at: row.place)?.sentAt ?? row.plannedAt
            asked[Self.quarter(of: at), default: 0] += 1
        }
        var seen: Set<PushIdentity> = []
        for push in joined.account.pushes {
            if push.metFault || Self.isTrouble(push.status) { trouble.insert(Self.quarter(of: push.answeredAt)) }
            // The same again is no part of the rise.
            guard seen.insert(push.identity).inserted else { continue }
            let quarter = Self.quarter(of: push.arrivedAt)
            sent[quarter, default: (0, push.id)].count += 1
        }
    }

    /// After which whoever does as FCM says comes again.
    private static func isTrouble(_ status: UInt16) -> Bool { [0, 401, 429].contains(status) || status >= 500 }

    private static func quarter(of instant: Instant) -> Int64 { instant.nanoseconds / 250_000_000 }

    /// Of the second that begins with that quarter.
    private static func second(from quarter: Int64, _ count: (Int64) -> Int) -> Int {
        (quarter..<quarter + quarters).reduce(0) { $0 + count($1) }
    }

    func verdict(_ run: RunContext) -> Verdict {
        // Without a plan nobody knows what was asked for.
        guard !asked.isEmpty else { return .notExercised }
        let peaks = Dictionary(
            uniqueKeysWithValues: Set(asked.keys.flatMap { $0 - Self.quarters + 1...$0 }).map { quarter in
                (quarter, Self.second(from: quarter) { asked[$0] ?? 0 })
            })
        var tally = Tally()
        var next = Int64.min
        for quarter in sent.keys.sorted() where quarter >= next {
            let count = Self.second(from: quarter) { sent[$0]?.count ?? 0 }
            guard count >= Self.fewest, let first = sent[quarter]?.first, !isExcused(quarter, run) else { continue }
            tally.test()
            let peak = (quarter - Self.memory..<quarter + Self.quarters).lazy.compactMap { peaks[$0] }.max() ?? 0
            guard count > Self.most * peak else { continue }
            // Each leap is told once.
            next = quarter + Self.quarters
            tally.find(
                "messages leapt to \(count) in a second",
                expected: "at most \(Self.most) times the \(peak) that calls asked for in a second of the minute before",
                seen: "\(count)", first)
        }
        return tally.verdict
    }

    /// We held messages up, or FCM did.
    private func isExcused(_ quarter: Int64, _ run: RunContext) -> Bool {
        let since = Instant(nanoseconds: (quarter - Self.rest) * 250_000_000)
        let until = Instant(nanoseconds: (quarter + Self.quarters) * 250_000_000)
        return run.isAway(from: since, until: until)
            || (quarter - Self.rest..<quarter + Self.quarters).contains { trouble.contains($0) }
    }
}
