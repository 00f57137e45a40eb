// One push on its way, and the event that waits for it.

import Basics
import Pushes

/// One request to APNs. Keeps its `apns-id` and its payload through all its attempts (P15).
final class Push {
    enum Target {
        case alert(Device, sessionID: String)
        case start(Session, StartAttempt, Device)
        case activity(Lane, SessionState)
        /// Belongs to nothing any more; only defects make such pushes.
        case stray(Session)
    }

    let target: Target
    let eventType: EventType
    /// The token of the row that this push is for.
    let token: String
    /// The revision of the row from which the token was read.
    let revision: Int
    let topic: String
    /// `alert` or `liveactivity`; empty: the field is left out, which only a defect does.
    let pushType: String
    let priority: String
    /// Plants may have altered it.
    var payload: [UInt8]
    /// `apns-expiration` in Unix seconds; nil: none is sent, and Apple's own policy holds.
    var expiration: String?
    /// The host of the next attempt.
    var environment: PushEnvironment
    /// Waits for the first attempt; then nil.
    var ticket: EventTicket?
    /// Whether the ticket counts this push (R0.29 counts phones, not activities).
    let isCounted: Bool
    /// FCM: the payload is the whole message, and the address, topic and the like stand in it.
    var provider = Provider.apns
    /// What waits for the first answer to this alert; then nil (R0.2).
    var followup: Followup?

    /// The token in the path; defects may have another than the row's.
    var address: String
    var apnsID: String
    /// `apns-collapse-id`. The honest relay has none: omitted is not the same as empty (P23).
    var collapseID: String?
    /// It has a row (`save`).
    var isSaved = false
    /// It has been handed to the shell before.
    var hasLeft = false
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
        priority: String, payload: [UInt8], expiration: String?, apnsID: String, environment: PushEnvironment,
        ticket: EventTicket?, isCounted: Bool
    ) {
        self.target = target
        self.eventType = eventType
        self.token = token
        self.revision = revision
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.payload = payload
        self.expiration = expiration
        self.apnsID = apnsID
        self.environment = environment
        self.ticket = ticket
        self.isCounted = isCounted
        address = token
    }

    var isActivity: Bool { pushType == "liveactivity" }
}

/// A `/v1/event` that waits for its first attempts.
final class EventTicket {
    /// Whatever the shell needs to answer; given back with the answer.
    var context: AnyObject?
    /// Why nothing came of it, where the caller is to know.
    var refusal: Refusal?
    var sent = 0
    var failed = 0
    /// Pushes that the answer counts, whatever became of them.
    var counted = 0
    /// Pushes whose first attempt is open, and one more while the event is being worked on.
    var outstanding = 1
    var isAnswered = false

    init(context: AnyObject? = nil) { self.context = context }
}

/// Who waits for a ticket within the relay itself: its `context`.
final class TicketAnswer {
    let take: (EventTicket) -> Void

    init(_ take: @escaping (EventTicket) -> Void) { self.take = take }
}

/// What an event does to its session's activities, once its alerts have been tried: APNs is asked to deliver them in
/// the order of their answers, whatever two streams or two connections make of it on the way.
final class Followup {
    let event: RelayEvent
    let session: Session
    let ticket: EventTicket
    /// Alerts of the event without an answer so far.
    var alerts = 0
    /// Defect `stops-at-failure`: one of them was refused for good.
    var isAborted = false

    init(event: RelayEvent, session: Session, ticket: EventTicket) {
        self.event = event
        self.session = session
        self.ticket = ticket
    }
}
