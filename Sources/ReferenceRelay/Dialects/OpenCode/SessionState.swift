// What an activity shows: the four keys of the plan's content-state (spec/relays.md §1.4) and the time they are
// stamped with.

/// The status enum of the content-state. `complete` and `error` are final.
enum ActivityStatus: String, Hashable, Sendable {
    case working, retry, permission, complete, error
}

/// The kinds of `/v1/event`.
enum EventType: String, Hashable, Sendable {
    case complete, permission, error, progress, start

    /// Those that the plan had before it knew of activities raise an ordinary alert, and only those (R0.2, R0.3).
    var raisesAlert: Bool { self == .complete || self == .permission || self == .error }

    /// Ends the activity (R0.4).
    var isFinal: Bool { self == .complete || self == .error }

    /// What the activity shows for it when the event does not say.
    var status: ActivityStatus {
        switch self {
        case .complete: .complete
        case .permission: .permission
        case .error: .error
        case .progress, .start: .working
        }
    }
}

/// One state of one session. Shared by all phones that show the session, so that they get the same stamp.
final class SessionState {
    let eventType: EventType
    let status: ActivityStatus
    let title: String
    let message: String
    let retryInfo: String?
    /// Counts the states of a session; a higher one is newer.
    let sequence: UInt64
    /// `aps.timestamp` in Unix seconds, given at the first push of this state.
    var stamp: Int64?

    init(
        eventType: EventType, status: ActivityStatus, title: String, message: String, retryInfo: String?,
        sequence: UInt64
    ) {
        self.eventType = eventType
        self.status = status
        self.title = title
        self.message = message
        self.retryInfo = status == .retry ? retryInfo : nil
        self.sequence = sequence
    }

    var isFinal: Bool { eventType.isFinal }
}

/// One `/v1/event` after its schema was checked.
struct RelayEvent {
    var secret: SecretHash
    var type: EventType
    var sessionID: String
    var serverID: String?
    var title: String?
    var body: String?
    /// From `contentState`, where the event has one.
    var status: ActivityStatus?
    var sessionTitle: String?
    var lastMessage: String?
    var retryInfo: String?

    /// Title of an alert; the server names the session, else the kind of event.
    var alertTitle: String { title ?? sessionTitle ?? "Session \(type.rawValue)" }

    var alertBody: String {
        if let text = body ?? lastMessage { return text }
        return switch type {
        case .complete: "The session has finished."
        case .permission: "The session asks for a permission."
        case .error: "The session has stopped with an error."
        case .progress, .start: "The session is working."
        }
    }

    /// The event's type overrules a status that contradicts it: a permission event shows a permission (R0.12), and
    /// only final events show a final status (R0.4).
    var shownStatus: ActivityStatus {
        if type == .progress, let status, status == .retry || status == .permission { return status }
        return type.status
    }

    func state(sequence: UInt64) -> SessionState {
        SessionState(
            eventType: type, status: shownStatus, title: sessionTitle ?? alertTitle, message: lastMessage ?? alertBody,
            retryInfo: retryInfo ?? "Retrying", sequence: sequence)
    }

    /// What a start push shows: always `working` (R0.14).
    func startState(sequence: UInt64) -> SessionState {
        SessionState(
            eventType: .start, status: .working, title: sessionTitle ?? alertTitle, message: lastMessage ?? alertBody,
            retryInfo: nil, sequence: sequence)
    }
}
