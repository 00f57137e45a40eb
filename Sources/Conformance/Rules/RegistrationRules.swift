// Rules about registering and taking back tokens while pushes are under way.

import Basics
import Metrics
import Pushes

enum RegistrationRules {
    static let all = [newTokenUsed, newerKept, unregisterRespected, dismissalRespected, unknownSilent, startTokenKept]

    static let newTokenUsed = Rule(
        "new-token-used", ["R0.18"], .must, basis: .order, on: .both,
        requirement: "Once a rotated token is registered, pushes go to the new token only.",
        norm: "Relay contract: registering the token that follows another replaces the stored one",
        advice: "replace the activity's token in one step, also for what is waiting to be sent"
    ) { joined, run, tally in
        let registrations = joined.account.tokenCalls.filter(\.isRegistration)
        // With several phones a second activity's token may be another phone's. A registration is of one app.
        let isOnePhone = Set(registrations.map(\.lane.phone)).count == 1
        func isFollowed(_ lane: Lane) -> Bool {
            lane.role == .activity ? isOnePhone : [.registration, .widget].contains(lane.role)
        }
        for new in registrations where isFollowed(new.lane) {
            guard let call = joined.account.call(at: new.place), call.wasTaken,
                let old = registrations.last(where: {
                    $0.lane == new.lane && $0.token != new.token && $0.place < new.place
                        && $0.place >> 32 == new.place >> 32
                }), run.wasHeard(old.place, before: new.place, in: joined.account)
            else { continue }
            let since = call.answeredAt + run.circumstances.inFlightGrace
            for push in joined.account.pushes
            where (push.isLiveActivity || push.provider == .fcm || push.type.isReload) && push.arrivedAt > since {
                // By way of FCM the activity's token stands beside the registration.
                let token = new.lane.role == .activity ? push.activityToken ?? push.token : push.token
                if token == new.token { tally.test() }
                // Another activity's end is due to that, however late (G20): a refusal may have held it up.
                let isOwnEnd = push.event == .end && joined.areOfTwoActivities(old.token, new.token)
                guard token == old.token, !isOwnEnd, !joined.isOfRestart(push),
                    !isOfOther(push, UInt32(new.place >> 32), new.lane, joined),
                    !joined.tokens.wasRegistered(old.token, after: call.answeredAt, until: push.arrivedAt)
                else { continue }
                tally.find(
                    "a push went to a token that another had replaced", expected: "the new token",
                    seen: "the old one, \(push.arrivedAt - call.answeredAt) after the new one was registered",
                    of: push, push.id)
            }
        }
    }

    /// Whether a push to a registration is another session's, or may be for want of a marker: one that has it still. A
    /// registration is its user's, and each session has it in a row of its own.
    private static func isOfOther(_ push: SeenPush, _ session: UInt32, _ lane: Lane, _ joined: JoinedAccount) -> Bool {
        guard lane.role == .registration else { return false }
        if push.isMarked { return push.session != session }
        struct Holder: Hashable {
            var session: UInt32
            var lane: Lane
        }
        var last: [Holder: TokenCall] = [:]
        for made in joined.account.tokenCalls where made.lane.role == .registration && made.place >> 32 != UInt64(session) {
            guard let call = joined.account.call(at: made.place), call.sentAt < push.arrivedAt else { continue }
            last[Holder(session: call.session, lane: made.lane)] = made
        }
        return last.values.contains { $0.isRegistration && $0.token == push.token }
    }

    static let newerKept = Rule(
        "newer-registration-kept", ["R0.20", "G10"], .must, basis: .absence,
        requirement: "A late request about an activity that has been replaced does not touch the newer one.",
        norm: "Relay contract: an unregister names the session only, and the older activity's may come late",
        advice: "remember that an older activity has still to be unregistered, and let its unregister mean that one"
    ) { joined, run, tally in
        // Who sends nothing at all has ended nothing.
        guard !joined.account.pushes.isEmpty else { return }
        for call in joined.account.calls where run.staleKinds.contains(call.kind) && call.wasAnswered {
            let later = joined.account.rows.indices.filter { index in
                let row = joined.account.rows[index]
                return row.session == call.session && row.lane.role == .activity && row.plannedAt > call.answeredAt
                    && [.delivered, .late, .lost].contains(joined.deliveries[index].outcome)
                    && joined.tokens.deaths[row.token] == nil
            }
            guard let first = later.first else { continue }
            let row = joined.account.rows[first]
            // A token that was of no use before the request either was not lost by it.
            let wasOwed = joined.account.rows.contains { $0.token == row.token && $0.plannedAt < call.sentAt }
            let wasUsed = joined.account.pushes.contains { $0.token == row.token && $0.arrivedAt < call.sentAt }
            if wasOwed, !wasUsed { continue }
            tally.test()
            guard later.allSatisfy({ joined.attempts(of: $0).isEmpty }) else { continue }
            tally.find(
                "a late `\(run.kind(call.kind))` ended the pushes of a newer activity",
                expected: "pushes to the token that was registered last",
                seen: "none, though step \(row.step) came \(row.plannedAt - call.answeredAt) behind it, and later ones",
                session: row.session, step: row.step)
        }
    }

