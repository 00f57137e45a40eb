// Rules about the cards that a user sees while activities take each other's place: one at a time, and none too long.

import Basics
import Metrics
import Pushes

enum RestartCardRules {
    static let all = [oneCard, startIsShown, replacedGoes, endedGoes, catchesUp]

    private static let norm = "Relay contract: a restart is invisible, and a session has one card"

    /// A card whose token the relay knows, by one session.
    private struct Known {
        var card: SeenCard
        var session: UInt32
        /// When the first registration of its token was answered.
        var at: Instant
    }

    private static func known(_ joined: JoinedAccount) -> [Known] {
        joined.account.cards.compactMap { card in
            var card = card
            // A token that no phone knows, told behind no start, is a rotation of the one before.
            let own = joined.restarts?.activities.first { !Set($0.tokens).isDisjoint(with: card.tokens) }
            card.tokens += own?.tokens.filter { joined.account.card(of: $0) == nil } ?? []
            let registrations = card.tokens.flatMap { joined.tokens.registrations[$0] ?? [] }
            let first = registrations.filter(\.wasTaken).min { $0.answeredAt < $1.answeredAt }
            return first.map { Known(card: card, session: UInt32($0.place >> 32), at: $0.answeredAt) }
        }.sorted { $0.at < $1.at }
    }

    static let oneCard = Rule(
        "one-card-at-a-time", ["R4.6"], .must, basis: [.timing, .absence],
        requirement: "A phone shows one living card of a session: when another is adopted, one of the two is ended.",
        norm: "\(norm); two starts for one successor may both be adopted, late as the phone is",
        advice: "count the starts that were accepted; a token that comes of each is a card, and all but one get their end"
    ) { joined, run, tally in
        guard let terms = run.circumstances.restart else { return }
        // One that may be taken for another one stands under that one's name.
        let doubtful = Set(joined.restarts?.activities.filter(\.isDoubtful).flatMap(\.tokens) ?? [])
        let known = known(joined).filter { doubtful.isDisjoint(with: $0.card.tokens) }
        for (index, newest) in known.enumerated() {
            let rivals = known[...index].filter { $0.session == newest.session && $0.card.phone == newest.card.phone }
            guard rivals.count > 1 else { continue }
            let tokens = Set(rivals.flatMap(\.card.tokens))
            let ends = joined.account.pushes.filter { $0.isLiveActivity && $0.event == .end && tokens.contains($0.token) }
            let recent = ends.filter { newest.at <= $0.arrivedAt }
            // The first may have left, and been refused, before the registration was answered.
            guard let limit = RestartRules.limit(of: ends, from: newest.at, terms, run), limit < run.circumstances.end
            else { continue }
            tally.test()
            let living = rivals.filter { rival in
                let isOver = rival.card.endedAt.map { $0 <= limit } ?? false
                let isDead = rival.card.tokens.contains { !(joined.tokens.deaths[$0] ?? []).isEmpty }
                let own = ends.filter { rival.card.tokens.contains($0.token) }
                let wasTold = own.contains { $0.isAccepted && $0.arrivedAt <= limit }
                return !isOver && !isDead && !wasTold && !RestartRules.wasLetBe(own)
            }
            guard living.count > 1 else { continue }
            tally.find(
                "a phone shows \(living.count) living cards of session \(newest.session)",
                expected: "an end for all but one within \(RestartRules.patience(run))", seen: "none",
                session: newest.session, recent.first?.id ?? 0)
        }
    }

    static let startIsShown = Rule(
        "start-is-shown", ["R4.6", "R0.14"], .must,
        requirement: "A start is not stale when it arrives.",
        norm: "Apple, Starting and updating Live Activities: what is past its stale-date is not shown",
        advice: "count stale-date from the instant of the start, in Unix seconds"
    ) { joined, run, tally in
        for push in joined.account.pushes where push.isLiveActivity && push.event == .start && push.isAccepted {
            guard let outcome = push.outcome else { continue }
            tally.test()
            guard outcome == .neverShown else { continue }
            tally.find(
                "a start made a card that no phone shows", expected: "a stale-date that lies ahead", seen: "one that is over",
                of: push, push.id)
        }
    }

    static let replacedGoes = Rule(
        "replaced-card-goes", ["R4.6"], .must,
        requirement: "A card that another has replaced is removed with its end, not four hours later.",
        norm: "\(norm); Apple, Ending Live Activities: without a dismissal-date a card stays up to four hours",
        advice: "send the end of the old card with a dismissal-date that is now or past"
    ) { joined, run, tally in
        RestartRules.each(joined, run) { activity, terms in
            guard let replacedAt = activity.replacedAt else { return }
            for push in activity.ends.map({ joined.account.pushes[$0] }) where push.isAccepted && replacedAt <= push.arrivedAt {
                tally.test()
                let stay = stay(push)
                if let stay, stay <= Tolerances.date { continue }
                tally.find(
                    "a card that was replaced stays on the Lock Screen", expected: "a dismissal-date that is now or past",
                    seen: stay.map { "one \($0) ahead" } ?? "none: it stays up to four hours",
                    session: activity.session, push.id)
            }
        }
    }

