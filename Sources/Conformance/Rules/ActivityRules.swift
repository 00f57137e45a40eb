// Rules about the life of a Live Activity: its one start, its events, its end.

import Basics
import Metrics
import Pushes

enum ActivityRules {
    static let all = [
        oneStart, staleStart, startIsComplete, startAsksForToken, eventsFit, nothingAfterEnd, urgentStatesAtTen,
        prioritiesMixed,
    ]

    private struct StartKey: Hashable {
        var session: UInt32
        var token: TokenHash
    }

    static let oneStart = Rule(
        "one-start", ["R0.13", "R0.15", "G9"], .must, basis: .order,
        requirement: "At most one start per session and start token, until the activity answers or ends.",
        norm: "Relay contract: a second start shows the user a second activity of the same session",
        advice: "send a phone one start, to its own start token; hold what is told until the activity's token registers"
    ) { joined, run, tally in
        var open: [StartKey: SeenPush] = [:]
        for (index, push) in joined.account.pushes.enumerated()
        where push.isLiveActivity && push.isAccepted && push.isMarked {
            if joined.isOfRestart(push) { continue }
            switch push.event {
            case .start:
                let key = StartKey(session: push.session, token: push.token)
                tally.test()
                if let first = open[key], !first.flags.contains(.isAnswerUndelivered), !run.mayHaveLost(first),
                    !wasSentTwice(first, joined), !wasSentTwice(push, joined),
                    !hasEnded(between: first, and: push, joined, run), !isOwedAnew(index, behind: first, joined),
                    !joined.tokens.wasRegistered(push.token, after: first.arrivedAt, until: push.arrivedAt)
                {
                    tally.find(
                        "session \(push.session) was started twice", expected: insteadOfStart(first, push, joined),
                        seen: "a second start \((push.arrivedAt - first.arrivedAt).laterWords)", session: push.session,
                        step: push.step, first.id, push.id)
                } else {
                    open[key] = push
                }
            case .update, .end:
                // It answers for its own phone.
                let phone = joined.tokens.lanes[push.token]?.phone
                open = open.filter { key, _ in
                    guard key.session == push.session else { return true }
                    guard let phone, let other = joined.tokens.lanes[key.token]?.phone else { return false }
                    return phone != other
                }
            case nil: continue
            }
        }
    }

    /// The session was over and began again, whether its card was told so or not.
    private static func hasEnded(
        between first: SeenPush, and second: SeenPush, _ joined: JoinedAccount, _ run: RunContext
    ) -> Bool {
        joined.account.calls(of: first.session, through: second.step).contains { call in
            run.circumstances.finalKinds.contains(call.kind) && call.wasTaken && first.place < call.place
                && call.place < second.place
        }
    }

    /// The plan owes this very start, and the activity that the first one made was taken back in between: its user has let it
    /// go, and a call that owes a start begins another (R0.14).
    private static func isOwedAnew(_ index: Int, behind first: SeenPush, _ joined: JoinedAccount) -> Bool {
        let push = joined.account.pushes[index]
        guard let row = joined.rowOfPush[index], joined.account.rows[row].event == .start,
            let phone = joined.tokens.lanes[push.token]?.phone
        else { return false }
        return joined.account.tokenCalls.contains { taken in
            !taken.isRegistration && taken.lane == Lane(role: .activity, phone: phone)
                && taken.place >> 32 == UInt64(push.session) && first.place < taken.place && taken.place < push.place
                && joined.account.call(at: taken.place)?.state == .sent
        }
    }

    /// What was due in place of the second start, in words.
    private static func insteadOfStart(_ first: SeenPush, _ second: SeenPush, _ joined: JoinedAccount) -> String {
        let phone = joined.tokens.lanes[first.token]?.phone
        let answers = joined.tokens.lanes.filter { token, lane in
            lane.role == .activity && lane.phone == phone
                && joined.tokens.registrations[token]?.contains {
                    $0.place >> 32 == UInt64(second.session) && $0.wasTaken && $0.sentAt <= second.arrivedAt
                } ?? false
        }
        if answers.isEmpty { return "one start until an update token is known" }
        let isDead = answers.keys.allSatisfy { token in
            joined.tokens.deaths[token]?.contains { $0.arrivedAt <= second.arrivedAt } ?? false
        }
        return isDead
            ? "no further start: the activity's token died, and its user may have dismissed it (R0.13, G17)"
            : "an update to the token that was registered"
    }

