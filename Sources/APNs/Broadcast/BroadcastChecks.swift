// The checks of channels and broadcasts, row by row (docs/apns.md §11).

import Basics
import HTTP
import Pushes

/// One request while it is being judged: the part that `/3/device` shares, and what is found beside it.
struct BroadcastInspection: ~Copyable {
    let endpoint: BroadcastEndpoint
    var common: Inspection
    var facts: BroadcastFacts
    /// The field of `apns-channel-id`; nil: absent.
    let channelField: Int?
    /// An `apns-request-id` (or `apns-id`) is there and is no UUID.
    let hasBadRequestID: Bool

    init(_ endpoint: BroadcastEndpoint, _ head: HeaderBlock, _ context: CheckContext, now: WallTime) {
        self.endpoint = endpoint
        common = Inspection(head, context, now: now)
        channelField = head.index(of: "apns-channel-id")
        // Apple's samples carry the one or the other.
        if let field = head.index(of: "apns-request-id") ?? head.index(of: "apns-id") {
            let id = UUIDBytes(messageID: head.value(at: field))
            hasBadRequestID = id == nil
            facts = BroadcastFacts(requestID: id ?? context.makeID())
            if id != nil { facts.requestIDField = field }
        } else {
            hasBadRequestID = false
            facts = BroadcastFacts(requestID: common.facts.apnsID)
        }
    }
}

enum BroadcastChecks {
    private static let managementRoot: StaticString = "/1/apps/"
    private static let sendingRoot: StaticString = "/4/broadcasts/apps/"

    /// A method that no path of this endpoint takes.
    static func method(_ it: borrowing BroadcastInspection, _ head: HeaderBlock) -> BroadcastReason? {
        guard it.common.fields.method >= 0 else { return .methodNotAllowed }
        let method = head.value(at: it.common.fields.method)
        if method.matches("POST") { return nil }
        guard it.endpoint == .management, method.matches("GET") || method.matches("DELETE") else {
            return .methodNotAllowed
        }
        return nil
    }

    /// After `method`. Finds operation and bundle ID; a method of another path is BadPath as well (§11).
    static func path(_ it: inout BroadcastInspection, _ head: HeaderBlock) -> BroadcastReason? {
        guard it.common.fields.path >= 0 else { return .badPath }
        let path = head.value(at: it.common.fields.path)
        let root = it.endpoint == .sending ? sendingRoot : managementRoot
        guard path.starts(with: root) else { return .badPath }
        let start = root.utf8CodeUnitCount
        var end = start
        while end < path.count, path[end] != 47 { end += 1 }
        guard end > start else { return .badPath }
        let rest = path.extracting(end..<path.count)
        let method = head.value(at: it.common.fields.method)
        if it.endpoint == .sending {
            guard rest.count == 0 else { return .badPath }
            it.facts.operation = .send
        } else if rest.matches("/channels") {
            it.facts.operation = method.matches("POST") ? .create : method.matches("GET") ? .read : .delete
        } else if rest.matches("/all-channels"), method.matches("GET") {
            it.facts.operation = .list
        } else {
            return .badPath
        }
        it.facts.bundle = start..<end
        return nil
    }

    static func requestID(_ it: borrowing BroadcastInspection) -> BroadcastReason? {
        it.hasBadRequestID ? .badMessageId : nil
    }

    /// A bundle ID, without the suffix that its topic on `/3/device` would have.
    static func bundle(_ it: borrowing BroadcastInspection, _ head: HeaderBlock) -> BroadcastReason? {
        let bundle = head.value(at: it.common.fields.path).extracting(it.facts.bundle)
        return TopicParts(bundle).suffixType == nil && TopicParts.isBundleID(bundle) ? nil : .topicDisallowed
    }

    /// After `credential`. The team owns the app, and the credential is meant for it. A certificate lists the app.
    static func credentialTopic(
        _ it: inout BroadcastInspection, _ head: HeaderBlock, _ connection: ProviderConnection, _ context: CheckContext
    ) -> BroadcastReason? {
        let bundle = head.value(at: it.common.fields.path).extracting(it.facts.bundle)
        let isMeant =
            connection.certificate.map { $0.allows(bundle, .liveactivity) }
            ?? TopicChecks.permits(bundle, &it.common, connection, context)
        return isMeant ? nil : .topicMismatch
    }

    static func feature(
        _ it: borrowing BroadcastInspection, _ head: HeaderBlock, _ channels: any ChannelDirectory
    ) -> BroadcastReason? {
        let bundle = head.value(at: it.common.fields.path).extracting(it.facts.bundle)
        return channels.isEnabled(bundle) ? nil : .featureNotEnabled
    }

    static func channelPresence(_ it: borrowing BroadcastInspection) -> BroadcastReason? {
        it.channelField == nil ? .missingChannelId : nil
    }

    static func channelFormat(_ it: inout BroadcastInspection, _ head: HeaderBlock) -> BroadcastReason? {
        guard let field = it.channelField else { return nil }
        let text = head.value(at: field)
        guard ChannelID.isWellFormed(text) else { return .badChannelId }
        it.facts.channel = ChannelID(text)
        return nil
    }

    /// Apple's pages spell the type in three ways (§4); all are taken.
    static func pushType(_ it: borrowing BroadcastInspection, _ head: HeaderBlock) -> BroadcastReason? {
        guard it.common.fields.pushType >= 0 else { return .missingPushType }
        return isLiveActivity(head.value(at: it.common.fields.pushType)) ? nil : .invalidPushType
    }

    /// Required, unlike on `/3/device`; without it BadExpirationDate was seen (§11).
    static func expiration(_ it: inout BroadcastInspection, _ head: HeaderBlock) -> BroadcastReason? {
        guard RequestChecks.expiration(&it.common, head) == nil, let seconds = it.common.facts.expiration else {
            return .badExpirationDate
        }
        it.facts.expiration = seconds
        return nil
    }

    /// Required, unlike on `/3/device`; that its absence is BadPriority is our reading.
    static func priority(_ it: inout BroadcastInspection, _ head: HeaderBlock) -> BroadcastReason? {
        guard it.common.fields.priority >= 0, RequestChecks.priority(&it.common, head) == nil else {
            return .badPriority
        }
        it.facts.priority = it.common.facts.priority
        return nil
    }

    static func channelKnown(
        _ it: inout BroadcastInspection, _ head: HeaderBlock, _ context: CheckContext, _ channels: any ChannelDirectory
    ) -> BroadcastReason? {
        let bundle = head.value(at: it.common.fields.path).extracting(it.facts.bundle)
        guard let channel = it.facts.channel,
            let policy = channels.policy(of: channel, bundle: bundle, in: context.settings.environment)
        else { return .channelNotRegistered }
        it.facts.policy = policy
        return nil
    }

    /// After `channel-known`. What is not stored cannot expire.
    static func policyExpiration(_ it: borrowing BroadcastInspection) -> BroadcastReason? {
        it.facts.policy == .nothing && it.facts.expiration != 0 ? .badExpirationDate : nil
    }

    static func isLiveActivity(_ text: Span<UInt8>) -> Bool {
        text.matches("LiveActivity") || text.matches("Liveactivity") || text.matches(PushType.liveactivity.word)
    }
}
