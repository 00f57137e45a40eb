// Rules about activities that a relay replaces before the system ends them: when a start for the successor leaves, whose
// token it goes to, and what becomes of the old card. What the new card shows is on the page beside this one.

import Basics
import Metrics
import Pushes

enum RestartRules {
    static let all =
        [
            inTime, byOwnAge, inWindow, RestartSpread.rule, byCurrentToken, oldKept, replacedEnded, lateEnded, lateIgnored,
            triedAgain, backsOff,
        ] + RestartCardRules.all + RestartContentRules.all

    private static let norm = "Relay contract: an activity that grows old is replaced by push-to-start"

    /// Visits each activity with the terms of the profile, where it has any. `blurred`: also those whose token may be taken
    /// for that of the one before or behind, of a rule that does not hang on it.
    static func each(
        _ joined: JoinedAccount, _ run: RunContext, blurred: Bool = false,
        _ visit: (RestartLife.Activity, RestartTerms) -> Void
    ) {
        guard let terms = run.circumstances.restart, let restarts = joined.restarts else { return }
        for activity in restarts.activities where !activity.isOfEitherLife && (blurred || !activity.isBlurred) {
            visit(activity, terms)
        }
    }

    /// How uneven what is on its way may be.
    static func slack(_ run: RunContext) -> Interval { run.circumstances.real(Tolerances.journey) + run.jitter }

    /// The start token of the phone by then, and whether one that came before it could be taken for it.
    private static func startToken(
        _ joined: JoinedAccount, phone: UInt8, until instant: Instant
    ) -> (token: TokenHash, isDoubtful: Bool)? {
        var last: (token: TokenHash, isDoubtful: Bool)?
        for call in joined.account.tokenCalls where call.isRegistration && call.lane.phone == phone {
            guard let made = joined.account.call(at: call.place), made.wasTaken, made.answeredAt <= instant else { continue }
            if call.lane.role == .start {
                last = (call.token, last.map { $0.isDoubtful || $0.token != call.token } ?? false)
            } else if call.lane.role == .device,
                !joined.account.tokenCalls.contains(where: { $0.place == call.place && $0.lane.role == .start })
            {
                // Registered again, and the start token left out.
                last?.isDoubtful = true
            }
        }
        return last
    }

    /// By when a start must have been sent that can be from `first` on, and has to be by `limit` where nothing of ours stops
    /// it; nil: there is no token for it that lives.
    private static func due(
        _ activity: RestartLife.Activity, _ joined: JoinedAccount, _ run: RunContext, from first: Instant, by limit: Instant
    ) -> Instant? {
        guard let token = startToken(joined, phone: activity.phone, until: first)?.token,
            let due = run.due(first, by: limit, at: .apns), !run.mayHaveLost(activity.born)
        else { return nil }
        let isDead = joined.tokens.deaths[token]?.contains { $0.arrivedAt <= due } ?? false
        return isDead ? nil : due
    }

    // MARK: When

    static let inTime = Rule(
        "restart-in-time", ["R4.1", "R4.2"], .must, basis: [.timing, .absence],
        requirement: "An activity that lives on has been given a start for its successor before it grows too old.",
        norm: "\(norm); Apple, Displaying live data: the system ends an activity after eight hours",
        advice: "set a timer by the age of each activity, also of those that took another's place and after a restart"
    ) { joined, run, tally in
        each(joined, run) { activity, terms in
            let first = activity.starts.first.map { joined.account.pushes[$0] }
            let opens = activity.born.lowerBound + terms.after - terms.within
            guard
                let limit = due(
                    activity, joined, run, from: opens, by: activity.born.upperBound + terms.before + slack(run)),
                min(activity.endedAt, run.circumstances.end) > limit || first != nil
            else { return }
            tally.test()
            if let first, first.arrivedAt <= limit { return }
            tally.find(
                "an activity of session \(activity.session) grew too old", expected: "a start by the age of \(terms.before)",
                seen: first.map { "one at \($0.arrivedAt - activity.born.upperBound)" } ?? "none", session: activity.session,
                step: first?.step, first?.id ?? 0)
        }
    }

