// The fleet as the admin side sees it: tokens by their text, and what became of activities. Off the data path.

import APNs
package import Basics
import Synchronization

extension DeviceFleet {
    /// Whether a text can be a device token here: hex digits in either case, an even number, 2 to 1024.
    package static func isToken(_ text: String) -> Bool {
        withBytes(of: text) { $0.count <= 1024 && TokenHash(checking: $0) != nil }
    }

    /// `token` are hex digits in either case; nil when unknown.
    package func record(of token: String) -> TokenRecord? {
        let hash = Self.hash(token)
        guard var record: TokenRecord = shard(hash).state.withLock({ state in
            state.table.find(hash).map { place in
                let row = state.table[place]
                var since: WallTime?
                if row.state != .active, row.sinceMilliseconds != TokenRow.unknownDeath {
                    since = WallTime(milliseconds: row.sinceMilliseconds)
                }
                var record = TokenRecord(
                    token: state.table.token(at: place), kind: row.kind, topic: state.table.topics.text(row.topic),
                    environment: row.environment, state: row.state, since: since)
                record.hasFrequentUpdates = row.hasFrequentUpdates
                record.device = state.extras[hash]?.device
                record.replacedBy = state.extras[hash]?.replacedBy
                return record
            }
        }) else { return nil }
        record.connection = book.device(Self.key(record.device, hash))?.connection ?? .online
        return record
    }

    private static func key(_ device: String?, _ token: TokenHash) -> TokenHash {
        device.map { TokenHash(deviceName: $0) } ?? token
    }

    /// Adds the token or changes it. A record that makes a dead token active again, or another kind of token, starts
    /// its activity anew. A change of the connection concerns all tokens of the device, and a device that is back gets
    /// what was stored for it: `lateOutcomes` tells. False, and nothing done, when the token is no token (see
    /// `isToken`), its device's name is none (`isDeviceName`), or no further device can be kept.
    @discardableResult
    package func set(_ record: TokenRecord, now: WallTime? = nil) -> Bool {
        guard Self.isToken(record.token), record.device.map(Self.isDeviceName) ?? true else { return false }
        let now = now ?? latest
        let hash = Self.hash(record.token)
        guard join(record.device, hash, now: now) else { return false }
        let key = Self.key(record.device, hash)
        let connection = record.connection ?? book.device(key)?.connection ?? .online
        guard connect(key, connection, now: now) else { return false }
        shard(hash).state.withLock { state in
            let isNoted = record.device != nil || record.replacedBy != nil
            state.extras[hash] =
                isNoted ? TokenExtras(device: record.device, replacedBy: record.replacedBy?.lowercased()) : nil
            let place =
                state.table.find(hash) ?? withBytes(of: record.token) { state.table.insert(hash, token: $0) }
            var row = state.table[place]
            if row.kind != record.kind || row.state != .active && record.state == .active { row.startAnew() }
            row.kind = record.kind
            row.asksDevice = record.device != nil || connection != .online
            row.hasFrequentUpdates = record.hasFrequentUpdates
            row.environment = record.environment
            row.state = record.state
            row.sinceMilliseconds = record.since?.milliseconds ?? TokenRow.unknownDeath
            row.topic = record.topic.map { withBytes(of: $0) { state.table.topics.number(of: $0) } } ?? 0
            row.forgetSuffix()
            state.table[place] = row
        }
        return true
    }

    /// Moves a token from its device to another; a device of its own gets what was stored for it. False when there is
    /// no room for a further device.
    private func join(_ name: String?, _ token: TokenHash, now: WallTime) -> Bool {
        let former = shard(token).state.withLock { $0.extras[token]?.device }
        guard former != name else { return true }
        if let name {
            let hasRoom = book.with(TokenHash(deviceName: name), make: true) { device in
                device?.name = name
                device?.tokenCount += 1
                return device != nil
            }
            guard hasRoom else { return false }
        }
        if let former {
            book.with(TokenHash(deviceName: former)) { $0?.tokenCount -= 1 }
        } else {
            _ = connect(token, .online, now: now)
        }
        return true
    }

