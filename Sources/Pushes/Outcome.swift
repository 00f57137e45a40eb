// What a virtual device did with a push that the provider accepted.

/// A device's reaction.
package enum Outcome: UInt8, PushWord {
    // 0 in a journal: no device ever heard of the push.
    case shown = 1
    case started = 2
    case updated = 3
    case ended = 4
    case ignoredOlder = 5
    case ignoredEnded = 6
    case ignoredFuture = 7
    case undecodable = 8
    case unknownActivity = 9
    case silent = 10
    case nothingShown = 11
    case handedOver = 12
    case notDelivered = 13
    case stored = 14
    case discarded = 15
    case superseded = 16
    case expired = 17
    case replaced = 18
    case throttled = 19
    case notStarted = 20
    case neverShown = 21
    case coalesced = 22
    case setBack = 23
    case reloaded = 24

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
        case .stored: "stored"
        case .discarded: "discarded"
        case .superseded: "superseded"
        case .expired: "expired"
        case .replaced: "replaced"
        case .throttled: "throttled"
        case .notStarted: "not-started"
        case .neverShown: "never-shown"
        case .coalesced: "coalesced"
        case .setBack: "set-back"
        case .reloaded: "reloaded"
        }
    }

    /// One sentence.
    package var explanation: String {
        switch self {
        case .shown: "A notification, badge or sound reached the user."
        case .started: "A Live Activity appeared."
        case .updated: "The Live Activity shows the new state."
        case .ended: "The activity ended: an iPhone's card stays until it is dismissed, an Android live update goes."
        case .ignoredOlder: "The activity has taken a newer state already, or the timestamp lies too far back."
        case .ignoredEnded: "The activity had ended."
        case .ignoredFuture: "The timestamp lies too far ahead."
        case .undecodable: "The device cannot decode the payload; the screen stays."
        case .unknownActivity: "An update or end on a start token, or a start on an activity's token."
        case .silent: "The app was woken in the background."
        case .nothingShown: "The payload holds nothing to show."
        case .handedOver: "The app or the system got the payload."
        case .notDelivered: "The token is dead, which the service has not told."
        case .stored: "The device cannot have it yet; the service keeps it. What becomes of it is told later."
        case .discarded: "It was for one attempt only and the device away; or its user ended the app, or too many were stored."
        case .superseded: "It was stored, and a newer push took its place."
        case .expired: "It was stored, and the device did not come back in time."
        case .replaced: "Shown in the place of the visible notification with the same collapse id, or of the same live update."
        case .throttled: "The device's budget for such pushes is spent."
        case .notStarted: "The phone took the start, and no Live Activity came of it."
        case .neverShown: "The Live Activity took it, and its card was never on the screen."
        case .coalesced: "The activity took the state before its card could be drawn again: waste, not loss."
        case .setBack: "An older state took a newer one's place: the app had nothing to tell by which is newer."
        case .reloaded: "The system draws the app's widgets, or the one control, anew."
        }
    }

    /// Whether a user would have seen a change, with `coalesced` at the card's next drawing.
    package var changedScreen: Bool {
        switch self {
        case .shown, .replaced, .started, .updated, .ended, .coalesced, .setBack, .reloaded: true
        default: false
        }
    }

    /// Whether what was accepted came to nothing that its user could ever see or its app ever have.
    package var isUnseen: Bool {
        switch self {
        case .ignoredOlder, .ignoredEnded, .ignoredFuture, .undecodable, .unknownActivity, .nothingShown, .notDelivered,
            .discarded, .superseded, .expired, .throttled, .notStarted, .neverShown:
            true
        case .shown, .started, .updated, .ended, .silent, .handedOver, .stored, .replaced, .coalesced, .setBack, .reloaded:
            false
        }
    }

    /// Room for a table by raw value.
    package static let tableSize = 25
}
