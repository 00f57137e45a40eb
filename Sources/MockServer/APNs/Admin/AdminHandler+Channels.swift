// Broadcast channels through the admin API: what there is, which activity listens to which, and the switch that Apple
// has in its portal. Channels themselves are made where Apple makes them, on the management port.

import APNs
import Basics
import Devices
import Pushes

extension AdminHandler {
    func channels(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let parameters = try request.parameters(["bundle", "limit"])
        let limit = try number(parameters["limit"], named: "limit", in: 1...10_000) ?? 1_000
        let records = shared.channels.records(of: parameters["bundle"], limit: limit)
        return AdminAnswer(["channels": .array(records.map(\.json))])
    }

    // MARK: Apps

    func app(_ bundle: String) throws(AdminError) -> AdminAnswer {
        let bundle = try bundleID(bundle)
        return AdminAnswer([
            "bundle": .string(bundle), "broadcasts": .bool(withBytes(of: bundle) { shared.channels.isEnabled($0) }),
        ])
    }

    func putApp(_ bundle: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let bundle = try bundleID(bundle)
        guard case .bool(let isEnabled)? = try request.object(["broadcasts"])["broadcasts"] else {
            throw AdminError(400, "bad-member", "broadcasts is not true or false", hint: #"send {"broadcasts":false}"#)
        }
        guard shared.channels.setEnabled(isEnabled, for: bundle, now: shared.clock.wall()) else {
            throw AdminError(503, "full", "no further app can be kept", hint: "POST /v1/reset forgets all")
        }
        note("set app", ["bundle": .string(bundle), "broadcasts": .bool(isEnabled)])
        return try app(bundle)
    }

    private func bundleID(_ text: String) throws(AdminError) -> String {
        guard TopicParts.isBareBundleID(text) else {
            throw AdminError(
                400, "bad-bundle", "'\(text)' is not a bundle ID", hint: "give one such as com.example.app, without suffix")
        }
        return text
    }

    // MARK: Subscriptions

    func subscription(_ token: String) throws(AdminError) -> AdminAnswer {
        guard let channel = shared.channels.channel(of: token) else { throw noSubscription() }
        return AdminAnswer(["token": .string(token), "channel": .string(channel.text)])
    }

    /// Lets the activity of that token listen to a channel; a token nobody knows becomes an activity of the channel's
    /// app. `outcome` is what it did with the message that the channel held for it.
    func subscribe(_ token: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        guard let text = try request.object(["channel"])["channel"]?.string, let channel = ChannelID(text: text) else {
            throw AdminError(
                400, "bad-member", "channel is not a channel ID", hint: "give one in Base64, as GET /v1/channels lists them")
        }
        guard let record = shared.channels.record(of: channel) else { throw noChannel() }
        try admit(token, to: record)
        let outcome: Outcome?
        do throws(ChannelStore.SubscriptionError) {
            outcome = try shared.channels.subscribe(
                token, to: channel, devices: shared.devices, now: shared.clock.wall())
        } catch {
            switch error {
            case .noSuchChannel: throw noChannel()
            case .full:
                throw AdminError(503, "full", "no further activity can listen", hint: "remove some, or POST /v1/reset")
            }
        }
        note("subscribe", ["token": .string(token), "channel": .string(channel.text)])
        return AdminAnswer([
            "token": .string(token), "channel": .string(channel.text),
            "outcome": outcome.map { .string($0.word.description) } ?? .null,
        ])
    }

    func unsubscribe(_ token: String) throws(AdminError) -> AdminAnswer {
        guard shared.channels.unsubscribe(token) else { throw noSubscription() }
        note("unsubscribe", ["token": .string(token)])
        return .done
    }

    /// Only an activity listens, and only to a channel of its app and environment.
    private func admit(_ token: String, to channel: ChannelRecord) throws(AdminError) {
        guard let record = shared.devices.record(of: token) else {
            shared.devices.set(
                TokenRecord(
                    token: token, kind: .activity, topic: channel.bundle, environment: channel.environment))
            return
        }
        guard record.kind == .activity || record.kind == .unknown else {
            throw AdminError(
                409, "no-activity", "the token is one of a \(record.kind.word)", hint: "give an activity's update token")
        }
        guard record.topic == nil || record.topic == channel.bundle,
            record.environment == nil || record.environment == channel.environment
        else {
            throw AdminError(
                409, "foreign-channel", "the channel is not of the activity's app and environment",
                hint: "it is of \(channel.bundle) in \(channel.environment.word)")
        }
    }

    private func noChannel() -> AdminError {
        AdminError(404, "no-such-channel", "there is no such channel", hint: "GET /v1/channels lists those there are")
    }

    private func noSubscription() -> AdminError {
        AdminError(404, "no-subscription", "the token listens to no channel", hint: "PUT {\"channel\":…} here changes that")
    }
}

extension ChannelRecord {
    var json: JSONValue {
        [
            "id": .string(id.text), "bundle": .string(bundle), "environment": .string(environment.word.description),
            "storagePolicy": .integer(Int64(policy.rawValue)), "createdAt": .string(createdAt.iso8601),
            "deleted": .bool(isDeleted), "subscribers": .integer(Int64(subscribers)),
            "broadcasts": .integer(Int64(broadcasts)), "last": last?.json ?? .null,
        ]
    }
}

extension BroadcastRecord {
    var json: JSONValue {
        [
            "number": .integer(Int64(number)), "requestId": .string(requestID.text(uppercase: true)),
            "sentAt": .string(sentAt.iso8601), "priority": .integer(Int64(priority)),
            "event": activity.event.map { .string($0.word.description) } ?? .null,
            "timestamp": activity.timestamp.map(JSONValue.integer) ?? .null,
            "defect": activity.defect.map { .string($0.word.description) } ?? .null,
            "storedUntil": storedUntil.map { .string($0.iso8601) } ?? .null,
            "delivered": .bool(isDelivered), "outcomes": outcomes.outcomesJSON,
        ]
    }
}
