// Pushes to devices of the book: reachable or not, stored, and delivered late. Off the plain path. A token's shard and
// a device's page are never locked at once.

package import APNs
package import Basics
import Pushes
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
        let device = device(of: facts.tokenHash)
        let takes = book.with(device.key) { $0?.takes(facts, settings) ?? true }
        if !takes { return isStorable(facts, now: now) ? .stored : .discarded }
        if settings.lowPriorityBatch > .zero, facts.priority < 10, isStorable(facts, now: now) { return .stored }
        return land(facts, on: device, now: now)
    }

    /// Keeps a push whose outcome was `.stored`, once it has its id in the journal. What that, or the device's return
    /// in the meantime, makes of a push is returned.
    package func store(
        _ facts: PushFacts, topic: Span<UInt8>, push: UInt64, now: WallTime
    ) -> LateOutcome? {
        let now = time.at(now)
        let bundle = topic.extracting(0..<TopicParts(topic).bundleCount)
        let slot = StoredPush.Slot(topic: Hash128(hashing: bundle).low, of: facts, push: push, settings)
        let limit = now + settings.storageLimit
        let expiresAt = facts.expiration.map { min(limit, WallTime(seconds: $0)) } ?? limit
        var stored = StoredPush(facts: facts, push: push, slot: slot, expiresAt: expiresAt)
        if settings.lowPriorityBatch > .zero, facts.priority < 10 { stored.dueAt = now.next(settings.lowPriorityBatch) }
        return keep(stored, on: device(of: facts.tokenHash).key, now: now)
    }

    /// Leaves a push with a device that does not take it now. The end of another push that this means, or of this one
    /// where the device takes it after all.
    func keep(_ push: StoredPush, on key: Hash128, now: WallTime) -> LateOutcome? {
        let isBatched = push.dueAt != nil
        let displaced: StoredPush? = book.with(key, make: isBatched ? .ifRoom : .never) { device in
            guard device != nil, isBatched || device?.takes(push.facts, settings) == false else { return push }
            return device?.keep(push)
        }
        guard let displaced else { return nil }
        if displaced.push == push.push { return end(push, now: now) }
        return LateOutcome(push: displaced.push, outcome: displaced.expiresAt <= now ? .expired : .superseded)
    }

    /// What became of stored pushes by now: expired ones, batches that are due, and what earlier changes of devices
    /// set free. Each is told once.
    package func lateOutcomes(now: WallTime) -> [LateOutcome] {
        let now = time.at(now)
        var outcomes = late.withLock { held in
            defer { held = [] }
            return held
        }
        for push in book.release(now: now, settings) { outcomes.append(end(push, now: now)) }
        phones.advance(to: now)
        androids.advance(to: now)
        return outcomes + phones.takeLate() + androids.takeLate()
    }

    /// When something happens on phones or Android devices by itself next, for a clock that moves in steps; nil: nothing will.
    package var nextDue: WallTime? { [phones.nextDue, androids.nextDue].compactMap(\.self).min() }

    /// Changes how a device can be reached, and lets it have what was stored. There must be room for an entry (see
    /// `DeviceBook.hasRoom`) unless it is online.
    func connect(_ key: Hash128, _ connection: Connection, now: WallTime) {
        let released = book.with(key, make: connection == .online ? .never : .always) { device in
            device?.connection = connection
            return device?.release(now: now, settings) ?? []
        }
        let outcomes = released.map { end($0, now: now) }
        if !outcomes.isEmpty { late.withLock { $0 += outcomes } }
    }

    private func end(_ push: StoredPush, now: WallTime) -> LateOutcome {
        if push.expiresAt <= now { return LateOutcome(push: push.push, outcome: .expired) }
        let outcome = land(push.facts, on: device(of: push.facts.tokenHash), now: now)
        let start = outcome == .started ? ChannelStart(push.facts) : nil
        return LateOutcome(push: push.push, outcome: outcome, start: start)
    }

    /// The device has it, at once or late: what it does, unless the budget for such pushes is spent. Tokens of a
    /// device with a name share its budget, any other token has one of its own.
    private func land(_ facts: PushFacts, on device: DeviceKey, now: WallTime) -> Outcome {
        if device.isNamed, let expense = expense(facts) {
            let isPaid = book.with(device.key) { $0?.budgets.spend(expense, now: now) ?? true }
            if !isPaid { return .throttled }
        }
        let outcome: Outcome = shard(facts.tokenHash).state.withLock { state in
            guard let place = state.table.find(facts.tokenHash), state.table[place].state == .active else {
                return .notDelivered
            }
            if !device.isNamed, isThrottled(facts, place, state, now: now) { return .throttled }
            return react(&state.table[place], to: facts, now: now)
        }
        if outcome == .started, device.isNamed, let timestamp = facts.activity?.timestamp {
            book.with(device.key) { $0?.noteStart(timestamp) }
        }
        return outcome
    }

    private func isStorable(_ facts: PushFacts, now: WallTime) -> Bool {
        facts.expiration.map { $0 > now.seconds } ?? true
    }

    /// Nil where it costs nothing, or nobody is there to pay.
    private func expense(_ facts: PushFacts) -> Expense? {
        guard settings.budgets.areCounted else { return nil }
        return shard(facts.tokenHash).state.withLock { state in
            guard let place = state.table.find(facts.tokenHash), state.table[place].state == .active else { return nil }
            let isFrequent = state.table[place].hasFrequentUpdates
            return settings.budgets.expense(BudgetUse(facts), hasFrequentUpdates: isFrequent)
        }
    }

    /// The device that a token is on: one with a name, or one of its own.
    struct DeviceKey {
        var key: Hash128
        var isNamed: Bool
    }

    func device(of token: Hash128) -> DeviceKey {
        let name = shard(token).state.withLock { $0.extras[token]?.device }
        return DeviceKey(key: Self.key(name, token), isNamed: name != nil)
    }

    static func key(_ device: String?, _ token: Hash128) -> Hash128 {
        device.map { Hash128(deviceName: $0) } ?? token
    }
}

extension Hash128 {
    init(deviceName: String) { self = withBytes(of: "device:" + deviceName) { Hash128(hashing: $0) } }
}
