// What a reader needs who asks where a push that never came was lost: what was tried, what met its card before, what the card
// and the user's other phone were told.

import Basics
import Metrics
import Pushes

struct Loss {
    /// The push that was owed, in words.
    private(set) var owed: String
    /// Accepted, and yet not what was owed (`DeliveryClass.altered`).
    private(set) var isAltered = false
    /// What was seen instead.
    private(set) var words: String
    /// The journal entry that shows it, or 0.
    private(set) var entry: UInt64 = 0
    /// What would have brought it to its card.
    private(set) var cure = Cure.unsent

    /// What a relay has to do that lost a push so.
    enum Cure {
        case unsent, altered, refusedForNow, refusedForGood, otherHost, deadToken, waiting, registered, start, again, trailing
        case unread

        var words: String {
            switch self {
            case .unsent: "send this push for this call; look in the relay's log for where it was dropped"
            case .altered: "send the event and the content that the call says"
            case .refusedForNow: "send the newest state again after such an answer, or a cut connection, until one is accepted"
            case .refusedForGood: "mend what that answer complains of, then send the newest state again"
            case .otherHost: "ask the other environment's host before giving up, and remember which one took the token"
            case .deadToken: "keep the newest state, and send it when a token is registered again"
            case .waiting: "keep what is told while an older state waits or fails, and send the newest of it afterwards"
            case .registered: "when a token is registered, send it the newest state that its card has not shown"
            case .start: "send a start where the session has no card yet"
            case .again: "let an event after the end of a session begin a new card"
            case .trailing: "remember the newest state while a throttle holds it back, and send it when its window closes"
            case .unread: "put the event where the profile's `messageEvent` points, or correct the profile"
            }
        }
    }

    /// How long the relay was able to send it, where something of ours kept it from that for a while; else nothing.
    private static func ability(_ joined: JoinedAccount, _ index: Int, _ run: RunContext) -> String {
        let delivery = joined.deliveries[index]
        let end = run.circumstances.end
        guard !delivery.stops.isEmpty, delivery.since < end else { return "" }
        let (able, stopped) = joined.ability(index, until: end)
        return "; of the \(end - delivery.since) since then \(able) count, for the relay was kept from sending for \(stopped)"
    }

    init(_ joined: JoinedAccount, _ index: Int, _ run: RunContext) {
        defer { if !isAltered { words += Self.ability(joined, index, run) } }
        let row = joined.account.rows[index]
        let hasTwoPhones = joined.account.rows.contains { $0.session == row.session && $0.lane.phone != row.lane.phone }
        owed = (row.provider == .fcm ? "message of FCM" : "\(row.type.word)") + (row.event.map { " \($0.word)" } ?? "")
            + (hasTwoPhones ? " on the user's phone \(row.lane.phone + 1)" : "")
        if let last = joined.attempts(of: index).last {
            isAltered = last.isAccepted
            cure = Self.cure(of: last, run)
            let host = run.death(in: last) == .atThisHost ? " by the \(last.environment.word) host" : ""
            words =
                "its last attempt was answered \(run.reason(last))\(host)" + (last.outcome.map { ", outcome \($0.word)" } ?? "")
            entry = last.id
            if !last.isAccepted, let again = joined.tokens.registration(of: last.token, after: last.arrivedAt) {
                words += "; that token was registered again \((again.sentAt - last.arrivedAt).laterWords)"
                if run.tellsOfDeath(last), row.type == .liveactivity { cure = .registered }
            }
            return
        }
        words = "no push for it"
        let course = Course(joined, index, run)
        let hints = [
            course.unread, course.trouble ?? course.refusal, course.card, course.registered, course.otherPhone, course.again,
        ]
        for hint in hints.compactMap(\.self) {
            words += "; " + hint.words
            if cure == .unsent { cure = hint.cure }
            if entry == 0 { entry = hint.entry }
        }
    }

    /// After the last that was tried.
    private static func cure(of last: SeenPush, _ run: RunContext) -> Cure {
        if last.isAccepted { return .altered }
        return switch run.death(in: last) {
        case .atThisHost: .otherHost
        case .some: .deadToken
        case nil: run.refusesForGood(last) || run.credential(in: last) != nil ? .refusedForGood : .refusedForNow
        }
    }

    private struct Hint {
        var words: String
        var entry: UInt64 = 0
        var cure = Cure.unsent
    }

    /// What went before, of the same session.
    private struct Course {
        let joined: JoinedAccount
        let run: RunContext
        let row: Expectation
        let due: Instant
        /// Pushes to its card, or its phone's device, of what was said before it.
        let before: [SeenPush]

