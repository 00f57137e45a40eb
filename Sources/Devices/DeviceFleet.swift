// All virtual devices: what APNs knows of their tokens, and what they do with pushes. Sharded by token hash; a shard is
// locked for one pure step at a time.

package import APNs
package import Basics
package import Pushes
import Synchronization

/// The tokens and what became of pushes to them. Used from every loop and from the admin side at once.
package final class DeviceFleet: TokenDirectory, Sendable {
    final class Shard: Sendable {
        let state: Mutex<ShardState>
        init(isMetered: Bool) { state = Mutex(ShardState(isMetered: isMetered)) }
    }

    /// What is known of few tokens, and needed off the plain path only.
    struct TokenExtras {
        /// The name of the device it shares with others.
        var device: String?
        /// Lower-case hex digits.
        var replacedBy: String?
    }

    struct ShardState: ~Copyable {
        var table: TokenTable
        /// The latest wall time a push brought; what the admin side takes for now.
        var latest = WallTime(nanoseconds: 0)
        var extras: [Hash128: TokenExtras] = [:]

        init(isMetered: Bool) { table = TokenTable(isMetered: isMetered) }
    }

    private static let shardCount = 64

    package let settings: DeviceSettings
    package let time = DeviceTime()
    let shards: [Shard]
    let book: DeviceBook
    /// The phones behind tokens. Tokens of theirs have no row here.
    package let phones: PhoneFleet
    /// The Android devices behind registrations of FCM.
    package let androids: AndroidFleet
    /// Held while a token or a device changes; the data path does not ask for it.
    let registrations = Mutex<Void>(())
    /// Outcomes that wait to be told (see `lateOutcomes`).
    let late = Mutex<[LateOutcome]>([])
    private let tokenLimitPerShard: Int
    /// Whether a setting wants more than a look at the token's row for every push.
    let allAskDevice: Bool

    /// `seed`: what phones' tokens are drawn from.
    package init(settings: DeviceSettings, seed: Seed = Seed(1)) {
        self.settings = settings
        let countsBudgets = settings.budgets.areCounted
        let isMetered = countsBudgets || settings.pushesPerSecondAndToken != nil
        shards = (0..<Self.shardCount).map { _ in Shard(isMetered: isMetered) }
        book = DeviceBook(limit: settings.deviceLimit)
        phones = PhoneFleet(settings: settings, seed: seed, strangers: shards, time: time)
        androids = AndroidFleet(settings: settings.android, time: time)
        allAskDevice = countsBudgets || settings.lowPriorityBatch > .zero
        tokenLimitPerShard = (settings.tokenLimit + Self.shardCount - 1) / Self.shardCount
    }

    /// Counts the push, and in `.any` remembers a new token. See `TokenStanding`.
    package func standing(
        of token: Span<UInt8>, hash: Hash128, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> TokenStanding {
        let now = time.at(now)
        let known: TokenStanding? = shard(hash).state.withLock { state in
            state.latest = max(state.latest, now)
            if let place = state.table.find(hash) {
                return count(place, &state, topic: topic, environment: environment, now: now)
            }
            // Without phones a token that is not known is a stranger's.
            return phones.isEmpty ? meet(token, hash, &state, topic: topic, environment: environment, now: now) : nil
        }
        if let known { return known }
        if let standing = phones.standing(of: token, hash: hash, topic: topic, environment: environment, now: now) {
            return standing
        }
        return shard(hash).state.withLock { state in
            meet(token, hash, &state, topic: topic, environment: environment, now: now)
        }
    }

    private func count(
        _ place: Int, _ state: inout ShardState, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> TokenStanding {
        state.table[place].pushCount &+= 1
        return judge(place, &state, topic: topic, environment: environment, now: now)
    }

    /// A token that no phone has, and that had no row a moment ago.
    private func meet(
        _ token: Span<UInt8>, _ hash: Hash128, _ state: inout ShardState, topic: Span<UInt8>, environment: PushEnvironment,
        now: WallTime
    ) -> TokenStanding {
        if let place = state.table.find(hash) {
            return count(place, &state, topic: topic, environment: environment, now: now)
        }
        if settings.registration == .registered { return .unknown }
        guard state.table.count < tokenLimitPerShard else { return .active }
        let place = state.table.insert(hash, token: token)
        return count(place, &state, topic: topic, environment: environment, now: now)
    }

    /// What the device does. Accepted pushes only; `token` as sent, `topic` with its suffix. The first of them tells
    /// topic and environment of a token where they were not known; one that a fault refuses tells nothing. A push that
    /// is `.stored` is to be given to `store`.
    package func deliver(
        _ facts: PushFacts, token: Span<UInt8>, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> Outcome {
        let now = time.at(now)
        let outcome: Outcome? = shard(facts.tokenHash).state.withLock { state in
            // A token beyond the limit has a row for this one push.
            guard let place = state.table.find(facts.tokenHash) else {
                var stranger = TokenRow()
                return react(&stranger, to: facts, now: now)
            }
            if state.table[place].state != .active { return .notDelivered }
            if state.table[place].environment == nil { state.table[place].environment = environment }
            learn(topic, place, &state)
            if state.table[place].asksDevice || allAskDevice { return nil }
            return react(&state.table[place], to: facts, now: now)
        }
        if let outcome { return outcome }
        return deliverByBook(facts, now: now)
    }

    /// Pushes to this token that reached the token checks so far, the one being handled included; 0 when unknown.
    package func pushCount(of hash: Hash128) -> UInt32 {
        shard(hash).state.withLock { state in state.table.find(hash).map { state.table[$0].pushCount } ?? 0 }
    }

    /// Whether a token that is not known can be remembered.
    func hasRoom(for hash: Hash128) -> Bool { shard(hash).state.withLock { $0.table.count < tokenLimitPerShard } }

    func shard(_ hash: Hash128) -> Shard { shards[Int(truncatingIfNeeded: hash.high >> 58)] }

    /// Takes the push from its token's budget, if there is one, and says whether that was spent already.
    func isThrottled(
        _ facts: PushFacts, _ place: Int, _ state: borrowing ShardState, now: WallTime
    ) -> Bool {
        guard settings.budgets.areCounted else { return false }
        let isFrequent = state.table[place].hasFrequentUpdates
        guard let expense = settings.budgets.expense(BudgetUse(facts), hasFrequentUpdates: isFrequent) else {
            return false
        }
        return !state.table.spend(place, expense, now: now)
    }

    func react(_ row: inout TokenRow, to facts: PushFacts, now: WallTime) -> Outcome {
        if let activity = facts.activity { return row.apply(activity, now: now, settings: settings) }
        if row.kind == .unknown { row.kind = TokenKind(of: facts.pushType) }
        return row.show(facts)
    }

    /// In the order of docs/apns.md §7: known, topic, active, rate.
    private func judge(
        _ place: Int, _ state: inout ShardState, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> TokenStanding {
        let row = state.table[place]
        if let home = row.environment, home != environment { return .unknown }
        let parts = TopicParts(topic)
        if !admits(row, topic, parts, state.table.topics) { return .otherTopic }
        switch row.state {
        case .active: break
        case .unregistered:
            let since = death(place, &state, now: now)
            let visible = (WallTime(milliseconds: since) + settings.unregisteredDelay).milliseconds
            if now.milliseconds >= visible { return .unregistered(sinceMilliseconds: visible) }
        case .expired: return .expired(sinceMilliseconds: death(place, &state, now: now))
        }
        if row.kind == .activity, let end = row.expiry(settings), now.seconds >= end {
            return .expired(sinceMilliseconds: WallTime(seconds: end).milliseconds)
        }
        if let limit = settings.pushesPerSecondAndToken,
            state.table.countInSecond(place, now: now.seconds) > limit
        {
            return .tooMany
        }
        return .active
    }

    /// The bundle ID must be the token's. Of the suffix we know what the first push told, or what the kind implies:
    /// tokens of activities, widgets and controls take the topic of their own and no other, device tokens any other.
    private func admits(_ row: TokenRow, _ topic: Span<UInt8>, _ parts: TopicParts, _ topics: TopicNames) -> Bool {
        if row.topic > 0, !topics.matches(row.topic, topic.extracting(0..<parts.bundleCount)) { return false }
        if row.knowsSuffix { return row.suffix == parts.suffixType }
        return row.kind.takes(parts.suffixType)
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
