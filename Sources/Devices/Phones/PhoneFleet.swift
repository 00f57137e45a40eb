// All virtual phones. Sharded by the first byte of their tokens, which tells the phone; a shard is locked for one pure
// step at a time.

package import APNs
package import Basics
import Pushes
import Synchronization

/// The phones, and what pushes and people do to them. Used from every loop and from the admin side at once.
package final class PhoneFleet: Sendable {
    static let shardCount = 64

    private final class Shard: Sendable {
        let state: Mutex<PhoneShard>
        init(_ settings: DeviceSettings, _ seed: Seed) { state = Mutex(PhoneShard(settings: settings, seed: seed)) }
    }

    package let seed: Seed
    package let feed: PhoneFeed
    private let settings: DeviceSettings
    private let shards: [Shard]
    /// The rows of tokens that are no phone's: a token that is minted leaves them.
    private let strangers: [DeviceFleet.Shard]
    private let count = Atomic<Int>(0)
    private let late = Mutex<[LateOutcome]>([])

    private let time: DeviceTime

    init(settings: DeviceSettings, seed: Seed, strangers: [DeviceFleet.Shard], time: DeviceTime = DeviceTime()) {
        self.time = time
        self.settings = settings
        self.seed = seed
        self.strangers = strangers
        feed = PhoneFeed(limit: settings.phones.eventLimit)
        shards = (0..<Self.shardCount).map { _ in Shard(settings, seed) }
    }

    /// Takes no lock: without phones nobody pays for them.
    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }
    package var phoneCount: Int { count.load(ordering: .relaxed) }

    private func shard(ofPhone name: String) -> Shard { shards[Int(PhoneToken.firstByte(phone: name)) % Self.shardCount] }

    private func shard(of token: Span<UInt8>) -> Shard? {
        guard token.count >= 2, let high = Hex.value(token[0]), let low = Hex.value(token[1]) else { return nil }
        return shards[Int(high << 4 | low) % Self.shardCount]
    }

    /// One pure step, with what it brings for others. Events take their numbers while the shard is locked, so that those
    /// of one phone are in order.
    private func step<R: Sendable>(_ shard: Shard, _ body: (inout PhoneShard) -> R) -> R {
        let (result, minted, ended) = shard.state.withLock { state in
            let result = body(&state)
            if !state.events.isEmpty {
                feed.add(state.events)
                state.events = []
            }
            if state.minted.isEmpty, state.late.isEmpty { return (result, [Hash128](), [LateOutcome]()) }
            defer { (state.minted, state.late) = ([], []) }
            return (result, state.minted, state.late)
        }
        for hash in minted { forget(hash) }
        if !ended.isEmpty { late.withLock { $0 += ended } }
        return result
    }

    private func forget(_ hash: Hash128) {
        strangers[Int(truncatingIfNeeded: hash.high >> 58)].state.withLock { state in
            guard let place = state.table.find(hash) else { return }
            state.extras[hash] = nil
            state.table.remove(at: place)
        }
    }

    // MARK: Pushes

    /// What APNs makes of a push to a phone's token; nil: the token is no phone's. Counts the push.
    func standing(
        of token: Span<UInt8>, hash: Hash128, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> TokenStanding? {
        guard let shard = shard(of: token) else { return nil }
        let now = time.at(now)
        return shard.state.withLock { $0.standing(hash.low, topic: topic, environment: environment, now: now) }
    }

    /// What the phone does with an accepted push whose token is a phone's (`PushFacts.isOnPhone`). One that is
    /// `.stored` is to be given to `store`. Each push has one verdict, and a stored one a late outcome besides.
    package func deliver(
        _ facts: PushFacts, token: Span<UInt8>, payload: Span<UInt8>, now: WallTime, decoder: (any PhoneDecoder)? = nil
    ) -> PhoneVerdict {
        guard let shard = shard(of: token) else { return PhoneVerdict(.notDelivered) }
        let now = time.at(now)
        return step(shard) { $0.deliver(facts, payload: payload, now: now, decoder) }
    }

    /// Keeps a push that was `.stored`, by its id in the journal. What becomes of it and of others: `takeLate`.
    package func store(
        _ facts: PushFacts, token: Span<UInt8>, payload: Span<UInt8>, push: UInt64, now: WallTime,
        decoder: (any PhoneDecoder)? = nil
    ) {
        guard let shard = shard(of: token) else { return }
        let now = time.at(now)
        step(shard) { $0.store(facts, payload: payload, push: push, now: now, decoder) }
    }

    /// Pushes to the token that reached the token checks; nil: it is no phone's.
    package func pushCount(of token: Span<UInt8>, hash: Hash128) -> UInt32? {
        shard(of: token)?.state.withLock { $0.pushCount(hash.low) }
    }

    // MARK: Time

    /// Lets all happen that is due by `now`, in the order of time.
    package func advance(to now: WallTime) {
        guard !isEmpty else { return }
        let now = time.at(now)
        var dues = shards.map { $0.state.withLock { $0.nextDue } }
        while let place = Self.earliest(dues), let due = dues[place], due <= now {
            // Nil once nothing is due there any more, whatever another thread adds.
            dues[place] = step(shards[place]) { state in state.step(to: now) ? state.nextDue : nil }
        }
    }

    private static func earliest(_ dues: [WallTime?]) -> Int? {
        var found: Int?
        for (place, due) in dues.enumerated() {
            guard let due else { continue }
            if let best = found.flatMap({ dues[$0] }), best <= due { continue }
            found = place
        }
        return found
    }

    /// When something happens by itself next, for a clock that moves in steps; nil: nothing will.
    package var nextDue: WallTime? { shards.compactMap { $0.state.withLock { $0.nextDue } }.min() }

    /// What became of stored pushes since it was asked last; each is told once.
    package func takeLate() -> [LateOutcome] {
        late.withLock { held in
            defer { held = [] }
            return held
        }
    }

    // MARK: People and apps

    /// Makes a phone, in the place of one of that name; true: there was none.
    @discardableResult
    package func make(_ setup: PhoneSetup, now: WallTime) throws(PhoneRefusal) -> Bool {
        guard DeviceFleet.isDeviceName(setup.name), setup.name != Self.reservedName else { throw .badName }
        let (limit, now) = (settings.phones.phoneLimit, time.at(now))
        let result = step(shard(ofPhone: setup.name)) { state -> Result<Bool, PhoneRefusal> in
            let isNew = state.phone(named: setup.name) == nil
            if isNew, count.load(ordering: .relaxed) >= limit { return .failure(.full) }
            do throws(PhoneRefusal) {
                try state.make(setup, now: now)
                if isNew { count.add(1, ordering: .relaxed) }
                return .success(isNew)
            } catch {
                // One that was there may have made room in vain.
                if !isNew, state.phone(named: setup.name) == nil { count.subtract(1, ordering: .relaxed) }
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// A name that paths of the admin API have another use for.
    package static let reservedName = "events"

    package func act(_ action: PhoneAction, on phone: String, now: WallTime) throws(PhoneRefusal) {
        let now = time.at(now)
        let result = step(shard(ofPhone: phone)) { state -> Result<Void, PhoneRefusal> in
            do throws(PhoneRefusal) { return .success(try state.act(action, on: phone, now: now)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Forgets a phone; false: there is none of that name.
    @discardableResult
    package func remove(_ phone: String) -> Bool {
        let wasThere = step(shard(ofPhone: phone)) { $0.remove(phone) }
        if wasThere { count.subtract(1, ordering: .relaxed) }
        return wasThere
    }

    /// Forgets all phones and events. The numbers of events go on.
    func removeAll() {
        for shard in shards {
            shard.state.withLock { $0 = PhoneShard(settings: settings, seed: seed) }
        }
        count.store(0, ordering: .relaxed)
        late.withLock { $0 = [] }
        feed.removeAll()
    }

    // MARK: Looking

    /// What a row takes in memory, in bytes.
    package static let rowSizes = (
        phone: MemoryLayout<PhoneRow>.stride, app: MemoryLayout<AppRow>.stride, activity: MemoryLayout<CardRow>.stride
    )

    package func record(of phone: String, now: WallTime) -> PhoneRecord? {
        let now = time.at(now)
        return shard(ofPhone: phone).state.withLock { state in
            state.phone(named: phone).map { state.record(ofPhone: $0, now: now) }
        }
    }

    /// At most `limit` phones behind a cursor (0: the first), in no order that means anything, and the cursor behind
    /// them; nil: there are no more.
    package func records(after cursor: UInt64, limit: Int, now: WallTime) -> (phones: [PhoneRecord], next: UInt64?) {
        let now = time.at(now)
        var found: [PhoneRecord] = []
        var place = cursor & 0xFFFF_FFFF
        var number = Int(truncatingIfNeeded: min(cursor >> 32, UInt64(Self.shardCount)))
        while number < Self.shardCount {
            let next: Int32? = shards[number].state.withLock { state in
                let places = state.tables.phones.places
                let first = Int32(clamping: place)
                guard first < places.upperBound else { return nil }
                for phone in first..<places.upperBound where !state.tables.phones[phone].name.isEmpty {
                    if found.count == limit { return phone }
                    found.append(state.record(ofPhone: phone, now: now))
                }
                return nil
            }
            if let next { return (found, UInt64(number) << 32 | UInt64(next)) }
            (number, place) = (number + 1, 0)
        }
        return (found, nil)
    }

    /// Whose token it is; nil: no phone's. The text in either case.
    package func owner(ofToken token: String) -> (phone: String, app: String)? {
        withBytes(of: token) { bytes in
            guard let hash = Hash128(checking: bytes), let shard = shard(of: bytes) else { return nil }
            return shard.state.withLock { state in
                state.target(of: hash.low).map { target in
                    let row = state.tables.apps[target.app]
                    return (state.tables.phones[row.phone].name, state.bundles.text(row.bundle) ?? "")
                }
            }
        }
    }
}
