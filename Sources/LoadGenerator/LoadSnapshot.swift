// What the load generator has done so far, as plain values.

package import Basics
package import Journal
package import Metrics

/// Counters and histograms of a run so far; those of several loops add up. Histograms hold nanoseconds.
package struct LoadSnapshot: Sendable {
    /// Events whose instant has passed, planned ones and reactions: `answered + failed + dropped + withheld + inFlight +
    /// waiting`.
    package var planned = 0
    /// Handed to the kernel; what was sent again counts once.
    package var sent = 0
    /// Answers of any status.
    package var answered = 0
    /// Answers that the profile does not expect; part of `answered`.
    package var unexpectedStatus = 0
    /// Answers after which the caller waited and tried again, and of these the ones that said it was too much.
    package var triedAgain = 0
    package var throttled = 0
    /// Never answered, whether or not they could be sent, and not dropped.
    package var failed = 0
    /// Of these the ones that the relay was called for in vain: it did not answer, or could not be reached. Part of `failed`.
    package var unanswered = 0
    /// Never sent, because the window or the pool's queue was full.
    package var dropped = 0
    /// Never sent, because what they have to say is not there.
    package var withheld = 0
    /// Calls that a phone's event brought about; part of `planned`.
    package var reactions = 0
    /// Reactions whose event did not come in the time that the script gives it.
    package var waitedInVain = 0
    /// Values that an answer did not hold.
    package var missedCaptures = 0
    /// Phone events of no session that heeds them, and numbers of phone events that never came.
    package var unclaimedPhoneEvents = 0
    package var missedPhoneEvents = 0
    /// Sent while an earlier event of the same session was still unanswered.
    package var overlapped = 0
    /// Handed to the kernel after a later event of the same session. Zero with `order: answered`.
    package var inverted = 0
    /// Due, and waiting for the answer to an earlier event of their session.
    package var waiting = 0
    /// Found every connection busy and no further one allowed; `connectionWait` says how long.
    package var waitedForConnection = 0
    /// Opened so far.
    package var connections = 0
    /// Sent once more after a reused connection died without a byte of an answer: the relay may have seen them twice.
    package var sentTwice = 0
    /// Times that an event was sent again because the relay certainly had not processed it (REFUSED_STREAM, GOAWAY).
    package var sentAgainUnprocessed = 0
    /// Answers, or other bytes, that nobody had asked for.
    package var strayAnswers = 0
    package var inFlight = 0
    /// Of these the ones that wait for the relay, and not for their batch or for another try.
    package var underWay = 0
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
    /// Ours alone: from the instant at which an event could have gone (planned, and let go by the order of its session)
    /// until it was handed to the kernel, less what it waited for a connection.
    package var lateness = Histogram()
    /// Of the events in `waitedForConnection`.
    package var connectionWait = Histogram()
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

    /// Counts an event that ended so, an answer of the wrong status included.
    mutating func count(_ failure: EventFailure) {
        failures[Int(failure.rawValue)] += 1
        switch failure {
        case .none: break
        case .dropped: dropped += 1
        case .withheld, .retired: withheld += 1
        case let failure where failure.isAnswer: unexpectedStatus += 1
        default: failed += 1
        }
    }

    /// Fills in the load's part of a run's totals.
    package func fill(_ totals: inout TotalsNote) {
        totals.sessionsBegun = sessionsBegun
        totals.planned = planned
        totals.sent = sent
        totals.answered = answered
        totals.failed = failed
        totals.dropped = dropped
        totals.inverted = inverted
        totals.waiting = waiting
        totals.waitedForConnection = waitedForConnection
        totals.longestConnectionWait = .nanoseconds(connectionWait.count == 0 ? 0 : connectionWait.max)
        totals.sentTwice = sentTwice
        totals.sentAgainUnprocessed = sentAgainUnprocessed
        totals.strayAnswers = strayAnswers
        totals.loadConnections = connections
    }

    mutating func add(_ other: LoadSnapshot) {
        planned += other.planned
        sent += other.sent
        answered += other.answered
        unexpectedStatus += other.unexpectedStatus
        triedAgain += other.triedAgain
        throttled += other.throttled
        failed += other.failed
        unanswered += other.unanswered
        dropped += other.dropped
        withheld += other.withheld
        reactions += other.reactions
        waitedInVain += other.waitedInVain
        missedCaptures += other.missedCaptures
        unclaimedPhoneEvents += other.unclaimedPhoneEvents
        missedPhoneEvents += other.missedPhoneEvents
        overlapped += other.overlapped
        inverted += other.inverted
        waiting += other.waiting
        waitedForConnection += other.waitedForConnection
        connections += other.connections
        sentTwice += other.sentTwice
        sentAgainUnprocessed += other.sentAgainUnprocessed
        strayAnswers += other.strayAnswers
        inFlight += other.inFlight
        underWay += other.underWay
        sessionsPlanned += other.sessionsPlanned
        sessionsBegun += other.sessionsBegun
        activeSessions += other.activeSessions
        // Loops peak at different times; the sum is an upper bound, and exact for one loop.
        peakSessions += other.peakSessions
        isDone = isDone && other.isDone
        for index in answersByClass.indices { answersByClass[index] += other.answersByClass[index] }
        for index in failures.indices { failures[index] += other.failures[index] }
        lateness.merge(other.lateness)
        connectionWait.merge(other.connectionWait)
        answer.merge(other.answer)
        answerFromSent.merge(other.answerFromSent)
        journalFailure = journalFailure ?? other.journalFailure
    }
}
