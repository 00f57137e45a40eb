// Checks of the device token: its format, and what the directory knows of it (docs/apns.md §3, §6, §13).

import Basics
import HTTP
import Pushes

enum TokenChecks {
    /// After `path`. Hex digits in either case, an even number of them, of a size that is not absurd.
    static func format(_ it: inout Inspection, _ head: HeaderBlock, _ context: CheckContext) -> Reason? {
        guard !it.facts.token.isEmpty else { return nil }
        let token = head.value(at: it.fields.path).extracting(it.facts.token)
        guard context.settings.tokenDigits.contains(token.count), let hash = Hash128(checking: token) else {
            return .badDeviceToken
        }
        it.facts.tokenHash = hash
        it.facts.hasTokenHash = true
        return nil
    }

    static func known(_ it: inout Inspection, _ head: HeaderBlock, _ context: CheckContext) -> Reason? {
        it.standing(head, context) == .unknown ? .badDeviceToken : nil
    }

    /// A token of another app, or a bare bundle ID where the push type has a topic of its own (§4, observed).
    static func topic(_ it: inout Inspection, _ head: HeaderBlock, _ context: CheckContext) -> Reason? {
        if it.standing(head, context) == .otherTopic { return .deviceTokenNotForTopic }
        guard let parts = it.topicParts, let type = it.facts.pushType else { return nil }
        return parts.suffixType == nil && type.topicSuffix.utf8CodeUnitCount > 0 ? .deviceTokenNotForTopic : nil
    }

    static func active(_ it: inout Inspection, _ head: HeaderBlock, _ context: CheckContext) -> Reason? {
        switch it.standing(head, context) {
        case .unregistered(let milliseconds):
            it.timestampMilliseconds = milliseconds
            return .unregistered
        case .expired(let milliseconds):
            it.timestampMilliseconds = milliseconds
            return .expiredToken
        default: return nil
        }
    }

    static func rate(_ it: inout Inspection, _ head: HeaderBlock, _ context: CheckContext) -> Reason? {
        it.standing(head, context) == .tooMany ? .tooManyRequests : nil
    }
}
