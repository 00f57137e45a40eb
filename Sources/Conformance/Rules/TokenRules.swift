// Rules about tokens after a refusal: dead ones are dropped, living ones are kept, and no other goes with them.

import Basics
import Metrics
import Pushes

enum TokenRules {
    static let all = [deadDropped, deadDeviceDropped, livingKept, otherKept, ofItsKind, oldReportIgnored, changedKept]

    /// Pushes that came to a token which the relay knew to be dead, by an answer for which `isWord` holds.
    static func judgeDead(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, by isWord: (SeenPush) -> Bool = { _ in true },
        where isMeant: (SeenPush) -> Bool
    ) {
        let grace = run.circumstances.inFlightGrace
        var told: Set<TokenHash> = []
        for push in joined.account.pushes where isMeant(push) {
            // Where both hosts are asked in turn the last answer before a push is the other's.
            if let death = joined.tokens.death(before: push, in: joined.account, grace: grace, isOfItsHost: true),
                case let answer = joined.account.pushes[death.push], run.tellsOfDeathForGood(answer), isWord(answer),
                !run.mayHaveLost(answer), !livesElsewhere(death, push, joined), !isUnsettled(death, push, joined, run)
            {
                tally.find(
                    "pushed again to a token that had been declared dead", expected: "no push after \(run.reason(answer))",
                    seen: "a push \(push.arrivedAt - answer.answeredAt) after that answer",
                    of: push, answer.id, push.id)
            }
            let death = joined.tokens.deaths[push.refusedToken]?.first { joined.account.pushes[$0.push].id == push.id }
            guard let death, run.tellsOfDeathForGood(push), isWord(push), !told.contains(push.token),
                !push.flags.contains(.isAnswerUndelivered), !run.mayHaveLost(push), isTested(death, joined, grace)
            else { continue }
            told.insert(push.token)
            tally.test()
        }
    }

    /// The other environment has taken a push to that token since: then it is not dead, and where to ask first is another
    /// matter (R0.27).
    private static func livesElsewhere(_ death: TokenLife.Death, _ push: SeenPush, _ joined: JoinedAccount) -> Bool {
        joined.account.pushes.contains { other in
            other.token == push.token && other.environment != death.environment && other.isAccepted
                && other.arrivedAt >= death.arrivedAt && other.arrivedAt <= push.arrivedAt
        }
    }

    /// BadDeviceToken means no more than another host where that one was asked with the same push, and has said of the token
    /// neither that it lives nor that it is none: what it refused was the request, the sender, or for now. And where a newer
    /// push took the place of the one that was refused, before the other host was asked at all.
    private static func isUnsettled(
        _ death: TokenLife.Death, _ push: SeenPush, _ joined: JoinedAccount, _ run: RunContext
    ) -> Bool {
        let answer = joined.account.pushes[death.push]
        guard answer.status == 400 else { return false }
        let asked = joined.account.pushes.last { other in
            other.token == answer.token && other.identity == answer.identity && other.environment != answer.environment
                && other.arrivedAt >= answer.arrivedAt && other.arrivedAt <= push.arrivedAt && other.id != push.id
        }
        return asked.map { !$0.isAccepted && !run.tellsOfDeath($0) } ?? movedOn(from: answer, to: push, joined, run)
    }

    /// It comes at once, and is sent to the other host behind its own refusal.
    private static func movedOn(
        from answer: SeenPush, to push: SeenPush, _ joined: JoinedAccount, _ run: RunContext
    ) -> Bool {
        let elsewhere = joined.account.pushes.filter { $0.token == push.token && $0.environment != push.environment }
        return push.identity != answer.identity && push.arrivedAt <= answer.answeredAt + run.circumstances.inFlightGrace
            && elsewhere.contains { $0.identity == push.identity && $0.arrivedAt >= push.arrivedAt }
            && !elsewhere.contains { answer.arrivedAt <= $0.arrivedAt && $0.arrivedAt < push.arrivedAt }
    }

