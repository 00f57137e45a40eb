// Devices that are more than one token plainly online: those that are away or restricted, those that several tokens
// share, and the pushes that APNs keeps for them (docs/apns.md §12). All other devices need no entry.
//
//     push ─▶ reachable? ──yes──▶ delivered                    comes back ─▶ delivered late
//                 │ no                                             ▲
//                 ├─ expiration 0 or past ─▶ discarded             │
//                 └─ else ─▶ stored: one per app ──────────────────┴─ newer push ─▶ superseded, too late ─▶ expired

import APNs
package import Basics
package import Pushes
import Synchronization

/// How a device can be reached.
package enum Connection: UInt8, CaseIterable, Sendable {
    case online, offline
    /// Low on power: pushes below priority 10 wait (see `DeviceSettings.storedWhenRestricted`).
    case restricted

    package var word: StaticString {
        switch self {
        case .online: "online"
        case .offline: "offline"
        case .restricted: "restricted"
        }
    }
}

/// What became of a push that had been stored.
package struct LateOutcome: Sendable, Equatable {
    /// The push's id in the journal.
    package var push: UInt64
    package var outcome: Outcome
    /// A start that took place and names a channel.
    package var start: ChannelStart?
    /// Of phones: why.
    package var reason: PhoneReason?
    /// Of a message to a topic or a condition: which of the devices that it reached.
    package var registration: Hash128?

    package init(
        push: UInt64, outcome: Outcome, start: ChannelStart? = nil, reason: PhoneReason? = nil, registration: Hash128? = nil
    ) {
        self.push = push
        self.outcome = outcome
        self.start = start
        self.reason = reason
        self.registration = registration
    }
}

/// A push that APNs keeps for a device. The payload stays in the journal; what the device needs of it is in the facts.
struct StoredPush {
    var facts: PushFacts
    var push: UInt64
    var slot: Slot
    var expiresAt: WallTime
    /// When the batch that it waits for is due; nil: it waits for the device.
    var dueAt: WallTime?
    /// Of pushes to phones.
    var content = PhoneContent()

    /// One push per slot.
    struct Slot: Equatable {
        /// The shard's number of the bundle ID would differ from shard to shard, so its hash.
        var topic: UInt64
        /// Nil: the app's only slot.
        private var activity: UInt64?

        /// `push`: its id in the journal, which each start has a slot of its own by.
        init(topic: UInt64, of facts: PushFacts, push: UInt64, _ settings: DeviceSettings) {
            self.topic = topic
            guard settings.activitySlots == .own, let event = facts.activity?.event else { return }
            activity = event == .start ? push : facts.tokenHash.low
        }
    }

    /// The next moment at which something happens to it by itself.
    var nextAt: WallTime { dueAt.map { min($0, expiresAt) } ?? expiresAt }
}

/// One device.
struct Device {
    var name: String?
    var connection = Connection.online
    /// Of devices with a name; a token that is a device of its own has its ledger beside its row.
    var budgets = BudgetLedger()
    /// At most `slotLimit`, oldest first.
    var stored: [StoredPush] = []
    /// Tokens that name it.
    var tokenCount = 0
    /// `aps.timestamp` of the starts shown here whose activities have not told their tokens yet, at most `startLimit`.
    private var starts: [Int64] = []

    static let slotLimit = 16
    private static let startLimit = 16

    /// Whether nothing would be lost without an entry.
    var isPlain: Bool { connection == .online && stored.isEmpty && tokenCount == 0 }

    /// Puts a push into its slot; the one that must leave for it is returned.
    mutating func keep(_ push: StoredPush) -> StoredPush? {
        let place = stored.firstIndex { $0.slot == push.slot } ?? (stored.count == Self.slotLimit ? 0 : nil)
        let old = place.map { stored.remove(at: $0) }
        stored.append(push)
        return old
    }

    mutating func noteStart(_ timestamp: Int64) {
        starts.append(timestamp)
        if starts.count > Self.startLimit { dropLatestStart() }
    }

    /// An activity has told its token: no update of it is older than what this gives. Which of several starts was its own
    /// nobody knows, so it is the oldest of them.
    mutating func claimStart() -> Int64? {
        let oldest = starts.min()
        dropLatestStart()
        return oldest
    }

