// What a virtual device did with a push that APNs accepted.

/// A device's reaction.
package enum Outcome: UInt8, CaseIterable, Sendable {
    case shown, started, updated, ended
    case ignoredOlder, ignoredEnded, ignoredFuture, undecodable, unknownActivity
    case silent, nothingShown, handedOver, notDelivered

    package var word: StaticString {
        switch self {
        case .shown: "shown"
        case .started: "started"
        case .updated: "updated"
        case .ended: "ended"
        case .ignoredOlder: "ignored-older"
        case .ignoredEnded: "ignored-ended"
        case .ignoredFuture: "ignored-future"
        case .undecodable: "undecodable"
        case .unknownActivity: "unknown-activity"
        case .silent: "silent"
        case .nothingShown: "nothing-shown"
        case .handedOver: "handed-over"
        case .notDelivered: "not-delivered"
        }
    }

    /// Whether a user would have seen a change.
    package var changedScreen: Bool {
        switch self {
        case .shown, .started, .updated, .ended: true
        default: false
        }
    }
}
