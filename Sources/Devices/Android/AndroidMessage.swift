// A message as an Android device sees it.

import Basics
package import FCM

/// A state of a live update, as its app reads it from the data.
package struct LiveUpdate: Hashable, Sendable {
    /// By what the app tells which of two states is newer.
    package enum Order: Hashable, Sendable {
        /// It knows, whatever they bear: the order in which FCM took them.
        case asTaken
        /// By a whole number in the data; nil: this one has none.
        case stamp(Int64?)
    }

    /// A hash of the activity's name.
    var activity: UInt64
    /// The place on the screen: what `String.hashCode()` of the name gives, so two activities may share one.
    var slot: UInt32
    var order: Order
    /// The last of the activity: its place is cleared.
    var isEnd: Bool

    /// `name`: of the activity; nil where it is empty.
    package init?(_ name: Span<UInt8>, order: Order = .asTaken, isEnd: Bool = false) {
        if name.isEmpty { return nil }
        activity = Hash128(hashing: name).low
        slot = name.text.utf16.reduce(0) { $0 &* 31 &+ UInt32($1) }
        self.order = order
        self.isEnd = isEnd
    }
}

package struct AndroidMessage: Hashable, Sendable {
    var isHigh: Bool
    var hasNotification: Bool
    var hasData: Bool
    /// Seconds, 0 to four weeks.
    var timeToLive: Int64
    /// 0: not collapsible. Of a notification 1, which no key has: those collapse by the app's name and "ignore the collapse_key
    /// parameter" (Google, Collapsible message types).
    var collapseMark: UInt32
    /// Nil: no live update of the app's; the handler passes it over.
    var update: LiveUpdate?
    /// It went to a topic or a condition, and so to other devices as well.
    package var isShared = false

    static let longestLife: Int64 = 2_419_200

    package init(_ facts: MessageFacts, _ update: LiveUpdate? = nil) {
        // Google's newer pages say normal where nothing is said (docs/fcm.md §2).
        isHigh = facts.isHighPriority ?? false
        hasNotification = facts.hasNotification
        hasData = facts.hasData
        timeToLive = min(max(facts.timeToLive ?? Self.longestLife, 0), Self.longestLife)
        collapseMark = hasNotification ? 1 : facts.collapseMark == 0 ? 0 : facts.collapseMark | 2
        self.update = hasNotification ? nil : update
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
