// What a request of the channel and broadcast API is, as far as the checks came, and the rules' answer to it.

package import Basics
package import Pushes

/// The five things one can do (docs/apns.md §11).
package enum BroadcastOperation: UInt8, CaseIterable, Sendable {
    case create, read, delete, list, send

    package var word: StaticString {
        switch self {
        case .create: "create"
        case .read: "read"
        case .delete: "delete"
        case .list: "list"
        case .send: "send"
        }
    }
}

/// The two endpoints: channel management has ports of its own, sending shares the one of `/3/device`.
package enum BroadcastEndpoint: Sendable { case management, sending }

/// Numbers and places in the request's own header block; no heap.
package struct BroadcastFacts: Sendable {
    /// Nil: method and path name none.
    package var operation: BroadcastOperation?
    /// The bundle ID's place within the value of `:path`.
    package var bundle: Range<Int> = 0..<0
    /// Nil when absent, and when it cannot be one of ours.
    package var channel: ChannelID?
    /// Of a new channel, or of the one that is read or sent to.
    package var policy: StoragePolicy?
    /// 1, 5 or 10.
    package var priority: UInt8 = 10
    /// Unix seconds; 0: one attempt, nothing stored.
    package var expiration: Int64 = 0
    /// The client's `apns-request-id`, else its `apns-id`, else one made here.
    package var requestID: UUIDBytes
    /// The field that it came in, for an echo in the client's own spelling; nil when it was made here.
    package var requestIDField: Int?
    /// What the message says, for devices.
    package var activity = ActivityFacts()
    /// Why the credential was refused; nil where it was not.
    package var credentialCause: CredentialCause?

    package init(requestID: UUIDBytes) { self.requestID = requestID }
}

/// The rules' answer to one request.
package struct BroadcastVerdict: Sendable {
    package var facts: BroadcastFacts
    /// Nil: accepted.
    package var rejection: BroadcastReason?
    /// Which row of the table of checks refused it; nil when accepted.
    package var check: StaticString?
}

/// Knows channels. Asked from every loop's thread.
package protocol ChannelDirectory: AnyObject, Sendable {
    /// Whether the app has the broadcast capability.
    func isEnabled(_ bundle: Span<UInt8>) -> Bool
    /// Whether the app may have one more channel.
    func hasRoom(for bundle: Span<UInt8>, in environment: PushEnvironment) -> Bool
    /// Nil: the app has no such channel in this environment.
    func policy(of channel: ChannelID, bundle: Span<UInt8>, in environment: PushEnvironment) -> StoragePolicy?
    /// Counts a broadcast that passed all other checks; false: one too many.
    func admitsBroadcast(to channel: ChannelID, now: WallTime) -> Bool
}