    /// Whether something would have been sent to the token, had it not died. Without a plan nobody knows.
    private static func isTested(_ death: TokenLife.Death, _ joined: JoinedAccount, _ grace: Interval) -> Bool {
        let answer = joined.account.pushes[death.push]
        // A registration lives on when an activity's token beside it is dead.
        let isApart = answer.refusedToken != answer.token
        return joined.account.calls.isEmpty
            || joined.account.rows.contains { row in
                row.token == answer.token && (!isApart || joined.tokenBeside(row) == answer.refusedToken)
                    && joined.account.call(at: row.place).map { call in
                        isTempting(call) && joined.tokens.wasKnown(death, at: call.sentAt, grace: grace)
                    } ?? false
            }
    }

    /// The relay was asked. One that is down, or refuses what it is told, has nothing to send to anybody; one that says that
    /// there is no card or phone any more, as its profile has it or by 404, 409 or 410, has looked for its token.
    static func isTempting(_ call: SeenCall) -> Bool {
        call.wasAnswered && (call.wasTaken || call.wasToldNo || [404, 409, 410].contains(call.status))
    }

    static let deadDropped = Rule(
        "dead-token-dropped", ["R0.22", "P9", "G2"], .must, of: .relay,
        requirement: "After 410, or 400 BadDeviceToken, no further push goes to that activity or start token.",
        norm: "Apple, Handling notification responses from APNs: requests with these answers are never retried",
        advice: "delete the token's row on 410 Unregistered, 410 ExpiredToken and 400 BadDeviceToken"
    ) { joined, run, tally in judgeDead(joined, run, &tally) { $0.isLiveActivity } }

    static let deadDeviceDropped = Rule(
        "dead-device-token-dropped", ["R0.25", "P9"], .must, of: .relay,
        requirement: "After 410, or 400 BadDeviceToken, no further push goes to that device token.",
        norm: "Apple, Handling notification responses from APNs: requests with these answers are never retried",
        advice: "delete the token's row on 410, as well as after 400 BadDeviceToken from both hosts"
    ) { joined, run, tally in judgeDead(joined, run, &tally) { !$0.isLiveActivity } }

    /// Expectations for the token that came after the instant and could be judged: before its phone's next
    /// unregistration, since that may be what a relay took it away for.
    private static func owedLater(
        _ joined: JoinedAccount, _ token: TokenHash, after instant: Instant, _ run: RunContext, among rows: [Int]? = nil
    ) -> [Int] {
        let end = nextGoodbye(joined, token, after: instant)
        return (rows ?? Array(joined.account.rows.indices)).filter { index in
            let row = joined.account.rows[index]
            let window = row.flags.contains(.isThrottled) ? run.circumstances.throttle ?? .zero : .zero
            let wait = run.circumstances.real(Tolerances.journey * Tolerances.prompt) + window
            return row.token == token && row.plannedAt > instant && row.plannedAt + wait < end
                && [.delivered, .late, .lost].contains(joined.deliveries[index].outcome)
        }
    }

    private static func nextGoodbye(_ joined: JoinedAccount, _ token: TokenHash, after instant: Instant) -> Instant {
        let phone = joined.tokens.lanes[token]?.phone
        let isMessage = joined.tokens.lanes[token]?.role == .registration
        // An activity that is taken back is an iPhone's, and no app's on Android.
        let goodbyes = joined.account.tokenCalls.lazy.filter {
            !$0.isRegistration && $0.lane.phone == phone && !(isMessage && $0.lane.role == .activity)
        }
        return goodbyes.compactMap { joined.account.call(at: $0.place)?.sentAt }.filter { $0 > instant }.min()
            ?? .distantFuture
    }

    /// Whether nothing at all was sent to the token for what came after the instant, whatever became of that.
    private static func isForgotten(_ joined: JoinedAccount, _ token: TokenHash, after instant: Instant) -> Bool {
        joined.account.rows.indices.allSatisfy { index in
            let row = joined.account.rows[index]
            return row.token != token || row.plannedAt <= instant || joined.attempts(of: index).isEmpty
        }
    }

