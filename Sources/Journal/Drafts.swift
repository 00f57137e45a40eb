// What the writers hand to the journal: fixed-size values without heap, filled on the data path.

package import Basics
package import Pushes

/// One push as the mock judged it. Fields and body of the request are given beside it.
package struct PushDraft: Sendable {
    /// When the bytes of the request were read.
    package var arrivedAt: Instant
    /// The connection's number, unique within the process.
    package var connection: UInt64
    /// The HTTP/2 stream, or 0 for HTTP/1.1.
    package var stream: Int32
    package var provider: Provider
    package var kind: RequestKind
    package var environment: PushEnvironment
    /// The HTTP status answered; 0 when the push is never answered (silence).
    package var status: UInt16
    /// The provider's word for a refusal, such as `BadDeviceToken`; at most 255 bytes.
    package var reason: StaticString?
    /// The `timestamp` member of a 410 in Unix milliseconds; 0 when there is none.
    package var timestampMilliseconds: Int64
    /// What the virtual device did; nil when it never heard of the push.
    package var outcome: Outcome?
    /// The number of the fault rule that fired; 0 when none did.
    package var faultRule: UInt32
    /// What that rule did, as `FaultAction.code` numbers it; 0 when none fired.
    package var faultAction: UInt8
    package var apnsID: UUIDBytes
    /// How long the answer was held back.
    package var delay: Interval
    /// Bits whose meaning the writer knows: `PushWarning`.
    package var warnings: UInt32 = 0
    /// Why the credential was refused; nil where it was not.
    package var credentialCause: CredentialCause?
    /// `aps.event`; nil: none, a word that is none (see `hasUnknownEvent`), or not looked at, because the push was
    /// refused before.
    package var event: ActivityEvent?
    package var hasUnknownEvent = false
    /// `aps.timestamp` as sent, where it is a whole number.
    package var stamp: Int64?
    /// Which event of a run the payload speaks of.
    package var marker: Marker?

    package init(
        arrivedAt: Instant, connection: UInt64 = 0, stream: Int32 = 0, provider: Provider = .apns, kind: RequestKind = .push,
        environment: PushEnvironment = .production, status: UInt16, reason: StaticString? = nil,
        timestampMilliseconds: Int64 = 0, outcome: Outcome? = nil, faultRule: UInt32 = 0, faultAction: UInt8 = 0,
        apnsID: UUIDBytes = UUIDBytes(high: 0, low: 0),
        delay: Interval = .zero
    ) {
        self.arrivedAt = arrivedAt
        self.connection = connection
        self.stream = stream
        self.provider = provider
        self.kind = kind
        self.environment = environment
        self.status = status
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
        self.outcome = outcome
        self.faultRule = faultRule
        self.faultAction = faultAction
        self.apnsID = apnsID
        self.delay = delay
    }
}

/// One planned call to the relay, written when its answer, its failure or its being dropped is known.
package struct EventDraft: Hashable, Sendable {
    /// Of an answer that was not expected no more is kept.
    package static let maxAnswerBytes = 512

    package var session: UInt32
    package var step: UInt32
    /// Index into the names of the journal's `kinds` note.
    package var kind: UInt16
    package var plannedAt: Instant
    /// The instant before its bytes were handed to the kernel, the first time where it was sent twice;
    /// `Instant(nanoseconds: 0)` when that never happened, whether we dropped it or the relay took no connection.
    package var sentAt: Instant
    /// `Instant(nanoseconds: 0)` when it was never answered.
    package var answeredAt: Instant
    /// The relay's HTTP status; 0 when there was no answer.
    package var status: UInt16
    /// The raw value of an `EventFailure`; 0 when nothing failed.
    package var failure: UInt8
    /// How late we were, and nobody else: from the instant at which it could have gone (planned, and let go by the order
    /// of its session) until it was handed over, less what it waited for a connection to the relay.
    package var lateness: Interval
    /// How often the relay may have seen it: 2 when a reused HTTP/1.1 connection died under it without a byte of an
    /// answer, and it was sent once more.
    package var attempts: UInt8
    /// The body of an answer that was not expected, or that lacks what later calls need, its first `maxAnswerBytes`; or what
    /// a withheld event lacked; empty for any other.
    package var answer: [UInt8]

    package init(
        session: UInt32, step: UInt32, kind: UInt16, plannedAt: Instant, sentAt: Instant = Instant(nanoseconds: 0),
        answeredAt: Instant = Instant(nanoseconds: 0), status: UInt16 = 0, failure: UInt8 = 0,
        lateness: Interval = .zero, attempts: UInt8 = 1, answer: [UInt8] = []
    ) {
        self.session = session
        self.step = step
        self.kind = kind
        self.plannedAt = plannedAt
        self.sentAt = sentAt
        self.answeredAt = answeredAt
        self.status = status
        self.failure = failure
        self.lateness = lateness
        self.attempts = attempts
        self.answer = answer
    }
}

