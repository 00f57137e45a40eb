// Broadcasts on their way to activities, and the activities that listen (docs/apns.md §11).

package import APNs
package import Basics
package import Pushes
import Synchronization

/// The device side of one broadcast: the activities that listened when it was sent, and how far the walk along them has
/// come.
package struct BroadcastDelivery: Sendable {
    package let channel: ChannelID
    package let broadcast: BroadcastRecord
    private let listeners: [Hash128]
    private var next = 0
    /// Activities by what they did, indexed by the raw value of `Outcome`.
    package private(set) var outcomes = [Int](repeating: 0, count: Outcome.tableSize)
    /// Those who are away and for whom the channel holds it.
    private(set) var absent: [Hash128] = []

    init(_ channel: ChannelID, _ broadcast: BroadcastRecord, _ listeners: [Hash128]) {
        self.channel = channel
        self.broadcast = broadcast
        self.listeners = listeners
    }

    package var isDone: Bool { next == listeners.count }

    /// Lets the next `count` activities have it.
    package mutating func advance(by count: Int, devices: DeviceFleet, now: WallTime) {
        let end = min(next + count, listeners.count)
        for index in next..<end {
            let outcome = devices.deliver(broadcast, to: listeners[index], now: now)
            outcomes[Int(outcome.rawValue)] += 1
            if outcome == .stored { absent.append(listeners[index]) }
        }
        next = end
    }
}

/// A message that its channel held, and what the activity that came for it did.
package struct LateBroadcast: Sendable, Equatable {
    package let channel: ChannelID
    package let requestID: UUIDBytes
    package let outcome: Outcome
}

extension ChannelStore {
    /// Why an activity cannot listen to a channel.
    package enum SubscriptionError: Error, Sendable { case noSuchChannel, full }

    /// Takes an accepted broadcast; nil when its channel was deleted meanwhile. A message that is not to be stored
    /// (`apns-expiration` 0 or past) supersedes a stored one all the same: the latest is what counts.
    package func publish(_ facts: BroadcastFacts, now: WallTime) -> BroadcastDelivery? {
        state.withLock { state in
            guard let id = facts.channel, var channel = state.channels[id], !channel.isDeleted else { return nil }
            channel.broadcasts += 1
            state.broadcasts += 1
            var record = BroadcastRecord(
                number: channel.broadcasts, requestID: facts.requestID, sentAt: now, priority: facts.priority,
                activity: facts.activity)
            if channel.policy == .latest, facts.expiration > now.seconds {
                let longest = now + settings.longestStorage
                record.storedUntil =
                    facts.expiration < longest.seconds ? WallTime(seconds: facts.expiration) : longest
            }
            record.isDelivered = channel.subscribers.isEmpty
            channel.last = record
            state.channels[id] = channel
            return BroadcastDelivery(id, record, channel.subscribers)
        }
    }

    /// Keeps what became of a broadcast and who was away, if it is still the channel's last.
    package func finish(_ delivery: BroadcastDelivery) {
        state.withLock { state in
            guard var last = state.channels[delivery.channel]?.last, last.number == delivery.broadcast.number else {
                return
            }
            for token in delivery.absent where state.absent.count < settings.subscriptionLimit {
                state.absent.append(token)
            }
            for index in last.outcomes.indices { last.outcomes[index] += delivery.outcomes[index] }
            last.isDelivered = true
            state.channels[delivery.channel]?.last = last
        }
    }

    /// Lets an activity listen to this channel and to no other. `token` is its update token. What the channel holds
    /// reaches it at once; the outcome of that, nil when there was nothing.
    package func subscribe(
        _ token: String, to id: ChannelID, devices: DeviceFleet, now: WallTime
    ) throws(SubscriptionError) -> Outcome? {
        let hash = withBytes(of: token) { Hash128(hex: $0) }
        let error: SubscriptionError? = state.withLock { state in
            guard let channel = state.channels[id], !channel.isDeleted || channel.holdsMessage(at: now) else {
                return .noSuchChannel
            }
            if state.subscriptions[hash] == id { return nil }
            guard state.subscriptions[hash] != nil || state.subscriptions.count < settings.subscriptionLimit else {
                return .full
            }
            Self.unsubscribe(hash, &state)
            state.subscriptions[hash] = id
            state.channels[id]?.subscribers.append(hash)
            return nil
        }
        if let error { throw error }
        return deliverStored(to: token, devices: devices, now: now)
    }

    /// True when it listened to one.
    @discardableResult
    package func unsubscribe(_ token: String) -> Bool {
        let hash = withBytes(of: token) { Hash128(hex: $0) }
        return state.withLock { Self.unsubscribe(hash, &$0) }
    }

    /// The activity goes on with another token; what it listens to stays.
    package func replace(_ token: String, by other: String) {
        let (old, new) = (withBytes(of: token) { Hash128(hex: $0) }, withBytes(of: other) { Hash128(hex: $0) })
        state.withLock { state in
            guard let id = state.subscriptions[old] else { return }
            Self.unsubscribe(old, &state)
            Self.unsubscribe(new, &state)
            state.subscriptions[new] = id
            state.channels[id]?.subscribers.append(new)
        }
    }

    /// The channel that an activity listens to.
    package func channel(of token: String) -> ChannelID? {
        let hash = withBytes(of: token) { Hash128(hex: $0) }
        return state.withLock { $0.subscriptions[hash] }
    }

    /// Gives an activity that was not there what its channel holds for it; nil when that is nothing.
    @discardableResult
    package func deliverStored(to token: String, devices: DeviceFleet, now: WallTime) -> Outcome? {
        deliverStored(to: withBytes(of: token) { Hash128(hex: $0) }, devices: devices, now: now)?.outcome
    }

    /// Lets activities whose devices are back have what their channels hold for them, and tells what they did. At most
    /// `limit` of those who were away are looked at, so it is called now and then.
    package func catchUp(_ limit: Int, devices: DeviceFleet, now: WallTime) -> [LateBroadcast] {
        let absent = state.withLock { $0.absent.count == 0 ? [] : $0.absent.take(limit) }
        return absent.compactMap { deliverStored(to: $0, devices: devices, now: now) }.filter { $0.outcome != .stored }
    }

    private func deliverStored(to hash: Hash128, devices: DeviceFleet, now: WallTime) -> LateBroadcast? {
        let held: (id: ChannelID, broadcast: BroadcastRecord)? = state.withLock { state in
            guard let id = state.subscriptions[hash], let channel = state.channels[id], let last = channel.last,
                last.isHeld(at: now)
            else { return nil }
            return (id, last)
        }
        guard let (id, broadcast) = held else { return nil }
        let outcome = devices.deliver(broadcast, to: hash, now: now)
        state.withLock { state in
            // Still away: it waits on, behind the others.
            if outcome == .stored { return state.absent.append(hash) }
            guard state.channels[id]?.last?.number == broadcast.number else { return }
            state.channels[id]?.last?.outcomes[Int(outcome.rawValue)] += 1
        }
        return LateBroadcast(channel: id, requestID: broadcast.requestID, outcome: outcome)
    }

    @discardableResult
    private static func unsubscribe(_ hash: Hash128, _ state: inout State) -> Bool {
        guard let id = state.subscriptions.removeValue(forKey: hash) else { return false }
        state.channels[id]?.subscribers.removeAll { $0 == hash }
        return true
    }
}