    static let byOwnAge = Rule(
        "restart-by-own-age", ["R4.12"], .must, basis: .timing,
        requirement: "No activity is replaced before its own age is reached, however old its session is.",
        norm: "\(norm); its age counts from its own start",
        advice: "keep the instant of the start push with each activity, and count from there"
    ) { joined, run, tally in
        each(joined, run, blurred: true) { activity, terms in
            guard let first = activity.starts.first.map({ joined.account.pushes[$0] }) else { return }
            tally.test()
            let age = first.arrivedAt - activity.born.lowerBound
            guard age < terms.after * Tolerances.kept - slack(run) else { return }
            tally.find(
                "an activity of session \(activity.session) was replaced too early", expected: "at the age of \(terms.after)",
                seen: "a start at \(age)", session: activity.session, step: first.step, first.id)
        }
    }

    static let inWindow = Rule(
        "restart-in-window", ["R4.28"], .should, basis: .timing,
        requirement: "The start for an activity's successor leaves within the window that the relay declares.",
        norm: "\(norm), at a stated age and within a stated span",
        advice: "draw the instant for each activity within the window, and let nothing delay it"
    ) { joined, run, tally in
        each(joined, run) { activity, terms in
            guard let first = activity.starts.first.map({ joined.account.pushes[$0] }) else { return }
            let earliest = activity.born.lowerBound + terms.after - terms.within - slack(run)
            let closes = activity.born.upperBound + terms.after + terms.within + slack(run)
            guard let latest = due(activity, joined, run, from: earliest, by: closes) else { return }
            tally.test()
            guard first.arrivedAt < earliest || first.arrivedAt > latest else { return }
            tally.find(
                "a start for a successor left outside of its window",
                expected: "at the age of \(terms.after), \(terms.within) more or less",
                seen: "at \(first.arrivedAt - activity.born.upperBound)", session: activity.session, step: first.step, first.id)
        }
    }

    // MARK: Whom it reaches

    static let byCurrentToken = Rule(
        "restart-by-current-token", ["R4.20", "R4.23"], .must,
        requirement: "The start for a successor goes to the start token that its phone registered last.",
        norm: "\(norm); a registration that leaves the start token out says nothing of it",
        advice: "read the start token when the start leaves, and keep the stored one where a registration brings none"
    ) { joined, run, tally in
        each(joined, run, blurred: true) { activity, terms in
            for push in activity.starts.map({ joined.account.pushes[$0] }) {
                let until = push.arrivedAt - run.circumstances.inFlightGrace
                guard let current = startToken(joined, phone: activity.phone, until: until), current.isDoubtful,
                    let newest = startToken(joined, phone: activity.phone, until: push.arrivedAt)
                else { continue }
                tally.test()
                guard push.token != current.token, push.token != newest.token else { continue }
                tally.find(
                    "a start for a successor went to a start token that another had replaced",
                    expected: "the one that was registered last", seen: "an older one", session: activity.session,
                    step: push.step, push.id)
            }
        }
    }

    // MARK: The old card

    static let oldKept = Rule(
        "old-kept-until-adopted", ["R4.7", "R4.20", "R4.22"], .must, basis: .order,
        requirement: "An activity that is to be replaced is ended only when its successor has registered a token.",
        norm: "\(norm); APNs accepts a start for a phone that shows nothing",
        advice: "wait for the new token, not for APNs' answer to the start, before the old token gets its end"
    ) { joined, run, tally in
        each(joined, run) { activity, terms in
            let starts = activity.starts.map { joined.account.pushes[$0] }
            if starts.contains(where: \.isAccepted) { tally.test() }
            // Of two that took its place one is too many.
            if activity.isRival { return }
            for push in activity.ends.map({ joined.account.pushes[$0] }) where push.isAccepted {
                if let replacedAt = activity.replacedAt, replacedAt <= push.arrivedAt { continue }
                tally.find(
                    "an activity was ended before another had taken its place", expected: "a new token first",
                    seen: activity.replacedAt.map { "the end \($0 - push.arrivedAt) before it" } ?? "none",
                    session: activity.session, step: push.step, starts.last?.id ?? 0, push.id)
            }
        }
    }

