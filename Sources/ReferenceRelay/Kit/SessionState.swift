// One state of an activity on its way: what the event's kind makes of it, and the time it is stamped with. What it
// shows is the dialect's.

/// The kinds of event. The raw value is the word of `/v1/event` and of the delivery log.
enum EventType: String, Hashable, Sendable {
    case complete, permission, error, progress, start
    /// The app went to the background (R2.10): told at once, but nobody is asked anything.
    case background
    /// A note for a card that its app keeps itself, and the word that there is none any more (R1.1, R1.6).
    case message, clearing

    /// Ends the activity (R0.4).
    var isFinal: Bool { self == .complete || self == .error }

    /// A state among many, which the throttle may keep back for a newer one (R0.7).
    var isThrottled: Bool { self == .progress }

    /// Spends none of the phone's budget (R0.12, P19).
    var isCalm: Bool { self == .progress || self == .background || self == .clearing }

    /// In the midst of a turn and never coalesced: what a plant spoils.
    var isQuestion: Bool { self == .permission || self == .background || self == .message }
}

/// One state of one session. Shared by all phones that show the session, so that they get the same stamp.
final class SessionState {
    let eventType: EventType
    let content: any StateContent
    /// Counts the states of a session; a higher one is newer.
    let sequence: UInt64
    /// `aps.timestamp` in Unix seconds, given at the first push of this state.
    var stamp: Int64?

    init(eventType: EventType, content: any StateContent, sequence: UInt64) {
        self.eventType = eventType
        self.content = content
        self.sequence = sequence
    }

    var isFinal: Bool { eventType.isFinal }
}

extension Session {
    /// The state that the event leads to.
    func state(after event: RelayEvent) -> SessionState {
        SessionState(
            eventType: event.type, content: event.content.state(after: latest?.content), sequence: nextSequence())
    }

    /// What a start push shows for it.
    func startState(for event: RelayEvent) -> SessionState {
        let before = (latest ?? formerTurn)?.content
        return SessionState(
            eventType: .start, content: event.content.startState(after: before), sequence: nextSequence())
    }
}
