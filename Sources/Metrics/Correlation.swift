// What a run came to, once plan and arrivals are joined.

/// Every expectation is in exactly one of `delivered`, `late`, `superseded`, `lost`, `excused`, `unsent` and
/// `undecided`. `duplicated`, `reordered` and `unexpected` count pushes, in addition.
package struct Correlation: Sendable {
    /// By the kind of the expectation; a push without one counts under `""`.
    package var classes: [String: [DeliveryClass: Int]] = [:]
    package var totals: [DeliveryClass: Int] = [:]
    /// All expectations.
    package var expected = 0
    /// Never delivered because their token was dead; not held against the relay.
    package var excused = 0
    /// Their event was dropped by us; not held against the relay.
    package var unsent = 0
    /// Not arrived, but the deadline lies after the end of the run.
    package var undecided = 0
    /// How many of the lost belong to an event the relay did not answer with 2xx.
    package var lostUnaccepted = 0

    /// `plannedAt` to the first accepted arrival, in nanoseconds.
    package var delivery = Histogram()
    package var deliveryByKind: [String: Histogram] = [:]
    /// `plannedAt` to the relay's answer, in nanoseconds.
    package var answer = Histogram()
    /// By the kind of the event, as named by `Correlator.name(kinds:)`.
    package var answerByKind: [String: Histogram] = [:]
    /// `sentAt` to the relay's answer, in nanoseconds.
    package var answerUncorrected = Histogram()
    /// `plannedAt` to `sentAt`: our own, in nanoseconds.
    package var lateness = Histogram()

    /// One row per second from the origin on, without gaps.
    package var series: [SeriesRow] = []
    /// Pushes by `"status reason"`, such as `"400 BadDeviceToken"`, `"200"`, and `"no answer"`.
    package var reasons: [String: Int] = [:]
    /// Pushes by outcome word.
    package var outcomes: [String: Int] = [:]
    package var deadTokens = DeadTokens()
    package var lastState = LastState()

    package var events = 0
    package var sent = 0
    package var answered = 0
    /// Never sent by us.
    package var dropped = 0
    /// Sent, and without a usable answer.
    package var failed = 0
    package var pushes = 0
    package var peakSessions = 0
    /// Active sessions by second, beside `series`.
    package var activeSeries: [Int] = []

    package init() {}

    package func count(_ deliveryClass: DeliveryClass) -> Int { totals[deliveryClass] ?? 0 }
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

    package init(second: Int) { self.second = second }
}

package struct DeadTokens: Hashable, Sendable {
    /// Tokens that were answered 410 or BadDeviceToken.
    package var died = 0
    /// Pushes that still came to them afterwards.
    package var pushesAfterDeath = 0
    /// The token with the most of these, and how many.
    package var worstToken: String?
    package var worstPushes = 0
    /// Journal ids of the first of these pushes, at most 20.
    package var sample: [UInt64] = []

    package init() {}
}

package struct LastState: Hashable, Sendable {
    package struct Missing: Hashable, Sendable {
        package var session: UInt32
        package var step: UInt32
        package var kind: String
        package var token: String

        package init(session: UInt32, step: UInt32, kind: String, token: String) {
            self.session = session
            self.step = step
            self.kind = kind
            self.token = token
        }
    }

    /// Sessions whose plan has a last state and that can be judged.
    package var sessions = 0
    package var delivered = 0
    /// Sessions that never got it; `missing` holds at most 20 of them.
    package var missingCount = 0
    package var missing: [Missing] = []

    package init() {}
}
