// What we did to the relay on purpose, and when, with how long a relay may wait behind each answer of ours: all that stops the
// clock of a debt.

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

        package init(
            rule: UInt32, label: String, windows: [Range<Instant>], isSilence: Bool = false,
            cutsOff: Bool = false, cureTakes: Interval? = nil, retryAfter: Interval? = nil, retryAt: WallTime? = nil
        ) {
            self.rule = rule
            self.label = label
            self.windows = windows
            self.isSilence = isSilence
            self.cutsOff = cutsOff
            self.cureTakes = cureTakes
            self.retryAfter = retryAfter
            self.retryAt = retryAt
        }
    }

    package var outages: [Outage] = []
    package var faults: [Fault] = []
    /// Faults that met a connection rather than a push, in order of time.
    package var connectionFirings: [(at: Instant, rule: UInt32)] = []
    /// When the run stopped listening. What is due later and has not come is undecided.
    package var end = Instant.distantFuture
    /// Pushes to a token that died not longer ago than this, on the run's clock, were in flight.
    package var inFlightGrace = Tolerances.journey
    /// How many processes of the relay push side by side; at least 1.
    package var relayProcesses = 1
    /// We started the relay ourselves, so whatever reaches the mock is its doing.
    package var isRelayOurs = false
    /// The mock plays both environments, and refuses what comes to the other one than a token's own.
    package var hasBothEnvironments = false
    /// Calls that go with others in one request, by number.
    package var batchKinds: Set<UInt16> = []
    /// The relay keeps no tokens: each call names those that it pushes to.
    package var callersKeepTokens = false
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
    /// How long what waits behind a 429 or 5xx of APNs may rest beyond its deadline.
    package var rest = Interval.zero
    /// What the mock's own answers about FCM's quotas say of when to come again; nil: nothing.
    package var quotaRetryAfter: Interval?
    /// Whether the providers could be reached, as far as the history has gone by.
    package var ability = HostAbility()
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
    var leastPatience: Interval { Tolerances.reaction + allowance }

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

    /// The relay's own time-out for an answer of APNs, as its profile says.
    package var timeout = Tolerances.patience

    /// So long a relay may wait for an answer, by the network's time.
    package var patience: Interval { real(timeout) }

    /// Until when a relay need not send again what was answered so by a fault of ours, or not at all, nor what waits behind it.
    /// Nil: nothing of ours keeps it back.
    package func wait(behind push: SeenPush, _ before: RefusalRows.Before) -> Instant? {
        if push.status == 0 {
            if !isCutOff(push) {
                let gaveUp = push.flags.contains(.isAnswerUndelivered) ? push.answeredAt : push.arrivedAt + patience
                return gaveUp + pause(behind: before)
            }
            return push.answeredAt + max(pause(behind: before), waitBehindCut(at: push.provider) + before.lasted)
        }
        if push.isRefusedForNow {
            guard push.provider == .fcm else {
                return push.answeredAt + max(pause(ofStart: push, before), rest, pause(behind: before))
            }
            // Nobody need come sooner because FCM would let him; and who adds chance to a pause takes twice as long at most.
            let asked = max(retryAfter(push) ?? .zero, push.status == 429 ? SheetFigures.quotaPause : SheetFigures.messagePause)
            return push.answeredAt + before.lasted + asked + asked
        }
        if push.status >= 400 {
            return fault(push.faultRule)?.cureTakes.map { push.answeredAt + $0 + pause(behind: before) }
        }
        // Whoever gives up an answer that a fault holds back sends again, and what goes one after the other waits for it.
        if push.flags.contains(.isAnswerUndelivered) { return push.arrivedAt + patience }
        return push.answeredAt > push.arrivedAt ? push.answeredAt : nil
    }

    /// Of a relay whose pauses double, a quarter of chance added: two and a half times its last one for that card or device, a
    /// second at least, and two behind the first attempt. (P13 says that it has to wait, and no figure; these are our choice.)
    private func pause(behind before: RefusalRows.Before) -> Interval {
        max(before.isAgain ? SheetFigures.firstPause + allowance : leastPatience, before.pause * Tolerances.growth)
    }

    /// At APNs a push whose connection went goes on over the next one at once (G14); at FCM who cannot know whether it was
    /// processed may wait as behind a failure (F8, F20).
    func waitBehindCut(at provider: Provider) -> Interval {
        provider == .fcm ? SheetFigures.messagePause + SheetFigures.messagePause : .zero
    }

    /// A start that is to replace a card pauses by its profile's terms (R4.24).
    private func pause(ofStart push: SeenPush, _ before: RefusalRows.Before) -> Interval {
        guard let restart, push.event == .start else { return .zero }
        return min(restart.pause + before.lasted, restart.longestPause)
    }

    private func isCutOff(_ push: SeenPush) -> Bool { fault(push.faultRule)?.cutsOff ?? false }

    /// Whether we held the relay down at some time between the two.
    package func wasDown(between first: Instant, and last: Instant) -> Bool {
        outages.contains { $0.from <= last && first <= $0.until }
    }

    package func wasDown(at instant: Instant) -> Bool { wasDown(between: instant, and: instant) }

    package static let heldDown = "relay held down"
    package static let takenBack = "token taken back"

    /// A fault met a connection, or a push so that its provider could not be reached.
    package mutating func meet(_ rule: UInt32, at providers: [Provider], from first: Instant, to last: Instant) {
        let began = outages.last { $0.from <= first }?.from ?? Instant(nanoseconds: .min)
        for provider in providers {
            ability.meet(rule, at: provider, from: first, to: last, since: began, least: leastPatience)
        }
    }

    /// A push came: until when it is under way.
    package mutating func noteStream(_ push: SeenPush) {
        let isSilent = push.metFault && push.status == 0 && fault(push.faultRule)?.isSilence == true
        ability.arrive(
            push.id, at: push.provider, by: push.connection, from: push.arrivedAt,
            until: isSilent ? push.arrivedAt + patience : push.answeredAt,
            rule: push.metFault ? push.faultRule : nil, isSilent: isSilent)
    }

    /// Faults that met connections in that time.
    package func firings(from first: Instant, to last: Instant) -> ArraySlice<(at: Instant, rule: UInt32)> {
        let start = Account.firstIndex(in: connectionFirings.count) { connectionFirings[$0].at >= first }
        let end = Account.firstIndex(in: connectionFirings.count) { connectionFirings[$0].at > last }
        return connectionFirings[start..<max(start, end)]
    }

    /// One of our faults may have met something in that time.
    func hasFault(from first: Instant, to last: Instant) -> Bool {
        faults.contains { $0.windows.contains { $0.lowerBound <= last && first < $0.upperBound } }
    }

    package func fault(_ rule: UInt32) -> Fault? {
        rule == 0 ? nil : faults.first { $0.rule == rule } ?? Fault(rule: rule, label: "a fault", windows: [])
    }
}
