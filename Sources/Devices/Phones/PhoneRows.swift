// What is kept of a phone and of an app on it: rows of fixed size that name each other by place, -1 for none.

import APNs
import Basics
import Pushes

/// A phone.
struct PhoneRow {
    /// Empty: a free place.
    var name = ""
    var firstApp: Int32 = -1
    var system = SystemVersion(18, 0)
    var isOffline = false
    var isLowOnPower = false

    /// As APNs meets it.
    var connection: Connection { isOffline ? .offline : isLowOnPower ? .restricted : .online }

    static let blank = PhoneRow()
}

/// How an app runs.
package enum AppState: UInt8, CaseIterable, Sendable {
    case background, foreground
    /// Ended by the user: nothing wakes it until the user opens it.
    case killed

    package var word: StaticString {
        switch self {
        case .background: "background"
        case .foreground: "foreground"
        case .killed: "killed"
        }
    }
}

/// An app on a phone.
struct AppRow {
    /// -1: a free place.
    var phone: Int32 = -1
    var next: Int32 = -1
    /// Newest first.
    var firstActivity: Int32 = -1
    /// Activities so far.
    var ordinals: UInt32 = 0
    /// Of the two tokens; see `PhoneShard.key`.
    var deviceKey: UInt64 = 0
    var startKey: UInt64 = 0
    var devicePushes: UInt32 = 0
    var startPushes: UInt32 = 0
    /// The shard's number of its bundle ID.
    var bundle: UInt16 = 0
    /// What it decodes; 0: any content.
    var schema: UInt16 = 0
    /// The shard's number of its way to wake.
    var wake: UInt16 = 0
    var installation: UInt16 = 1
    var deviceRotation: UInt16 = 0
    var startRotation: UInt16 = 0
    var state = AppState.background
    var environment: PushEnvironment?
    private var flags: UInt8 = 0b001

    private func flag(_ place: UInt8) -> Bool { flags >> place & 1 == 1 }
    private mutating func set(_ place: UInt8, _ value: Bool) { flags = flags & ~(1 << place) | (value ? 1 << place : 0) }

    var allowsActivities: Bool {
        get { flag(0) }
        set { set(0, newValue) }
    }
    var hasFrequentUpdates: Bool {
        get { flag(1) }
        set { set(1, newValue) }
    }
    /// Pushes to the push-to-start token are answered 200 and start nothing.
    var hasStaleStart: Bool {
        get { flag(2) }
        set { set(2, newValue) }
    }
    var isGone: Bool {
        get { flag(3) }
        set { set(3, newValue) }
    }

    static let blank = AppRow()
}