    /// The system has given the app a new token: the old one is unregistered from now on and says which took its
    /// place; the new one stands for the same app, device and activity. False, and nothing done, when the old one is
    /// not known, the new one is no token, or both are the same.
    package func replace(token old: String, by new: String, now: WallTime) -> Bool {
        guard var record = record(of: old), Self.isToken(new) else { return false }
        let (oldHash, newHash) = (Self.hash(old), Self.hash(new))
        guard oldHash != newHash else { return false }
        let row = shard(oldHash).state.withLock { state in state.table.find(oldHash).map { state.table[$0] } }
        var fresh = record
        (fresh.token, fresh.state, fresh.since, fresh.replacedBy) = (new, .active, nil, nil)
        guard let row, set(fresh, now: now) else { return false }
        shard(newHash).state.withLock { state in
            if let place = state.table.find(newHash) { state.table[place].goOn(from: row) }
        }
        (record.state, record.since, record.replacedBy) = (.unregistered, now, new)
        return set(record, now: now)
    }

    /// Forgets the token; true when it was known.
    @discardableResult
    package func remove(token: String) -> Bool {
        let hash = Self.hash(token)
        _ = join(nil, hash, now: latest)
        return shard(hash).state.withLock { state in
            state.extras[hash] = nil
            guard let place = state.table.find(hash) else { return false }
            state.table.remove(at: place)
            return true
        }
    }

    /// Forgets everything.
    package func reset() {
        for shard in shards {
            shard.state.withLock { state in
                state.table.removeAll()
                state.extras.removeAll()
            }
        }
        book.removeAll()
        late.withLock { $0 = [] }
    }

    /// Activities in no particular order, at most `limit`. `now` decides on stale, ended and dismissed; nil: the time
    /// of the latest push.
    package func activities(limit: Int, now: WallTime? = nil) -> [ActivityRecord] {
        let now = now ?? latest
        var found: [ActivityRecord] = []
        for shard in shards where found.count < limit {
            let room = limit - found.count
            found += shard.state.withLock { state in
                var records: [ActivityRecord] = []
                state.table.forEachPlace { place in
                    if let record = activity(at: place, state.table, now: now) { records.append(record) }
                    return records.count < room
                }
                return records
            }
        }
        return found
    }

    /// Nil when the token has had no activity.
    package func activity(token: String, now: WallTime? = nil) -> ActivityRecord? {
        let hash = Self.hash(token)
        let now = now ?? latest
        return shard(hash).state.withLock { state in
            state.table.find(hash).flatMap { activity(at: $0, state.table, now: now) }
        }
    }

    /// Tokens known.
    package var tokenCount: Int { shards.reduce(0) { $0 + $1.state.withLock { $0.table.count } } }

    private var latest: WallTime {
        shards.reduce(WallTime(nanoseconds: 0)) { max($0, $1.state.withLock { $0.latest }) }
    }

    private static func hash(_ token: String) -> TokenHash { withBytes(of: token) { TokenHash(hex: $0) } }

    private func activity(at place: Int, _ table: borrowing TokenTable, now: WallTime) -> ActivityRecord? {
        let row = table[place]
        guard row.kind == .activity, row.startedAt > 0 else { return nil }
        return ActivityRecord(
            token: table.token(at: place), topic: table.topics.text(row.topic),
            state: row.state(at: now, settings: settings),
            lastTimestamp: row.lastTimestamp == TokenRow.noTimestamp ? nil : row.lastTimestamp,
            lastEvent: row.lastEvent, startedAt: WallTime(seconds: Int64(row.startedAt)),
            staleAt: row.staleAt == 0 ? nil : WallTime(seconds: Int64(row.staleAt)),
            dismissedAt: row.hasEnded ? WallTime(seconds: Int64(row.goneAt)) : nil, shown: Int(row.shown),
            ignored: Int(row.ignored))
    }
}
