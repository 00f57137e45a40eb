// Checks of the topic against the push type and the credential (docs/apns.md §3, §4, §6).

import Basics
import HTTP
import Pushes

enum TopicChecks {
    /// A provider token speaks for a team, so it never implies a topic; a certificate with a single topic does (§3). It
    /// is added to the fields, so that whoever reads on finds it where it always stands.
    static func presence(_ it: inout Inspection, _ head: HeaderBlock, _ connection: ProviderConnection) -> Reason? {
        if it.fields.topic >= 0 { return nil }
        guard let topic = connection.certificate?.impliedTopic else { return .missingTopic }
        it.fields.topic = head.count
        it.facts.topicField = head.count
        head.append("apns-topic", topic.span)
        return nil
    }

    /// Splits the topic. What is no bundle ID before the suffix, the empty topic included, is BadTopic.
    static func syntax(_ it: inout Inspection, _ head: HeaderBlock) -> Reason? {
        guard it.fields.topic >= 0 else { return nil }
        let topic = head.value(at: it.fields.topic)
        let parts = TopicParts(topic)
        guard TopicParts.isBundleID(topic.extracting(0..<parts.bundleCount)) else { return .badTopic }
        it.topicParts = parts
        it.facts.isForPass = topic.starts(with: "pass.")
        return nil
    }

    /// The suffix of another push type contradicts the declared one: since 2019 InvalidPushType (§4). A bare topic
    /// where the type wants a suffix is not judged here: the observed answer to that is DeviceTokenNotForTopic, which
    /// can only be said of a known token (see `TokenChecks.topic`). Without the header the suffix tells the type.
    static func suffix(_ it: inout Inspection) -> Reason? {
        guard let suffixType = it.topicParts?.suffixType else { return nil }
        guard let declared = it.facts.pushType else {
            it.facts.pushType = suffixType
            return nil
        }
        return declared == suffixType ? nil : .invalidPushType
    }

    /// The team must own the app and the key must be meant for it; a certificate lists its topics itself.
    static func permission(
        _ it: inout Inspection, _ head: HeaderBlock, _ connection: ProviderConnection, _ context: CheckContext
    ) -> Reason? {
        guard let parts = it.topicParts else { return nil }
        let topic = head.value(at: it.fields.topic)
        if let certificate = connection.certificate {
            return certificate.allows(topic, it.facts.pushType) ? nil : .topicDisallowed
        }
        return permits(topic.extracting(0..<parts.bundleCount), &it, connection, context) ? nil : .topicDisallowed
    }

    /// Whether the team owns the app and the connection's provider token is meant for it. After `binding`.
    static func permits(
        _ bundle: Span<UInt8>, _ it: inout Inspection, _ connection: ProviderConnection, _ context: CheckContext
    ) -> Bool {
        if let allowed = context.allowedTopics, !contains(allowed, bundle) { return false }
        if let allowed = connection.topics, !contains(allowed, bundle) {
            it.facts.credentialCause = .keyOfOtherTopics
            return false
        }
        if context.settings.topicBinding == .firstPush {
            guard let first = connection.firstTopic else {
                connection.firstTopic = bundle.array
                return true
            }
            return bundle.matches(first)
        }
        return true
    }

    private static func contains(_ topics: [[UInt8]], _ topic: Span<UInt8>) -> Bool {
        for index in topics.indices where topic.matches(topics[index]) { return true }
        return false
    }
}
