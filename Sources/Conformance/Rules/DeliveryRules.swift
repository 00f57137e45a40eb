// Rules about what reaches the user: each owed state once, in time, in order, at the right token.

import Basics
import Metrics
import Pushes

enum DeliveryRules {
    /// What went wrong on the way before what did not arrive.
    static let all = [
        goAwayObeyed, sessionsKeptApart, nothingUnexpected, noDuplicates, stateOrder, eachPhoneServed, statesDelivered,
        lastStateDelivered, statesInTime,
    ]

    private static func basis(_ joined: JoinedAccount, _ row: Int) -> Rule.Basis {
        joined.isLossByTheClock(row) ? .timing : []
    }

    private static func judgeLosses(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, where isMeant: (Expectation) -> Bool
    ) {
        for (index, row) in joined.account.rows.enumerated() where isMeant(row) {
            switch joined.deliveries[index].outcome {
            case .delivered, .late, .superseded: tally.test()
            case .lost:
                tally.test()
                let loss = Loss(joined, index, run)
                let call = "`\(run.kind(row.kind))`"
                tally.find(
                    loss.isAltered
                        ? "\(call) came altered, not as the \(loss.owed) that is owed"
                        : "\(call) was never delivered as \(loss.owed)",
                    expected: loss.isAltered ? "the event and the content that were said" : "accepted within \(row.deadline)",
                    seen: loss.isAltered
                        ? "one that was accepted with another event or other content: content-unchanged tells of that"
                        : loss.words,
                    change: loss.cure.words, session: row.session, step: row.step, restsOn: basis(joined, index), loss.entry)
            default: break
            }
        }
    }

    static let statesDelivered = Rule(
        "states-delivered", ["R0.1"], .must, basis: .absence, on: .both,
        requirement: "Each push that an event calls for is delivered: right token, kind, event and content.",
        norm: "Relay contract: an event yields its pushes; one that no fault of ours explains is lost by the relay",
        advice: "follow it through the relay's log: was it dropped, refused for now and not tried again, its token forgotten?"
    ) { joined, run, tally in judgeLosses(joined, run, &tally) { !$0.mayBeSuperseded && !$0.isFinal } }

    static let lastStateDelivered = Rule(
        "last-state-delivered", ["R0.8", "G22"], .must, basis: .absence, on: .both,
        requirement: "The last state of a burst, and of a session, is delivered, however much was throttled before it.",
        norm: "Relay contract: the throttle works on the trailing edge; what the user is left with is the truth",
        advice: "send the newest state when a throttle's window closes, and again after 429 or 5xx; keep the token meanwhile"
    ) { joined, run, tally in judgeLosses(joined, run, &tally) { $0.mayBeSuperseded || $0.isFinal } }

    private struct InTime: RuleMachine {
        var tally = Tally()
        var due = 0
        var late = 0

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for (index, row) in joined.account.rows.enumerated() {
                guard let accepted = joined.deliveries[index].accepted else { continue }
                // What something of ours held up says nothing of how fast the relay is.
                let (delivery, push) = (joined.deliveries[index], joined.account.pushes[accepted])
                let isHeldUp = delivery.outcome != .late && push.arrivedAt > delivery.undisturbedDue
                // How long a message rests behind a failure of FCM's, Google says the least of.
                let mayRest = push.provider == .fcm && joined.metFault(index)
                if isHeldUp || mayRest || delivery.outcome == .excused { continue }
                due += 1
                guard joined.deliveries[index].outcome == .late else { continue }
                late += 1
                tally.find(
                    "`\(run.kind(row.kind))` came late", expected: "within \(row.deadline)",
                    seen: "\(push.arrivedAt - row.plannedAt)", session: row.session, step: row.step, push.id)
            }
        }

