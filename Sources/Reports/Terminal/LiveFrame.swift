// The state of a run at one moment, as the terminal shows it.

package import Basics

/// The state of a run at one moment, as the harness reads it from the load generator and the mocks.
package struct LiveFrame: Sendable {
    /// `warm-up`, `measure`, `drain`.
    package var phase: String
    package var elapsed: Interval
    package var total: Interval
    package var planned: Int64
    package var sent: Int64
    package var answered: Int64
    package var failed: Int64
    package var dropped: Int64
    package var activeSessions: Int64
    package var pushes: Int64
    package var pushErrors: Int64
    package var faultsActive: [String]
    package var answerP50: Interval?
    package var answerP99: Interval?
    package var latenessP99: Interval?

    package init(
        phase: String, elapsed: Interval, total: Interval, planned: Int64 = 0, sent: Int64 = 0, answered: Int64 = 0,
        failed: Int64 = 0, dropped: Int64 = 0, activeSessions: Int64 = 0, pushes: Int64 = 0, pushErrors: Int64 = 0,
        faultsActive: [String] = [], answerP50: Interval? = nil, answerP99: Interval? = nil,
        latenessP99: Interval? = nil
    ) {
        self.phase = phase
        self.elapsed = elapsed
        self.total = total
        self.planned = planned
        self.sent = sent
        self.answered = answered
        self.failed = failed
        self.dropped = dropped
        self.activeSessions = activeSessions
        self.pushes = pushes
        self.pushErrors = pushErrors
        self.faultsActive = faultsActive
        self.answerP50 = answerP50
        self.answerP99 = answerP99
        self.latenessP99 = latenessP99
    }
}
