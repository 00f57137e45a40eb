// Pushes to devices of the book: reachable or not, stored, and delivered late. Off the plain path. A token's shard and
// a device's page are never locked at once.

package import APNs
package import Basics
import Synchronization

extension DeviceFleet {
    /// Whether a text can name a device: 1 to 64 letters, digits, '-', '_' and '.'.
    package static func isDeviceName(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 45, 46, 48...57, 65...90, 95, 97...122: true
                default: false
                }
            }
    }

    /// What the device does with an accepted push, where its entry in the book may matter.
    func deliverByBook(_ facts: PushFacts, now: WallTime) -> Outcome {
        let (key, isNamed) = deviceKey(of: facts.tokenHash)
        let takes = book.with(key) { device in device?.takes(facts, settings) ?? true }
        if !takes { return isStorable(facts, now: now) ? .stored : .discarded }
        if settings.lowPriorityBatch > .zero, facts.priority < 10, isStorable(facts, now: now) { return .stored }
        if isNamed, let expense = expense(facts) {
            let isPaid = book.with(key) { device in device?.budgets.spend(expense, now: now) ?? true }
            if !isPaid { return .throttled }
        }
        return land(facts, now: now, isPaid: isNamed)
    }

    /// Keeps a push whose outcome was `.stored`, once it has its id in the journal. What that, or the device's return
    /// in the meantime, makes of a push is returned.
    package func store(
        _ facts: PushFacts, topic: Span<UInt8>, push: UInt64, now: WallTime
    ) -> LateOutcome? {
        let (key, _) = deviceKey(of: facts.tokenHash)
        let bundle = topic.extracting(0..<TopicParts(topic).bundleCount)
        var activity: UInt64 = 0
        if settings.activitySlots == .own, let event = facts.activity?.event {
            activity = event == .start ? push : facts.tokenHash.low | 1
        }
        let slot = StoredPush.Slot(topic: TokenHash(hashing: bundle).low, activity: activity)
        let limit = now + settings.storageLimit
        let expiresAt = facts.expiration.map { min(limit, WallTime(clampedSeconds: $0)) } ?? limit
        var stored = StoredPush(facts: facts, push: push, slot: slot, expiresAt: expiresAt)
        let batch = facts.priority < 10 ? settings.lowPriorityBatch.nanoseconds : 0
        if batch > 0 { stored.dueAt = WallTime(nanoseconds: (now.nanoseconds / batch + 1) * batch) }
        let displaced: StoredPush? = book.with(key, make: batch > 0) { device in
            guard device != nil, batch > 0 || device?.takes(facts, settings) == false else { return stored }
            let place = device?.stored.firstIndex { $0.slot == slot }
            let isFull = device?.stored.count == Device.slotLimit
            let old = (place ?? (isFull ? 0 : nil)).flatMap { device?.stored.remove(at: $0) }
            device?.stored.append(stored)
            return old
        }
        guard let displaced else { return nil }
        if displaced.push == push { return LateOutcome(push: push, outcome: land(facts, now: now, isPaid: false)) }
        return LateOutcome(push: displaced.push, outcome: displaced.expiresAt <= now ? .expired : .superseded)
    }

    /// What became of stored pushes by now: expired ones, batches that are due, and what earlier changes of devices
    /// set free. Each is told once.
    package func lateOutcomes(now: WallTime) -> [LateOutcome] {
        var outcomes = late.withLock { held in
            defer { held = [] }
            return held
        }
        for push in book.release(now: now, settings) { outcomes.append(end(push, now: now)) }
        return outcomes
    }

    /// Changes how a device can be reached, and lets it have what was stored. False when there is no room for an
    /// entry.
    func connect(_ key: TokenHash, _ connection: Connection, now: WallTime) -> Bool {
        let released: [StoredPush]? = book.with(key, make: connection != .online) { device in
            guard device != nil else { return connection == .online ? [] : nil }
            device?.connection = connection
            return device?.release(now: now, settings)
        }
        guard let released else { return false }
        let outcomes = released.map { end($0, now: now) }
        if !outcomes.isEmpty { late.withLock { $0 += outcomes } }
        return true
    }

    private func end(_ push: StoredPush, now: WallTime) -> LateOutcome {
        if push.expiresAt <= now { return LateOutcome(push: push.push, outcome: .expired) }
        return LateOutcome(push: push.push, outcome: land(push.facts, now: now, isPaid: false))
    }

    /// The device has it: what it does.
    private func land(_ facts: PushFacts, now: WallTime, isPaid: Bool) -> Outcome {
        shard(facts.tokenHash).state.withLock { state in
            guard let place = state.table.find(facts.tokenHash), state.table[place].state == .active else {
                return .notDelivered
            }
            if !isPaid, isThrottled(facts, place, state, now: now) { return .throttled }
            return react(&state.table[place], to: facts, now: now)
        }
    }

    private func isStorable(_ facts: PushFacts, now: WallTime) -> Bool {
        facts.expiration.map { $0 > now.seconds } ?? true
    }

    private func expense(_ facts: PushFacts) -> Expense? {
        guard settings.budgets.areCounted else { return nil }
        let isFrequent = shard(facts.tokenHash).state.withLock { state in
            state.table.find(facts.tokenHash).map { state.table[$0].hasFrequentUpdates } ?? false
        }
        return settings.budgets.expense(BudgetUse(facts), hasFrequentUpdates: isFrequent)
    }

    private func deviceKey(of token: TokenHash) -> (key: TokenHash, isNamed: Bool) {
        let named = shard(token).state.withLock { $0.extras[token]?.device }
        return (named.map { TokenHash(deviceName: $0) } ?? token, named != nil)
    }
}

extension TokenHash {
    init(deviceName: String) { self = withBytes(of: "device:" + deviceName) { TokenHash(hashing: $0) } }
}

extension WallTime {
    /// Unix seconds; what does not fit is clamped.
    init(clampedSeconds seconds: Int64) {
        self.init(seconds: min(max(seconds, -9_000_000_000), 9_000_000_000))
    }
}
