// What an activity of OpenCode shows: the four keys of the plan's content-state, and what of an
// event leads to them.

import Basics

/// The status enum of the content-state. `complete` and `error` are final.
enum ActivityStatus: String, Hashable, Sendable {
    case working, retry, permission, complete, error
}

extension EventType {
    /// What the activity shows for it when the event does not say.
    fileprivate var status: ActivityStatus {
        switch self {
        case .complete: .complete
        case .permission: .permission
        case .error: .error
        case .progress, .start, .background, .message, .clearing: .working
        }
    }
}

struct OpenCodeState: StateContent {
    let status: ActivityStatus
    let title: String
    let message: String
    let retryInfo: String?

    init(status: ActivityStatus, title: String, message: String, retryInfo: String? = nil) {
        self.status = status
        self.title = title
        self.message = message
        self.retryInfo = status == .retry ? retryInfo : nil
    }

    init?(stored: JSONValue) {
        guard let status = stored["status"]?.string.flatMap(ActivityStatus.init), let title = stored["title"]?.string,
            let message = stored["message"]?.string
        else { return nil }
        self.init(status: status, title: title, message: message, retryInfo: stored["retryInfo"]?.string)
    }

    var stored: JSONValue {
        [
            "status": .string(status.rawValue), "title": .string(title), "message": .string(message),
            "retryInfo": retryInfo.map { .string($0) } ?? .null,
        ]
    }

    /// The first word of what the state says.
    var marker: Substring { message.prefix { $0 != " " } }

    /// As if nothing were asked.
    var altered: any StateContent { OpenCodeState(status: .working, title: title, message: message) }
}

struct OpenCodeEvent: EventContent {
    static let types: Set<EventType> = [.complete, .permission, .error, .progress, .start]

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
        case .progress, .start, .background, .message, .clearing: "The session is working."
        }
    }

    /// The event's type overrules a status that contradicts it: a permission event shows a permission (R0.12), and
    /// only final events show a final status (R0.4).
    var shownStatus: ActivityStatus {
        if type == .progress, let status, status == .retry || status == .permission { return status }
        return type.status
    }

    var state: OpenCodeState {
        OpenCodeState(
            status: shownStatus, title: sessionTitle ?? alertTitle, message: lastMessage ?? alertBody,
            retryInfo: retryInfo ?? "Retrying")
    }

    /// What a start push shows: always `working` (R0.14).
    var startState: OpenCodeState {
        OpenCodeState(status: .working, title: sessionTitle ?? alertTitle, message: lastMessage ?? alertBody)
    }

    // An event says all: nothing of the state before it remains.
    func state(after latest: (any StateContent)?) -> any StateContent { state }
    func startState(after latest: (any StateContent)?) -> any StateContent { startState }
    var isShownByStart: Bool { shownStatus == .working }
}