/// Why a planned call got no usable answer. The raw values are part of the file format and never change.
package enum EventFailure: UInt8, CaseIterable, Sendable {
    case none = 0
    /// We never sent it: a window or a queue of ours was full. Our fault, not the relay's.
    case dropped = 1
    /// The relay's port took no connection.
    case connect = 2
    case tls = 3
    /// No answer in time; or, when it was never sent, no connection in time.
    case timeout = 4
    /// HTTP/2: the stream was refused (REFUSED_STREAM), again and again.
    case refused = 5
    /// HTTP/2: the stream was reset.
    case reset = 6
    case goAway = 7
    /// The connection ended before the answer.
    case closed = 8
    case overloaded = 9
    /// What came was no answer of HTTP, or more than one.
    case protocolError = 10
    /// Answered, but with a status the profile does not expect.
    case unexpectedStatus = 11
    /// We did not send it, for what it has to say is not there: an earlier answer or a phone did not tell. `answer` says
    /// what, in words.
    case withheld = 12
    /// The relay answered that it was too much, until the caller's patience was over.
    case throttled = 13
    /// The answer says that it did not work, whatever its status.
    case answeredNo = 14
    /// The answer says that the token is dead.
    case pruned = 15
    /// The answer leads elsewhere, where we do not go.
    case redirected = 16
    /// We did not send it, for the relay had told its caller that a token which it names is dead. `answer` says so in words.
    case retired = 17
    /// The answer to several events at once does not tell of this one.
    case unlisted = 18

    /// There was an answer, but not one that takes the event.
    package var isAnswer: Bool {
        switch self {
        case .unexpectedStatus, .throttled, .answeredNo, .pruned, .redirected, .unlisted: true
        default: false
        }
    }
}

/// What was asked of a mock. The raw values are part of the file format and never change; the greatest is 15.
package enum RequestKind: UInt8, CaseIterable, Sendable {
    /// A push to a device token.
    case push = 0
    /// A message to all who listen to a broadcast channel.
    case broadcast = 1
    /// An operation on broadcast channels: create, read, delete, list.
    case channel = 2

    package var word: StaticString {
        switch self {
        case .push: "push"
        case .broadcast: "broadcast"
        case .channel: "channel"
        }
    }
}

/// What a note is about. The raw values are part of the file format and never change.
package enum NoteKind: UInt8, CaseIterable, Sendable {
    /// A note of a kind this version does not know.
    case other = 0
    /// A phase of the run begins or ends.
    case phase = 1
    /// A fault rule met a connection: rule number and id, action, connection, peer.
    case fault = 2
    /// An act of the admin API.
    case admin = 3
    case connectionOpened = 4
    case connectionClosed = 5
    case relayStarted = 6
    case relayExited = 7
    /// The names that `EventDraft.kind` indexes: a JSON array of strings.
    case kinds = 8
    /// Facts about the server that writes: addresses, settings.
    case server = 9
    /// Facts about the plan that is driven: seed, digest, run number.
    case plan = 10
    /// Something of ours went wrong.
    case trouble = 11
    /// What became of a broadcast or a channel beyond its answer.
    case broadcast = 12
    /// What became of a push that was stored for a device: see `LateOutcomeNote`.
    case outcome = 13
    /// A fault rule that is in force from now on, by its number in pushes: number, id, rule.
    case rule = 14
    /// A fault of the scenario was given to the mock, or taken back.
    case faultGiven = 15
    case faultTaken = 16
    case relayReady = 17
    case relayStopping = 18
    /// What the relay's process used: see `RelaySample`.
    case relaySample = 19
    /// The counters of both sides at the end: see `TotalsNote`.
    case totals = 20
    /// The last note of a run: see `FinishNote`.
    case finished = 21
    /// The answer to a push never reached the client: see `UndeliveredNote`.
    case undelivered = 22
    /// A connection opened more streams than it knew it may: see `OverrunNote`.
    case overrun = 23
    /// What happened on a virtual phone, or why it did with a push what it did: see `PhoneNotes` of the mock.
    case phone = 24
    /// What a session took from an answer, or why it found nothing: see `CaptureNote`.
    case captured = 30
    /// A session does something because of what happened on a phone: see `ReactionNote`.
    case reaction = 31
    /// The relay answered an event so that the caller tries it again: see `RetryNote`.
    case retry = 36
    /// What somebody heard who listens to the relay's broadcasts: see `HeardNote`.
    case heard = 40
    /// A webhook of the relay's came: see `WebhookNote`.
    case webhook = 41
    /// Which tokens the relay says it holds: see `StateNote`.
    case state = 42
    /// The relay answered nothing any more, and the rest of the load was not sent: see `MuteNote`.
    case relayMute = 43
    /// A gate could hold no more, and the rest of the load was not sent: see `EarlyEndNote`.
    case endedEarly = 44
    /// An access token was given out, or refused: connection, status, account or error.
    case accessToken = 45
    /// Something was asked about subscriptions to topics: connection, what, status.
    case topic = 46
    /// How far a mock's clock is ahead of a shard's: see `ClockOffsetNote`.
    case clockOffset = 47
    /// Why the run proves nothing, whatever it shows: in words.
    case void = 48
    /// A session of a closed load begins: see `SessionBegunNote`.
    case sessionBegun = 49
    /// Requests were refused before they could be read: see `UnreadNote`.
    case unread = 50
}
