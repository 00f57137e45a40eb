// Checks of the device token: its format, and what the directory knows of it (spec/apns.md §3, §6, §13).

import Basics
import HTTP

enum TokenChecks {
    /// After `path`. Hex digits in either case, an even number of them, of a size that is not absurd.
    static func format(_ it: inout Inspection, _ head: HeaderBlock, _ court: Court) -> Reason? {
        guard !it.facts.token.isEmpty else { return nil }
        let token = head.value(at: it.fields.path).extracting(it.facts.token)
        guard court.settings.tokenDigits.contains(token.count), let hash = Hash128(checking: token) else {
            return .badDeviceToken
        }
        it.facts.tokenHash = hash
        it.facts.hasTokenHash = true
        return nil
    }

    static func known(_ it: inout Inspection, _ head: HeaderBlock, _ court: Court) -> Reason? {
        it.standing(head, court) == .unknown ? .badDeviceToken : nil
    }

    /// A token of another app, or a bare bundle ID where the push type has a topic of its own (§4, observed).
    static func topic(_ it: inout Inspection, _ head: HeaderBlock, _ court: Court) -> Reason? {
        if it.standing(head, court) == .otherTopic { return .deviceTokenNotForTopic }
        guard let parts = it.topicParts, let type = it.facts.pushType else { return nil }
        return parts.suffixType == nil && type.topicSuffix.utf8CodeUnitCount > 0 ? .deviceTokenNotForTopic : nil
    }

    static func active(_ it: inout Inspection, _ head: HeaderBlock, _ court: Court) -> Reason? {
        switch it.standing(head, court) {
        case .unregistered(let milliseconds):
            it.timestampMilliseconds = milliseconds
            return .unregistered
        case .expired(let milliseconds):
            it.timestampMilliseconds = milliseconds
            return .expiredToken
        default: return nil
        }
    }

    static func rate(_ it: inout Inspection, _ head: HeaderBlock, _ court: Court) -> Reason? {
        it.standing(head, court) == .tooMany ? .tooManyRequests : nil
    }
}
