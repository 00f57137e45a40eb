// What the admin side is told: tokens by their text, and what became of activities. Off the data path.

import APNs
package import Basics
import Synchronization

extension DeviceFleet {
    /// Whether a text can be a device token here: hex digits in either case, an even number, 2 to 1024.
    package static func isToken(_ text: String) -> Bool {
        withBytes(of: text) { $0.count <= 1024 && Hash128(checking: $0) != nil }
    }

    /// `token` are hex digits in either case; nil when unknown.
    package func record(of token: String) -> TokenRecord? { record(of: Self.hash(token)) }

    func record(of hash: Hash128) -> TokenRecord? {
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

    /// Activities in no particular order, at most `limit`. `now` decides on stale, ended and dismissed; nil: the time
    /// of the latest push.
    package func activities(limit: Int, now: WallTime? = nil) -> [ActivityRecord] {
        let now = time.at(now ?? latest)
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
        let now = time.at(now ?? latest)
        return shard(hash).state.withLock { state in
            state.table.find(hash).flatMap { activity(at: $0, state.table, now: now) }
        }
    }

    /// Tokens known.
    package var tokenCount: Int { shards.reduce(0) { $0 + $1.state.withLock { $0.table.count } } }

    var latest: WallTime {
        shards.reduce(WallTime(nanoseconds: 0)) { max($0, $1.state.withLock { $0.latest }) }
    }

    static func hash(_ token: String) -> Hash128 { withBytes(of: token) { Hash128(hex: $0) } }

    private func activity(at place: Int, _ table: borrowing TokenTable, now: WallTime) -> ActivityRecord? {
        let row = table[place]
        guard row.kind == .activity, row.startedAt > 0 else { return nil }
        let state = row.state(at: now, settings: settings)
        return ActivityRecord(
            token: table.token(at: place), topic: table.topics.text(row.topic),
            state: state,
            lastTimestamp: row.lastTimestamp == TokenRow.noTimestamp ? nil : row.lastTimestamp,
            lastEvent: row.lastEvent, startedAt: WallTime(seconds: Int64(row.startedAt)),
            staleAt: row.staleAt == 0 ? nil : WallTime(seconds: Int64(row.staleAt)),
            dismissedAt: state > .stale ? WallTime(seconds: row.leavesAt(settings)) : nil, shown: Int(row.shown),
            ignored: Int(row.ignored))
    }
}