        init(_ joined: JoinedAccount, _ index: Int, _ run: RunContext) {
            let row = joined.account.rows[index]
            let due = joined.deliveries[index].due
            (self.joined, self.run, self.row, self.due) = (joined, run, row, due)
            before = joined.account.pushes.filter { push in
                push.isMarked && push.session == row.session && push.place < row.place && push.type == row.type
                    && joined.tokens.lanes[push.token] == row.lane && push.arrivedAt <= due
            }
        }

        /// A message that says the same, and is no Live Update for all that the profile tells of its place.
        var unread: Hint? {
            guard row.provider == .fcm, row.type == .liveactivity else { return nil }
            let other = joined.account.pushes.first { push in
                push.provider == .fcm && push.event == nil && push.isMarked && push.place == row.place
                    && push.token == row.token
            }
            let words = "a message with its marker came, without an event where the profile's `messageEvent` points"
            return other.map { Hint(words: words, entry: $0.id, cure: .unread) }
        }

        /// What of ours stands near it.
        var trouble: Hint? {
            let held = before.last { $0.metFault && row.plannedAt - row.deadline <= $0.arrivedAt }
            if let held, let fault = run.circumstances.fault(held.faultRule) {
                let when = after(held.arrivedAt)
                let words = "an older state of its card met \(fault.label) \(when) this state's call"
                let isOld = joined.tokens.speaksOfThePast(held, run.circumstances)
                let before = isOld ? ", which speaks of a time before the token was registered" : ""
                return Hint(words: words + before, entry: held.id, cure: .waiting)
            }
            guard let firing = run.circumstances.firings(from: row.plannedAt, to: due).first,
                let fault = run.circumstances.fault(firing.rule)
            else { return nil }
            return Hint(words: "a connection met \(fault.label) \(after(firing.at)) its call", cure: .refusedForNow)
        }

        /// The last answer that its card had, where that was none of success.
        var refusal: Hint? {
            guard let own = before.last, !own.isAccepted else { return nil }
            // Of whatever kind: what waits may wait for that.
            let newest = joined.account.pushes.last { $0.token == own.token && $0.arrivedAt <= due } ?? own
            let last = newest.isAccepted ? own : newest
            let which = newest.isAccepted ? "the last push of its kind to this token" : "the last push to this token"
            return Hint(
                words: "\(which) was answered \(run.reason(last)), \(after(last.arrivedAt)) this state's call", entry: last.id,
                cure: Loss.cure(of: last, run) == .refusedForNow ? .waiting : Loss.cure(of: last, run))
        }

        var card: Hint? {
            if row.event == .start {
                let others = joined.account.pushes.contains { $0.session == row.session && $0.event == .start }
                return others ? nil : Hint(words: "no start at all was sent in this session", cure: .start)
            }
            guard row.type == .liveactivity else { return nil }
            guard let last = before.last(where: \.isAccepted) else {
                return Hint(words: "no earlier state had reached its token either")
            }
            let kind = joined.account.call(at: last.place).map { "`\(run.kind($0.kind))`" } ?? "a push"
            let when = after(last.arrivedAt)
            return Hint(
                words: "the last push that reached this token was \(kind) of step \(last.step), \(when) this state's call",
                entry: last.id, cure: row.flags.contains(.isThrottled) ? .trailing : .unsent)
        }

        /// A token of its card that was registered after the last that the card was told, and before this was due.
        var registered: Hint? {
            guard row.type == .liveactivity, row.event != .start else { return nil }
            let told = before.last?.arrivedAt
            var former: TokenHash?
            var words: String?
            for call in joined.account.tokenCalls where call.isRegistration && call.lane == row.lane {
                guard let made = joined.account.call(at: call.place), made.session == row.session, made.sentAt <= due else {
                    continue
                }
                let what =
                    switch former {
                    case nil: "the first token of its card was registered"
                    case call.token: "its token was registered again"
                    default: "another token of its card was registered"
                    }
                words = told.map { $0 < made.sentAt } ?? true ? "\(what) \(after(made.sentAt)) this state's call" : nil
                former = call.token
            }
            return words.map { Hint(words: $0, cure: .registered) }
        }

        var otherPhone: Hint? {
            let accepted = joined.account.rows.indices.lazy.filter { other in
                let owed = joined.account.rows[other]
                return owed.place == row.place && owed.type == row.type && owed.lane.phone != row.lane.phone
            }.compactMap { joined.deliveries[$0].accepted }.first
            guard let accepted else { return nil }
            return Hint(words: "the user's other phone got it", entry: joined.account.pushes[accepted].id)
        }

        /// A session that had been over.
        var again: Hint? {
            let end = joined.account.calls.last { call in
                call.session == row.session && call.place < row.place && run.circumstances.finalKinds.contains(call.kind)
            }
            return end.map { Hint(words: "the session had ended at step \($0.step), and gone on", cure: .again) }
        }

        private func after(_ instant: Instant) -> String {
            instant < row.plannedAt ? "\(row.plannedAt - instant) before" : "\(instant - row.plannedAt) after"
        }
    }
}
