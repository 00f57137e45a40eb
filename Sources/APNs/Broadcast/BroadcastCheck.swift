// The order of checks on channels and broadcasts: one table of rows, like the one of `/3/device`. Documented is only
// "authentication, then channel, then publish" (docs/apns.md §7); within that the order is unsure and follows one
// library's reading of Apple's answers (§11), its payload checks behind those of the headers.

package import Pushes

/// One row of the table of channels and broadcasts; its scope is the operation.
package typealias BroadcastCheck = CheckRow<BroadcastStep, BroadcastOperation>

extension CheckRow where Step == BroadcastStep, Scope == BroadcastOperation {
    /// From the first to the last. A row may use what earlier rows found: `path` finds the operation and the bundle ID.
    package static var order: [BroadcastCheck] { broadcastChecks }
}

private let broadcastChecks: [BroadcastCheck] = [
    BroadcastCheck(.method, "method", "§11, §7 (observed on /3/device)"),
    BroadcastCheck(.path, "path", "§11"),
    BroadcastCheck(.credential, "credential", "§11 (documented to come first), §8"),
    BroadcastCheck(.requestID, "request-id", "§11, order unsure"),
    BroadcastCheck(.bundle, "bundle", "§11"),
    BroadcastCheck(.credentialTopic, "credential-topic", "§11"),
    BroadcastCheck(.feature, "feature", "§11, order unsure"),
    BroadcastCheck(.channelPresence, "channel-presence", "§11", of: [.read, .delete, .send]),
    BroadcastCheck(.channelFormat, "channel-format", "§11", of: [.read, .delete, .send]),
    BroadcastCheck(.pushType, "push-type", "§11, §4", of: [.send]),
    BroadcastCheck(.expiration, "expiration", "§11", of: [.send]),
    BroadcastCheck(.priority, "priority", "§11", of: [.send]),
    BroadcastCheck(.channelKnown, "channel-known", "§11", of: [.read, .delete, .send]),
    BroadcastCheck(.policyExpiration, "policy-expiration", "§11, order unsure", of: [.send]),
    BroadcastCheck(.bodyPresence, "body-presence", "§11", of: [.create, .send]),
    BroadcastCheck(.bodySize, "body-size", "§5, §11", of: [.create, .send]),
    BroadcastCheck(.message, "message", "§11, order unsure", of: [.send]),
    BroadcastCheck(.configuration, "configuration", "§11, order unsure", of: [.create]),
    BroadcastCheck(.room, "room", "§11", of: [.create]),
    BroadcastCheck(.rate, "rate", "§11, unsure", of: [.send]),
]

/// The rows' functions by number.
package enum BroadcastStep: UInt8, Sendable {
    case method, path, credential, requestID, bundle, credentialTopic, feature, channelPresence, channelFormat
    case pushType, expiration, priority, channelKnown, policyExpiration, bodyPresence, bodySize, message
    case configuration, room, rate
}