    /// What is owed to each token that was refused, and when the last of that was planned for which anything was sent: of what
    /// was planned behind it nothing was, whatever became of it. Read once, for there may be as many refusals as pushes.
    private struct OwedTo {
        var rows: [Int] = []
        var lastTried = Instant(nanoseconds: .min)
        /// The last push of all to that token, whatever it was of, where it has to come again: what was planned behind may
        /// wait for it.
        var waitsBehind: Instant?
        /// When the last of those that were not accepted arrived. Who sends one again and again has not forgotten the token.
        var lastRefused = Instant(nanoseconds: .min)
    }

    private static func owed(_ joined: JoinedAccount, to tokens: Set<TokenHash>) -> [TokenHash: OwedTo] {
        var owed: [TokenHash: OwedTo] = [:]
        for (index, row) in joined.account.rows.enumerated() where tokens.contains(row.token) {
            owed[row.token, default: OwedTo()].rows.append(index)
            // What went to the token that took its place was no trial of this one.
            guard joined.attempts(of: index).contains(where: { $0.token == row.token }) else { continue }
            owed[row.token]!.lastTried = max(owed[row.token]!.lastTried, row.plannedAt)
        }
        for push in joined.account.pushes where owed[push.token] != nil {
            owed[push.token]!.waitsBehind = push.isToComeAgain ? push.arrivedAt : nil
            if !push.isAccepted { owed[push.token]!.lastRefused = max(owed[push.token]!.lastRefused, push.arrivedAt) }
        }
        return owed
    }

    static let livingKept = Rule(
        "living-token-kept", ["R0.23", "G1"], .must, basis: .absence,
        requirement: "A reply that speaks of the sender, the request or of APNs never makes the relay forget a token.",
        norm: "Apple, Handling notification responses from APNs: only 410, and 400 BadDeviceToken, speak of the token",
        advice: "delete a token for 410 and 400 BadDeviceToken only; keep it for every other answer"
    ) { joined, run, tally in judgeLiving(joined, run, &tally) { _ in true } }

    /// Tokens to which nothing was sent any more after a refusal that says nothing of them.
    static func judgeLiving(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, where isMeant: (SeenPush) -> Bool
    ) {
        // Whichever refusal it was that it forgot a token for: it may have survived others. Each token counts once.
        var (tested, found): (Set<TokenHash>, Set<TokenHash>) = ([], [])
        let refused = joined.account.pushes.filter { push in
            push.status >= 400 && (!run.tellsOfDeath(push) || push.refusedToken != push.token) && isMeant(push)
                && !push.flags.contains(.isAnswerUndelivered) && joined.tokens.deaths[push.token] == nil
        }
        let owed = owed(joined, to: Set(refused.map(\.token)))
        for push in refused {
            guard let own = owed[push.token], !found.contains(push.token) else { continue }
            let isForgotten = own.lastTried <= push.answeredAt
                && own.lastRefused <= push.answeredAt + run.circumstances.inFlightGrace
            // At FCM pauses are to grow (F7, F8), and who keeps messages in order sends nothing past the one that waits.
            let isWaiting = push.provider == .fcm
                && own.waitsBehind.map { $0 > push.answeredAt + run.circumstances.inFlightGrace } ?? false
            if !isForgotten, tested.contains(push.token) { continue }
            let later = owedLater(joined, push.token, after: push.answeredAt, run, among: own.rows).filter { index in
                let row = joined.account.rows[index]
                // Of what a relay that has died does not send, others speak.
                return !run.circumstances.wasDown(between: push.arrivedAt, and: row.plannedAt)
                    && !run.hasDied(by: joined.deliveries[index].due)
                    && !(isWaiting && joined.deliveries[index].outcome == .lost)
                    && (!push.isRefusedForNow || joined.deliveries[index].outcome != .lost
                        || row.plannedAt > restOver(behind: push, joined, run))
            }
            guard !later.isEmpty else { continue }
            if tested.insert(push.token).inserted { tally.test() }
            guard isForgotten, let first = later.first(where: { joined.attempts(of: $0).isEmpty }) else { continue }
            found.insert(push.token)
            let row = joined.account.rows[first]
            tally.find(
                "a token was never pushed to again after \(run.reason(push))",
                expected: "a push for the event planned \(row.plannedAt - push.answeredAt) after that reply", seen: "none",
                session: row.session, step: row.step, push.id)
            tally.lead(to: later.map { joined.account.rows[$0] })
        }
    }

