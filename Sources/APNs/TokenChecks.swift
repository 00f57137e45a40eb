// Checks of the device token: its format, and what the directory knows of it (spec/apns.md §3, §6, §13).

import Basics
import HTTP

enum TokenChecks {
    /// After `path`. Hex digits in either case, an even number of them, of a size that is not absurd.
    static func format(_ inspection: inout Inspection) -> Reason? {
        guard !inspection.facts.token.isEmpty else { return nil }
        let head = inspection.head
        let token = head.value(at: inspection.fields.path).extracting(inspection.facts.token)
        guard inspection.court.settings.tokenDigits.contains(token.count), let hash = TokenHash(checking: token) else {
            return .badDeviceToken
        }
        inspection.facts.tokenHash = hash
        inspection.facts.hasTokenHash = true
        return nil
    }

    static func known(_ inspection: inout Inspection) -> Reason? {
        inspection.standing() == .unknown ? .badDeviceToken : nil
    }

    /// A token of another app, or a bare bundle ID where the push type has a topic of its own (§4, observed).
    static func topic(_ inspection: inout Inspection) -> Reason? {
        if inspection.standing() == .otherTopic { return .deviceTokenNotForTopic }
        guard let parts = inspection.topicParts, let type = inspection.facts.pushType else { return nil }
        return parts.suffixType == nil && type.topicSuffix.utf8CodeUnitCount > 0 ? .deviceTokenNotForTopic : nil
    }

    static func active(_ inspection: inout Inspection) -> Reason? {
        switch inspection.standing() {
        case .unregistered(let milliseconds):
            inspection.timestampMilliseconds = milliseconds
            return .unregistered
        case .expired(let milliseconds):
            inspection.timestampMilliseconds = milliseconds
            return .expiredToken
        default: return nil
        }
    }

    static func rate(_ inspection: inout Inspection) -> Reason? {
        inspection.standing() == .tooMany ? .tooManyRequests : nil
    }
}