        /// One in a hundred may be late: a machine has its moments.
        func verdict(_ run: RunContext) -> Verdict {
            if late * 100 > due { return tally.verdict }
            return due > 0 ? .kept(evidenceCount: due) : .notExercised
        }
    }

    static let statesInTime = Rule(
        "states-in-time", ["R0.8", "G22"], .must, basis: .timing, on: .both,
        requirement: "Pushes arrive within the deadlines that the relay's profile declares, but for one in a hundred.",
        norm: "Relay contract: a state that is sent on after its window tells the user what was",
        advice: "look at the delivery histogram of this call, and at what the relay waits for before it sends",
        span: \.shortestDeadline, make: { InTime() })

    static let noDuplicates = Rule(
        "no-duplicate-push", ["R0.1"], .must, basis: .running, on: .both,
        requirement: "A push that was accepted is not sent again.",
        norm: "Apple, Handling notification responses from APNs: 200 is final",
        advice: "mark a push as done with its first 200, also across processes and restarts"
    ) { joined, run, tally in
        for (index, push) in joined.account.pushes.enumerated() where joined.rowOfPush[index] != nil {
            if push.isAccepted { tally.test() }
            guard joined.fault[index] == .duplicated else { continue }
            let first = joined.attempts(of: joined.rowOfPush[index]!).first { $0.isAccepted && $0.token == push.token }
            tally.find(
                "a push was sent again after it had been accepted", expected: "one 200",
                seen: (push.isAccepted ? "another " : run.reason(push) + " ")
                    + (push.arrivedAt - (first ?? push).arrivedAt).laterWords,
                session: push.session, step: push.step, first?.id ?? 0, push.id)
        }
    }

    static let stateOrder = Rule(
        "state-order", ["R2.18"], .must, basis: .order, on: .both,
        requirement: "A newer state of an activity is not followed by an older one.",
        norm: "Relay contract: events come in order, and the user is left with the newest",
        advice: "send the states of one activity one after another, and drop what a newer one has overtaken"
    ) { joined, run, tally in
        guard run.circumstances.isOrdered else { return }
        for (index, push) in joined.account.pushes.enumerated()
        where push.isLiveActivity && joined.rowOfPush[index] != nil {
            if push.isAccepted { tally.test() }
            guard joined.fault[index] == .reordered else { continue }
            let newer = joined.account.pushes[..<index].last {
                $0.token == push.token && $0.session == push.session && $0.place > push.place && $0.isAccepted
            }
            tally.find(
                "an older state followed a newer one", expected: "nothing older than step \(newer?.step ?? 0)",
                seen: "step \(push.step), \((push.arrivedAt - (newer ?? push).arrivedAt).laterWords)", session: push.session,
                step: push.step, newer?.id ?? 0, push.id)
        }
    }

    static let nothingUnexpected = Rule(
        "nothing-unexpected", ["R0.1", "R0.18"], .must, on: .both,
        requirement: "Nothing is pushed that no event called for, nor to a token that nobody registered for it.",
        norm: "Relay contract: one push for each that the event calls for, to the tokens that are registered",
        advice: "look at what made the relay send this: an old row, a second code path, a retry under another token",
        make: { Unexpected() })

    private struct Unexpected: RuleMachine {
        private(set) var tally = Tally()

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for (index, push) in joined.account.pushes.enumerated() where push.isAccepted {
                tally.test()
                guard let fault = joined.fault[index], fault == .unexpected || fault == .misdirected else { continue }
                let isOfOther = joined.isOfOtherUser(push)
                let whose = isOfOther ? " to a token of another user" : " to a token that nobody has registered"
                tally.find(
                    fault == .misdirected ? "a push went to a token that it was not for" : "a push that nothing called for",
                    expected: fault == .misdirected ? "the token that is registered for it" : "none",
                    seen: Self.words(push)
                        + (joined.tokens.lanes[push.token] == nil ? whose : ""),
                    of: push, involvesOthers: isOfOther, push.id)
            }
        }

        /// What came when its session had long been over belongs to nothing.
        func verdict(_ run: RunContext) -> Verdict {
            var tally = tally
            for push in run.strays {
                tally.find(
                    "a push that nothing called for", expected: "none",
                    seen: Self.words(push)
                        + (push.isMarked ? ", when its session had long been over" : " to a token of no session"),
                    of: push, push.id)
            }
            return tally.verdict
        }

        private static func words(_ push: SeenPush) -> String {
            (push.provider == .fcm ? "message of FCM" : "\(push.type.word)") + (push.event.map { " \($0.word)" } ?? "")
        }
    }

    static let sessionsKeptApart = Rule(
        "sessions-kept-apart", ["R0.30", "R0.39"], .must, on: .both,
        requirement: "A state of one session never reaches a token that belongs only to another.",
        norm: "Relay contract: tokens and states never cross sessions",
        advice: "look the token up by its user and its session, never by the session alone or by what was used last"
    ) { joined, run, tally in
        var owner: [UInt64: UInt32] = [:]
        for call in joined.account.tokenCalls where call.lane.role == .activity && call.isRegistration {
            owner[call.token.bits] = UInt32(call.place >> 32)
        }
        for push in joined.account.pushes where push.isMarked {
            tally.test()
            let isOfOther = joined.isOfOtherUser(push)
            let other = owner[(push.activityToken ?? push.token).bits]
            guard isOfOther || other.map({ $0 != push.session }) ?? false else { continue }
            tally.find(
                "a state of session \(push.session) reached a token of another session",
                expected: "a token of session \(push.session)",
                seen: other.map { "a token of session \($0)" } ?? "a token of another user", of: push,
                involvesOthers: isOfOther, push.id)
        }
    }

    static let eachPhoneServed = Rule(
        "each-phone-served", ["R0.21", "R0.29"], .must, basis: .absence, on: .both,
        requirement: "Every phone that watches a session gets its pushes.",
        norm: "Relay contract: an event fans out to every registered device and activity",
        advice: "key registrations by secret, session and token, so that no phone takes another's place"
    ) { joined, run, tally in
        let account = joined.account
        var start = 0
        while start < account.rows.count {
            let range = account.rows(at: account.rows[start].place, account.rows[start].type)
            defer { start = max(range.upperBound, start + 1) }
            let first = account.rows[start].lane.phone
            guard range.contains(where: { account.rows[$0].lane.phone != first }) else { continue }
            let isServed = range.contains { joined.deliveries[$0].accepted != nil || joined.deliveries[$0].outcome == .late }
            guard isServed else { continue }
            tally.test()
            for index in range where joined.deliveries[index].outcome == .lost && joined.attempts(of: index).isEmpty {
                let row = account.rows[index]
                // Another phone has nothing to do with that: of what it was forgotten for, others speak.
                if wasForgottenForRefusal(joined, row, run) { continue }
                tally.find(
                    "phone \(row.lane.phone + 1) got nothing for `\(run.kind(row.kind))`, another phone did",
                    expected: "a push to each phone", seen: "none to this one", session: row.session, step: row.step,
                    restsOn: basis(joined, index))
            }
        }
    }

    /// The last thing that had gone to the token was refused, in words that do not speak of it.
    private static func wasForgottenForRefusal(_ joined: JoinedAccount, _ row: Expectation, _ run: RunContext) -> Bool {
        let last = joined.account.pushes.last { $0.token == row.token && $0.arrivedAt < row.plannedAt }
        guard let last, last.status >= 400 else { return false }
        return !run.tellsOfDeath(last) || last.refusedToken != row.token
    }

    /// The relay had let go of the token by then: an answer had refused what it got last, or what was owed before came to
    /// nothing as well, and nothing has gone there since. That is no connection's doing.
    private static func wasForgotten(_ joined: JoinedAccount, _ row: Expectation) -> Bool {
        let account = joined.account
        guard !account.pushes.contains(where: { $0.token == row.token && $0.arrivedAt >= row.plannedAt }) else { return false }
        let last = account.pushes.last { $0.token == row.token && $0.arrivedAt < row.plannedAt }
        if let last, last.status >= 400 { return true }
        return account.rows.indices.contains { index in
            let before = account.rows[index]
            return before.token == row.token && before.plannedAt < row.plannedAt
                && (last.map { $0.arrivedAt < before.plannedAt } ?? true)
                && joined.deliveries[index].outcome == .lost && joined.attempts(of: index).isEmpty
        }
    }

    /// A connection went between its call and its arrival.
    private static func wasCrossed(_ joined: JoinedAccount, _ row: Int, _ run: RunContext) -> Bool {
        guard let accepted = joined.deliveries[row].accepted else { return false }
        let expected = joined.account.rows[row]
        let sentAt = joined.account.call(at: expected.place)?.sentAt ?? expected.plannedAt
        return !run.circumstances.firings(from: sentAt, to: joined.account.pushes[accepted].arrivedAt).isEmpty
    }

    static let goAwayObeyed = Rule(
        "goaway-obeyed", ["P4", "P8", "G14", "F19"], .must, basis: .absence, on: .both,
        requirement: "What a connection that goes away did not process is sent again on another one.",
        norm: "RFC 9113, 6.8 and 8.7: streams above the last stream identifier were not processed and may be sent again",
        advice: "keep what was in flight on a connection, and send it once more on a fresh one after GOAWAY or a reset"
    ) { joined, run, tally in
        for (index, row) in joined.account.rows.enumerated() {
            let delivery = joined.deliveries[index]
            let attempts = joined.attempts(of: index)
            // What was begun and cut off shows as an attempt without an answer; what was not read shows as nothing.
            let cutOff = attempts.last { $0.status == 0 && run.circumstances.fault($0.faultRule)?.cutsOff == true }
            let isCutOff = cutOff.map { $0.id == attempts.last?.id } ?? attempts.isEmpty
            guard cutOff != nil || joined.connectionsLost(with: index, run.circumstances) == 1 else { continue }
            // What was sent over the next connection in the first place met nothing: a connection went while it was to come, or
            // it came in vain.
            // What its caller had to tell twice, for lack of an answer, says nothing of who sends again by himself.
            let wasToldTwice = joined.account.call(at: row.place).map { $0.attempts > 1 } ?? false
            let isMet = !wasToldTwice && (cutOff != nil || wasCrossed(joined, index, run))
            switch delivery.outcome {
            case .delivered, .late: if isMet { tally.test() }
            case .lost where isCutOff && (cutOff != nil || !wasForgotten(joined, row)):
                tally.find(
                    "`\(run.kind(row.kind))` was lost with a connection or stream that went away",
                    expected: "the push once more", seen: "nothing", session: row.session, step: row.step,
                    restsOn: basis(joined, index), cutOff?.id ?? 0)
            default: break
            }
        }
    }
}

extension JoinedAccount {
    /// Its token is registered, and by another user's sessions.
    func isOfOtherUser(_ push: SeenPush) -> Bool { push.owner != 0 && push.owner != account.number &+ 1 }
}