    static let replacedEnded = Rule(
        "replaced-card-ended", ["R4.6"], .must, basis: [.timing, .absence],
        requirement: "The old activity is ended as soon as its successor has registered a token.",
        norm: "\(norm); a session has one card",
        advice: "end the old card when the new token is registered; send the end again after an answer that refuses it for now"
    ) { joined, run, tally in
        each(joined, run) { activity, terms in
            guard let replacedAt = activity.replacedAt, let answeredAt = activity.replacedFor, !activity.hasRival else {
                return
            }
            let patience = patience(run)
            let ends = activity.ends.map { joined.account.pushes[$0] }
            guard let limit = limit(of: ends, from: answeredAt, terms, run), limit < run.circumstances.end,
                !isGone(activity, by: replacedAt, joined, run)
            else { return }
            let isEnded = ends.contains { $0.isAccepted && $0.arrivedAt <= limit }
            guard isEnded || !isOver(activity, by: limit, joined) else { return }
            tally.test()
            if isEnded || wasLetBe(ends) { return }
            let first = ends.first(where: \.isAccepted) ?? ends.first
            tally.find(
                "the card of session \(activity.session) stands beside the one that took its place",
                expected: "an end within \(patience)",
                seen: first.map { $0.isAccepted ? "one after \($0.arrivedAt - answeredAt)" : "one, answered \(run.reason($0))" }
                    ?? "none", session: activity.session, first?.id ?? 0)
        }
    }

    /// Whether the token that the activity had last died. One that a rotation had replaced tells nothing, unless the new one
    /// came only just before.
    private static func isGone(
        _ activity: RestartLife.Activity, by instant: Instant, _ joined: JoinedAccount, _ run: RunContext
    ) -> Bool {
        let settled = instant - run.circumstances.inFlightGrace
        let known = activity.tokens.lastIndex { token in
            joined.tokens.registrations[token]?.contains { $0.wasTaken && $0.answeredAt <= settled } ?? false
        }
        return activity.tokens[(known ?? 0)...].contains { !(joined.tokens.deaths[$0] ?? []).isEmpty }
    }

    /// Whether the system had ended the card by then, for its age: by its phone's word, where one has told of it.
    private static func isOver(_ activity: RestartLife.Activity, by instant: Instant, _ joined: JoinedAccount) -> Bool {
        guard let card = joined.account.cards.first(where: { !Set($0.tokens).isDisjoint(with: activity.tokens) }) else {
            return activity.born.upperBound + SheetFigures.cardLife <= instant
        }
        // No relay sees what its user does.
        return card.dismissedAt == nil && card.endedAt.map { $0 <= instant } ?? false
    }

    static let lateEnded = Rule(
        "late-card-ended", ["R4.6", "G20"], .must, basis: [.timing, .absence],
        requirement: "A card that turns up when its session is over is ended as soon as its token is registered.",
        norm: "\(norm); what a start has made stands on the Lock Screen until it is ended",
        advice: "remember the starts that have left; where one is adopted behind the session's end, send its token the end"
    ) { joined, run, tally in
        each(joined, run) { activity, terms in
            guard let overAt = activity.overAt, overAt < activity.registeredAt, let answeredAt = activity.answeredAt else {
                return
            }
            let ends = joined.account.pushes.filter {
                $0.isLiveActivity && $0.event == .end && activity.tokens.contains($0.token)
            }
            guard let limit = limit(of: ends, from: answeredAt, terms, run), limit < run.circumstances.end,
                !isGone(activity, by: answeredAt, joined, run),
                !run.circumstances.mayBeForgotten(from: overAt, told: overAt)
            else { return }
            let isEnded = ends.contains { $0.isAccepted && $0.arrivedAt <= limit }
            guard isEnded || !isOver(activity, by: limit, joined) else { return }
            tally.test()
            if isEnded || wasLetBe(ends) { return }
            tally.find(
                "a card of session \(activity.session) turned up when the session was over, and stays",
                expected: "an end within \(patience(run))", seen: ends.isEmpty ? "none" : "none that was accepted in time",
                session: activity.session, ends.first?.id ?? 0)
        }
    }

