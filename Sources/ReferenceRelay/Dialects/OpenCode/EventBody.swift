// The body of `/v1/event`, checked against the schema of OpenCode's relay.

import Basics

extension Requests {
    static func event(_ body: Span<UInt8>) throws(InvalidBody) -> RelayEvent {
        let fields = try RequestFields(body)
        guard let type = EventType(rawValue: try fields.text("eventType")), OpenCodeEvent.types.contains(type) else {
            throw InvalidBody()
        }
        let secret = try fields.secret()
        let sessionID = try fields.id("sessionID")
        var event = OpenCodeEvent(
            type: type, sessionID: sessionID, serverID: try fields.optionalID("serverID"),
            title: try fields.optionalText("title"), body: try fields.optionalText("body"))
        if let state = fields.object["contentState"] { try read(state, into: &event) }
        return RelayEvent(secret: secret, type: type, sessionID: sessionID, content: event)
    }

    /// Members may be missing; those that are there have their types.
    private static func read(_ value: JSONValue, into event: inout OpenCodeEvent) throws(InvalidBody) {
        guard case .object(let state) = value else { throw InvalidBody() }
        func member(_ key: String) throws(InvalidBody) -> String? {
            switch state[key] {
            case nil: return nil
            case .string(let text): return text
            default: throw InvalidBody()
            }
        }
        if let word = try member("status") {
            guard let status = ActivityStatus(rawValue: word) else { throw InvalidBody() }
            event.status = status
        }
        event.sessionTitle = try member("sessionTitle")
        event.lastMessage = try member("lastMessage")
        if state["retryInfo"] != .null { event.retryInfo = try member("retryInfo") }
    }
}
