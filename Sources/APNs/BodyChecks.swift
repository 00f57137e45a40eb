// Checks of the payload (docs/apns.md §5). Its content is read for the device's sake; APNs itself does not look.

import Basics

enum BodyChecks {
    static func presence(_ body: ByteBuffer) -> Reason? {
        body.isEmpty ? .payloadEmpty : nil
    }

    /// After `push-type`. Exactly the limit is allowed (§5: boundary unsure).
    static func size(_ it: inout Inspection, _ body: ByteBuffer) -> Reason? {
        body.count > (it.facts.pushType?.maxPayloadBytes ?? 4096) ? .payloadTooLarge : nil
    }

    /// After `push-type` and `topic-suffix`. Notes the facts; refuses only where a setting says so.
    static func form(_ it: inout Inspection, _ body: ByteBuffer, _ context: CheckContext) -> Reason? {
        context.payloads.read(body.bytes, into: &it.facts)
        guard context.settings.malformedPayload == .payloadEmpty else { return nil }
        return it.facts.payload.isObject ? nil : .payloadEmpty
    }
}
