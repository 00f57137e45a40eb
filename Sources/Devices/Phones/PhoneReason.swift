// Why a phone did with a push what it did, in words that a person understands.

package import Basics
package import Pushes

/// The reason behind an outcome. Its words are only made where somebody reads them.
package enum PhoneReason: Hashable, Sendable {
    /// The app's type does not decode it: what is wrong, as the rest of a sentence.
    case doesNotDecode(String)
    case olderThanStart, olderThanState, asOldAsState
    case tooFarBack(limit: Interval)
    case tooFarAhead(limit: Interval)
    case endedByAge(Interval)
    case endedByPush, endedByApp, dismissed
    /// With all others of its app, when Live Activities were switched off.
    case removed
    /// Drawn so long after its arrival, unless a newer state comes first.
    case drawnLater(Interval, every: Interval)
    /// What is left of the budget: below zero, for refused starts are charged too.
    case startBudget(left: Int, of: Int)
    case urgentBudget, backgroundBudget
    case switchedOff, staleStartToken, tooManyActivities
    case systemTooOld(major: UInt8, minor: UInt8, wants: String)
    case pastStaleDate
    /// The app was not woken, so the relay gets no update token.
    case notAwake
    case offline, lowPower, batched, oneAttempt, displaced, tooLate
    case tokenReplaced, appGone
    /// A background push does not start an app that its user has ended.
    case appKilled
    case startOnActivity, updateOnStart
    /// Of an Android device.
    case android(AndroidReason)

    package var words: String {
        switch self {
        case .doesNotDecode(let mistake): "does not decode: " + mistake
        case .olderThanStart: "older than the start"
        case .olderThanState: "older than the state that the card has"
        case .asOldAsState: "as old as the state that the card has"
        case .tooFarBack(let limit): "its timestamp lies more than \(limit.words) back"
        case .tooFarAhead(let limit): "its timestamp lies more than \(limit.words) ahead"
        case .endedByAge(let life): "ended \(life.words) after its start"
        case .endedByPush: "ended by an earlier push"
        case .endedByApp: "ended by its app"
        case .dismissed: "dismissed by the user"
        case .removed: "removed when Live Activities were switched off"
        case .drawnLater(let wait, let period):
            "drawn \(wait) later unless a newer one comes: a card is drawn once per \(period.words)"
        case .startBudget(let left, let size): "start budget of \(size) spent, with \(-left) charged beyond it"
        case .urgentBudget: "budget for priority 10 spent"
        case .backgroundBudget: "budget for background pushes spent"
        case .switchedOff: "Live Activities are switched off"
        case .staleStartToken: "the push-to-start token has gone stale: answered 200, and nothing starts"
        case .tooManyActivities: "the app has as many activities as can be kept"
        case .systemTooOld(let major, let minor, let wants): "iOS \(major).\(minor) is older than \(wants)"
        case .pastStaleDate: "its stale-date had passed when it started"
        case .notAwake: "not awake: no token was sent"
        case .offline: "the phone is offline"
        case .lowPower: "Low Power: below priority 10 it waits"
        case .batched: "below priority 10 it waits for the next batch"
        case .oneAttempt: "the phone is out of reach, and it was for one attempt only"
        case .displaced: "one stored push per app: a newer one took its place"
        case .tooLate: "expired before the phone was back"
        case .tokenReplaced: "the token was replaced"
        case .appKilled: "its user has ended the app: a background push does not start it"
        case .appGone: "the app is not on the phone any more"
        case .startOnActivity: "a start on the token of an activity"
        case .updateOnStart: "no start, on a push-to-start token"
        case .android(let reason): reason.words
        }
    }
}

extension Interval {
    /// In whole hours, minutes or seconds where it is such, with a blank: `8 h`, `15 s`.
    fileprivate var words: String {
        for (unit, seconds) in [("h", Int64(3600)), ("min", 60), ("s", 1)] {
            let span = seconds * 1_000_000_000
            if nanoseconds >= span, nanoseconds % span == 0 { return "\(nanoseconds / span) \(unit)" }
        }
        return description
    }
}

/// What a phone did with one push.
package struct PhoneVerdict: Hashable, Sendable {
    package var outcome: Outcome
    /// Nil: there is nothing to explain.
    package var reason: PhoneReason?

    package init(_ outcome: Outcome, _ reason: PhoneReason? = nil) {
        self.outcome = outcome
        self.reason = reason
    }
}

/// What an app's types make of a push. Given from above, since devices know no schema. Safe to use from any thread: a push that
/// is stored takes it along, to be decoded wherever the phone's return is noticed.
package protocol PhoneDecoder: AnyObject, Sendable {
    /// Why the app does not decode the push, such as `missing key "retryInfo"`; nil: it does. `schema` is the number
    /// that the app was set up with, `payload` the whole of a decodable Live Activity push.
    func mistake(schema: UInt16, event: ActivityEvent, payload: Span<UInt8>) -> String?
}
