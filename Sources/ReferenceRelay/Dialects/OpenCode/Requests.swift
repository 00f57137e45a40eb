// The bodies that come in, checked against the schemas of spec/relays.md §1.1. Anything else is refused as a whole
// (R0.31); members that we do not know are ignored, as the original does.

import Basics
import Pushes
import TLS

/// A body that does not fit its schema. The reply says no more than that.
struct InvalidBody: Error {}

enum Requests {
    static func registerDevice(_ body: Span<UInt8>) throws(InvalidBody) -> DeviceRegistration {
        let fields = try Fields(body)
        return DeviceRegistration(
            secret: try fields.secret(), token: try fields.token("deviceToken"), bundleID: try fields.bundleID(),
            environment: try fields.environment() ?? .production,
            startToken: try fields.optionalToken("pushToStartToken"))
    }

    static func unregisterDevice(_ body: Span<UInt8>) throws(InvalidBody) -> (secret: SecretHash, token: String) {
        let fields = try Fields(body)
        return (try fields.secret(), try fields.token("deviceToken"))
    }

    static func registerActivity(_ body: Span<UInt8>) throws(InvalidBody) -> ActivityRegistration {
        let fields = try Fields(body)
        return ActivityRegistration(
            secret: try fields.secret(), sessionID: try fields.id("sessionID"),
            token: try fields.token("activityToken"), bundleID: try fields.bundleID(),
            deviceToken: try fields.optionalToken("deviceToken"), environment: try fields.environment())
    }

    static func unregisterActivity(
        _ body: Span<UInt8>
    ) throws(InvalidBody) -> (secret: SecretHash, sessionID: String, token: String?) {
        let fields = try Fields(body)
        return (try fields.secret(), try fields.id("sessionID"), try fields.optionalToken("activityToken"))
    }

    static func event(_ body: Span<UInt8>) throws(InvalidBody) -> RelayEvent {
        let fields = try Fields(body)
        guard let type = EventType(rawValue: try fields.text("eventType")) else { throw InvalidBody() }
        var event = RelayEvent(
            secret: try fields.secret(), type: type, sessionID: try fields.id("sessionID"),
            serverID: try fields.optionalID("serverID"), title: try fields.optionalText("title"),
            body: try fields.optionalText("body"))
        if let state = fields.object["contentState"] { try read(state, into: &event) }
        return event
    }

    /// Members may be missing; those that are there have their types.
    private static func read(_ value: JSONValue, into event: inout RelayEvent) throws(InvalidBody) {
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

/// The members of one body.
private struct Fields {
    let object: JSONObject

    init(_ body: Span<UInt8>) throws(InvalidBody) {
        guard case .object(let object)? = try? JSONValue(parsing: body, maxDepth: 16) else { throw InvalidBody() }
        self.object = object
    }

    /// A string of at least one character.
    func text(_ key: String) throws(InvalidBody) -> String {
        guard let text = try optionalText(key) else { throw InvalidBody() }
        return text
    }

    func optionalText(_ key: String) throws(InvalidBody) -> String? {
        guard let value = object[key] else { return nil }
        guard case .string(let text) = value, !text.isEmpty else { throw InvalidBody() }
        return text
    }

    func secret() throws(InvalidBody) -> SecretHash {
        SecretHash(digest: withBytes(of: try text("secret")) { sha256($0) })
    }

    /// What has to fit a column of 255 characters (R0.41).
    func id(_ key: String) throws(InvalidBody) -> String {
        guard let id = try optionalID(key) else { throw InvalidBody() }
        return id
    }

    func optionalID(_ key: String) throws(InvalidBody) -> String? {
        guard let id = try optionalText(key) else { return nil }
        guard id.utf8.count <= RelayLimits.idCharacters || id.unicodeScalars.count <= RelayLimits.idCharacters else {
            throw InvalidBody()
        }
        return id
    }

    func token(_ key: String) throws(InvalidBody) -> String {
        guard let token = try optionalToken(key) else { throw InvalidBody() }
        return token
    }

    /// A token becomes a path segment and a bundle id a header field: nothing in them may end the one or the other.
    /// An optional token that is null is absent: a phone that has none yet says so (R0.44).
    func optionalToken(_ key: String) throws(InvalidBody) -> String? {
        if object[key] == .null { return nil }
        guard let token = try optionalID(key) else { return nil }
        let isPlain = token.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard isPlain else { throw InvalidBody() }
        return token
    }

    func bundleID() throws(InvalidBody) -> String? {
        if object["bundleId"] == .null { throw InvalidBody() }
        return try optionalToken("bundleId")
    }

    func environment() throws(InvalidBody) -> PushEnvironment? {
        guard let word = try optionalText("apnsEnv") else { return nil }
        guard let environment = PushEnvironment(word: word) else { throw InvalidBody() }
        return environment
    }
}