    /// We posted the event twice because its connection died without a word.
    private static func wasSentTwice(_ push: SeenPush, _ joined: JoinedAccount) -> Bool {
        (joined.account.call(at: push.place)?.attempts ?? 1) > 1
    }

    static let staleStart = Rule(
        "stale-start-dropped", ["R0.14", "R0.15", "G11"], .must, basis: [.order, .timing],
        requirement: "A start that was refused is not sent again when its session is over or its activity has registered.",
        norm: "Relay contract: a start is due until a token registers or the session ends; nobody could end its card",
        advice: "before a refused start is sent again, look whether its session still runs and still has no activity"
    ) { joined, run, tally in
        StaleSuccessors.judge(joined, run, &tally)
        for (index, push) in joined.account.pushes.enumerated() where push.isLiveActivity && push.event == .start {
            guard push.isMarked, !joined.isOfRestart(push), !joined.isOfAge(push) else { continue }
            // The first attempt may have been under way.
            let before = joined.account.pushes[..<index].filter {
                $0.event == .start && $0.place == push.place && $0.token == push.token
            }
            if !push.isAccepted { tally.test() }
            guard push.isAccepted, let first = before.first, !before.contains(where: \.isAccepted),
                let reason = voided(push, joined, run)
            else { continue }
            tally.find(
                "session \(push.session) was started although \(reason)", expected: "no further attempt of the start",
                seen: "one \(push.arrivedAt - first.arrivedAt) behind the first", session: push.session, step: push.step,
                first.id, push.id)
        }
    }

    /// Why the start came to nothing before it was sent, in words, as the relay had known for a while.
    private static func voided(_ push: SeenPush, _ joined: JoinedAccount, _ run: RunContext) -> String? {
        let known = push.arrivedAt - run.circumstances.inFlightGrace * Tolerances.prompt
        func wasHeard(_ place: UInt64) -> SeenCall? {
            guard push.place < place, let call = joined.account.call(at: place), call.session == push.session,
                call.wasTaken, !call.wasRefusedAsItMay, call.answeredAt <= known
            else { return nil }
            return call
        }
        let ends = joined.account.calls.filter {
            run.circumstances.finalKinds.contains($0.kind) && wasHeard($0.place) != nil
        }
        let beginsAgain = joined.account.rows.contains { row in
            row.event == .start && row.session == push.session && ends.contains { $0.place < row.place }
                && joined.account.call(at: row.place).map { $0.sentAt < push.arrivedAt } ?? false
        }
        if !ends.isEmpty, !beginsAgain { return "it was over" }
        let phone = joined.tokens.lanes[push.token]?.phone
        // Of two phones a relay may not know whose activity it is.
        let isOneOfTwo = joined.account.tokenCalls.contains { $0.isRegistration && $0.lane.phone != phone }
        guard !isOneOfTwo else { return nil }
        let calls = joined.account.tokenCalls.filter { $0.lane.role == .activity && $0.lane.phone == phone }
        let registered = calls.first { $0.isRegistration && wasHeard($0.place) != nil }
        guard let registered else { return nil }
        let isLetGo = calls.contains { made in
            !made.isRegistration && registered.place < made.place
                && joined.account.call(at: made.place).map { $0.sentAt < push.arrivedAt } ?? false
        }
        let isDead = joined.tokens.deaths[registered.token]?.contains { $0.arrivedAt < push.arrivedAt } ?? false
        return isLetGo || isDead ? nil : "its activity had registered"
    }

