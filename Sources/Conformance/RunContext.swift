// What rules may know of a run beyond pushes and accounts: the plan's and the profile's plain facts, what we did to the
// relay, and the texts behind the numbers. One object, filled by the judge as the history goes by.

package import Basics
package import Journal
package import Metrics
import Pushes

/// Confined to the judge's thread.
package final class RunContext {
    /// The relay's process ended although nobody had told it to.
    package struct Death: Hashable, Sendable {
        package var at: Instant
        /// From the plan's start; nil: it was before.
        package var since: Interval?
        package var how: String
        package var lastLines: String

        package init(at: Instant, since: Interval? = nil, how: String, lastLines: String) {
            self.at = at
            self.since = since
            self.how = how
            self.lastLines = lastLines
        }

        /// What became of it, in words.
        package var message: String { "the relay ended by itself" + (since.map { " at +\($0)" } ?? "") }
        package var seen: String { how + (lastLines.isEmpty ? "" : ": " + lastLines) }
    }

    /// It answered no call any more, so the rest of the load was not sent.
    package struct Muteness: Hashable, Sendable {
        package var since: Interval?
        package var note: MuteNote

        package init(since: Interval?, note: MuteNote) {
            self.since = since
            self.note = note
        }

        package var message: String {
            "the relay answered no call for \(note.silence)" + (since.map { ", up to +\($0)" } ?? "")
                + ": the rest of the load was not sent"
        }
        package var seen: String {
            "none to \(note.unanswered) calls that were given up, and none to \(note.underWay) that still waited"
        }
    }

    /// We have started the relay again, and it has not answered since.
    package struct Return: Hashable, Sendable {
        package var startedAt: Instant
        /// Until then it may take to come up.
        package var dueBy: Instant

        package init(startedAt: Instant, dueBy: Instant) {
            self.startedAt = startedAt
            self.dueBy = dueBy
        }
    }

    /// What a call owes to those who listen.
    package struct OwedTelling: Hashable, Sendable {
        /// Index into the profile's observers.
        package var observer: Int
        /// Of the call's answer.
        package var within: Interval
        /// The event holds the call's marker.
        package var isMarked: Bool

        package init(observer: Int, within: Interval, isMarked: Bool = true) {
            self.observer = observer
            self.within = within
            self.isMarked = isMarked
        }
    }

    /// A webhook that something owes.
    package struct OwedHook: Hashable, Sendable {
        package var event: String
        /// Of the call's answer, or of the refusal.
        package var within: Interval
        package var isOnce: Bool
        /// Of a refusal: the activity ends with its token, and what its session's calls owe may stay away.
        package var endsActivity: Bool

        package init(event: String, within: Interval, isOnce: Bool = false, endsActivity: Bool = false) {
            self.event = event
            self.within = within
            self.isOnce = isOnce
            self.endsActivity = endsActivity
        }
    }

    /// How connections came and went.
    package struct Connections: Hashable, Sendable {
        package private(set) var opened = 0
        /// The most that were open at a time.
        package private(set) var peak = 0
        private var now = 0
        /// Of the process that opens them now.
        private var (openedByIt, peakOfIt) = (0, 0)
        private var replacedBefore = 0
        private var first: Instant?
        private var last: Instant?

        package init() {}

        package mutating func open(at instant: Instant) {
            opened += 1
            now += 1
            peak = max(peak, now)
            openedByIt += 1
            peakOfIt = max(peakOfIt, now)
            first = first ?? instant
            last = instant
        }

        package mutating func close() { now = max(0, now - 1) }

        /// We ended the process that had them open: the next one opens its own.
        package mutating func endProcess() {
            replacedBefore = replaced
            (now, openedByIt, peakOfIt) = (0, 0, 0)
        }

        /// Those that took the place of others.
        package var replaced: Int { replacedBefore + openedByIt - peakOfIt }
        /// From the first opening to the last.
        package var span: Interval {
            guard let first, let last else { return .zero }
            return last - first
        }
    }

    package var circumstances = Circumstances()
    package var texts = Texts()
    /// Providers' reasons, looked up once each; of no list: nil.
    var reasons: [ReasonKey: NamedReason?] = [:]
    package var deviations = Deviations()
    /// Who signed, by the number of the `authorization` text.
    package var signers: [Int32: ProviderTokenClaims] = [:]
    package var deaths: [Death] = []
    /// Calls that were handed over, and whose connection ended before their answer: the last of them.
    package private(set) var cutOff: [SeenCall] = []
    private static let mostCutOff = 1_000
    /// Nil where it was called to the end.
    package var muteness: Muteness?
    /// Nil while it is up, is held down, or has ended by itself.
    package var isComingBack: Return?
    /// The last that the relay was asked and answered, or that is held for or against it: from there on it was put to no
    /// test.
    package private(set) var lastAsked = Instant(nanoseconds: .min)
    /// Values that answers held, and the first of those that they did not.
    package private(set) var capturedCount = 0
    package private(set) var missedCount = 0
    package private(set) var missed: [CaptureNote] = []
    private static let mostMissed = 100
    /// Names by the number of the call whose answer must not hold them.
    package var lackingKinds: [UInt16: Set<String>] = [:]
    /// How often that was looked for, and the first values that were there.
    package private(set) var lackCount = 0
    package private(set) var revealed: [CaptureNote] = []
    /// How often a caller was told that it was too much, where the profile says where the answer says how long to wait; and the
    /// first of those answers that did not.
    package private(set) var throttledCount = 0
    package private(set) var unsaid: [RetryNote] = []
    /// Connections on which the relay opened more streams than it had acknowledged as the limit, and how many at once.
    package var overruns: [(connection: UInt64, streams: Int)] = []
    /// Requests that the mock refused before it could read them.
    package var unread: [UnreadNote] = []
    /// The relay's connections to the mock APNs, and to the mock FCM, those to the endpoint for access tokens among them.
    package var connections = Connections()
    package var messageConnections = Connections()
    /// Names of the profile's calls.
    package var kinds: [String] = []
    /// There is no plan: somebody else's tests have driven the mock.
    package var isMockAlone = false
    /// Calls whose Live Activity push is urgent, by number.
    package var urgentKinds: Set<UInt16> = []
    /// Calls that must be refused.
    package var refusedKinds: Set<UInt16> = []
    /// Calls that speak of an activity which another one has replaced.
    package var staleKinds: Set<UInt16> = []
    /// Calls that speak for a user whom nobody has registered.
    package var unknownKinds: Set<UInt16> = []
    /// Calls with an id that is too long.
    package var oversizedKinds: Set<UInt16> = []
    /// Calls that are malformed; those of them that leave something out; and what came of those who make them.
    package var malformedKinds: Set<UInt16> = []
    package var omittingKinds: Set<UInt16> = []
    package var malformedPushes = MalformedPushes()
    /// Calls that cause no push by themselves.
    package var quietKinds: Set<UInt16> = []
    /// Calls with a push that bears no marker.
    package var unmarkedKinds: Set<UInt16> = []
    /// Calls with a push whose collapse ID says of which call it is.
    package var toldKinds: Set<UInt16> = []
    /// Some call owes a broadcast.
    package var owesBroadcasts = false
    /// Each session has a channel of its own.
    package var hasOwnChannels = false
    /// Those that owe a reload of widgets or a control.
    package var reloadKinds: Set<UInt16> = []
    /// Calls with a push whose timestamp, which the call said, says of which call it is.
    package var stampedKinds: Set<UInt16> = []
    /// Calls whose alert goes before their Live Activity push.
    package var alertFirstKinds: Set<UInt16> = []
    /// What calls owe to those who listen, by number; and the names of those.
    package var tellings: [UInt16: [OwedTelling]] = [:]
    package var observers: [String] = []
    /// What the relay's tables said; nil: they were not asked.
    package var held: HeldTokens?
    /// Webhooks that calls owe, by number; those that refusals by APNs owe, by reason; and within which time one that we did
    /// not take has to come again, nil where that is not declared.
    package var callHooks: [UInt16: [OwedHook]] = [:]
    package var refusalHooks: [String: [OwedHook]] = [:]
    package var hookRetries: Interval?
    /// Each webhook has an id of its own.
    package var hooksBearIDs = false
    /// The first of the webhooks that speak of no user whom anybody can name, and whose signature does not hold: their notes.
    package private(set) var unsignedStrays: [(id: UInt64, flaw: String)] = []
    /// The profile does not say how long a push may rest behind a refusal for now.
    package var isSilentOfRest = false
    /// Some answer that the profile names tells a caller that it did not work.
    package var tellsNo = false
    /// Calls whose answers can say that a token is dead, by number.
    package var tellingKinds: Set<UInt16> = []
    /// The mock offers production and sandbox side by side, and the relay knows both.
    package var hasBothEnvironments = false
    /// The profile has schemas, and says what is passed through.
    package var hasSchemas = false
    package var passesContent = false
    /// It says which values of a card last until a call says otherwise.
    package var carriesValues = false
    /// One of them counts the seconds of the session.
    package var countsSeconds = false
    /// How long a call waits for its answer before it is given up.
    package var requestTimeout = Tolerances.patience
    /// Of what the profile declares; nil where it owes nothing.
    package var shortestDeadline: Interval?
    /// The mock's Android app knows by a number in what it is sent which state of a live update is newer (`liveUpdateStamp`).
    package var tellsStatesApart = false
    /// How late a process on this machine may be without being slow, as the scenario says of ours (`latenessBudget`), on the
    /// run's clock.
    package var jitter = Interval.zero
    /// Pushes of the run, or to tokens of nobody, that came when no session was there any more: the first of them.
    package private(set) var strays: [SeenPush] = []
    /// Pushes to tokens of nobody that were refused, though no fault met them: the first of them.
    package private(set) var refusedStrays: [SeenPush] = []
    private static let mostStrays = 100
    /// Apart by more than `Tolerances.reaction`, so few.
    private var troubles: [ClosedRange<Instant>] = []
    /// A signal ended the run, and with it calls that were under way.
    package var wasInterrupted = false
    /// Pushes of this run to the mock so far, and calls that the relay took and owes pushes for.
    package var pushCount = 0

    package init() {}

    package func learn(cutOff call: SeenCall) {
        if cutOff.count == Self.mostCutOff { cutOff.removeFirst() }
        cutOff.append(call)
    }

    /// When a call was answered, or given up at the latest; nil where we, or the end of the run, may have cut it off.
    func end(of call: SeenCall) -> Instant? {
        let failure = EventFailure(rawValue: call.failure) ?? .none
        let slack = circumstances.real(Tolerances.journey)
        let wait = circumstances.real(failure == .timeout ? requestTimeout : Tolerances.flight)
        let last = call.wasAnswered ? call.answeredAt : call.sentAt + wait
        guard !circumstances.wasDown(between: call.sentAt - slack, and: last + slack) else { return nil }
        // Nothing is known of its end, or the end of the run cut it off.
        let wasCutOff = wasInterrupted || muteness != nil
        return !call.wasAnswered && (failure == .none || wasCutOff && failure == .closed) ? nil : last
    }

    /// The last call that the relay was given before it ended, of those that it did not answer: of malformed ones, where there
    /// are any.
    func lastWords(before death: Death) -> SeenCall? {
        let first = death.at - circumstances.real(requestTimeout)
        let open = cutOff.filter { first <= $0.sentAt && $0.sentAt <= death.at }
        let malformed = open.filter { malformedKinds.contains($0.kind) }
        return (malformed.isEmpty ? open : malformed).max { $0.sentAt < $1.sentAt }
    }

    /// What was looked for in an answer to that call.
    package func learn(_ capture: CaptureNote, of kind: UInt16? = nil) {
        if let kind, lackingKinds[kind]?.contains(capture.name) == true {
            lackCount += 1
            if capture.failure == nil, revealed.count < Self.mostMissed { revealed.append(capture) }
            return
        }
        guard capture.failure != nil else {
            capturedCount += 1
            return
        }
        missedCount += 1
        if missed.count < Self.mostMissed { missed.append(capture) }
    }

    /// The note of a webhook that nobody's account has.
    package func learn(unsignedStray id: UInt64, _ flaw: String) {
        if unsignedStrays.count < Self.mostMissed { unsignedStrays.append((id, flaw)) }
    }

    /// A caller was told to come again.
    package func learn(_ retry: RetryNote) {
        guard retry.isThrottled, let isSaid = retry.isSaid else { return }
        throttledCount += 1
        if !isSaid, unsaid.count < Self.mostMissed { unsaid.append(retry) }
    }

    /// Calls that were answered, and pushes that came or were lost though nothing of ours explains it, put the relay to the
    /// test. Only behind an outage that matters.
    func noteAsked(_ joined: JoinedAccount) {
        guard !circumstances.outages.isEmpty else { return }
        for call in joined.account.calls where call.wasAnswered { lastAsked = max(lastAsked, call.sentAt) }
        for (row, delivery) in zip(joined.account.rows, joined.deliveries)
        where [.delivered, .late, .lost].contains(delivery.outcome) {
            lastAsked = max(lastAsked, row.plannedAt)
        }
    }

    package func kind(_ number: UInt16) -> String {
        kinds.indices.contains(Int(number)) ? kinds[Int(number)] : "call \(number)"
    }

    func observer(_ number: Int) -> String { observers.indices.contains(number) ? observers[number] : "observer \(number)" }

    /// The relay was down in that time, by our doing or by itself.
    func isAway(from first: Instant, until last: Instant) -> Bool {
        circumstances.wasDown(between: first, and: last) || hasDied(by: last)
    }

    /// The relay had ended by itself by then.
    func hasDied(by instant: Instant) -> Bool { deaths.contains { $0.at <= instant } }

    /// We ended the relay so soon behind the answer (`inFlightGrace`) that one which writes in batches may have lost it.
    func mayHaveLost(_ answer: SeenPush) -> Bool {
        circumstances.mayBeForgotten(from: answer.arrivedAt, told: answer.answeredAt)
    }

    func mayHaveLost(_ born: ClosedRange<Instant>) -> Bool {
        circumstances.mayBeForgotten(from: born.lowerBound, told: born.upperBound)
    }

    /// When that is overdue which a relay owes from `since` on, by `limit` where nothing of ours stops it; nil where it has
    /// ended by itself before, of which `relay-serves` tells, or may not know of the debt.
    func due(_ since: Instant, by limit: Instant, told: Instant? = nil, at provider: Provider? = nil) -> Instant? {
        let due = circumstances.due(since, within: limit - since, at: provider)
        if let told, circumstances.mayBeForgotten(from: told, told: told) { return nil }
        return hasDied(by: due) ? nil : due
    }

    func wasHeard(_ first: UInt64, before second: UInt64, in account: Account) -> Bool {
        account.wasHeard(first, before: second, circumstances)
    }

    package func reason(_ push: SeenPush) -> String {
        push.status == 0 ? "no answer" : push.reason < 0 ? String(push.status) : "\(push.status) \(texts[push.reason])"
    }

    func word(_ push: SeenPush) -> String { texts[push.reason] }

    /// APNs was in trouble by our doing: a push was told to come again, had a late answer or none, or a connection was met.
    package func noteTrouble(from first: Instant, to last: Instant) {
        if let newest = troubles.indices.last, first <= troubles[newest].upperBound + circumstances.real(Tolerances.reaction) {
            let known = troubles[newest]
            troubles[newest] = min(first, known.lowerBound)...max(last, known.upperBound)
        } else {
            troubles.append(first...max(first, last))
        }
    }

    /// Whether a relay that stops to trouble APNs while it is in trouble may have answered so in that time.
    func hasTrouble(between first: Instant, and last: Instant) -> Bool {
        troubles.contains { $0.lowerBound <= last && first <= $0.upperBound + circumstances.real(Tolerances.reaction) }
    }

    package func note(stray push: SeenPush) {
        if strays.count < Self.mostStrays { strays.append(push) }
    }

    package func note(refusedStray push: SeenPush) {
        if refusedStrays.count < Self.mostStrays { refusedStrays.append(push) }
    }
}
