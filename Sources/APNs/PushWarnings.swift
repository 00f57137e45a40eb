// What a push says that APNs takes without a word and that is wrong all the same (spec/apns.md §3, §4, §5, §10): noted
// beside the push, so that a report can tell.

import Pushes

/// One remark about an accepted push.
package enum PushWarning: UInt16, CaseIterable, Sendable {
    case malformedJSON, noAPS, noPushType
    case backgroundPriority, backgroundWithAlert, backgroundWithoutContent
    case widgetsWithoutChange, pushToTalkKept, activityPriority
    case unknownInterruptionLevel, relevanceOutOfRange, unixDateInState, alertNotAnObject
    /// Not of the payload alone: who keeps the channels tells.
    case unknownChannel
    /// Nor this: the clock tells.
    case staleAtOnce
    case dismissalWithoutEnd

    /// Kebab-case, for the admin API.
    package var word: StaticString {
        switch self {
        case .malformedJSON: "malformed-json"
        case .noAPS: "no-aps"
        case .noPushType: "no-push-type"
        case .backgroundPriority: "background-priority"
        case .backgroundWithAlert: "background-with-alert"
        case .backgroundWithoutContent: "background-without-content-available"
        case .widgetsWithoutChange: "widgets-without-content-changed"
        case .pushToTalkKept: "pushtotalk-kept"
        case .activityPriority: "liveactivity-priority"
        case .unknownInterruptionLevel: "unknown-interruption-level"
        case .relevanceOutOfRange: "relevance-score-out-of-range"
        case .unixDateInState: "unix-date-in-state"
        case .alertNotAnObject: "alert-not-an-object"
        case .unknownChannel: "unknown-channel"
        case .staleAtOnce: "stale-date-in-the-past"
        case .dismissalWithoutEnd: "dismissal-date-without-end"
        }
    }

    /// One sentence for the one who sent it.
    package var explanation: String {
        switch self {
        case .malformedJSON: "The body is not a JSON object; no device can read it."
        case .noAPS: "The payload has no aps, so the system shows nothing (right for Wallet passes and MDM)."
        case .noPushType: "There is no apns-push-type, which watchOS 6 and later demand."
        case .backgroundPriority: "A background push has priority 5, and no other."
        case .backgroundWithAlert: "A background push has no alert, badge or sound."
        case .backgroundWithoutContent: "A background push has content-available 1."
        case .widgetsWithoutChange: "A widgets push has content-changed true."
        case .pushToTalkKept: "A Push to Talk push has priority 10 and expiration 0: a late one is of no use."
        case .activityPriority: "A Live Activity push has priority 5 or 10."
        case .unknownInterruptionLevel: "The interruption-level is passive, active, time-sensitive or critical."
        case .relevanceOutOfRange: "The relevance-score of a notification lies between 0 and 1."
        case .unixDateInState:
            "content-state or attributes hold what looks like Unix seconds; Swift's default decoding counts a Date "
                + "from 2001, so it would land 31 years ahead."
        case .alertNotAnObject: "The alert of a Live Activity push is an object."
        case .staleAtOnce: "The stale-date has passed already, so the card is stale from the start."
        case .dismissalWithoutEnd: "A dismissal-date belongs to an end; with a start or an update it does nothing."
        case .unknownChannel: "The app has no channel as input-push-channel names it: the activity hears no broadcast."
        }
    }

    package var bit: UInt16 { 1 << rawValue }

    /// The warnings whose bits are set.
    package static func all(in bits: UInt16) -> [PushWarning] { allCases.filter { bits & $0.bit != 0 } }
}

extension PushFacts {
    /// Bits of `PushWarning`; 0 for nearly every push, and for one that was refused before its body was read: its refusal
    /// says what is wrong, and nothing else of it is known.
    package var warnings: UInt16 {
        guard payload.isRead else { return 0 }
        var bits = payload.warnings
        if !payload.isObject { bits |= PushWarning.malformedJSON.bit }
        if !hasPushType { bits |= PushWarning.noPushType.bit }
        switch pushType {
        case .background:
            if hasPriority, priority != 5 { bits |= PushWarning.backgroundPriority.bit }
            if payload.hasAlert || payload.hasBadge || payload.hasSound { bits |= PushWarning.backgroundWithAlert.bit }
            if !payload.isContentAvailable { bits |= PushWarning.backgroundWithoutContent.bit }
        case .widgets: if !payload.isContentChanged { bits |= PushWarning.widgetsWithoutChange.bit }
        case .pushtotalk: if priority != 10 || expiration != 0 { bits |= PushWarning.pushToTalkKept.bit }
        case .liveactivity:
            if priority == 1 { bits |= PushWarning.activityPriority.bit }
            if activity?.dismissalDate != nil, activity?.event == .start || activity?.event == .update {
                bits |= PushWarning.dismissalWithoutEnd.bit
            }
        default: break
        }
        return bits
    }
}