    static let startIsComplete = Rule(
        "start-is-complete", ["R0.14", "P21"], .must,
        requirement: "A start carries attributes-type, attributes, content-state and an alert.",
        norm: "Apple, Starting and updating Live Activities: without one of them nothing appears, and APNs says 200",
        advice: "build the start from the contract: attributes-type, attributes, content-state, timestamp and alert"
    ) { joined, run, tally in
        for push in joined.account.pushes where push.isLiveActivity && push.event == .start {
            tally.test()
            // A restart that nobody is to notice may be quiet.
            let isTooQuiet = push.flags.contains(.isQuietStart) && !joined.isOfRestart(push)
            guard push.startLack >= 0 || isTooQuiet else { continue }
            tally.find(
                "a start is not complete", expected: "attributes-type, attributes, content-state and alert",
                seen: isTooQuiet ? "an alert whose title and body are empty" : run.texts[push.startLack],
                of: push, push.id)
        }
    }

    static let startAsksForToken = Rule(
        "start-asks-for-token", ["R0.17"], .should,
        requirement: "A start asks the phone for an update token (input-push-token: 1).",
        norm: "Apple, Starting and updating Live Activities: the system wakes the app with the new activity's token",
        advice: "add \"input-push-token\": 1 to aps of a start"
    ) { joined, run, tally in
        for push in joined.account.pushes where push.isLiveActivity && push.event == .start && push.isAccepted {
            tally.test()
            guard !push.flags.contains(.asksForToken) else { continue }
            tally.find(
                "a start does not ask for an update token", expected: "input-push-token: 1", seen: "none",
                of: push, push.id)
        }
    }

    static let eventsFit = Rule(
        "activity-event-fits", ["R0.4", "G20"], .must, on: .both,
        requirement: "Only a terminal state ends the activity, and a terminal state always does.",
        norm: "Apple, ActivityKit pushes: aps.event is start, update or end; the relay contract says which states are the last",
        advice: "send event end for a state that is the last one, update for any other, and spell them as Apple does"
    ) { joined, run, tally in
        for (index, push) in joined.account.pushes.enumerated() where push.isLiveActivity {
            guard let row = joined.rowOfPush[index].map({ joined.account.rows[$0] }), let event = row.event else { continue }
            // Refused before anybody read what it carries.
            if push.event == nil, !push.isAccepted, !push.flags.contains(.hasUnknownEvent) { continue }
            // Where in a message its event stands, the profile says, or nobody does.
            if push.event == nil, push.provider == .fcm { continue }
            tally.test()
            guard (event == .end) != (push.event == .end) || push.event == nil else { continue }
            tally.find(
                "`\(run.kind(row.kind))` was sent with the wrong event",
                expected: event == .end ? "event end" : "event update or start",
                seen: push.event.map { "event \($0.word)" } ?? "an aps.event that Apple does not have", session: row.session,
                step: row.step, push.id)
        }
    }

    static let nothingAfterEnd = Rule(
        "nothing-after-end", ["R0.10", "G11"], .must, on: .both, of: .relay,
        requirement: "No update arrives after an activity's end, but with a timestamp by which iOS passes over it.",
        norm: "Apple, ActivityKit: an ended activity takes no further updates; a throttled leftover must be discarded",
        advice: "drop what is held when the end is sent; what is told later goes to the session's next activity, or nowhere"
    ) { joined, run, tally in
        judgeMessagesAfterEnd(joined, run, &tally)
        var ends: [TokenHash: SeenPush] = [:]
        for push in joined.account.pushes where push.provider == .apns && push.isLiveActivity && push.isAccepted {
            switch push.event {
            case .end: if ends.updateValue(push, forKey: push.token) == nil { tally.test() }
            case .update:
                guard let end = ends[push.token], let endStamp = end.stamp, let stamp = push.stamp, stamp >= endStamp,
                    !joined.wasCutOff(end, run.circumstances), !run.circumstances.mayBeForgotten(end, by: push)
                else { continue }
                let gap = push.arrivedAt - end.arrivedAt
                let slack = run.circumstances.real(Tolerances.wire)
                guard stamp > endStamp || push.connection == end.connection || gap > slack else { continue }
                tally.find(
                    "an update followed the end of its activity", expected: "nothing from timestamp \(endStamp) on",
                    seen: "timestamp \(stamp), \(gap) after the end", of: push, end.id, push.id)
            case .start, nil: continue
            }
        }
    }

