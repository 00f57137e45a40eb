// Checks of the payload (spec/apns.md §5). Its content is read for the device's sake; APNs itself does not look.

import Basics

enum BodyChecks {
    static func presence(_ inspection: inout Inspection) -> Reason? {
        inspection.body.isEmpty ? .payloadEmpty : nil
    }

    /// After `push-type`. Exactly the limit is allowed (§5: boundary unsure).
    static func size(_ inspection: inout Inspection) -> Reason? {
        inspection.body.count > (inspection.facts.pushType?.maxPayloadBytes ?? 4096) ? .payloadTooLarge : nil
    }

    /// After `push-type` and `topic-suffix`. Notes the facts; refuses only where a setting says so.
    static func form(_ inspection: inout Inspection) -> Reason? {
        let body = inspection.body
        inspection.court.payloads.read(body.bytes, into: &inspection.facts)
        guard inspection.court.settings.malformedPayload == .payloadEmpty else { return nil }
        return inspection.facts.payload.isObject ? nil : .payloadEmpty
    }
}