    static let unregisterRespected = Rule(
        "unregister-respected", ["R0.19"], .must, basis: .order, on: .both,
        requirement: "After a token was taken back no push goes there.",
        norm: "Relay contract: unregistering stops the pushes of that session; alerts go on",
        advice: "delete the row, and what waits to be sent to it"
    ) { joined, run, tally in
        for taken in joined.account.tokenCalls where !taken.isRegistration {
            guard let call = joined.account.call(at: taken.place), call.wasTaken, run.quietKinds.contains(call.kind),
                !joined.doubts.contain(taken.place), wasKnown(taken, call, joined, run)
            else { continue }
            let grace = run.circumstances.inFlightGrace
            let since = call.answeredAt + grace
            if isTempted(taken, call, since: since, joined, run) { tally.test() }
            for (index, push) in joined.account.pushes.enumerated()
            where push.token == taken.token && push.arrivedAt > since {
                // An end that had to wait does no harm: the app has let the card go already (R0.40).
                let event = push.event ?? joined.rowOfPush[index].flatMap { joined.account.rows[$0].event }
                // An alert of before, which a fault of ours held up, may still come: no sheet takes it back.
                let isHeldUp = taken.lane.role == .device && push.isMarked && push.place < taken.place
                    && joined.rowOfPush[index].map(joined.metFault) ?? false
                guard event != .end, !isHeldUp, !isOfOther(push, call.session, taken.lane, joined),
                    !joined.tokens.wasRegistered(taken.token, after: call.sentAt, until: push.arrivedAt)
                else { continue }
                tally.find(
                    "a push went to a token that had been taken back", expected: "none after `\(run.kind(call.kind))`",
                    seen: "one \((push.arrivedAt - call.answeredAt).laterWords)", of: push,
                    // So soon, it may have been on its way from a relay that was kept waiting.
                    restsOn: push.arrivedAt <= since + grace * 2 ? .timing : [], push.id)
                break
            }
        }
    }

    /// Whether the relay heard of the token before it heard that it was taken back.
    private static func wasKnown(
        _ taken: TokenCall, _ call: SeenCall, _ joined: JoinedAccount, _ run: RunContext
    ) -> Bool {
        joined.tokens.registrations[taken.token]?.allSatisfy { made in
            made.sentAt.nanoseconds == 0 || made.sentAt > call.sentAt
                || run.wasHeard(made.place, before: taken.place, in: joined.account)
        } ?? true
    }

    /// Whether a push might go to the token after all: something waits to be sent there, or a call comes that causes pushes,
    /// before the token is registered again. Without that to send nothing is no merit.
    private static func isTempted(
        _ taken: TokenCall, _ call: SeenCall, since: Instant, _ joined: JoinedAccount, _ run: RunContext
    ) -> Bool {
        let isOfSession = [.activity, .registration].contains(taken.lane.role)
        let until = joined.tokens.registration(of: taken.token, after: call.sentAt)?.sentAt ?? .distantFuture
        let isToldOn = joined.account.calls.contains { later in
            later.wasTaken && !run.quietKinds.contains(later.kind) && since < later.sentAt && later.sentAt < until
                && (!isOfSession || later.session == call.session)
        }
        return isToldOn
            || joined.account.rows.indices.contains { index in
                let (row, delivery) = (joined.account.rows[index], joined.deliveries[index])
                guard row.token == taken.token, row.place < taken.place, delivery.outcome != .superseded else { return false }
                return delivery.accepted.map { joined.account.pushes[$0].arrivedAt > call.sentAt } ?? true
            }
    }