    /// A message has no timestamp by which Android could tell: whatever comes behind its session's end brings the card back,
    /// unless its app or an iPhone knows it for older. A registration is of the app, and outlives the card.
    private static func judgeMessagesAfterEnd(_ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally) {
        var ends: [TokenHash: [UInt32: SeenPush]] = [:]
        for push in joined.account.pushes where push.provider == .fcm && push.isMarked && push.isAccepted {
            let known = ends[push.token]?[push.session]
            if push.event == .end, push.place > known?.place ?? 0 || known == nil {
                ends[push.token, default: [:]][push.session] = push
                tally.test()
            }
            guard push.event == .update, let end = known, push.place <= end.place,
                !joined.wasCutOff(end, run.circumstances),
                !run.circumstances.mayBeForgotten(end, by: push),
                run.wasHeard(push.place, before: end.place, in: joined.account)
            else { continue }
            // What its phone tells for older by itself brings nothing back.
            if push.flags.contains(.isForApple), let stamp = push.stamp, let last = end.stamp, stamp < last { continue }
            if push.outcome == .ignoredOlder, run.tellsStatesApart { continue }
            let gap = push.arrivedAt - end.arrivedAt
            guard push.connection == end.connection || gap > run.circumstances.real(Tolerances.wire) else { continue }
            tally.find(
                "an update followed the end of its activity", expected: "no older state, nor the same one as an update",
                seen: "one, \(gap) after the end", session: push.session, step: push.step, end.id, push.id)
        }
    }

    static let urgentStatesAtTen = Rule(
        "urgent-states-at-10", ["R0.12"], .should,
        requirement: "A state that asks the user for something is sent at priority 10.",
        norm: "Apple, Starting and updating Live Activities: priority 5 may wait; a question should not",
        advice: "send permission requests with apns-priority 10"
    ) { joined, run, tally in
        for (index, push) in joined.account.pushes.enumerated() where push.isLiveActivity && push.isAccepted {
            // Told once it need not be so again, to another card or by the relay's own doing.
            guard let place = joined.rowOfPush[index], joined.deliveries[place].accepted ?? index == index,
                case let row = joined.account.rows[place], run.urgentKinds.contains(row.kind)
            else { continue }
            tally.test()
            guard push.priority < 10 else { continue }
            tally.find(
                "`\(run.kind(row.kind))` was sent at priority \(push.priority)", expected: "priority 10",
                seen: "priority \(push.priority)", session: row.session, step: row.step, push.id)
        }
    }

    private struct Mix: RuleMachine {
        /// Below this many nothing can be said.
        private static let enough = 20
        var updates = 0
        var urgent = 0
        var last: SeenPush?

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            var couldWait: [TokenHash: Bool] = [:]
            for (index, push) in joined.account.pushes.enumerated() where push.isLiveActivity && push.isAccepted {
                // Where the plan says which states may wait, only those are asked about, and of them only what follows another:
                // the first behind a question changes what the card says, and may well go at 10.
                if !joined.account.rows.isEmpty {
                    let canWait = joined.rowOfPush[index].map { joined.account.rows[$0].flags.contains(.isThrottled) } ?? false
                    let before = couldWait.updateValue(canWait, forKey: push.token)
                    guard canWait, before == true else { continue }
                }
                guard push.event == .update else { continue }
                updates += 1
                if push.priority >= 10 {
                    urgent += 1
                    last = push
                }
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            guard updates >= Self.enough else { return .notExercised }
            guard updates == urgent, let last else { return .kept(evidenceCount: updates) }
            var tally = Tally()
            tally.find(
                "all \(updates) states that could wait were sent at priority 10",
                expected: "priority 5 for states that can wait", seen: "priority 10 throughout (an absent one counts as 10)",
                last.id)
            return tally.verdict
        }
    }

    static let prioritiesMixed = Rule(
        "activity-priorities-mixed", ["P19", "G7"], .should,
        requirement: "Not every Live Activity update is sent at priority 10.",
        norm: "Apple, Starting and updating Live Activities: priority 10 counts towards the system's budget",
        advice: "send states that can wait at apns-priority 5", make: { Mix() })
}
