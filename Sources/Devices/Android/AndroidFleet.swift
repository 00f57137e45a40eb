// All Android devices that stand behind registrations of FCM. Sharded by the registration's hash; a shard is locked for one
// pure step at a time. A registration without a device has no entry: it behaves as a stock device that is awake.

package import Basics
import Pushes
import Synchronization

/// The devices, and what messages and people do to them. Used from FCM's loop, from the loop that looks after what is stored,
/// and from the admin side.
package final class AndroidFleet: Sendable {
    private struct Page {
        var devices: [Hash128: AndroidDevice] = [:]
        /// Those that something happens to by itself, and when.
        var dues: [Hash128: WallTime] = [:]
    }

    private struct News {
        /// Told once each.
        var late: [LateOutcome] = []
        var listeners: [@Sendable () -> Void] = []
    }

    private final class Shard: Sendable {
        let page = Mutex(Page())
    }

    private static let shardCount = 16

    private let shards = (0..<shardCount).map { _ in Shard() }
    private let settings: AndroidSettings
    private let time: DeviceTime
    private let count = Atomic<Int>(0)
    private let news = Mutex(News())

    init(settings: AndroidSettings, time: DeviceTime = DeviceTime()) {
        self.settings = settings
        self.time = time
    }

    /// Takes no lock: without devices nobody pays for them.
    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    private func shard(_ hash: Hash128) -> Shard { shards[Int(truncatingIfNeeded: hash.high >> 60)] }

    /// One step of a device that is there, once all has happened to it that was due before; nil: there is none.
    private func step<R: Sendable>(
        _ hash: Hash128, _ now: WallTime, _ body: (inout AndroidDevice, inout [LateOutcome]) -> R
    ) -> R? {
        guard !isEmpty else { return nil }
        let (result, ended) = shard(hash).page.withLock { page -> (R?, [LateOutcome]) in
            guard var device = page.devices[hash] else { return (nil, []) }
            var ended = device.advance(to: now, settings)
            let result = body(&device, &ended)
            page.devices[hash] = device
            page.dues[hash] = device.nextAt
            return (result, ended)
        }
        tell(ended)
        return result
    }

    /// `body` is called when something may be due sooner than before, on the thread that brought it and with a lock held: it
    /// may post a letter, and asks nothing of the devices.
    package func listen(_ body: @escaping @Sendable () -> Void) { news.withLock { $0.listeners.append(body) } }

    private func tellListeners() {
        news.withLock { news in
            for listener in news.listeners { listener() }
        }
    }

    private func tell(_ ended: [LateOutcome]) {
        if !ended.isEmpty { news.withLock { $0.late += ended } }
    }

    // MARK: Messages

    /// What the device does with an accepted message; nil: the registration has none. One that is `.stored` is to be given to
    /// `store`. Each message has one verdict, and a stored one a late outcome besides.
    package func deliver(_ message: AndroidMessage, to hash: Hash128, now: WallTime) -> AndroidVerdict? {
        let now = time.at(now)
        return step(hash, now) { device, _ in device.take(message, now: now, settings) }
    }

    /// Those of the registrations behind which a device stands; where they are no more than `limit`, in an order that is the
    /// same in each run. Looks at no more than it has to, but where hardly any of the registrations has a device.
    package func devices(among registrations: Set<Hash128>, atMost limit: Int) -> [Hash128] {
        guard !isEmpty else { return [] }
        var found: [Hash128] = []
        if registrations.count < count.load(ordering: .relaxed) {
            for hash in registrations where shard(hash).page.withLock({ $0.devices[hash] != nil }) {
                found.append(hash)
                if found.count == limit { break }
            }
        } else {
            for shard in shards where found.count < limit {
                shard.page.withLock { page in
                    for hash in page.devices.keys where registrations.contains(hash) {
                        found.append(hash)
                        if found.count == limit { break }
                    }
                }
            }
        }
        return found.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    }

    /// Keeps a message that was `.stored`, by its id in the journal. What becomes of it and of others: `takeLate`.
    package func store(_ message: AndroidMessage, to hash: Hash128, push: UInt64, now: WallTime) {
        let now = time.at(now)
        let isKept: Void? = step(hash, now) { device, ended in
            ended += device.keep(message, push: push, now: now, settings)
        }
        // The device was taken away in between.
        if isKept == nil {
            let registration = message.isShared ? hash : nil
            tell([LateOutcome(push: push, outcome: .notDelivered, reason: .android(.gone), registration: registration)])
        }
        tellListeners()
    }

    /// Whether the registration's app has that name, which of one without a device nobody knows.
    func isApp(_ name: Span<UInt8>, of hash: Hash128) -> Bool {
        guard !isEmpty, let known = shard(hash).page.withLock({ $0.devices[hash]?.setup.packageName }) else { return true }
        return withBytes(of: known) { $0.equals(name) }
    }

    // MARK: Time

    /// Lets all happen that is due by `now`.
    package func advance(to now: WallTime) {
        guard !isEmpty else { return }
        let now = time.at(now)
        var ended: [LateOutcome] = []
        for shard in shards {
            ended += shard.page.withLock { page in
                var ended: [LateOutcome] = []
                for (hash, due) in page.dues where due <= now {
                    guard var device = page.devices[hash] else { continue }
                    ended += device.advance(to: now, settings)
                    page.devices[hash] = device
                    page.dues[hash] = device.nextAt
                }
                return ended
            }
        }
        // In an order that is the same in each run.
        tell(ended.sorted { $0.push < $1.push })
    }

    /// When something happens by itself next; nil: nothing will.
    package var nextDue: WallTime? {
        isEmpty ? nil : shards.compactMap { $0.page.withLock { $0.dues.values.min() } }.filter { $0 < .never }.min()
    }

    /// What became of stored messages since it was asked last; each is told once.
    package func takeLate() -> [LateOutcome] {
        news.withLock { news in
            defer { news.late = [] }
            return news.late
        }
    }

    // MARK: People

    /// Puts a device behind the registration, or makes the one that is there another way: what is stored stays, as far as it is
    /// not delivered by that. False: no further device can be kept.
    @discardableResult
    package func set(_ setup: AndroidSetup, of hash: Hash128, now: WallTime) -> Bool {
        if change(hash, now: now, { $0 = setup }) { return true }
        guard count.add(1, ordering: .relaxed).newValue <= settings.deviceLimit else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        shard(hash).page.withLock { $0.devices[hash] = AndroidDevice(setup, behind: hash, now: time.at(now)) }
        return true
    }

    /// Makes a device another way, in one step; false: the registration has none.
    package func change(_ hash: Hash128, now: WallTime, _ change: (inout AndroidSetup) -> Void) -> Bool {
        let now = time.at(now)
        let isChanged: Void? = step(hash, now) { device, ended in
            var setup = device.setup
            change(&setup)
            ended += device.change(setup, now: now, settings)
        }
        if isChanged != nil { tellListeners() }
        return isChanged != nil
    }

    /// Nobody waits any more for what is stored: the registration is gone.
    package func drop(_ hash: Hash128, now: WallTime) {
        step(hash, time.at(now)) { device, ended in ended += device.drop() }
    }

    /// The registration has no device any more.
    package func remove(_ hash: Hash128, now: WallTime) {
        drop(hash, now: now)
        let wasThere = shard(hash).page.withLock { page in
            page.dues[hash] = nil
            return page.devices.removeValue(forKey: hash) != nil
        }
        if wasThere { count.subtract(1, ordering: .relaxed) }
    }

    package func record(of hash: Hash128, now: WallTime) -> AndroidRecord? {
        step(hash, time.at(now)) { device, _ in
            AndroidRecord(setup: device.setup, stored: device.stored.count, deletionsTold: device.deletionsTold)
        }
    }

    func removeAll() {
        for shard in shards { shard.page.withLock { $0 = Page() } }
        count.store(0, ordering: .relaxed)
        news.withLock { $0.late = [] }
    }
}
