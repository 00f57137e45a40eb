// Broadcast channels and who listens to them (docs/apns.md §11). They live as long as the process: a mock that is
// started anew has none, and a reset forgets them.
//
// A broadcast costs its loop the same whatever listens: the listeners are taken as they are at that moment, and the
// device side is walked later, a slice a turn (see `BroadcastDelivery`).

package import APNs
package import Basics
package import Pushes
import Synchronization

/// All channels of one mock, of both environments. Used from every loop and from the admin side at once.
package final class ChannelStore: ChannelDirectory, Sendable {
    struct Channel {
        let id: ChannelID
        let app: App
        let policy: StoragePolicy
        let createdAt: WallTime
        /// In order of creation.
        let number: Int
        var isDeleted = false
        var broadcasts = 0
        var last: BroadcastRecord?
        /// Listening activities, by the hash of their token.
        var subscribers: [Hash128] = []
        /// The wall second that is being counted, and broadcasts in it.
        var second: Int64 = 0
        var inSecond = 0

        func belongs(to bundle: Span<UInt8>, _ environment: PushEnvironment) -> Bool {
            app.environment == environment && bundle.equals(app.bundle.span)
        }

        /// Whether its last broadcast waits for those who come later.
        func holdsMessage(at now: WallTime) -> Bool { last?.isHeld(at: now) ?? false }
    }

    /// An app in one environment.
    struct App: Hashable {
        let bundle: [UInt8]
        let environment: PushEnvironment
    }

    struct State {
        var channels: [ChannelID: Channel] = [:]
        /// Channels that are not deleted.
        var counts: [App: Int] = [:]
        /// Which channel an activity listens to: at most one.
        var subscriptions: [Hash128: ChannelID] = [:]
        /// Activities whose device was away when their channel's last message came.
        var absent = TokenQueue()
        /// Apps whose capability was set, and how.
        var capabilities: [(bundle: [UInt8], isEnabled: Bool)] = []
        var created = 0
        /// Broadcasts accepted, also of channels that are gone.
        var broadcasts = 0
        var generator: Generator
    }

    /// Apps whose capability may differ from the default.
    package static let capabilityLimit = 1_024

    package let settings: ChannelSettings
    let state: Mutex<State>

    /// Channel ids are drawn from `seed`.
    package init(settings: ChannelSettings, seed: Seed) {
        self.settings = settings
        state = Mutex(State(generator: seed.child("channel ids").generator()))
    }

    // MARK: What the rules ask

    package func isEnabled(_ bundle: Span<UInt8>) -> Bool {
        state.withLock { state in
            for app in state.capabilities where bundle.equals(app.bundle.span) { return app.isEnabled }
            return settings.isEnabledByDefault
        }
    }

    package func hasRoom(for bundle: Span<UInt8>, in environment: PushEnvironment) -> Bool {
        let app = App(bundle: bundle.array, environment: environment)
        return state.withLock { ($0.counts[app] ?? 0) < settings.channelsPerApp }
    }

    package func policy(
        of channel: ChannelID, bundle: Span<UInt8>, in environment: PushEnvironment
    ) -> StoragePolicy? {
        state.withLock { state in
            guard let channel = state.channels[channel], !channel.isDeleted, channel.belongs(to: bundle, environment)
            else { return nil }
            return channel.policy
        }
    }

    package func admitsBroadcast(to channel: ChannelID, now: WallTime) -> Bool {
        guard let limit = settings.broadcastsPerSecondAndChannel else { return true }
        return state.withLock { state in
            guard var found = state.channels[channel] else { return true }
            found.inSecond = found.second == now.seconds ? found.inSecond + 1 : 1
            found.second = now.seconds
            state.channels[channel] = found
            return found.inSecond <= (found.policy == .nothing ? 2 * limit : limit)
        }
    }

    // MARK: Management

    /// Nil when there is no room (see `hasRoom`).
    package func create(
        _ bundle: Span<UInt8>, in environment: PushEnvironment, policy: StoragePolicy, now: WallTime
    ) -> ChannelID? {
        let app = App(bundle: bundle.array, environment: environment)
        return state.withLock { state in
            guard state.counts[app] ?? 0 < settings.channelsPerApp else { return nil }
            if state.channels.count >= settings.channelLimit {
                for channel in state.channels.values where channel.isDeleted && !channel.holdsMessage(at: now) {
                    Self.forget(channel, &state)
                }
                guard state.channels.count < settings.channelLimit else { return nil }
            }
            var id = ChannelID(using: &state.generator)
            while state.channels[id] != nil { id = ChannelID(using: &state.generator) }
            state.created += 1
            state.counts[app, default: 0] += 1
            state.channels[id] = Channel(id: id, app: app, policy: policy, createdAt: now, number: state.created)
            return id
        }
    }

    /// True when the app had it. What it holds for activities that come later stays deliverable.
    @discardableResult
    package func delete(
        _ id: ChannelID, bundle: Span<UInt8>, in environment: PushEnvironment, now: WallTime
    ) -> Bool {
        state.withLock { state in
            guard let channel = state.channels[id], !channel.isDeleted, channel.belongs(to: bundle, environment)
            else { return false }
            Self.bury(id, &state, now: now)
            return true
        }
    }

    /// In order of creation.
    package func channels(of bundle: Span<UInt8>, in environment: PushEnvironment) -> [ChannelID] {
        let app = App(bundle: bundle.array, environment: environment)
        return state.withLock { state in
            state.channels.values
                .filter { !$0.isDeleted && $0.app == app }
                .sorted { $0.number < $1.number }
                .map(\.id)
        }
    }

    // MARK: The portal

    /// Gives an app the capability or takes it; taking it deletes its channels in both environments. False: too many
    /// apps were set already.
    package func setEnabled(_ isEnabled: Bool, for bundle: String, now: WallTime) -> Bool {
        let bundle = Array(bundle.utf8)
        return state.withLock { state in
            if let place = state.capabilities.firstIndex(where: { $0.bundle == bundle }) {
                state.capabilities[place].isEnabled = isEnabled
            } else {
                guard state.capabilities.count < Self.capabilityLimit else { return false }
                state.capabilities.append((bundle, isEnabled))
            }
            guard !isEnabled else { return true }
            for channel in state.channels.values where !channel.isDeleted && channel.app.bundle == bundle {
                Self.bury(channel.id, &state, now: now)
            }
            return true
        }
    }

    /// Forgets channels, subscriptions and capabilities. The ids go on: none comes twice.
    package func reset() {
        state.withLock { state in
            state.channels.removeAll()
            state.counts.removeAll()
            state.subscriptions.removeAll()
            state.absent = TokenQueue()
            state.capabilities.removeAll()
        }
    }

    // MARK: Records

    /// Channels that are not deleted, and broadcasts accepted since the start.
    package var counts: (channels: Int, broadcasts: Int) {
        state.withLock { ($0.counts.values.reduce(0, +), $0.broadcasts) }
    }

    package func record(of id: ChannelID) -> ChannelRecord? {
        state.withLock { $0.channels[id].map(Self.record) }
    }

    /// In order of creation, at most `limit`. `bundle` nil: of all apps.
    package func records(of bundle: String? = nil, limit: Int) -> [ChannelRecord] {
        let bundle = bundle.map { Array($0.utf8) }
        let found = state.withLock { state in
            state.channels.values.filter { bundle == nil || $0.app.bundle == bundle }
        }
        return found.sorted { $0.number < $1.number }.prefix(limit).map(Self.record)
    }

    // MARK: Steps under the lock

    private static func bury(_ id: ChannelID, _ state: inout State, now: WallTime) {
        guard let channel = state.channels[id] else { return }
        let left = (state.counts[channel.app] ?? 1) - 1
        state.counts[channel.app] = left > 0 ? left : nil
        if channel.holdsMessage(at: now) {
            state.channels[id]?.isDeleted = true
        } else {
            forget(channel, &state)
        }
    }

    private static func forget(_ channel: Channel, _ state: inout State) {
        for token in channel.subscribers { state.subscriptions[token] = nil }
        state.channels[channel.id] = nil
    }

    static func record(_ channel: Channel) -> ChannelRecord {
        ChannelRecord(
            id: channel.id, bundle: String(decoding: channel.app.bundle, as: UTF8.self),
            environment: channel.app.environment, policy: channel.policy, createdAt: channel.createdAt,
            isDeleted: channel.isDeleted, subscribers: channel.subscribers.count, broadcasts: channel.broadcasts,
            last: channel.last)
    }
}