    static let endedGoes = Rule(
        "ended-card-goes", ["R4.16"], .must,
        requirement: "The card of a session that is over goes when the profile says.",
        norm: "Relay contract: the last state is shown for a while and then goes; without a dismissal-date it stays for hours",
        advice: "give the end of a session a dismissal-date so long after its timestamp"
    ) { joined, run, tally in
        guard let wanted = run.circumstances.dismissal else { return }
        for push in joined.account.pushes where push.isLiveActivity && push.event == .end && push.isAccepted {
            // One that its age has ended is no session that is over; one that turned up too late may go at once.
            if joined.isOfReplaced(push) || joined.isOfAge(push) { continue }
            let stay = stay(push)
            if joined.isOfLateCard(push), let stay, stay <= wanted + Tolerances.date { continue }
            tally.test()
            if let stay, wanted - Tolerances.date <= stay, stay <= wanted + Tolerances.date { continue }
            tally.find(
                "the card of a session that is over does not go in time", expected: "a dismissal-date \(wanted) ahead",
                seen: stay.map { "one \($0) ahead" } ?? "none: it stays up to four hours",
                of: push, push.id)
        }
    }

    /// From the instant that the push gives for itself to the one at which its card goes. A dismissal-date that is past is now
    /// (Apple, Ending Live Activities).
    static func stay(_ push: SeenPush) -> Interval? {
        push.dismissal.map { .seconds(Double(max(0, $0 - (push.stamp ?? push.arrivedWall.seconds)))) }
    }

    static let catchesUp = Rule(
        "hand-over-catches-up", ["R4.3"], .must, basis: [.timing, .absence],
        requirement: "What was said between the start of a successor and its adoption is shown on the successor as well.",
        norm: "\(norm); it goes on where the old one was",
        advice: "when the new token is registered, send it the newest state, if the start did not have it"
    ) { joined, run, tally in
        RestartRules.each(joined, run) { activity, terms in
            guard let replacedAt = activity.replacedAt, let answeredAt = activity.replacedFor,
                let next = joined.restarts?.activities.first(where: {
                    $0.session == activity.session && $0.phone == activity.phone && $0.registeredAt == replacedAt
                })
            else { return }
            // What none of the starts had that it may have come of, for all that the relay knows.
            let births = births(of: next, behind: activity, joined)
            let newest = joined.account.rows.last { row in
                guard row.session == activity.session, row.lane == Lane(role: .activity, phone: activity.phone),
                    row.type == .liveactivity, let call = joined.account.call(at: row.place)
                else { return false }
                return call.wasTaken && call.answeredAt <= replacedAt
            }
            guard let newest, newest.event != .end, !births.isEmpty,
                births.allSatisfy({ $0.isMarked && $0.place < newest.place })
            else { return }
            let pushes = joined.account.pushes.filter {
                $0.isLiveActivity && $0.isMarked && next.tokens.contains($0.token) && $0.place >= newest.place
            }
            let patience = newest.deadline + RestartRules.slack(run)
            guard let known = known(next, from: answeredAt, within: patience, joined) else { return }
            // What met a dead token was no try to the one behind it.
            let tried = Array(pushes.drop { known > answeredAt && $0.arrivedAt < known }.prefix { !$0.isAccepted })
            guard let limit = RestartRules.limit(of: tried, from: known, within: patience, terms, run),
                limit < min(next.livesUntil(known), run.circumstances.end), let said = joined.account.call(at: newest.place),
                !run.circumstances.mayBeForgotten(from: newest.plannedAt, told: said.answeredAt)
            else { return }
            let isShown = pushes.contains { $0.isAccepted && $0.arrivedAt <= limit }
            guard isShown || !RestartRules.wasLetBe(tried) else { return }
            tally.test()
            if isShown { return }
            tally.find(
                "a new card of session \(activity.session) lacks what was said before its adoption",
                expected: "`\(run.kind(newest.kind))` within \(newest.deadline) of the registration",
                seen: tried.last.map { "one, answered \(run.reason($0)), and none again" } ?? "no push",
                session: newest.session, step: newest.step, births.last?.id ?? 0, tried.last?.id ?? 0)
        }
    }

    /// The accepted starts that an activity may have come of: those in the life of the one before, or, where it is a rival
    /// of that one, those at its birth.
    private static func births(
        of next: RestartLife.Activity, behind activity: RestartLife.Activity, _ joined: JoinedAccount
    ) -> [SeenPush] {
        let births = activity.starts.map { joined.account.pushes[$0] }.filter(\.isAccepted)
        guard births.isEmpty, next.isRival else { return births }
        let starts = joined.account.pushes.filter { push in
            push.isAccepted && push.event == .start && push.session == next.session
                && push.arrivedAt <= next.born.upperBound && joined.tokens.lanes[push.token]?.phone == next.phone
        }
        return Array(starts.suffix(max(1, starts.count { next.born.contains($0.arrivedAt) })))
    }

    /// When the successor's token was known; where that died before it could be told, the same one again or the next one. Nil:
    /// there was none.
    private static func known(
        _ next: RestartLife.Activity, from answeredAt: Instant, within patience: Interval, _ joined: JoinedAccount
    ) -> Instant? {
        let told = next.tokens.flatMap { token in
            (joined.tokens.registrations[token] ?? []).filter(\.wasTaken).map { (token: token, call: $0) }
        }.sorted { $0.call.sentAt < $1.call.sentAt }
        guard var token = next.tokens.first else { return nil }
        var known = answeredAt
        while let death = joined.tokens.death(of: token, plannedAt: known, by: known + patience) {
            guard let again = told.first(where: { max(known, death.answeredAt) < $0.call.sentAt }) else { return nil }
            (token, known) = (again.token, again.call.answeredAt)
        }
        return known
    }
}
