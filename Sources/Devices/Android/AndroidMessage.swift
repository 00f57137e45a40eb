// A message as an Android device sees it.

import Basics
package import FCM

package struct AndroidMessage: Hashable, Sendable {
    var isHigh: Bool
    var hasNotification: Bool
    var hasData: Bool
    /// Seconds, 0 to four weeks.
    var timeToLive: Int64
    /// 0: not collapsible. Of a notification 1, which no key has: those collapse by the app's name and "ignore the collapse_key
    /// parameter" (Google, Collapsible message types).
    var collapseMark: UInt32
    /// Of live updates: a hash of the activity they are of; 0: none.
    var activity: UInt64

    static let longestLife: Int64 = 2_419_200

    /// `activity`: what stands in the data under the key of live updates; empty: nothing.
    package init(_ facts: MessageFacts, activity: Span<UInt8>) {
        // Google's newer pages say normal where nothing is said (spec/fcm.md §2.2).
        isHigh = facts.isHighPriority ?? false
        hasNotification = facts.hasNotification
        hasData = facts.hasData
        timeToLive = min(max(facts.timeToLive ?? Self.longestLife, 0), Self.longestLife)
        collapseMark = hasNotification ? 1 : facts.collapseMark == 0 ? 0 : facts.collapseMark | 2
        self.activity = activity.isEmpty || hasNotification ? 0 : Hash128(hashing: activity).low | 1
    }
}

/// A message that FCM keeps for a device. The text stays in the journal.
struct StoredMessage {
    var message: AndroidMessage
    /// Its id in the journal.
    var push: UInt64
    /// The order in which FCM took it.
    var serial: UInt64
    var expiresAt: WallTime
    /// Of one that Doze holds: the maintenance window it waits for.
    var windowAt: WallTime?
    /// When what keeps it ends by itself.
    var freeAt = WallTime.never

    /// Nothing happens to it by itself earlier.
    var nextAt: WallTime { min(expiresAt, freeAt) }
}
