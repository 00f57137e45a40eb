// What we did to the relay on purpose, and when: all that may explain a push that never came. What is explained is
// bounded: a fault that is over leaves the relay as long again as it lasted to make up for it, and no longer.

package import Basics
package import Pushes

package struct Circumstances: Sendable {
    /// We ended the relay at `from`, and it was ready again at `until`.
    package struct Outage: Hashable, Sendable {
        package var from: Instant
        package var until: Instant

        package init(from: Instant, until: Instant) {
            self.from = from
            self.until = until
        }
    }

    /// A fault of ours as far as the clock tells.
    package struct Fault: Hashable, Sendable {
        /// In `SeenPush.faultRule`.
        package var rule: UInt32
        package var label: String
        package var windows: [Range<Instant>]
        /// It never answers: how long the relay waits is the relay's affair.
        package var isSilence: Bool
        /// It ends the stream of a push, or its connection, before there is an answer.
        package var cutsOff: Bool
        /// The relay ends it by what it does: how long that takes at least. Nil: it ends by itself.
        package var cureTakes: Interval?
        /// What its answer says of when to come again.
        package var retryAfter: Interval?
        /// The same, where its answer names the time.
        package var retryAt: WallTime?
        /// It meets each token, or connection, so often and no more.
        package var timesEach: Int?
        /// When it had met all that it may meet.
        package var spentAt: Instant?
        /// The same push, sent again, may get past it.
        package var letsSomePass: Bool

        package init(
            rule: UInt32, label: String, windows: [Range<Instant>], isSilence: Bool = false,
            cutsOff: Bool = false, cureTakes: Interval? = nil, retryAfter: Interval? = nil, retryAt: WallTime? = nil,
            timesEach: Int? = nil, spentAt: Instant? = nil, letsSomePass: Bool = false
        ) {
            self.rule = rule
            self.label = label
            self.windows = windows
            self.isSilence = isSilence
            self.cutsOff = cutsOff
            self.cureTakes = cureTakes
            self.retryAfter = retryAfter
            self.retryAt = retryAt
            self.timesEach = timesEach
            self.spentAt = spentAt
            self.letsSomePass = letsSomePass
        }
    }

    package var outages: [Outage] = []
    package var faults: [Fault] = []
    /// Faults that met a connection rather than a push, in order of time.
    package var connectionFirings: [(at: Instant, rule: UInt32)] = []
    /// When the run stopped listening. What is due later and has not come is undecided.
    package var end = Instant.distantFuture
    /// Pushes to a token that died not longer ago than this, on the run's clock, were in flight.
    package var inFlightGrace = Interval.seconds(1)
    /// How many processes of the relay push side by side; at least 1.
    package var relayProcesses = 1
    /// We started the relay ourselves, so whatever reaches the mock is its doing.
    package var isRelayOurs = false
    /// The mock plays both environments, and refuses what comes to the other one than a token's own.
    package var hasBothEnvironments = false
    /// The run's clock, by which the history is kept, runs this many times as fast as the host's, by which networks and
    /// processors do their work.
    package var pace = 1.0
    /// How far the wall time of rules and devices is ahead of the history's.
    package var clockSkew = Interval.zero
    /// On the mock's wall clock: a 410 that speaks of an earlier time kills no token of this run.
    package var startedAt: WallTime?
    /// We set the wall time of mock and relay another way within the run, so instants of it cannot be told from each other.
    package var isWallTimeSet = false
    /// Calls that end their session, by number.
    package var finalKinds: Set<UInt16> = []
    /// The relay's throttle window, where its profile declares one.
    package var throttle: Interval?
    /// How long the relay passes over a state that its card was told last, where its profile declares it.
    package var repeats: RepeatTerms?
    /// How many pushes it sends at most, where its profile declares it.
    package var cap: CapTerms?
    /// Apple's own words, of what a relay waits before it sends again behind a 5xx (P13). Of 429 they say no figure.
    package static let longestRest = Interval.seconds(15 * 60)
    /// How long what waits behind a 429 or 5xx of APNs may rest beyond its deadline.
    package var rest = Interval.zero
    /// What the mock's own answers about FCM's quotas say of when to come again; nil: nothing.
    package var quotaRetryAfter: Interval?
    /// When the relay sent nothing at all to APNs behind a 5xx of a fault of ours, in order of time.
    package var silences = Silences()
    /// When the relay replaces activities that grow old, where its profile declares it.
    package var restart: RestartTerms?
    /// How often at most the relay tells a card's state again by itself, where its profile declares that it does.
    package var refresh: Interval?
    /// How long behind its end a card stays, where the profile declares it.
    package var dismissal: Interval?
    /// When the relay ends activities that grow old, where its profile declares it.
    package var ageing: AgeTerms?
    /// One session's events reach the relay in order, so it may be held to that order.
    package var isOrdered = true

    package init() {}

    /// How long on the run's clock so much of the host's time is.
    package func real(_ interval: Interval) -> Interval { pace == 1 ? interval : interval * pace }

    /// What a run on a faster clock allows for the way over the network, which is no faster.
    package var allowance: Interval { (pace > 1 ? inFlightGrace : .zero) + clockBar }
    /// How far instants of two machines may be from what they seem to be to each other; 0 on one machine.
    package var clockBar = Interval.zero

    /// The least time that a relay is given to make up for a fault.
    var leastPatience: Interval { .seconds(2) + allowance }

    /// What FCM's answer says of when to come again; nil: nothing.
    package func retryAfter(_ push: SeenPush) -> Interval? {
        guard push.metFault else { return push.status == 429 ? quotaRetryAfter : nil }
        let fault = fault(push.faultRule)
        let until = fault?.retryAt.map { max(.zero, $0 - push.arrivedWall - (push.answeredAt - push.arrivedAt)) }
        return fault?.retryAfter ?? until
    }

    /// What it said is known: of a fault that was given past the scenario nobody knows.
    package func isAnswerKnown(of push: SeenPush) -> Bool {
        !push.metFault || faults.contains { $0.rule == push.faultRule }
    }

    /// Who adds chance to a pause takes twice as long at most; that it grows is counted by `RefusalRows`. Of FCM's rests only:
    /// Apple's is the longest, and what a profile declares its relay keeps.
    private static let growth = 2.0

    /// Of a message that was cut off with its connection: as behind a failure (F8, F20).
    static let restBehindCut = Interval.seconds(10) * growth

    /// So long a relay may wait for an answer, by the network's time. (Our choice: the most patient that we know gives a push
    /// up after 30 s.)
    package var patience: Interval { real(.seconds(30)) }

    /// How long what waits behind a 429 or 5xx, or behind no answer at all, may rest, where nothing was refused before.
    package func allowedRest(after push: SeenPush) -> Interval {
        if push.status == 0 { return isCutOff(push) && push.provider == .fcm ? Self.restBehindCut : patience }
        guard push.provider == .fcm else { return rest }
        // Nobody need come sooner because FCM would let him.
        return max(retryAfter(push) ?? .zero, push.status == 429 ? .seconds(60) : .seconds(10)) * Self.growth
    }

    /// Whether what such an answer of a fault's was given for may rest. At APNs a push whose connection went goes on over the
    /// next one at once (G14); at FCM who cannot know whether it was processed may wait as behind a failure (F8, F20).
    func mayRest(behind push: SeenPush) -> Bool {
        push.isRefusedForNowByUs || push.wasCutAtFCM && isCutOff(push)
    }

    private func isCutOff(_ push: SeenPush) -> Bool { fault(push.faultRule)?.cutsOff ?? false }

    /// Whether we held the relay down at some time between the two.
    package func wasDown(between first: Instant, and last: Instant) -> Bool {
        outages.contains { $0.from <= last && first <= $0.until }
    }

    package func wasDown(at instant: Instant) -> Bool { wasDown(between: instant, and: instant) }

    static let heldDown = "relay held down"

    /// Whether a push that was due then is late because we held the relay down: it has its deadline again from when the
    /// relay was ready.
    func holdsUp(plannedAt: Instant, due: Instant, arrivedAt: Instant, within deadline: Interval) -> Bool {
        outages.contains { $0.from <= due && plannedAt <= $0.until && arrivedAt <= $0.until + deadline + allowance }
    }

    /// What of ours explains that a push was not accepted by `due`, in words; nil when nothing does. `attempts` are the
    /// relay's in order of arrival, none of them accepted. `wasRefusedBefore`: the push before them to that token was refused
    /// for now as well, so that the relay's pause may have grown.
    package func excuse(
        plannedAt: Instant, due: Instant, attempts: some Collection<SeenPush>, wasRefusedBefore: Bool = false
    ) -> String? {
        if wasDown(between: plannedAt, and: due) { return Self.heldDown }
        guard let last = attempts.max(by: { $0.arrivedAt < $1.arrivedAt }) else {
            return excuseByConnections(plannedAt: plannedAt, due: due)
        }
        guard attempts.allSatisfy(\.metFault), let fault = fault(last.faultRule) else { return nil }
        let first = attempts.min { $0.arrivedAt < $1.arrivedAt } ?? last
        var patience = leastPatience * (wasRefusedBefore ? 2 : 1)
        if fault.letsSomePass { patience = max(patience, Self.nextPause(behind: attempts)) }
        // What the relay can mend by itself it has time for from when it was told.
        if let cure = fault.cureTakes { return first.answeredAt + cure + patience < due ? nil : fault.label }
        // Refused for good: the same push may not be sent again.
        if last.isRefusedForGood { return fault.label }
        // Whatever the fault might have met: its rest was over, as long as it may be, and it did not come again.
        let rested = allowedRest(after: last)
        if attempts.count == 1, last.isRefusedForNow, rested > .zero, last.answeredAt + rested + leastPatience < due {
            return nil
        }
        // Where there is no answer the relay waits for one first.
        let ended = fault.isSilence ? last.arrivedAt + self.patience : last.answeredAt
        let isSpent = fault.timesEach.map { most in attempts.count { $0.faultRule == fault.rule } >= most } ?? false
        return makesUp(for: fault, from: first.arrivedAt, last: ended, by: due, isSpent: isSpent, patience)
            ? nil : fault.label
    }

    /// The longest pause behind the last of these of a relay that doubles its pauses and adds chance, a quarter at most. Zero
    /// for a single attempt. (The quarter is our choice.)
    private static func nextPause(behind attempts: some Collection<SeenPush>) -> Interval {
        let instants = attempts.map(\.arrivedAt).sorted().suffix(2)
        guard let last = instants.last, let before = instants.first else { return .zero }
        return (last - before) * 2.5
    }

    /// Faults that met connections in that time.
    package func firings(from first: Instant, to last: Instant) -> ArraySlice<(at: Instant, rule: UInt32)> {
        let start = Account.firstIndex(in: connectionFirings.count) { connectionFirings[$0].at >= first }
        let end = Account.firstIndex(in: connectionFirings.count) { connectionFirings[$0].at > last }
        return connectionFirings[start..<max(start, end)]
    }

    /// While the trouble lasted each try may have met it, and the relay's pause may be as long as that was; from then on it has
    /// time.
    private func excuseByConnections(plannedAt: Instant, due: Instant) -> String? {
        faults.first { fault in
            guard let trouble = trouble(of: fault.rule, from: plannedAt, to: due) else { return false }
            return due <= trouble.last + trouble.lasted + leastPatience
        }?.label
    }

    /// How many connections that were met before a push was due to leave are looked at: who tries again waits longer each time.
    private static let longestTrouble = 64

    /// Connections that one fault met, each no later behind the one before than the trouble had lasted by then, and two
    /// seconds.
    private struct Trouble {
        var began: Instant
        var last: Instant
        var lasted: Interval { last - began }
    }

    /// The last of a fault that met a connection in that time.
    private func trouble(of rule: UInt32, from first: Instant, to last: Instant) -> Trouble? {
        let met = firings(from: first, to: last)
        guard met.contains(where: { $0.rule == rule }) else { return nil }
        var trouble: Trouble?
        let start = max(0, met.startIndex - Self.longestTrouble)
        for firing in connectionFirings[start..<met.endIndex] where firing.rule == rule {
            if let known = trouble, firing.at - known.last <= leastPatience + known.lasted {
                trouble?.last = firing.at
            } else {
                trouble = Trouble(began: firing.at, last: firing.at)
            }
        }
        return trouble
    }

    /// The fault that held up what came late, in words: it was meeting connections by `leftAt`, when the push was to leave, and
    /// the relay came back no later than one may ask of it.
    func holdUpByConnections(plannedAt: Instant, leftAt: Instant, arrivedAt: Instant, within deadline: Interval) -> String? {
        guard let rule = firings(from: plannedAt, to: arrivedAt).last?.rule,
            let trouble = trouble(of: rule, from: plannedAt, to: arrivedAt), trouble.began <= leftAt,
            arrivedAt <= trouble.last + trouble.lasted + leastPatience + deadline
        else { return nil }
        return fault(rule)?.label
    }

    /// Whether the fault was over early enough for the relay to try again before `due`. One that lets some pass is over for a
    /// push as soon as it has met it.
    private func makesUp(
        for fault: Fault, from first: Instant, last: Instant, by due: Instant, isSpent: Bool, _ patience: Interval
    ) -> Bool {
        var windowEnd = isSpent || fault.letsSomePass ? last : fault.windows.last { $0.lowerBound <= last }?.upperBound ?? last
        if let spent = fault.spentAt { windowEnd = min(windowEnd, spent) }
        // It was not over before it was met for the last time, and from there the relay counts its wait.
        let over = min(max(windowEnd, last), due)
        guard over < due else { return false }
        let lasted = over - first
        return over + max(patience, lasted) < due
    }

    package func fault(_ rule: UInt32) -> Fault? {
        rule == 0 ? nil : faults.first { $0.rule == rule } ?? Fault(rule: rule, label: "a fault", windows: [])
    }
}
