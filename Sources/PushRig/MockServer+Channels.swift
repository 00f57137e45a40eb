// Broadcast channels of an embedded mock: made and used as Apple has it, by a relay at `channelsURL` and `url`; which
// activities listen, and the capability of an app, are the test's to say.

import APNs
import Basics
import Devices
import MockServer
import Pushes

extension MockServer {
    /// A broadcast channel.
    public struct Channel: Hashable, Sendable, Identifiable {
        /// The channel's ID in Base64, as in `apns-channel-id`.
        public var id: String
        /// The bundle ID of its app.
        public var bundle: String
        /// What the channel stores. 0: nothing; 1: the latest message, for up to eight hours.
        public var storagePolicy: Int
        /// The number of activities that listen now.
        public var subscribers: Int
        /// The number of broadcasts accepted so far.
        public var broadcasts: Int
        /// The number of activities by what they did with the last broadcast, such as `updated`.
        public var lastOutcomes: [String: Int]
        /// Whether each activity that listened when the last broadcast was sent has had it.
        public var isDelivered: Bool
    }

    /// The URL at which channels are managed; nil unless the configuration says `managesChannels`.
    public var channelsURL: String? { service.coordinates.channels.map { "https://\($0)" } }

    /// The channels in order of creation, the first `limit` of them.
    public func channels(limit: Int = 10_000) -> [Channel] {
        service.channels.records(limit: limit).filter { !$0.isDeleted }.map(Channel.init)
    }

    /// Lets the activity with that update token listen to a channel, and to no other. The message that the channel holds
    /// reaches it at once. Returns what the activity did with that, such as `updated`; nil: there was none. Throws for a
    /// token or channel that is none, and where a million activities listen already.
    @discardableResult
    public func subscribe(_ token: String, to channel: String) throws(MockError) -> String? {
        guard DeviceFleet.isToken(token) else {
            throw MockError("'\(token)' is not a device token", hint: "give an even number of hex digits, at most 1024")
        }
        guard let id = ChannelID(text: channel), let record = service.channels.record(of: id) else {
            throw MockError("there is no channel '\(channel)'", hint: "give the apns-channel-id of one")
        }
        if service.devices.record(of: token) == nil { try setToken(token, kind: .activity, topic: record.bundle) }
        do throws(ChannelStore.SubscriptionError) {
            return try service.channels.subscribe(token, to: id, devices: service.devices, now: clock.wall())
                .map { "\($0.word)" }
        } catch {
            throw MockError("no further activity can listen to '\(channel)'", hint: "unsubscribe some, or reset")
        }
    }

    /// Takes the activity with that update token off its channel. False: it listened to none.
    @discardableResult
    public func unsubscribe(_ token: String) -> Bool { service.channels.unsubscribe(token) }

    /// Switches the broadcast capability of an app, which is on by default. Off deletes its channels. Throws where no
    /// further app can be kept.
    public func setBroadcasts(_ isEnabled: Bool, for bundle: String) throws(MockError) {
        guard service.channels.setEnabled(isEnabled, for: bundle, now: clock.wall()) else {
            throw MockError("no further app can be kept", hint: "reset forgets all")
        }
    }
}

extension MockServer.Channel {
    init(_ record: ChannelRecord) {
        id = record.id.text
        bundle = record.bundle
        storagePolicy = Int(record.policy.rawValue)
        subscribers = record.subscribers
        broadcasts = record.broadcasts
        isDelivered = record.last?.isDelivered ?? true
        lastOutcomes = [:]
        for outcome in Outcome.allCases {
            let count = record.last?.outcomes[Int(outcome.rawValue)] ?? 0
            if count > 0 { lastOutcomes["\(outcome.word)"] = count }
        }
    }
}
