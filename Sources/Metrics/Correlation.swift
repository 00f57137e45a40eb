// What a run came to, once plan and arrivals are joined.

package import Basics
import Pushes

/// Every expectation is in exactly one of `DeliveryClass.ofExpectations`; those of `ofPushes` count pushes, in addition.
package struct Correlation: Sendable {
    /// By the kind of the expectation; a push without one counts under `(no call)`.
    package var classes: [String: [DeliveryClass: Int]] = [:]
    package var totals: [DeliveryClass: Int] = [:]
    /// All expectations.
    package var expected = 0
    /// Expectations by what of ours excuses them.
    package var excuses: [String: Int] = [:]
    /// Events that were not sent because what they have to say was not there, and by what they lacked.
    package var withheld = 0
    package var withheldFor: [String: Int] = [:]
    /// Never sent, because the relay had told that their token is dead.
    package var retired = 0
    /// Answers that said that it was too much just now, and all after which the caller tried again.
    package var throttled = 0
    package var triedAgain = 0
    /// How many of the undecided waited for a token that a phone never told.
    package var undecidedInVain = 0
    /// Of the undecided: refused for now by a fault of ours and not sent again, though their token was told something since.
    package var undecidedPassedOver = 0
    /// How many of the lost belong to an event the relay did not take.
    package var lostUnaccepted = 0
    /// Pushes without our marker to tokens that nobody has, where the relay is not ours.
    package var foreign = 0
    /// The first few of each class that is worth looking at.
    package var examples: [DeliveryClass: [Example]] = [:]

    /// `plannedAt` to the first accepted arrival, in nanoseconds.
    package var delivery = Histogram()
    package var deliveryByKind: [String: Histogram] = [:]
    /// `plannedAt` to the relay's answer, in nanoseconds.
    package var answer = Histogram()
    /// By the kind of the event.
    package var answerByKind: [String: Histogram] = [:]
    /// `sentAt` to the relay's answer, in nanoseconds.
    package var answerUncorrected = Histogram()
    /// Ours alone: from the instant an event could leave until it was dispatched, in nanoseconds.
    package var lateness = Histogram()
    /// Age of what cards show, in nanoseconds; counts are milliseconds of a card's life.
    package var staleness = Histogram()
    /// The same over time, and the worst of it.
    package var cards = AgedCards()

    /// Latencies over time, of the whole run.
    package var course = LatencyCourse()
    /// Latencies one by one; nil: nobody asked for them.
    package var intervals: IntervalLatencies?

    /// By second and kind, while it is judged; no record has them.
    package var ages = DeliveryAges()

    /// One row per second from the origin on, without gaps.
    package var series: [SeriesRow] = []
    /// Pushes by `"status reason"`, such as `"400 BadDeviceToken"`, `"200"`, and `"no answer"`.
    package var reasons: [String: Int] = [:]
    /// Pushes by outcome word; those that no device was asked about under `no device`.
    package var outcomes: [String: Int] = [:]
    /// Accepted pushes that no phone was asked about.
    package var unasked = 0
    /// Accepted pushes that a phone took, and that the profile's schemas do not decode.
    package var undecoded = 0
    package var deadTokens = DeadTokens()
    package var lastState = LastState()
    /// What the relay answered that the profile does not expect, most frequent first.
    package var wrongAnswers: [WrongAnswer] = []

    package var events = 0
    package var sent = 0
    package var answered = 0
    /// Answered with a status that the profile expects.
    package var taken = 0
    /// Never sent by us.
    package var dropped = 0
    /// Sent, and without a usable answer.
    package var failed = 0
    package var pushes = 0
    package var peakSessions = 0
    /// Active sessions by second, beside `series`.
    package var activeSeries: [Int] = []

    package init() {}

    package var accepted: Int { reasons["200"] ?? 0 }

    /// Accepted pushes that nobody ever saw, by the outcome's word; those that a service still kept for a device when the run
    /// ended under `still stored`.
    package var unseen: [String: Int] {
        var unseen: [String: Int] = [:]
        var late = 0
        for (name, count) in outcomes {
            let word = name.hasPrefix(Self.late) ? String(name.dropFirst(Self.late.count)) : name
            if word != name { late += count }
            if Outcome(word: word)?.isUnseen == true { unseen[word, default: 0] += count }
        }
        let waiting = (outcomes["\(Outcome.stored.word)"] ?? 0) - late
        if waiting > 0 { unseen["still stored"] = waiting }
        if undecoded > 0 { unseen["\(Outcome.undecodable.word)", default: 0] += undecoded }
        return unseen
    }

    /// What stands before the word of what became of a push that was stored.
    static let late = "late "

    package func count(_ deliveryClass: DeliveryClass) -> Int { totals[deliveryClass] ?? 0 }

    package var excused: Int { count(.excused) }
    package var unsent: Int { count(.unsent) }
    package var undecided: Int { count(.undecided) }
}

/// One expectation or push, to look at.
package struct Example: Hashable, Sendable {
    package var session: UInt32
    package var step: UInt32
    /// The call's name, or empty.
    package var kind: String
    package var at: Instant
    /// Journal ids of the pushes it speaks of.
    package var entries: [UInt64]

    package init(session: UInt32, step: UInt32, kind: String, at: Instant, entries: [UInt64]) {
        self.session = session
        self.step = step
        self.kind = kind
        self.at = at
        self.entries = entries
    }
}

/// Equal answers of the relay that were not expected.
package struct WrongAnswer: Hashable, Sendable {
    /// 0: no answer came.
    package var status: UInt16
    /// The first bytes of the body, or in words why no answer came.
    package var body: String
    package var count: Int

    package init(status: UInt16, body: String, count: Int) {
        self.status = status
        self.body = body
        self.count = count
    }
}

/// What happened in one second.
package struct SeriesRow: Hashable, Sendable {
    /// Seconds since the origin.
    package var second: Int
    package var planned = 0
    package var sent = 0
    package var answered = 0
    package var pushes = 0
    /// Pushes answered 200.
    package var accepted = 0
    /// Events that failed or were answered with 400 and above, and pushes answered with other than 200.
    package var errors = 0
    /// Milliseconds that cards lived in this second, all together, and the sum of their ages over it in ms x s.
    package var cardMilliseconds = 0
    package var cardAges = 0
    /// Expected pushes planned in this second that were accepted, the sum of their latencies in microseconds, and the
    /// longest of them.
    package var deliveries = 0
    package var deliveryMicroseconds = 0
    package var slowestMicroseconds = 0

    package init(second: Int) { self.second = second }
}

package struct DeadTokens: Hashable, Sendable {
    /// Tokens that were answered 410 or BadDeviceToken.
    package var died = 0
    /// Pushes that still came to them afterwards.
    package var pushesAfterDeath = 0
    /// The token with the most of these, by the journal id of its death, and how many.
    package var worstDeath: UInt64?
    package var worstPushes = 0
    /// Journal ids of the first of these pushes, at most 20.
    package var sample: [UInt64] = []

    package init() {}
}

package struct LastState: Hashable, Sendable {
    /// Sessions whose plan has a last state and that can be judged.
    package var sessions = 0
    package var delivered = 0
    /// Sessions that never got it.
    package var missingCount = 0

    package init() {}
}
