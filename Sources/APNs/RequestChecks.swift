// Checks of the request's line and of its plain fields (docs/apns.md §2.4, §3).

import Basics
import HTTP
import Pushes

enum RequestChecks {
    private static let devices: StaticString = "/3/device/"

    static func method(_ it: inout Inspection, _ head: HeaderBlock) -> Reason? {
        guard it.fields.method >= 0 else { return .methodNotAllowed }
        return head.value(at: it.fields.method).matches("POST") ? nil : .methodNotAllowed
    }

    /// Finds the token's place. A token with a further slash in it is another path.
    static func path(_ it: inout Inspection, _ head: HeaderBlock) -> Reason? {
        guard it.fields.path >= 0 else { return .badPath }
        let path = head.value(at: it.fields.path)
        guard path.starts(with: devices) else { return .badPath }
        let start = devices.utf8CodeUnitCount
        guard path.count > start else { return .missingDeviceToken }
        if path.extracting(start..<path.count).contains(47) { return .badPath }
        it.facts.token = start..<path.count
        return nil
    }

    static func duplicates(_ it: inout Inspection) -> Reason? {
        it.fields.hasDuplicate ? .duplicateHeaders : nil
    }

    /// Read beforehand, so that a refusal for another reason echoes it too; both cases are taken (§3).
    static func messageID(_ it: inout Inspection) -> Reason? {
        it.fields.messageID >= 0 && !it.facts.apnsIDGiven ? .badMessageId : nil
    }

    /// Absent is fine (§3: optional but for watchOS).
    static func pushType(_ it: inout Inspection, _ head: HeaderBlock) -> Reason? {
        guard it.fields.pushType >= 0 else { return nil }
        guard let type = PushType(head.value(at: it.fields.pushType)) else { return .invalidPushType }
        it.facts.pushType = type
        it.facts.hasPushType = true
        return nil
    }

    /// Whole Unix seconds; 0 and the past are fine.
    static func expiration(_ it: inout Inspection, _ head: HeaderBlock) -> Reason? {
        guard it.fields.expiration >= 0 else { return nil }
        guard let seconds = wholeNumber(head.value(at: it.fields.expiration)) else { return .badExpirationDate }
        it.facts.expiration = seconds
        return nil
    }

    static func priority(_ it: inout Inspection, _ head: HeaderBlock) -> Reason? {
        guard it.fields.priority >= 0 else { return nil }
        let value = head.value(at: it.fields.priority)
        switch value.count {
        case 1 where value[0] == 53: it.facts.priority = 5
        case 1 where value[0] == 49: it.facts.priority = 1
        case 2 where value[0] == 49 && value[1] == 48: it.facts.priority = 10
        default: return .badPriority
        }
        it.facts.hasPriority = true
        return nil
    }

    /// After `priority` and `push-type`.
    static func backgroundPriority(_ it: inout Inspection, _ context: CheckContext) -> Reason? {
        guard it.facts.pushType == .background, it.facts.priority == 10 else { return nil }
        switch context.settings.backgroundPriority {
        case .accept: return nil
        case .refuseExplicitTen: return it.fields.priority >= 0 ? .badPriority : nil
        case .refuseTenAndAbsent: return .badPriority
        }
    }

    static func collapseID(_ it: inout Inspection, _ head: HeaderBlock, _ context: CheckContext) -> Reason? {
        guard it.fields.collapseID >= 0 else { return nil }
        let value = head.value(at: it.fields.collapseID)
        let count = value.count
        it.facts.collapseMark = UInt32(truncatingIfNeeded: Hash128(hashing: value).low) | 1
        if count > 64 || count == 0 && context.settings.refusesEmptyCollapseID { return .badCollapseId }
        return nil
    }

    /// Digits, with a minus or without; nil for anything else and for what 64 bits cannot hold.
    private static func wholeNumber(_ text: Span<UInt8>) -> Int64? {
        let start = text.count > 0 && text[0] == 45 ? 1 : 0
        guard text.count > start, text.count - start <= 19 else { return nil }
        // Nineteen digits fit 64 bits without a sign; whether the result fits with one is seen at the end.
        var value: UInt64 = 0
        for index in start..<text.count {
            let digit = text[index] &- 48
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        guard let magnitude = Int64(exactly: value) else { return nil }
        return start == 1 ? -magnitude : magnitude
    }
}
