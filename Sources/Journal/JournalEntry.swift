// What is read back from a journal: plain values that own their bytes, for use off the data path.

package import Basics
package import Pushes

package enum JournalEntry: Sendable {
    /// Its `kind` is `push`.
    case push(PushEntry)
    /// A broadcast or an operation on channels: the same facts, but no device token.
    case broadcast(PushEntry)
    case event(EventEntry)
    case note(NoteEntry)

    /// A request to a mock, whatever its kind.
    package var request: PushEntry? {
        switch self {
        case .push(let entry), .broadcast(let entry): entry
        case .event, .note: nil
        }
    }
}

/// A request that reached a mock, with everything that was decided about it.
package struct PushEntry: Sendable {
    /// Unique within the journal's directory, below 2^53, never 0.
    package var id: UInt64
    package var arrivedAt: Instant
    package var arrivedWall: WallTime
    package var connection: UInt64
    package var stream: Int32
    package var provider: Provider
    package var kind: RequestKind
    package var environment: PushEnvironment
    /// 0 when the push was never answered.
    package var status: UInt16
    package var reason: String?
    /// Unix milliseconds; 0 when there is none.
    package var timestampMilliseconds: Int64
    /// Nil when no device heard of it.
    package var outcome: Outcome?
    /// 0 when no fault fired.
    package var faultRule: UInt32
    /// What it did, as `FaultAction.code` numbers it; 0 when none fired.
    package var faultAction: UInt8 = 0
    package var apnsID: UUIDBytes
    package var delay: Interval
    /// Bits of `PushWarning`.
    package var warnings: UInt32 = 0
    /// Why the credential was refused, as the mock found it; nil where it was not.
    package var credentialCause: CredentialCause?
    /// `aps.event`; nil: none, a word that is none, or the push was refused before its payload was read.
    package var event: ActivityEvent?
    /// `aps.event` is given and no event.
    package var hasUnknownEvent = false
    /// `aps.timestamp` as sent, where it is a whole number and the payload was read.
    package var stamp: Int64?
    /// The first marker in the payload, of whatever run.
    package var marker: Marker?
    /// All fields in order of arrival, pseudo-header fields among them.
    package var headers: [(name: String, value: String)]
    /// What follows the last slash of `:path`.
    package var token: String
    package var topic: String?
    package var pushType: String?
    package var priority: String?
    package var payload: [UInt8]
    /// The request was larger than the journal keeps, so fields or payload are shortened.
    package var isCut: Bool

    package init(
        id: UInt64, arrivedAt: Instant, arrivedWall: WallTime = WallTime(nanoseconds: 0), connection: UInt64 = 0,
        stream: Int32 = 0, provider: Provider = .apns, kind: RequestKind = .push,
        environment: PushEnvironment = .production, status: UInt16 = 200,
        reason: String? = nil, timestampMilliseconds: Int64 = 0, outcome: Outcome? = nil, faultRule: UInt32 = 0,
        apnsID: UUIDBytes = UUIDBytes(high: 0, low: 0), delay: Interval = .zero,
        headers: [(name: String, value: String)] = [], token: String, topic: String? = nil, pushType: String? = nil,
        priority: String? = nil, event: ActivityEvent? = nil, stamp: Int64? = nil, marker: Marker? = nil,
        payload: [UInt8] = [], isCut: Bool = false
    ) {
        self.id = id
        self.arrivedAt = arrivedAt
        self.arrivedWall = arrivedWall
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
        self.apnsID = apnsID
        self.delay = delay
        self.headers = headers
        self.token = token
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.event = event
        self.stamp = stamp
        self.marker = marker
        self.payload = payload
        self.isCut = isCut
    }

    /// The bundle ID in the path of a broadcast or of an operation on channels.
    package var bundle: String? {
        guard kind != .push, let path = header(":path") else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let place = parts.firstIndex(of: "apps"), place + 1 < parts.count else { return nil }
        return String(parts[place + 1])
    }

    /// Why the credential was refused, in plain words with what the token says; read without headers, without that.
    package var credentialWords: String? { credentialCause?.words(authorization: header("authorization")) }

    /// The first value of that (lower-case) name.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// A planned call to the relay.
package struct EventEntry: Hashable, Sendable {
    package var id: UInt64
    package var session: UInt32
    package var step: UInt32
    /// Index into the names of the `kinds` note of the same writer.
    package var kind: UInt16 = 0
    package var plannedAt: Instant
    /// The instant before its bytes were handed to the kernel, the first time where it was sent twice; 0 nanoseconds when
    /// that never happened.
    package var sentAt: Instant = Instant(nanoseconds: 0)
    /// 0 nanoseconds when it was never answered.
    package var answeredAt: Instant = Instant(nanoseconds: 0)
    package var status: UInt16 = 0
    /// The raw value of an `EventFailure`.
    package var failure: UInt8 = 0
    /// How late we were, and nobody else: see `EventDraft.lateness`.
    package var lateness: Interval = .zero
    /// 2 when it was sent once more after a reused HTTP/1.1 connection had died without a byte of an answer.
    package var attempts: UInt8 = 1
    /// The first 512 bytes of the body of an answer that was not expected, or that lacks what later calls need; empty for
    /// any other.
    package var answer: [UInt8] = []
    /// The wall time of `plannedAt`.
    package var plannedWall: WallTime = WallTime(nanoseconds: 0)
}

/// Something that is neither a push nor an event.
package struct NoteEntry: Hashable, Sendable {
    package var id: UInt64
    package var kind: NoteKind
    /// JSON.
    package var text: String
    package var at: Instant
    package var wall: WallTime = WallTime(nanoseconds: 0)

    /// What a note of that kind says; nil: it is of another, or no JSON.
    package func json(of wanted: NoteKind) -> JSONValue? { kind == wanted ? try? JSONValue(parsing: text) : nil }
}