    /// Until then nobody is blamed who sends nothing. FCM says for how long; of a 429 Apple's words know no figure.
    private static func restOver(behind push: SeenPush, _ joined: JoinedAccount, _ run: RunContext) -> Instant {
        push.provider == .fcm
            ? joined.restOver(behind: push, run.circumstances) : push.answeredAt + SheetFigures.restBehindFailure
    }

    static let otherKept = Rule(
        "other-token-kept", ["R0.24", "G5"], .must, basis: .absence, on: .both, of: .relay,
        requirement: "A dead token takes none of another kind with it, but a device's those of its row.",
        norm: "Apple: the tokens live and die apart",
        advice: "delete exactly the row of the token that was answered"
    ) { joined, run, tally in
        guard !joined.tokens.deaths.isEmpty else { return }
        // One that was refused itself may have been dropped for that, which is another rule's affair.
        let refused = Set(joined.account.pushes.filter { $0.status >= 400 && !$0.isRefusedForNow }.map(\.token))
        let courses = Dictionary(grouping: joined.account.rows.indices.filter { isServable(joined.deliveries[$0]) }) {
            Course(joined.account.rows[$0])
        }
        for (token, deaths) in joined.tokens.deaths.sorted(by: { $0.key.bits < $1.key.bits }) {
            guard let death = deaths.first, let lane = joined.tokens.lanes[token] else { continue }
            let others = joined.account.rows.indices.filter { index in
                let row = joined.account.rows[index]
                return row.token != token && row.lane.phone == lane.phone && row.lane.role != lane.role
                    && row.plannedAt > death.answeredAt && joined.tokens.deaths[row.token] == nil
                    && isServable(joined.deliveries[index])
                    // One row may hold what is the app's: the device's token with those of starts, widgets and controls.
                    && !(lane.role == .device && row.lane.role.isOfDevicesRow) && !run.hasDied(by: joined.deliveries[index].due)
            }
            let answer = joined.account.pushes[death.push]
            for role in Set(others.map { joined.account.rows[$0].lane.role }) {
                let owed = others.filter {
                    let row = joined.account.rows[$0]
                    return row.lane.role == role && !refused.contains(row.token)
                        && !wasUnserved(courses[Course(row)] ?? [], before: death.arrivedAt, joined)
                }
                guard !owed.isEmpty else { continue }
                tally.test()
                guard owed.allSatisfy({ joined.attempts(of: $0).isEmpty }), let first = owed.first else { continue }
                let row = joined.account.rows[first]
                // Whatever comes there is right or not: the token was not dropped.
                let isServed = joined.account.pushes.contains {
                    $0.token == row.token && $0.arrivedAt > death.answeredAt + run.circumstances.inFlightGrace
                }
                if isServed { continue }
                tally.find(
                    "after \(run.reason(answer)) for one token, the phone's other token got nothing either",
                    expected: "pushes to its \(role.words), which lives", seen: "none", session: row.session, step: row.step,
                    answer.id)
            }
        }
    }

    private static func isServable(_ delivery: JoinedAccount.Delivery) -> Bool {
        delivery.outcome == .delivered || delivery.outcome == .late || delivery.outcome == .lost
    }

    /// What a session owes to one app or card, of one kind and by whatever token.
    private struct Course: Hashable {
        let lane: Lane
        let session: UInt32
        let type: PushType

        init(_ row: Expectation) { (lane, session, type) = (row.lane, row.session, row.type) }
    }

    /// The last of a course before that instant was never sent either: it was not dropped with the other.
    private static func wasUnserved(_ course: [Int], before instant: Instant, _ joined: JoinedAccount) -> Bool {
        let before = course.filter { joined.deliveries[$0].due < instant }
        let last = before.max { joined.account.rows[$0].plannedAt < joined.account.rows[$1].plannedAt }
        return last.map { joined.deliveries[$0].outcome == .lost && joined.attempts(of: $0).isEmpty } ?? false
    }