    private mutating func dropLatestStart() {
        if let place = starts.indices.max(by: { starts[$0] < starts[$1] }) { starts.remove(at: place) }
    }

    func takes(_ facts: PushFacts, _ settings: DeviceSettings) -> Bool {
        switch connection {
        case .online: true
        case .offline: false
        case .restricted: settings.storedWhenRestricted == .belowTen && facts.priority == 10
        }
    }

    /// Removes and returns what can be delivered or has expired by now.
    mutating func release(now: WallTime, _ settings: DeviceSettings) -> [StoredPush] {
        var released: [StoredPush] = []
        var kept: [StoredPush] = []
        for push in stored {
            let isDue = push.expiresAt <= now || takes(push.facts, settings) && (push.dueAt ?? now) <= now
            if isDue { released.append(push) } else { kept.append(push) }
        }
        stored = kept
        return released
    }
}

/// The devices by their keys. A device with a name has the name's hash for a key, any other its only token's.
final class DeviceBook: Sendable {
    struct Page: ~Copyable {
        var devices: [Hash128: Device] = [:]
        /// No stored push has anything happen to it earlier.
        var nextAt = WallTime(nanoseconds: .max)
    }

    private final class Shard: Sendable {
        let page = Mutex(Page())
    }

    private static let shardCount = 16
    private let shards = (0..<shardCount).map { _ in Shard() }
    private let limit: Int
    /// Entries in all shards.
    private let count = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Whether a device without an entry gets one. `.always` is for who has asked `hasRoom`.
    enum Making { case never, ifRoom, always }

    /// Reads or changes a device's entry; one that is plain afterwards is dropped. The body finds nil where there is
    /// none and none is made, and may set it to nil.
    func with<R>(_ key: Hash128, make: Making = .never, _ body: (inout Device?) -> R) -> R {
        shard(key).page.withLock { page in
            var device = page.devices[key]
            let hasPlace = device != nil || takePlace(make)
            if device == nil, hasPlace { device = Device() }
            let result = body(&device)
            if let changed = device, !changed.isPlain {
                for push in changed.stored { page.nextAt = min(page.nextAt, push.nextAt) }
                page.devices[key] = changed
            } else if hasPlace {
                page.devices[key] = nil
                count.subtract(1, ordering: .relaxed)
            }
            return result
        }
    }

    private func takePlace(_ make: Making) -> Bool {
        guard make != .never else { return false }
        let (_, taken) = count.add(1, ordering: .relaxed)
        if taken <= limit || make == .always { return true }
        count.subtract(1, ordering: .relaxed)
        return false
    }

    /// Whether a device has an entry or may get one when a token leaves the others for it: a device that its last
    /// token leaves makes room.
    func hasRoom(for key: Hash128, leaving others: [Hash128]) -> Bool {
        device(key) != nil || count.load(ordering: .relaxed) < limit
            || others.contains { other in device(other).map { $0.tokenCount <= 1 } ?? false }
    }

    func device(_ key: Hash128) -> Device? { shard(key).page.withLock { $0.devices[key] } }

    /// Takes all that is due out of the slots of all devices.
    func release(now: WallTime, _ settings: DeviceSettings) -> [StoredPush] {
        var released: [StoredPush] = []
        for shard in shards {
            released += shard.page.withLock { page in
                guard page.nextAt <= now else { return [] }
                page.nextAt = WallTime(nanoseconds: .max)
                var due: [StoredPush] = []
                for key in Array(page.devices.keys) {
                    guard var device = page.devices[key], !device.stored.isEmpty else { continue }
                    due += device.release(now: now, settings)
                    for push in device.stored {
                        // What is due and still there waits for the device alone.
                        page.nextAt = min(page.nextAt, push.nextAt > now ? push.nextAt : push.expiresAt)
                    }
                    page.devices[key] = device.isPlain ? nil : device
                    if device.isPlain { count.subtract(1, ordering: .relaxed) }
                }
                return due
            }
        }
        return released
    }

    func removeAll() {
        for shard in shards {
            shard.page.withLock { page in
                count.subtract(page.devices.count, ordering: .relaxed)
                page.devices.removeAll()
            }
        }
    }

    private func shard(_ key: Hash128) -> Shard { shards[Int(truncatingIfNeeded: key.high >> 60)] }
}
