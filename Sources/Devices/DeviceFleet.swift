// All virtual devices: what APNs knows of their tokens, and what they do with pushes. Sharded by token hash; a shard is
// locked for one pure step at a time.

package import APNs
package import Basics
import Synchronization

/// The tokens and what became of pushes to them. Used from every loop and from the admin side at once.
package final class DeviceFleet: TokenDirectory, Sendable {
    private final class Shard: Sendable {
        let state: Mutex<ShardState>
        init(countsRates: Bool) { state = Mutex(ShardState(countsRates: countsRates)) }
    }

    private struct ShardState: ~Copyable {
        var table: TokenTable
        /// The latest wall time a push brought; what the admin side takes for now.
        var latest = WallTime(nanoseconds: 0)

        init(countsRates: Bool) { table = TokenTable(countsRates: countsRates) }
    }

    private static let shardCount = 64

    package let settings: DeviceSettings
    private let shards: [Shard]
    private let tokenLimitPerShard: Int

    package init(settings: DeviceSettings) {
        self.settings = settings
        shards = (0..<Self.shardCount).map { _ in Shard(countsRates: settings.pushesPerSecondAndToken != nil) }
        tokenLimitPerShard = (settings.tokenLimit + Self.shardCount - 1) / Self.shardCount
    }

    // MARK: Pushes

    /// Counts the push, and in `.any` remembers a new token. See `TokenStanding`.
    package func standing(
        of token: Span<UInt8>, hash: TokenHash, topic: Span<UInt8>, environment: APNsEnvironment, now: WallTime
    ) -> TokenStanding {
        shard(hash).state.withLock { state in
            state.latest = max(state.latest, now)
            let place: Int
            if let known = state.table.find(hash) {
                place = known
            } else if settings.registration == .registered {
                return .unknown
            } else if state.table.count < tokenLimitPerShard {
                place = state.table.insert(hash, token: token)
                state.table[place].environment = environment
            } else {
                return .active
            }
            state.table[place].pushCount &+= 1
            return judge(place, &state, topic: topic, environment: environment, now: now)
        }
    }

    /// What the device does. Accepted pushes only; `token` as sent, `topic` with its suffix. The first of them tells
    /// the topic of a token whose topic was not known.
    package func deliver(_ facts: PushFacts, token: Span<UInt8>, topic: Span<UInt8>, now: WallTime) -> Outcome {
        shard(facts.tokenHash).state.withLock { state in
            // A token beyond the limit has a row for this one push.
            guard let place = state.table.find(facts.tokenHash) else {
                var stranger = TokenRow()
                return react(&stranger, to: facts, now: now)
            }
            if state.table[place].state != .active { return .notDelivered }
            learn(topic, place, &state)
            return react(&state.table[place], to: facts, now: now)
        }
    }

    /// Pushes to this token that reached the token checks so far, the one being handled included; 0 when unknown.
    package func pushCount(of hash: TokenHash) -> UInt32 {
        shard(hash).state.withLock { state in state.table.find(hash).map { state.table[$0].pushCount } ?? 0 }
    }

    private func shard(_ hash: TokenHash) -> Shard { shards[Int(truncatingIfNeeded: hash.high >> 58)] }

    private func react(_ row: inout TokenRow, to facts: PushFacts, now: WallTime) -> Outcome {
        if let activity = facts.activity { return row.apply(activity, now: now, settings: settings) }
        if row.kind == .unknown { row.kind = .device }
        return row.show(facts)
    }

    /// In the order of spec/apns.md §7: known, topic, active, rate.
    private func judge(
        _ place: Int, _ state: inout ShardState, topic: Span<UInt8>, environment: APNsEnvironment, now: WallTime
    ) -> TokenStanding {
        let row = state.table[place]
        if let home = row.environment, home != environment { return .unknown }
        let parts = TopicParts(topic)
        if !admits(row, topic, parts, state.table.topics) { return .otherTopic }
        switch row.state {
        case .active: break
        case .unregistered:
            let since = death(place, &state, now: now)
            let visible = since + settings.unregisteredDelay.nanoseconds / 1_000_000
            if now.milliseconds >= visible { return .unregistered(sinceMilliseconds: visible) }
        case .expired: return .expired(sinceMilliseconds: death(place, &state, now: now))
        }
        if settings.activityTokensExpire, row.kind == .activity, row.startedAt > 0 {
            let end = Int64(row.startedAt) + Int64(settings.wholeLife.seconds)
            if now.seconds >= end { return .expired(sinceMilliseconds: end * 1000) }
        }
        if let limit = settings.pushesPerSecondAndToken,
            state.table.countInSecond(place, now: now.seconds) > limit
        {
            return .tooMany
        }
        return .active
    }

    /// The bundle ID must be the token's. Of the suffix we know what the first push told, or what the kind implies:
    /// tokens of activities take the Live Activity topic and no other, device tokens any other.
    private func admits(_ row: TokenRow, _ topic: Span<UInt8>, _ parts: TopicParts, _ topics: TopicNames) -> Bool {
        if row.topic > 0, !topics.matches(row.topic, topic.extracting(0..<parts.bundleCount)) { return false }
        if row.knowsSuffix { return row.suffix == parts.suffixType }
        switch row.kind {
        case .activity, .start: return parts.suffixType == .liveactivity
        case .device: return parts.suffixType != .liveactivity
        case .unknown: return true
        }
    }

    private func learn(_ topic: Span<UInt8>, _ place: Int, _ state: inout ShardState) {
        let row = state.table[place]
        if row.topic > 0, row.knowsSuffix { return }
        let parts = TopicParts(topic)
        if row.topic == 0 {
            state.table[place].topic = state.table.topics.number(of: topic.extracting(0..<parts.bundleCount))
        }
        state.table[place].suffix = parts.suffixType
    }

    /// A death without a date is dated by the first push that meets it.
    private func death(_ place: Int, _ state: inout ShardState, now: WallTime) -> Int64 {
        if state.table[place].sinceMilliseconds == TokenRow.unknownDeath {
            state.table[place].sinceMilliseconds = now.milliseconds
        }
        return state.table[place].sinceMilliseconds
    }
}

