// Why an Android device did with a message what it did, in words that a person understands.

import Basics
package import Pushes

/// What keeps a message from a device for now.
package enum AndroidObstacle: Hashable, Sendable {
    /// Why a high message counts as normal.
    package enum Downgrade: Hashable, Sendable { case denied, invisible }

    case offline
    case dozing(Downgrade?)
    case held(AndroidVendor, AndroidSetup.AppState)
    case throttled

    var words: String {
        switch self {
        case .offline: "the device is offline"
        case .dozing(nil): "the device dozes: at normal priority it waits for a maintenance window"
        case .dozing(.denied?): "the device dozes, and since notifications are denied high counts as normal"
        case .dozing(.invisible?): "the device dozes, and since high messages showed nothing high counts as normal"
        case .held(let vendor, .sleeping): "\(vendor.name) holds back data messages to a sleeping app until it is opened"
        case .held(let vendor, _): "\(vendor.name) holds back data messages to an app that was swiped away until it is opened"
        case .throttled: "collapsible messages: 20 at once, and then one in 3 min"
        }
    }
}

package enum AndroidReason: Hashable, Sendable {
    case waits(AndroidObstacle)
    /// Its ttl was 0.
    case missed(AndroidObstacle)
    case forceStopped
    /// A message with `notification` and data.
    case shownBySystem
    case inForeground
    case denied, deniedToApp
    case newerState, olderState, setBack, otherOfSlot, emptySlot
    case newerOfKey, fifthKey, hundredStored
    case tooLate, gone

    var words: String {
        switch self {
        case .waits(let obstacle): obstacle.words
        case .missed(let obstacle): "its ttl of 0 is now or never, and " + obstacle.words
        case .forceStopped: "its user has force-stopped the app: it gets nothing until it is opened"
        case .shownBySystem: "a message with notification, and the app is not in the foreground: its code did not run"
        case .inForeground: "the app is in the foreground: it got the message, and the system showed nothing"
        case .denied: "notifications are denied"
        case .deniedToApp: "notifications are denied: the app got it and can show nothing"
        case .newerState: "in the place of an older state of the same activity"
        case .olderState: "by what it goes by, the app has had a newer state of the same activity"
        case .setBack: "the app had a newer state of the same activity, and the data does not say which is newer"
        case .otherOfSlot: "in the place of another activity, whose name has the same hash of 32 bits"
        case .emptySlot: "the end of an activity that the app does not show"
        case .newerOfKey: "a newer one of its collapse key took its place"
        case .fifthKey: "four collapse keys are kept: the oldest made room for a fifth"
        case .hundredStored: "a hundred were stored: all were dropped, and the app is told by onDeletedMessages"
        case .tooLate: "its ttl was over before it could be delivered"
        case .gone: "the registration is gone, or stands for another device"
        }
    }
}

/// What a device did with one message.
package struct AndroidVerdict: Hashable, Sendable {
    package var outcome: Outcome
    /// Nil: there is nothing to explain.
    package var reason: AndroidReason?

    init(_ outcome: Outcome, _ reason: AndroidReason? = nil) {
        self.outcome = outcome
        self.reason = reason
    }

    /// Whether FCM had a connection to the device: a sign of life.
    package var isReached: Bool { reason != .waits(.offline) && reason != .missed(.offline) }
}
