// What the load generator has done so far, as plain values.

package import Basics
package import Journal
package import Metrics

/// Counters and histograms of a run so far; those of several loops add up. Histograms hold nanoseconds.
package struct LoadSnapshot: Sendable {
    /// Events whose planned instant has passed: `sent + dropped`.
    package var planned = 0
    /// Given to the connection pool.
    package var sent = 0
    /// Answers of any status.
    package var answered = 0
    /// Answers whose status the profile does not expect; part of `answered`.
    package var unexpectedStatus = 0
    /// Sent, and never answered.
    package var failed = 0
    /// Never sent, because the window or the pool's queue was full.
    package var dropped = 0
    /// Sent while an earlier event of the same session was still unanswered.
    package var overlapped = 0
    package var inFlight = 0
    /// Sessions of the plan, and of these the ones that have begun.
    package var sessionsPlanned = 0
    package var sessionsBegun = 0
    /// Between their first and their last event.
    package var activeSessions = 0
    package var peakSessions = 0
    /// Everything planned has been sent or dropped, and settled.
    package var isDone = false
    /// Answers by class of status: index 2 counts 2xx, index 0 statuses outside 100...599.
    package var answersByClass = [Int](repeating: 0, count: 6)
    /// Indexed by the raw value of `EventFailure`.
    package var failures = [Int](repeating: 0, count: EventFailure.allCases.count)
    /// Until the event was handed to the kernel, or to the pool if it never got further, after its planned instant.
    package var lateness = Histogram()
    /// The part of `lateness` that is not waiting for a free connection: until the event was handed to the pool.
    package var dispatchLateness = Histogram()
    /// From the planned instant to the answer.
    package var answer = Histogram()
    /// From sending to the answer.
    package var answerFromSent = Histogram()
    /// Why the journal stopped, if it did: load stops then, for what is not on record did not happen.
    package var journalFailure: Failure?

    package init() {}

    /// Zero before the first event.
    package var latenessP99: Interval { Interval(nanoseconds: lateness.count == 0 ? 0 : lateness.value(at: 99)) }

    package func failures(of kind: EventFailure) -> Int { failures[Int(kind.rawValue)] }

    mutating func add(_ other: LoadSnapshot) {
        planned += other.planned
        sent += other.sent
        answered += other.answered
        unexpectedStatus += other.unexpectedStatus
        failed += other.failed
        dropped += other.dropped
        overlapped += other.overlapped
        inFlight += other.inFlight
        sessionsPlanned += other.sessionsPlanned
        sessionsBegun += other.sessionsBegun
        activeSessions += other.activeSessions
        // Loops peak at different times; the sum is an upper bound, and exact for one loop.
        peakSessions += other.peakSessions
        isDone = isDone && other.isDone
        for index in answersByClass.indices { answersByClass[index] += other.answersByClass[index] }
        for index in failures.indices { failures[index] += other.failures[index] }
        lateness.merge(other.lateness)
        dispatchLateness.merge(other.dispatchLateness)
        answer.merge(other.answer)
        answerFromSent.merge(other.answerFromSent)
        journalFailure = journalFailure ?? other.journalFailure
    }
}
