// The seam between the kit and a family of relays: a dialect has endpoints, reads the bodies that come in, writes those
// that go out, and says where it decides otherwise than others do. What becomes of an event and of a push is the kit's.

import Basics
import Net

/// One family of relays.
protocol Dialect {
    /// What its events say, and what its activities show.
    associatedtype Said: EventContent
    associatedtype Shown: StateContent

    var policy: DialectPolicy { get }
    /// Its endpoints; every other request is answered by `refusal`.
    var routes: [Route] { get }
    /// What is answered to a request that was done, to an event, and to what came to nothing.
    var done: Reply { get }
    func reply(to ticket: EventTicket) -> Reply
    func refusal(_ reason: Refusal) -> Reply
    /// The relay listens from now on; what a process before this one has left is known.
    func begin(_ relay: RelayService) throws

    /// A state that a process before this one has left (`StateContent.stored`); nil for what nobody wrote.
    func content(stored: JSONValue) -> (any StateContent)?
    /// What an activity shows that grew too old, behind the state that it showed last.
    func timedOut(after latest: (any StateContent)?) -> any StateContent
    /// What the old card of a session shows at its end, when another has taken its place.
    func replaced(_ latest: (any StateContent)?) -> any StateContent

    /// The payload of an ordinary alert.
    func alert(_ event: RelayEvent) -> [UInt8]
    /// The payload of a push-to-start. `stamp` is in Unix seconds.
    func start(_ state: SessionState, sessionID: String, stamp: Int64, alert event: RelayEvent) -> [UInt8]
    /// The payload of the push-to-start by which a card that grows too old is replaced. `stamp` is in Unix seconds.
    func replacement(_ state: SessionState, sessionID: String, stamp: Int64) -> [UInt8]
    /// The payload of an update, or of the end where the state is final.
    func update(_ state: SessionState, stamp: Int64) -> [UInt8]
    /// The same as the body of a request to FCM, for a registration there.
    func message(_ state: SessionState, sessionID: String, token: String) -> [UInt8]
}

/// Most dialects answer alike, alert by nothing but the start of an activity, and let an old card end.
extension Dialect {
    /// Events and states of a relay are its dialect's own: nobody else makes any.
    func said(by event: RelayEvent) -> Said { own(event.content) }
    func shown(in state: SessionState) -> Shown { own(state.content) }

    private func own<Content>(_ content: Any) -> Content {
        guard let own = content as? Content else { preconditionFailure("\(Self.self) was given a \(type(of: content))") }
        return own
    }

    var done: Reply { Replies.done }
    func reply(to ticket: EventTicket) -> Reply {
        ticket.refusal.map(refusal) ?? Replies.event(sent: ticket.sent, failed: ticket.failed)
    }
    func refusal(_ reason: Refusal) -> Reply { Replies.refusal(reason) }
    func begin(_ relay: RelayService) throws {}
    func alert(_ event: RelayEvent) -> [UInt8] { [] }
    func message(_ state: SessionState, sessionID: String, token: String) -> [UInt8] { [] }
    func replaced(_ latest: (any StateContent)?) -> any StateContent { timedOut(after: latest) }
    func replacement(_ state: SessionState, sessionID: String, stamp: Int64) -> [UInt8] { [] }
}

/// Where dialects decide differently.
struct DialectPolicy {
    /// The kinds of event that raise an ordinary alert.
    var alerting: Set<EventType> = []
    /// Whether only `start` starts an activity, and does nothing to one that runs (R2.6); else any event starts one
    /// that is missing, and a `start` is a state like any other (R0.14).
    var startsOnRequestOnly = false
    /// A start that was refused for good may be repeated within its turn: it has left nothing running (R2.7).
    var repeatsRefusedStart = false
    /// What is said behind a start that was refused is held for an activity that the app begins itself (R0.15); else nothing
    /// runs that it could be told (R2.7).
    var holdsWithoutStart = false
    /// An event of a session that neither has nor can get a token is refused (R2.16); else it reaches nobody.
    var refusesWithoutToken = false
    /// An event says what has changed, not how all is: the state behind it is kept through everything, restarts
    /// included (R2.8).
    var mergesStates = false
    /// Each state is told, in order, and none is passed over because a newer one is there; but for one that APNs is not ready
    /// to take.
    var tellsEachState = false
    /// How webhooks look.
    var webhooks = WebhookStyle()
    /// What becomes of an activity that grows too old.
    var ageing = Ageing.ends
}

/// iOS ends an activity after eight hours, and leaves its card as it was.
enum Ageing {
    /// It is ended before, in so many words (R0.38).
    case ends
    /// Another takes its place before (R4.1).
    case replaces(ReplacementPolicy)
    /// It is its app's own affair.
    case unwatched
}

/// What an event says, in its dialect's own words.
protocol EventContent {
    /// What the activity shows from now on; `latest` is what it showed before, nil at the beginning of a turn.
    func state(after latest: (any StateContent)?) -> any StateContent
    /// What a start push shows.
    func startState(after latest: (any StateContent)?) -> any StateContent
    /// A start push says all that the event says.
    var isShownByStart: Bool { get }
    /// The same event where what comes of it has to wait, which makes a difference to defects only.
    func waiting(_ wait: Wait) -> any EventContent
}

/// Why a state does not leave at once.
enum Wait {
    /// The window of the throttle has not opened yet.
    case throttled
    /// The activity has no token yet.
    case held
}

/// Most events add to what the activity shows already.
extension EventContent {
    func startState(after latest: (any StateContent)?) -> any StateContent { state(after: latest) }
    var isShownByStart: Bool { true }
    func waiting(_ wait: Wait) -> any EventContent { self }
}

/// What an activity shows, in its dialect's own words.
protocol StateContent {
    /// A rig's marker, by which the log names what was planted.
    var marker: Substring { get }
    /// For the next process.
    var stored: JSONValue { get }
    /// The same with something wrong in it: what a plant shows.
    var altered: any StateContent { get }
}

/// One `/v1/event` after its schema was checked.
struct RelayEvent {
    var secret: SecretHash
    var type: EventType
    var sessionID: String
    var content: any EventContent

    func waiting(_ wait: Wait) -> RelayEvent {
        var event = self
        event.content = content.waiting(wait)
        return event
    }
}

/// A body that does not fit its schema. The reply says no more than that.
struct InvalidBody: Error {}

/// Why a request comes to nothing.
enum Refusal {
    case notFound
    case invalidBody
    /// The policy `refusesWithoutToken`.
    case noToken
    case tooManyForSecret
    case full
    /// Ours; the words name no token (G12).
    case internalError(String)
}
