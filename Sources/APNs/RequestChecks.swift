// Checks of the request's line and of its plain fields (spec/apns.md §2.4, §3).

import Basics
import HTTP

enum RequestChecks {
    private static let devices: StaticString = "/3/device/"

    static func method(_ inspection: inout Inspection) -> Reason? {
        let head = inspection.head
        guard inspection.fields.method >= 0 else { return .methodNotAllowed }
        return head.value(at: inspection.fields.method).matches("POST") ? nil : .methodNotAllowed
    }

    /// Finds the token's place. A token with a further slash in it is another path.
    static func path(_ inspection: inout Inspection) -> Reason? {
        let head = inspection.head
        guard inspection.fields.path >= 0 else { return .badPath }
        let path = head.value(at: inspection.fields.path)
        guard path.starts(with: devices) else { return .badPath }
        let start = devices.utf8CodeUnitCount
        guard path.count > start else { return .missingDeviceToken }
        if path.extracting(start..<path.count).contains(47) { return .badPath }
        inspection.facts.token = start..<path.count
        return nil
    }

    static func duplicates(_ inspection: inout Inspection) -> Reason? {
        inspection.fields.hasDuplicate ? .duplicateHeaders : nil
    }

    /// Read beforehand, so that a refusal for another reason echoes it too; both cases are taken (§3).
    static func messageID(_ inspection: inout Inspection) -> Reason? {
        inspection.fields.messageID >= 0 && !inspection.facts.apnsIDGiven ? .badMessageId : nil
    }

    /// Absent is fine (§3: optional but for watchOS).
    static func pushType(_ inspection: inout Inspection) -> Reason? {
        let head = inspection.head
        guard inspection.fields.pushType >= 0 else { return nil }
        guard let type = PushType(head.value(at: inspection.fields.pushType)) else { return .invalidPushType }
        inspection.facts.pushType = type
        return nil
    }

    /// Whole Unix seconds; 0 and the past are fine.
    static func expiration(_ inspection: inout Inspection) -> Reason? {
        let head = inspection.head
        guard inspection.fields.expiration >= 0 else { return nil }
        guard let seconds = wholeNumber(head.value(at: inspection.fields.expiration)) else { return .badExpirationDate }
        inspection.facts.expiration = seconds
        return nil
    }

    static func priority(_ inspection: inout Inspection) -> Reason? {
        let head = inspection.head
        guard inspection.fields.priority >= 0 else { return nil }
        let value = head.value(at: inspection.fields.priority)
        switch value.count {
        case 1 where value[0] == 53: inspection.facts.priority = 5
        case 1 where value[0] == 49: inspection.facts.priority = 1
        case 2 where value[0] == 49 && value[1] == 48: inspection.facts.priority = 10
        default: return .badPriority
        }
        return nil
    }

    /// After `priority` and `push-type`.
    static func backgroundPriority(_ inspection: inout Inspection) -> Reason? {
        guard inspection.facts.pushType == .background, inspection.facts.priority == 10 else { return nil }
        switch inspection.court.settings.backgroundPriority {
        case .accept: return nil
        case .refuseExplicitTen: return inspection.fields.priority >= 0 ? .badPriority : nil
        case .refuseTenAndAbsent: return .badPriority
        }
    }

    static func collapseID(_ inspection: inout Inspection) -> Reason? {
        let head = inspection.head
        guard inspection.fields.collapseID >= 0 else { return nil }
        let count = head.value(at: inspection.fields.collapseID).count
        if count > 64 || count == 0 && inspection.court.settings.refusesEmptyCollapseID { return .badCollapseId }
        return nil
    }

    /// Digits, with a minus or without; nil for anything else and for what 64 bits cannot hold.
    private static func wholeNumber(_ text: Span<UInt8>) -> Int64? {
        let start = text.count > 0 && text[0] == 45 ? 1 : 0
        guard text.count > start, text.count - start <= 19 else { return nil }
        var value: Int64 = 0
        for index in start..<text.count {
            guard 48...57 ~= text[index] else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, tooLargeSum) = product.addingReportingOverflow(Int64(text[index] - 48))
            guard !tooLarge, !tooLargeSum else { return nil }
            value = sum
        }
        return start == 1 ? -value : value
    }
}
