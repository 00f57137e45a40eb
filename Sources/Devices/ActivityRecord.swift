// A Live Activity as the admin API shows it.

import APNs
package import Basics
package import Pushes

/// What is left of an activity.
package enum ActivityState: UInt8, CaseIterable, Sendable {
    case active, stale, ended, dismissed

    package var word: StaticString {
        switch self {
        case .active: "active"
        case .stale: "stale"
        case .ended: "ended"
        case .dismissed: "dismissed"
        }
    }
}

/// One activity and what pushes did to it.
package struct ActivityRecord: Sendable, Equatable {
    package var token: String
    package var topic: String?
    package var state: ActivityState
    /// `aps.timestamp` of the newest push that was applied, Unix seconds.
    package var lastTimestamp: Int64?
    package var lastEvent: ActivityEvent?
    package var startedAt: WallTime
    /// When it becomes stale unless an update comes; nil: not at all.
    package var staleAt: WallTime?
    /// When the card of an ended activity leaves the screen, or has left it; nil while it has not ended.
    package var dismissedAt: WallTime?
    /// Pushes that changed the card, and pushes that did not.
    package var shown: Int
    package var ignored: Int
}
