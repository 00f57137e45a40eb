// The bodies by which phones and activities make themselves known, checked against the schemas of OpenCode's relay.
// Anything else is refused as a whole (R0.31); members that we do not know are ignored, as the original does.

import Basics
import Pushes

/// What works for a secret, and is done by the process in charge of it.
protocol Owned {
    var secret: SecretHash { get }
}

extension RelayEvent: Owned {}
extension DeviceRegistration: Owned {}
extension ActivityRegistration: Owned {}

struct DeviceRemoval: Owned {
    var secret: SecretHash
    var token: String
}

struct ActivityRemoval: Owned {
    var secret: SecretHash
    var sessionID: String
    /// Nil: whichever is the session's.
    var token: String?
}

enum Requests {
    static func registerDevice(_ body: Span<UInt8>) throws(InvalidBody) -> DeviceRegistration {
        let fields = try RequestFields(body)
        return DeviceRegistration(
            secret: try fields.secret(), token: try fields.token("deviceToken"), bundleID: try fields.bundleID(),
            environment: try fields.environment() ?? .production,
            startToken: try fields.optionalToken("pushToStartToken"),
            hasNullStartToken: fields.object["pushToStartToken"] == .null)
    }

    static func unregisterDevice(_ body: Span<UInt8>) throws(InvalidBody) -> DeviceRemoval {
        let fields = try RequestFields(body)
        return DeviceRemoval(secret: try fields.secret(), token: try fields.token("deviceToken"))
    }

    static func registerActivity(_ body: Span<UInt8>) throws(InvalidBody) -> ActivityRegistration {
        let fields = try RequestFields(body)
        return ActivityRegistration(
            secret: try fields.secret(), sessionID: try fields.id("sessionID"),
            token: try fields.token("activityToken"), bundleID: try fields.bundleID(),
            deviceToken: try fields.optionalToken("deviceToken"), environment: try fields.environment())
    }

    static func unregisterActivity(_ body: Span<UInt8>) throws(InvalidBody) -> ActivityRemoval {
        let fields = try RequestFields(body)
        return ActivityRemoval(
            secret: try fields.secret(), sessionID: try fields.id("sessionID"),
            token: try fields.optionalToken("activityToken"))
    }
}
