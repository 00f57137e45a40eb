// A channel as management and the admin API see it.

package import APNs
package import Basics
package import Pushes

/// One broadcast and what the listening activities did with it.
package struct BroadcastRecord: Sendable, Equatable {
    /// From 1, within its channel.
    package var number: Int
    /// As answered.
    package var requestID: UUIDBytes
    package var sentAt: WallTime
    /// 1, 5 or 10.
    package var priority: UInt8
    /// What it says.
    package var activity: ActivityFacts
    /// Until when it waits for activities that come later; nil: it is not stored.
    package var storedUntil: WallTime?
    /// Activities by what they did, indexed by the raw value of `Outcome`.
    package var outcomes = [Int](repeating: 0, count: Outcome.tableSize)
    /// Whether every activity that listened when it was sent has been offered it.
    package var isDelivered = false

    /// Whether it waits for those who come later.
    package func isHeld(at now: WallTime) -> Bool { storedUntil.map { now < $0 } ?? false }
}

/// One channel.
package struct ChannelRecord: Sendable, Equatable {
    package var id: ChannelID
    /// A bundle ID.
    package var bundle: String
    package var environment: PushEnvironment
    package var policy: StoragePolicy
    package var createdAt: WallTime
    /// Deleted, and kept only for the message it still holds.
    package var isDeleted: Bool
    /// Activities that listen now.
    package var subscribers: Int
    /// Broadcasts accepted so far.
    package var broadcasts: Int
    package var last: BroadcastRecord?
}
