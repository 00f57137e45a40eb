// Checks of the bodies: a message to the activities of a channel, and the configuration of a new channel
// (docs/apns.md §11).

import Basics
import HTTP
import Pushes

enum BroadcastBodyChecks {
    /// Exactly that many bytes are allowed (§5: boundary unsure).
    static let maxPayloadBytes = 5120

    static func presence(_ body: ByteBuffer) -> BroadcastReason? { body.isEmpty ? .payloadEmpty : nil }

    static func size(_ body: ByteBuffer) -> BroadcastReason? { body.count > maxPayloadBytes ? .payloadTooLarge : nil }

    /// Unlike `/3/device`, this API has a reason for what is no JSON. Into the `aps` itself nobody looks (§10).
    static func message(_ it: inout BroadcastInspection, _ body: ByteBuffer, _ context: CheckContext) -> BroadcastReason? {
        it.common.facts.pushType = .liveactivity
        context.payloads.read(body.bytes, into: &it.common.facts)
        it.facts.activity = it.common.facts.activity ?? ActivityFacts(defect: .notJSON)
        return it.common.facts.payload.isObject ? nil : .badRequestPayload
    }

    /// `{"message-storage-policy":1,"push-type":"LiveActivity"}`, both required and nothing else.
    static func configuration(
        _ it: inout BroadcastInspection, _ body: ByteBuffer, _ scanner: JSONScanner
    ) -> BroadcastReason? {
        guard scanner.scan(body.bytes) == nil, case .object = scanner.node(0).kind else { return .badRequestPayload }
        let policy = scanner.member("message-storage-policy", of: 0)
        let type = scanner.member("push-type", of: 0)
        let known = (policy == nil ? 0 : 1) + (type == nil ? 0 : 1)
        if scanner.node(0).childCount > known { return .badRequestParams }
        guard let number = policy.flatMap(scanner.integer),
            let policy = UInt8(exactly: number).flatMap(StoragePolicy.init(rawValue:))
        else { return .missingChannelQueueSize }
        it.facts.policy = policy
        guard let type else { return .missingPushType }
        guard case .string = scanner.node(type).kind else { return .invalidPushType }
        return BroadcastChecks.isLiveActivity(scanner.content(type)) ? nil : .invalidPushType
    }
}