// MARK: The admin side

extension DeviceFleet {
    /// Whether a text can be a device token here: hex digits in either case, an even number, 2 to 1024.
    package static func isToken(_ text: String) -> Bool {
        withBytes(of: text) { $0.count <= 1024 && TokenHash(checking: $0) != nil }
    }

    /// `token` are hex digits in either case; nil when unknown.
    package func record(of token: String) -> TokenRecord? {
        let hash = Self.hash(token)
        return shard(hash).state.withLock { state in
            state.table.find(hash).map { place in
                let row = state.table[place]
                var since: WallTime?
                if row.state != .active, row.sinceMilliseconds != TokenRow.unknownDeath {
                    since = WallTime(milliseconds: row.sinceMilliseconds)
                }
                return TokenRecord(
                    token: state.table.token(at: place), kind: row.kind, topic: state.table.topics.text(row.topic),
                    environment: row.environment, state: row.state, since: since)
            }
        }
    }

    /// Adds the token or changes it. A record that makes a dead token active again, or another kind of token, starts
    /// its activity anew. False, and nothing done, when the token is no token (see `isToken`).
    @discardableResult
    package func set(_ record: TokenRecord) -> Bool {
        guard Self.isToken(record.token) else { return false }
        let hash = Self.hash(record.token)
        shard(hash).state.withLock { state in
            let place =
                state.table.find(hash) ?? withBytes(of: record.token) { state.table.insert(hash, token: $0) }
            var row = state.table[place]
            if row.kind != record.kind || row.state != .active && record.state == .active { row.startAnew() }
            row.kind = record.kind
            row.environment = record.environment
            row.state = record.state
            row.sinceMilliseconds = record.since?.milliseconds ?? TokenRow.unknownDeath
            row.topic = record.topic.map { withBytes(of: $0) { state.table.topics.number(of: $0) } } ?? 0
            row.forgetSuffix()
            state.table[place] = row
        }
        return true
    }

    /// Forgets the token; true when it was known.
    @discardableResult
    package func remove(token: String) -> Bool {
        let hash = Self.hash(token)
        return shard(hash).state.withLock { state in
            guard let place = state.table.find(hash) else { return false }
            state.table.remove(at: place)
            return true
        }
    }

    /// Forgets everything.
    package func reset() {
        for shard in shards { shard.state.withLock { $0.table.removeAll() } }
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
            lastEvent: row.lastEvent, startedAt: WallTime(seconds: Int64(row.startedAt)), shown: Int(row.shown),
            ignored: Int(row.ignored))
    }
}

extension TokenRow {
    /// Forgets the activity, keeps the token.
    mutating func startAnew() {
        lastTimestamp = Self.noTimestamp
        startedAt = 0
        staleAt = 0
        goneAt = 0
        shown = 0
        ignored = 0
        lastEvent = nil
        hasEnded = false
    }
}
