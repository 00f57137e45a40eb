// What a push says that APNs takes without a word and that is wrong all the same (docs/apns.md §3, §4, §5, §10): noted
// beside the push, so that a report can tell.

import Pushes

/// One remark about an accepted push.
package enum PushWarning: UInt32, CaseIterable, Sendable {
    case malformedJSON, noAPS, noPushType
    case backgroundPriority, backgroundWithAlert, backgroundWithoutContent
    case widgetsWithoutChange, pushToTalkKept, activityPriority
    case unknownInterruptionLevel, relevanceOutOfRange, unixDateInState, alertNotAnObject
    /// Not of the payload alone: who keeps the channels tells.
    case unknownChannel
    /// Nor this: the clock tells.
    case staleAtOnce
    case dismissalWithoutEnd
    /// The clock tells of these too.
    case expirationRelative, expirationInMinutes, expirationInMilliseconds, expirationPassed
    case cardDateRelative, cardDateInMinutes, cardDateInMilliseconds, cardDateFarAhead, dismissalTooLate
    case cardDateNotANumber, millisecondsInState

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
        case .expirationRelative: "expiration-relative"
        case .expirationInMinutes: "expiration-in-minutes"
        case .expirationInMilliseconds: "expiration-in-milliseconds"
        case .expirationPassed: "expiration-passed"
        case .cardDateRelative: "card-date-relative"
        case .cardDateInMinutes: "card-date-in-minutes"
        case .cardDateInMilliseconds: "card-date-in-milliseconds"
        case .cardDateFarAhead: "card-date-far-ahead"
        case .dismissalTooLate: "dismissal-date-too-late"
        case .cardDateNotANumber: "card-date-not-a-number"
        case .millisecondsInState: "milliseconds-date-in-state"
        }
    }

    /// One sentence for the one who sent it.
    package var explanation: String {
        switch self {
        case .malformedJSON: "The body is not a JSON object; no device can read it."
        case .noAPS: "The payload has no aps, so the system shows nothing and the app is told of no event."
        case .noPushType: "There is no apns-push-type, which watchOS 6 and later demand."
        case .backgroundPriority: "A background push has priority 5, and no other."
        case .backgroundWithAlert: "A background push has no alert, badge or sound."
        case .backgroundWithoutContent: "A background push has content-available 1."
        case .widgetsWithoutChange: "A widgets or controls push has content-changed true."
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
        case .expirationRelative:
            "The apns-expiration looks like seconds from now. It is a date in Unix seconds, and this one lies in 1970: APNs "
                + "tries once and keeps nothing for a device that is away."
        case .expirationInMinutes:
            "The apns-expiration looks like minutes since 1970. It counts seconds, and this date lies in 1970: APNs tries once "
                + "and keeps nothing for a device that is away."
        case .expirationInMilliseconds:
            "The apns-expiration looks like milliseconds since 1970. It counts seconds, so that this date lies thousands of "
                + "years ahead: the push is kept as long as APNs keeps any."
        case .expirationPassed:
            "The apns-expiration has passed already. As with 0, APNs tries once and keeps nothing for a device that is away."
        case .cardDateRelative:
            "The stale-date or dismissal-date looks like seconds from now. It is a date in Unix seconds, and this one lies in "
                + "1970."
        case .cardDateInMinutes:
            "The stale-date or dismissal-date looks like minutes since 1970. It counts seconds, and this date lies in 1970."
        case .cardDateInMilliseconds:
            "The stale-date or dismissal-date looks like milliseconds since 1970. It counts seconds, so that this date lies "
                + "thousands of years ahead."
        case .cardDateFarAhead: "The stale-date lies more than a year ahead; a card lives twelve hours at most."
        case .dismissalTooLate: "The dismissal-date lies more than four hours ahead; the card goes after four."
        case .cardDateNotANumber: "The stale-date or dismissal-date is not a number; it is one of Unix seconds."
        case .millisecondsInState:
            "content-state or attributes hold what looks like Unix milliseconds; Swift's default decoding counts a Date in "
                + "seconds from 2001, so it would land 50,000 years ahead."
        case .unknownChannel: "The app has no channel as input-push-channel names it: the activity hears no broadcast."
        }
    }

    /// Whether it is a remark about such a push: what is wrong for most types is right for some.
    func concerns(_ facts: PushFacts) -> Bool {
        switch self {
        case .noAPS: facts.pushType?.isForSystem != false && !facts.isForPass
        default: true
        }
    }

    package var bit: UInt32 { 1 << rawValue }

    /// The warnings whose bits are set.
    package static func all(in bits: UInt32) -> [PushWarning] { allCases.filter { bits & $0.bit != 0 } }
}

extension PushFacts {
    /// Bits of `PushWarning`; 0 for nearly every push, and for one that was refused before its body was read: its refusal
    /// says what is wrong, and nothing else of it is known.
    package var warnings: UInt32 {
        guard payload.isRead else { return 0 }
        var bits = payload.warnings
        if bits & PushWarning.noAPS.bit != 0, !PushWarning.noAPS.concerns(self) { bits &= ~PushWarning.noAPS.bit }
        if !payload.isObject { bits |= PushWarning.malformedJSON.bit }
        if !hasPushType { bits |= PushWarning.noPushType.bit }
        switch pushType {
        case .background:
            if hasPriority, priority != 5 { bits |= PushWarning.backgroundPriority.bit }
            if payload.hasAlert || payload.hasBadge || payload.hasSound { bits |= PushWarning.backgroundWithAlert.bit }
            if !payload.isContentAvailable { bits |= PushWarning.backgroundWithoutContent.bit }
        case .widgets, .controls: if !payload.isContentChanged { bits |= PushWarning.widgetsWithoutChange.bit }
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