    static let ofItsKind = Rule(
        "token-of-its-kind", ["R1.8"], .must,
        requirement: "Each push goes to a token of its kind: an activity's, a start, a device's, the widgets', a control's.",
        norm: "Apple, Starting and updating Live Activities, WidgetPushHandler: each has a token of its own",
        advice: "keep the kind with each token, and choose by it before anything is sent"
    ) { joined, run, tally in
        for (index, push) in joined.account.pushes.enumerated() {
            guard let lane = joined.tokens.lanes[push.token], let kind = kind(of: push) else { continue }
            tally.test()
            let isOfKind = lane.role == kind || kind == .control && lane.role == .otherControl
            guard !isOfKind, joined.rowOfPush[index] == nil else { continue }
            tally.find(
                "a push of type \(push.type.word) went to a token of another kind", expected: "a token of kind \(kind)",
                seen: "one of kind \(lane.role)", of: push, push.id)
        }
    }

    /// Of the token that it needs; nil where that is not certain.
    private static func kind(of push: SeenPush) -> Lane.Role? {
        switch push.type {
        case .liveactivity: push.event.map { $0 == .start ? .start : .activity }
        case .alert: .device
        case .widgets: .widget
        case .controls: .control
        default: nil
        }
    }

    static let oldReportIgnored = Rule(
        "old-410-ignored", ["P10", "G4"], .must, basis: .absence, of: .relay,
        requirement: "A 410 whose timestamp lies before the token's last registration deletes nothing.",
        norm: "Apple, Handling notification responses from APNs: the timestamp is when the token was last known invalid",
        advice: "compare the 410's timestamp (milliseconds) with the instant of the registration before deleting"
    ) { joined, run, tally in
        for push in joined.account.pushes where push.status == 410 && !push.flags.contains(.isAnswerUndelivered) {
            guard joined.tokens.speaksOfThePast(push, run.circumstances), joined.tokens.deaths[push.token] == nil else {
                continue
            }
            let later = owedLater(joined, push.token, after: push.answeredAt, run)
            guard let first = later.first else { continue }
            tally.test()
            guard isForgotten(joined, push.token, after: push.answeredAt) else { continue }
            let row = joined.account.rows[first]
            tally.find(
                "a token was dropped for a 410 that spoke of a time before its registration",
                expected: "a push for the next event",
                seen: "none, though by the 410's timestamp the token died \(age(of: push)) before, and was registered since",
                session: row.session, step: row.step, push.id)
            tally.lead(to: later.map { joined.account.rows[$0] })
        }
    }

    /// How long before its 410 the token was dead, by the answer's timestamp.
    private static func age(of push: SeenPush) -> Interval {
        push.arrivedWall - WallTime(milliseconds: push.diedMilliseconds)
    }

    static let changedKept = Rule(
        "changed-row-kept", ["G4"], .must, basis: .absence, of: .relay,
        requirement: "An answer about a token does nothing to what was registered in its place while it was on its way.",
        norm: "Apple, Handling notification responses from APNs: stop, unless the token was registered after the timestamp",
        advice: "delete the row only where it still holds the token, and the registration, that the push was made of"
    ) { joined, run, tally in
        for push in joined.account.pushes where run.tellsOfDeath(push) && !push.flags.contains(.isAnswerUndelivered) {
            guard let lane = joined.tokens.lanes[push.token] else { continue }
            for new in joined.account.tokenCalls where new.isRegistration && new.lane == lane {
                // The same token again: only a 410 says when it died, and that was before.
                guard new.token != push.token || push.status == 410,
                    let call = joined.account.call(at: new.place), call.wasTaken, call.sentAt > push.arrivedAt,
                    call.answeredAt + run.circumstances.real(Tolerances.wire) < push.answeredAt,
                    new.token == push.token || joined.tokens.deaths[new.token] == nil
                else { continue }
                let later = owedLater(joined, new.token, after: push.answeredAt, run)
                guard let first = later.first else { continue }
                tally.test()
                guard isForgotten(joined, new.token, after: push.answeredAt) else { continue }
                let row = joined.account.rows[first]
                tally.find(
                    "\(run.reason(push)) to an old token removed the one that was registered while that answer was on its way",
                    expected: "pushes to the token that was registered meanwhile", seen: "none", session: row.session,
                    step: row.step, push.id)
            }
        }
    }
}
