// The way from FCM to APNs: a message with the token of a Live Activity goes on to the iPhones that this mock plays, judged by
// APNs' rules as if its project had sent it there, but for its credential, which is FCM's own (docs/fcm.md §6).

import APNs
import Basics
import Devices
import HTTP
import Journal
import Pushes

/// Confined to its loop.
final class ApplePassage {
    /// What APNs says of one message.
    enum Answer: Hashable {
        case accepted
        /// With the status and the word of APNs' own answer.
        case refused(Trouble, status: UInt16, reason: String)
    }

    /// What a refusal is about, as far as FCM tells them apart.
    enum Trouble: Hashable {
        case deadToken, badToken, otherTopic, quota
        case message
    }

    private static let credentialSteps: Set<DeviceStep> = [
        .credential, .tokenUpdateRate, .connectionWedge, .tokenSignature, .tokenAge, .keyTeam, .keyEnvironment, .keyRelation,
        .binding,
    ]
    /// FCM's own: thirty days (docs/fcm.md §2).
    private static let defaultLife: Int64 = 2_592_000

    private let delivery: AppleDelivery
    private let validator: APNsValidator
    private let connection = ProviderConnection(peer: "fcm", certificate: nil)
    private let defaultTopic: [UInt8]
    private let head = HeaderBlock()
    private let body = ByteBuffer()
    private let scratch = ByteBuffer()
    private var facts: PushFacts?

    init(_ shared: MockShared, _ environment: PushEnvironment, seed: Seed) {
        let settings = shared.settings(for: environment)
        delivery = AppleDelivery(shared: shared, environment: environment, decoder: SchemaDecoder(shared.schemas))
        validator = APNsValidator(
            settings: settings, keys: shared.keys, directory: shared.devices, seed: seed,
            checks: Check.order.filter { !Self.credentialSteps.contains($0.step) })
        defaultTopic = Array(((settings.allowedTopics?.first ?? "com.example.app") + ".push-type.liveactivity").utf8)
    }

    /// Judges one message. The spans of what it does not say are empty.
    func judge(
        token: Span<UInt8>, payload: Span<UInt8>, topic: Span<UInt8>, priority: Span<UInt8>, expiration: Span<UInt8>,
        collapseID: Span<UInt8>, now: WallTime
    ) -> Answer {
        facts = nil
        let (head, body, scratch) = (head, body, scratch)
        head.clear()
        head.append(":method", "POST")
        scratch.clear()
        scratch.append("/3/device/" as StaticString)
        scratch.append(token)
        head.append(":path", scratch.bytes)
        let defaultTopic = defaultTopic
        head.append("apns-topic", topic.count > 0 ? topic : defaultTopic.span)
        head.append("apns-push-type", "liveactivity")
        if priority.count > 0 { head.append("apns-priority", priority) }
        if expiration.count > 0 {
            head.append("apns-expiration", expiration)
        } else {
            head.append("apns-expiration", String(now.seconds + Self.defaultLife))
        }
        if collapseID.count > 0 { head.append("apns-collapse-id", collapseID) }
        body.clear()
        body.append(payload)
        let verdict = validator.validate(head, body: body, connection: connection, now: now)
        guard let rejection = verdict.rejection else {
            facts = verdict.facts
            return .accepted
        }
        return .refused(Self.trouble(rejection), status: rejection.status, reason: rejection.word.description)
    }

    private static func trouble(_ reason: Reason) -> Trouble {
        switch (reason, reason.status) {
        case (_, 410): .deadToken
        case (.badDeviceToken, _): .badToken
        case (.deviceTokenNotForTopic, _): .otherTopic
        case (_, 429): .quota
        default: .message
        }
    }

    /// What the device does with the message that was judged last, and accepted.
    func deliver(now: WallTime) -> (Outcome?, PhoneReason?) {
        guard let facts else { return (nil, nil) }
        return delivery.deliver(facts, head, body, now: now)
    }

    /// It is on record under that id, and the device is away.
    func store(_ id: UInt64, now: WallTime, tell: (LateOutcome) -> Void) {
        guard let facts else { return }
        delivery.store(facts, head, body, id, now: now, tell: tell)
    }

    /// It is known what became of it.
    func forget() { facts = nil }
}