    static let dismissalRespected = Rule(
        "dismissal-respected", ["G17"], .should,
        requirement: "After an activity was taken back its session gets no other by push, unless an event calls for one.",
        norm: "Good practice: whoever has dismissed a card does not want it back with the next event",
        advice: "remember that the session's activity was taken back, until the app registers one or the next turn begins"
    ) { joined, run, tally in
        for taken in joined.account.tokenCalls where !taken.isRegistration && taken.lane.role == .activity {
            guard let call = joined.account.call(at: taken.place), call.wasTaken, run.quietKinds.contains(call.kind),
                !joined.doubts.contain(taken.place)
            else { continue }
            let session = call.session
            let next = joined.account.tokenCalls.first { later in
                later.isRegistration && later.lane.role == .activity && later.place > taken.place
                    && later.place >> 32 == UInt64(session)
            }
            let until = next.flatMap { joined.account.call(at: $0.place)?.sentAt } ?? .distantFuture
            let since = call.answeredAt + run.circumstances.inFlightGrace
            // Whatever comes now might bring it back.
            let isTempted = joined.account.calls.contains { later in
                later.session == session && TokenRules.isTempting(later) && later.sentAt > since && later.sentAt < until
            }
            guard isTempted else { continue }
            tally.test()
            for (index, push) in joined.account.pushes.enumerated()
            where push.isMarked && push.session == session && push.event == .start && push.arrivedAt > since
                && push.arrivedAt < until
            {
                let isOwed = joined.rowOfPush[index].map { joined.account.rows[$0].event == .start } ?? false
                guard !isOwed, !joined.isOfRestart(push) else { continue }
                tally.find(
                    "an activity was started again after `\(run.kind(call.kind))` had taken it back", expected: "no start",
                    seen: "one \((push.arrivedAt - call.answeredAt).laterWords)", session: session, step: push.step, push.id)
                break
            }
        }
    }

    static let startTokenKept = Rule(
        "start-token-kept", ["R0.44"], .must, basis: [.absence, .order],
        requirement: "A push-to-start token counts until another takes its place, also where its device registers without it.",
        norm: "Relay contract: the token travels with the device's registration, and one that is left out says nothing",
        advice: "keep the stored start token where a registration brings none, and overwrite it where one does"
    ) { joined, run, tally in
        // Who sends nothing at all has forgotten nothing.
        guard !joined.account.pushes.isEmpty else { return }
        let registrations = joined.account.tokenCalls.filter { call in
            call.isRegistration && joined.account.call(at: call.place)?.wasTaken == true
        }
        for (index, row) in joined.account.rows.enumerated() where row.event == .start && row.lane.role == .start {
            let earlier = registrations.filter { $0.lane.phone == row.lane.phone && $0.place < row.place }
            guard joined.isUndisturbed(row.session), let last = earlier.last(where: { $0.lane.role == .start }),
                last.token == row.token, run.wasHeard(last.place, before: row.place, in: joined.account),
                earlier.allSatisfy({
                    $0.lane.role != .start || run.wasHeard($0.place, before: last.place, in: joined.account)
                })
            else { continue }
            let wasReplaced = earlier.contains { $0.lane.role == .start && $0.token != row.token }
            let wasLeftOut = earlier.contains { $0.lane.role == .device && $0.place > last.place }
            guard wasReplaced || wasLeftOut, [.delivered, .late, .lost].contains(joined.deliveries[index].outcome) else {
                continue
            }
            tally.test()
            if let stray = joined.attempts(of: index).first(where: { $0.token != row.token }) {
                tally.find(
                    "a start went to a start token that another had replaced", expected: "the one that was registered last",
                    seen: "the older one", session: row.session, step: row.step, stray.id)
            } else if joined.attempts(of: index).isEmpty {
                tally.find(
                    "no start went to a start token that is still the phone's",
                    expected: "a start, for the token was registered and never replaced", seen: "none", session: row.session,
                    step: row.step)
            }
        }
    }

    static let unknownSilent = Rule(
        "unknown-secret-silent", ["R0.30"], .must, on: .both,
        requirement: "An event of a user whom nobody has registered is answered like any other, and reaches nobody.",
        norm: "Relay contract: an unknown secret is answered 200, with nothing sent",
        advice: "look devices up by the secret of the event, and by nothing else"
    ) { joined, run, tally in
        for call in joined.account.calls where run.unknownKinds.contains(call.kind) && call.wasAnswered && call.status < 500 {
            tally.test()
            guard !call.wasTaken else { continue }
            tally.find(
                "`\(run.kind(call.kind))` of an unknown user was refused", expected: "the answer that a known user gets",
                seen: "status \(call.status)", session: call.session, step: call.step)
        }
        for push in joined.account.pushes where push.isMarked {
            let place = push.place
            guard let call = joined.account.call(at: place), run.unknownKinds.contains(call.kind) else { continue }
            tally.find(
                "`\(run.kind(call.kind))` of an unknown user caused a push", expected: "none",
                seen: "a push of type \(push.type.word)", session: call.session, step: call.step, push.id)
        }
    }
}
