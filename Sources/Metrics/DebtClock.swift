// The clock of a debt: how long the relay has been able to pay it. It counts from when the state could be told, stands while
// something of ours may have kept the relay from telling it, and begins anew with a new process.

package import Basics
package import Pushes

struct DebtClock: Sendable {
    /// When the time that the relay has is over.
    private(set) var due: Instant
    /// What stopped it, in order of time.
    private(set) var stops: [Stop] = []

    /// `stops(until)` gives all that may stop it which begins by then.
    init(since: Instant, within deadline: Interval, stops: (Instant) -> [Stop]) {
        due = since + deadline
        while true {
            let next = Self.run(since: since, within: deadline, stops(due).sorted { ($0.from, $0.until) < ($1.from, $1.until) })
            self.stops = next.stops
            guard next.due > due else { return }
            due = next.due
        }
    }

    private static func run(since: Instant, within deadline: Interval, _ all: [Stop]) -> (due: Instant, stops: [Stop]) {
        var (now, left) = (since, deadline)
        var met: [Stop] = []
        for stop in all where stop.until > since {
            guard stop.from <= now + left else { break }
            met.append(stop)
            guard stop.until > now || stop.beginsAnew else { continue }
            left = stop.beginsAnew ? deadline : left - max(.zero, stop.from - now)
            now = max(now, stop.until)
        }
        return (now + left, met)
    }
}

extension Circumstances {
    /// When that is overdue which is owed from `since` on and hangs on no single push: a webhook, or what is owed to an age.
    /// The clock stands while we hold the relay down, and for what goes to a provider while that cannot be reached.
    package func due(_ since: Instant, within: Interval, at provider: Provider? = nil) -> Instant {
        DebtClock(since: since, within: within) { until in
            outageStops(from: since, to: until) + (provider.map { ability.stops(at: $0, from: since, to: until, self) } ?? [])
        }.due
    }

    func outageStops(from first: Instant, to last: Instant) -> [Stop] {
        outages.filter { $0.from <= last && $0.until > first }.map { outage in
            Stop(from: outage.from, until: outage.until, cause: Circumstances.heldDown, beginsAnew: true)
        }
    }

    /// The process that sent the later push need not know of that one: we ended the one before so soon behind its answer
    /// (`inFlightGrace`) that it may not be on its disk.
    package func mayBeForgotten(_ push: SeenPush, by later: SeenPush) -> Bool {
        outages.contains { outage in
            push.arrivedAt <= outage.until && outage.from <= push.answeredAt + inFlightGrace && outage.from <= later.arrivedAt
        }
    }

    /// We ended the relay so soon behind what it was told (`inFlightGrace`) that it may not be on its disk.
    package func mayBeForgotten(from first: Instant, told: Instant) -> Bool {
        wasDown(between: first, and: told + inFlightGrace)
    }
}