    static let lateIgnored = Rule(
        "late-registration-ignored", ["R4.21"], .must,
        requirement: "A registration of an activity that was replaced does not bring its token back.",
        norm: "\(norm); registrations may overtake each other on their way",
        advice: "remember the tokens that were replaced for as long as the session lives, and let such a call do nothing"
    ) { joined, run, tally in
        each(joined, run) { activity, terms in
            guard let replacedAt = activity.replacedAt else { return }
            for call in joined.account.calls
            where call.session == activity.session && run.staleKinds.contains(call.kind) && call.wasAnswered
                && replacedAt < call.sentAt
            {
                tally.test()
                let stray = joined.account.pushes.first {
                    $0.isLiveActivity && $0.event == .update && activity.tokens.contains($0.token) && call.sentAt < $0.arrivedAt
                }
                guard let stray else { continue }
                tally.find(
                    "a late `\(run.kind(call.kind))` brought the token of an ended activity back",
                    expected: "pushes to the new activity only", seen: "an update to the old one", session: call.session,
                    step: call.step, stray.id)
            }
        }
    }

    // MARK: Starts that nobody adopts

    static let triedAgain = Rule(
        "restart-tried-again", ["R4.20", "R4.22"], .must, basis: [.timing, .absence],
        requirement: "A start that no token follows is tried again while the old activity lives.",
        norm: "\(norm); a start token may be stale although APNs accepts it",
        advice: "count a start as done when its card's token is registered; until then try again, with growing pauses"
    ) { joined, run, tally in
        each(joined, run) { activity, terms in
            var pause = terms.pause
            for (number, index) in activity.starts.enumerated() {
                let push = joined.account.pushes[index]
                // A relay that doubles its pauses otherwise than the profile says is none the worse.
                let patience = RestartRules.pause(behind: push, pause) * 2 + terms.adoptWithin
                // To a start token that was dead none can follow until the phone has another.
                let from = push.status == 410 ? renewal(of: push, joined, phone: activity.phone) : push.arrivedAt
                pause = min(terms.longestPause, pause * 2)
                guard let from else { continue }
                let next = activity.starts[(number + 1)...].first.map { joined.account.pushes[$0].arrivedAt }
                guard let limit = due(activity, joined, run, from: from, by: from + patience + slack(run)),
                    min(activity.endedAt, run.circumstances.end) > limit || next != nil
                else { continue }
                tally.test()
                if let next, next <= limit { continue }
                tally.find(
                    "a start that nobody adopted was not tried again", expected: "another within \(patience)",
                    seen: next.map { "one after \($0 - push.arrivedAt)" } ?? "none", session: activity.session,
                    step: push.step, push.id)
            }
        }
    }

    /// When the phone's next start token was registered.
    private static func renewal(of push: SeenPush, _ joined: JoinedAccount, phone: UInt8) -> Instant? {
        joined.account.tokenCalls.lazy
            .filter { $0.isRegistration && $0.lane == Lane(role: .start, phone: phone) && $0.token != push.token }
            .compactMap { joined.account.call(at: $0.place) }
            .filter { $0.wasTaken && push.arrivedAt < $0.sentAt }.map(\.answeredAt).min()
    }

    static let backsOff = Rule(
        "restart-backs-off", ["R4.24"], .should, basis: .timing,
        requirement: "Between starts that nobody adopts lie pauses that double.",
        norm: "\(norm); what a phone does not show it does not show a minute later either",
        advice: "double the pause behind each start that no token follows, up to the longest"
    ) { joined, run, tally in
        each(joined, run) { activity, terms in
            var pause = terms.pause
            for (earlier, later) in zip(activity.starts, activity.starts.dropFirst()) {
                let (first, second) = (joined.account.pushes[earlier], joined.account.pushes[later])
                // Sent again for other reasons, or to a phone that has another token now.
                guard first.isAccepted || first.status == 429, first.token == second.token else { continue }
                tally.test()
                let gap = second.arrivedAt - first.arrivedAt
                if gap < pause * Tolerances.kept {
                    tally.find(
                        "a start was tried again too soon", expected: "\(pause) after the one before", seen: "\(gap)",
                        session: activity.session, step: second.step, first.id, second.id)
                }
                pause = min(terms.longestPause, pause * 2)
            }
        }
    }
}
