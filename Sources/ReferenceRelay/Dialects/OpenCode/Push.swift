// One push on its way, and what APNs made of it.

import Basics

/// One request to APNs. Keeps its `apns-id` and its payload through all its attempts (P15).
final class Push {
    enum Target {
        case alert(Device, sessionID: String)
        case start(Session, StartAttempt, Device)
        case activity(Lane, SessionState)
        /// Belongs to nothing any more; only the defect `update-after-end` makes such pushes.
        case stray(Session)
    }

    let target: Target
    let eventType: EventType
    let token: String
    /// The revision of the row from which the token was read.
    let revision: Int
    let topic: String
    /// `alert` or `liveactivity`.
    let pushType: String
    let priority: String
    let payload: [UInt8]
    let apnsID: String
    /// The host of the next attempt.
    var environment: PushEnvironment
    /// Waits for the first attempt; then nil.
    var ticket: EventTicket?
    /// Whether the ticket counts this push (R0.29 counts phones, not activities).
    let isCounted: Bool

    /// Attempts that ended in passing trouble, and resends of what APNs never processed.
    var failures = 0
    var resends = 0
    /// The first host refused the token or the key, and the other is being asked (R0.26, R0.27).
    var triedOtherHost = false
    /// What the first host said would have condemned the token.
    var isCondemnedElsewhere = false
    /// The provider token was replaced once for this push (R0.34).
    var renewedToken = false
    /// The serial of the provider token of the last attempt.
    var tokenSerial = 0
    /// What went wrong last, for the log. Never contains a token (G12).
    var lastError = ""

    init(
        target: Target, eventType: EventType, token: String, revision: Int, topic: String, pushType: String,
        priority: String, payload: [UInt8], apnsID: String, environment: PushEnvironment, ticket: EventTicket?,
        isCounted: Bool
    ) {
        self.target = target
        self.eventType = eventType
        self.token = token
        self.revision = revision
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.payload = payload
        self.apnsID = apnsID
        self.environment = environment
        self.ticket = ticket
        self.isCounted = isCounted
    }
}

/// A `/v1/event` that waits for its first attempts.
final class EventTicket {
    /// Whatever the shell needs to answer.
    var context: AnyObject?
    var sent = 0
    var failed = 0
    /// Pushes whose first attempt is open, and one more while the event is being worked on.
    var outstanding = 1

    init(context: AnyObject? = nil) { self.context = context }
}

/// What came of one attempt.
enum PushOutcome: Equatable, Sendable {
    /// `reason` and `timestamp` (milliseconds since 1970) from the body, where there is one.
    case answered(status: Int, reason: String?, timestamp: Int64?)
    /// No answer. `isSafeToResend`: APNs did not process it (REFUSED_STREAM, beyond GOAWAY's last stream, never
    /// sent).
    case failed(isSafeToResend: Bool, words: String)

    var words: String {
        switch self {
        case .answered(let status, let reason, _): reason.map { "\(status) \($0)" } ?? "\(status)"
        case .failed(_, let words): words
        }
    }
}

/// What an outcome means for the token and for the push (spec/apns.md §6, spec/relays.md §5.6).
enum PushVerdict: Equatable {
    case accepted
    /// The token is dead since then (milliseconds), or since nobody says when.
    case dead(since: Int64?)
    /// Perhaps the token lives on the other host; if not, and `condemns`, it is dead.
    case wrongHost(condemns: Bool)
    /// The provider token is at fault, not this push.
    case badCredentials
    /// Passing trouble. `isToken`: with this one device token, which wants rest.
    case busy(isToken: Bool)
    /// Never processed: to be sent again at once.
    case unprocessed
    /// Our mistake or the operator's; another attempt would end the same way, and the token is not to blame (G1).
    case refused

    init(_ outcome: PushOutcome) {
        guard case .answered(let status, let reason, let timestamp) = outcome else {
            if case .failed(true, _) = outcome { self = .unprocessed } else { self = .busy(isToken: false) }
            return
        }
        switch (status, reason) {
        case (200, _): self = .accepted
        case (400, "BadDeviceToken"): self = .wrongHost(condemns: true)
        case (400, "DeviceTokenNotForTopic"): self = .dead(since: nil)
        // Apple's page spells it one way, its servers the other (P12).
        case (403, "BadEnvironmentKeyInToken"), (403, "BadEnvironmentKeyIdInToken"): self = .wrongHost(condemns: false)
        case (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"): self = .badCredentials
        // Unregistered and ExpiredToken (G2).
        case (410, _): self = .dead(since: timestamp)
        // TooManyProviderTokenUpdates is a 429 too, but no fault of the device token (P14).
        case (429, _): self = .busy(isToken: reason == "TooManyRequests")
        case (500..., _): self = .busy(isToken: false)
        default: self = .refused
        }
    }
}
