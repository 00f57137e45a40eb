// Tokens that are made known, changed, moved from device to device, replaced and removed: acts of the admin side, one at
// a time. Off the data path.

import APNs
package import Basics
import Synchronization

extension DeviceFleet {
    /// Adds the token or changes it. A record that makes a dead token active again, or another kind of token, starts
    /// its activity anew. A change of the connection concerns all tokens of the device, and a device that is back gets
    /// what was stored for it: `lateOutcomes` tells. False, and nothing done, when the token is no token (see
    /// `isToken`), its device's name is none (`isDeviceName`), or no further device can be kept.
    @discardableResult
    package func set(_ record: TokenRecord, now: WallTime? = nil) -> Bool {
        registrations.withLock { _ in register(record, now: time.at(now ?? latest)) }
    }

    /// The system has given the app a new token: the old one is unregistered from now on and says which took its
    /// place; the new one stands for the same app, device and activity. False, and nothing done, when the old one is
    /// not known, the new one is no token, or both are the same.
    package func replace(token old: String, by new: String, now: WallTime) -> Bool {
        let now = time.at(now)
        return registrations.withLock { _ in
            guard var record = record(of: old), Self.isToken(new) else { return false }
            let (oldHash, newHash) = (Self.hash(old), Self.hash(new))
            let former = shard(oldHash).state.withLock { state in
                state.table.find(oldHash).map { (row: state.table[$0], budgets: state.table.budgets($0)) }
            }
            guard let former, oldHash != newHash else { return false }
            var fresh = record
            (fresh.token, fresh.state, fresh.since, fresh.replacedBy) = (new, .active, nil, nil)
            // A device of the token's own is the new token's from now on.
            let heir = record.device == nil ? oldHash : nil
            guard register(fresh, heirOf: heir, goesOn: true, now: now) else { return false }
            shard(newHash).state.withLock { state in
                guard let place = state.table.find(newHash) else { return }
                state.table[place].goOn(from: former.row)
                state.table.setBudgets(place, former.budgets)
            }
            (record.state, record.since, record.replacedBy, record.connection) = (.unregistered, now, new, nil)
            return register(record, now: now)
        }
    }

    /// Forgets the token; true when it was known.
    @discardableResult
    package func remove(token: String) -> Bool {
        registrations.withLock { _ in
            let hash = Self.hash(token)
            let key = device(of: hash).key
            let wasKnown = shard(hash).state.withLock { state in
                state.extras[hash] = nil
                guard let place = state.table.find(hash) else { return false }
                state.table.remove(at: place)
                return true
            }
            leave(key, for: hash, now: latest)
            return wasKnown
        }
    }

    /// Forgets everything.
    package func reset() {
        registrations.withLock { _ in
            for shard in shards {
                shard.state.withLock { state in
                    state.table.removeAll()
                    state.extras.removeAll()
                    state.latest = WallTime(nanoseconds: 0)
                }
            }
            book.removeAll()
            phones.removeAll()
            androids.removeAll()
            time.reset()
            late.withLock { $0 = [] }
        }
    }

    /// `set` for who holds `registrations`. `heirOf`: a token whose own device becomes this one's. `goesOn`: an activity's
    /// token takes the place of another one.
    func register(
        _ record: TokenRecord, heirOf other: Hash128? = nil, goesOn: Bool = false, now: WallTime
    ) -> Bool {
        guard Self.isToken(record.token), record.device.map(Self.isDeviceName) ?? true else { return false }
        let hash = Self.hash(record.token)
        let key = Self.key(record.device, hash)
        let left = [device(of: hash).key, other].compactMap(\.self).filter { $0 != key }
        let connection = record.connection ?? book.device(key)?.connection ?? .online
        if record.device != nil || connection != .online {
            guard book.hasRoom(for: key, leaving: left) else { return false }
        }
        if let name = record.device, !left.isEmpty {
            book.with(key, make: .always) { device in
                device?.name = name
                device?.tokenCount += 1
            }
        }
        write(record, asksDevice: record.device != nil || connection != .online)
        if !goesOn, record.kind == .activity, record.device != nil { claimStart(on: key, for: hash) }
        connect(key, connection, now: now)
        for device in left { leave(device, for: key, now: now) }
        return true
    }

    /// The start that an activity's token has come of, where one was shown on its device: no update is older.
    private func claimStart(on device: Hash128, for token: Hash128) {
        let isFresh = shard(token).state.withLock { state in
            state.table.find(token).map { state.table[$0].lastTimestamp == TokenRow.noTimestamp } ?? false
        }
        guard isFresh, let timestamp = book.with(device, { $0?.claimStart() }) else { return }
        shard(token).state.withLock { state in
            if let place = state.table.find(token) { state.table[place].lastTimestamp = timestamp }
        }
    }

    private func write(_ record: TokenRecord, asksDevice: Bool) {
        let hash = Self.hash(record.token)
        shard(hash).state.withLock { state in
            let isNoted = record.device != nil || record.replacedBy != nil
            state.extras[hash] =
                isNoted ? TokenExtras(device: record.device, replacedBy: record.replacedBy?.lowercased()) : nil
            let place =
                state.table.find(hash) ?? withBytes(of: record.token) { state.table.insert(hash, token: $0) }
            var row = state.table[place]
            if row.kind != record.kind || row.state != .active && record.state == .active { row.startAnew() }
            row.kind = record.kind
            row.asksDevice = asksDevice
            row.hasFrequentUpdates = record.hasFrequentUpdates
            row.environment = record.environment
            row.state = record.state
            row.sinceMilliseconds = record.since?.milliseconds ?? TokenRow.unknownDeath
            row.topic = record.topic.map { withBytes(of: $0) { state.table.topics.number(of: $0) } } ?? 0
            row.forgetSuffix()
            state.table[place] = row
        }
    }

    /// A token has left a device for another. With the last token the device goes, and what was stored for it is for
    /// the other one, which may be there to take it.
    private func leave(_ key: Hash128, for other: Hash128, now: WallTime) {
        let left = book.with(key) { device -> [StoredPush] in
            device?.tokenCount -= 1
            guard let gone = device, gone.tokenCount <= 0 else { return [] }
            device = nil
            return gone.stored
        }
        let outcomes = left.compactMap { keep($0, on: other, now: now) }
        if !outcomes.isEmpty { late.withLock { $0 += outcomes } }
    }
}
