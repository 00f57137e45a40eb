// A plan counted through: every session played once, without sending, for `--dry-run`, for progress and for the digest.

package import Basics
import Scenarios
import Synchronization

/// A plan in a few numbers.
package struct PlanSummary: Sendable {
    package var sessions = 0
    package var events = 0
    package var expectedPushes = 0
    /// By profile call, in the profile's order: pushes that may be owed, those included that are owed only where others were in
    /// vain. No run of the plan owes more, reactions apart.
    package var mostPushes: [Int] = []
    /// From the start to the last planned event.
    package var duration = Interval.zero
    /// Events by profile call, in the profile's order.
    package var eventsByCall: [(call: String, count: Int)] = []
    /// Events planned in each second of the run; the last entry takes whatever lies beyond a day.
    package var eventsPerSecond: [Int] = []
    /// Sessions between their first and last event, at most.
    package var peakSessions = 0
    /// See `Plan.digest`.
    package var digest = ""
}

extension Plan {
    /// Counted on first use by playing every session once: about 250 ns an event.
    package var summary: PlanSummary { totals.value.withLock { held in held ?? fill(&held) } }
    /// Events of this shard; counts like `summary`.
    package var eventCount: Int { summary.events }
    /// From the start to the last planned event of this shard; counts like `summary`.
    package var duration: Interval { summary.duration }

    /// Sixteen hex digits over every event of this shard: session, time, call, choice of values and rows. The same scenario,
    /// seed and shard give the same digest on every machine, whatever the run's number. Counts like `summary`.
    package func digest() -> String { summary.digest }

    private func fill(_ held: inout PlanSummary?) -> PlanSummary {
        var count = PlanCount(calls: workload.profile.calls.count)
        for index in 0..<sessionCount { count.add(cursor(index), of: workload) }
        let summary = count.summary(of: self)
        held = summary
        return summary
    }
}

/// Where a plan keeps its summary, once counted. Copies of a plan share it.
final class PlanTotals: Sendable {
    let value = Mutex<PlanSummary?>(nil)
}

private struct PlanCount {
    private var summary = PlanSummary()
    private var byCall: [Int]
    private var digest = Digest()
    /// Nanoseconds of each session's first and last event.
    private var firsts: [Int64] = []
    private var lasts: [Int64] = []

    init(calls: Int) {
        byCall = Array(repeating: 0, count: calls)
        summary.mostPushes = byCall
    }

    mutating func add(_ start: SessionCursor, of workload: Workload) {
        var cursor = start
        var owed = OwedPushes(workload)
        var first: PlannedEvent?
        var last: PlannedEvent?
        summary.sessions += 1
        while let event = cursor.next(workload) {
            first = first ?? event
            last = event
            summary.events += 1
            byCall[event.call] += 1
            count(inSecond: event.at)
            digest.add(event, choices: workload.choices(of: event, script: cursor.script))
            owed.happen(event) { owed in
                summary.expectedPushes += owed.isInsteadOfStart || owed.unless != nil ? 0 : 1
                summary.mostPushes[owed.event.call] += 1
            }
        }
        guard let first, let last else { return }
        if last.at > summary.duration { summary.duration = last.at }
        firsts.append(first.at.nanoseconds)
        lasts.append(last.at.nanoseconds)
    }

    /// The most sessions that were between their first and last event at a time, both included. Sessions begin in order of
    /// time, and what they do first may have another.
    private var peak: Int {
        let lasts = lasts.sorted()
        var (over, most) = (0, 0)
        for (begun, first) in firsts.sorted().enumerated() {
            while over < begun, lasts[over] < first { over += 1 }
            most = max(most, begun + 1 - over)
        }
        return most
    }

    private mutating func count(inSecond time: Interval) {
        let second = min(Int(time.nanoseconds / 1_000_000_000), 86_400)
        while summary.eventsPerSecond.count <= second { summary.eventsPerSecond.append(0) }
        summary.eventsPerSecond[second] += 1
    }

    func summary(of plan: Plan) -> PlanSummary {
        var result = summary
        result.peakSessions = peak
        result.eventsByCall = zip(plan.kinds, byCall).map { (call: $0, count: $1) }
        result.digest = digest.text
        return result
    }
}

/// A running hash of 64-bit words: rotate, mix, multiply; finished by SplitMix64's avalanche.
private struct Digest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ event: PlannedEvent, choices: UInt64) {
        add(UInt64(event.session) << 32 | UInt64(event.step))
        add(UInt64(bitPattern: event.at.nanoseconds))
        add(UInt64(event.call) << 32 | UInt64(event.scriptStep))
        add(choices)
    }

    private mutating func add(_ word: UInt64) {
        state = ((state << 5 | state >> 59) ^ word) &* 0x9E37_79B9_7F4A_7C15
    }

    var text: String {
        let buffer = ByteBuffer()
        Text.append(hex: Seed(state).child(0).value, digits: 16, into: buffer)
        return buffer.text
    }
}

extension Workload {
    /// All choices of values an event takes, folded into one number.
    fileprivate func choices(of event: PlannedEvent, script: UInt16) -> UInt64 {
        var folded: UInt64 = 0
        for (variable, value) in scripts[Int(script)].steps[event.scriptStep].values.enumerated() {
            let choice = choice(
                session: event.session, step: event.step, variable: variable, of: value.choices.count)
            folded = folded &* 1_000_003 &+ UInt64(choice)
        }
        return feeds.isEmpty ? folded : folded &* 1_000_003 &+ feeds.fingerprint(session: event.session)
    }
}
