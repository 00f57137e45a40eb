// The bodies that come in, checked against the schemas of spec/relays.md §1.1. Anything else is refused as a whole
// (R0.31); members that we do not know are ignored, as the original does.

import Basics
import Pushes

enum Requests {
    static func registerDevice(_ body: Span<UInt8>) throws(InvalidBody) -> DeviceRegistration {
        let fields = try RequestFields(body)
        return DeviceRegistration(
            secret: try fields.secret(), token: try fields.token("deviceToken"), bundleID: try fields.bundleID(),
            environment: try fields.environment() ?? .production,
            startToken: try fields.optionalToken("pushToStartToken"))
    }

    static func unregisterDevice(_ body: Span<UInt8>) throws(InvalidBody) -> (secret: SecretHash, token: String) {
        let fields = try RequestFields(body)
        return (try fields.secret(), try fields.token("deviceToken"))
    }

    static func registerActivity(_ body: Span<UInt8>) throws(InvalidBody) -> ActivityRegistration {
        let fields = try RequestFields(body)
        return ActivityRegistration(
            secret: try fields.secret(), sessionID: try fields.id("sessionID"),
            token: try fields.token("activityToken"), bundleID: try fields.bundleID(),
            deviceToken: try fields.optionalToken("deviceToken"), environment: try fields.environment())
    }

    static func unregisterActivity(
        _ body: Span<UInt8>
    ) throws(InvalidBody) -> (secret: SecretHash, sessionID: String, token: String?) {
        let fields = try RequestFields(body)
        return (try fields.secret(), try fields.id("sessionID"), try fields.optionalToken("activityToken"))
    }

    static func event(_ body: Span<UInt8>) throws(InvalidBody) -> RelayEvent {
        let fields = try RequestFields(body)
        guard let type = EventType(rawValue: try fields.text("eventType")), type != .background else {
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
