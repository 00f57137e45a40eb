// Why a state that never came was not owed after all, and how firm a loss is.

import Basics
import Pushes

extension JoinedAccount {
    /// Why nothing was owed in the end, in words; nil: it was.
    func release(_ index: Int, _ circumstances: Circumstances) -> String? {
        let row = account.rows[index]
        let due = deliveries[index].due
        if let call = account.call(at: row.place) {
            if call.wasRefusedAsItMay { return "refused, as it may be" }
            if call.wasToldDead, isDead(row, by: call.answeredAt) { return "its caller was told that the token is dead" }
            if call.wasToldNo, isExplained(call, index, circumstances) { return "its caller was told that it failed" }
        }
        if isBeyondCap(index, circumstances) { return Self.beyondCap }
        if let how = goneCard(index) { return how }
        // What met a dead token is over where another took its place: the state is owed to that one.
        let again = owedAgain(index)
        let (token, since) =
            again.map { ($0.token, $0.registered.sentAt) } ?? (row.token, heldUntil(row, circumstances) ?? row.plannedAt)
        // A call that had to wait for its turn may have left behind its own deadline, and found the token dead.
        let held = account.call(at: row.place).map { max(.zero, $0.sentAt - row.plannedAt) } ?? .zero
        if let death = deadToken(token, plannedAt: since, by: due + held, circumstances) { return death }
        if let death = deadDevice(row, plannedAt: since, by: due + held, circumstances) { return death }
        if let death = deadBeside(row, plannedAt: since, by: due + held, circumstances) { return death }
        if let death = deadInItsPlace(row, by: due + held, circumstances) { return death }
        if wasToldBlurred(index) { return "another card's token" }
        if let endedAt = aged?.endedAt(for: row, tokens), endedAt <= due { return "activity ended for its age" }
        if wasTakenBack(index, again?.token, since: since, circumstances) || wasSignedOutByAnother(row, circumstances) {
            return Circumstances.takenBack
        }
        if isOfNobody(row) { return "no device of its user is registered" }
        if isOfFormerPhone(row) { return "no device of its phone is registered" }
        if followsMissingEnd(row, circumstances) || wasForgotten(index, circumstances) { return Circumstances.heldDown }
        if let fault = overtakenStart(index, circumstances) { return fault.label }
        return refusedForGood(index, again?.token, since: since, circumstances)
    }

    /// The caller was told that its token is dead. Of a call with several tokens that is the one of which the provider said so.
    private func isDead(_ row: Expectation, by instant: Instant) -> Bool {
        tokens.deaths[row.token]?.contains { $0.arrivedAt <= instant } ?? false
            || !account.rows.contains { $0.place == row.place && $0.token != row.token }
    }

    /// A fault of ours gave the relay a reason to tell its caller that it did not work: it met this very push, and the relay
    /// cannot end it, or a connection went meanwhile. Whoever came again, as he was told, may have met a relay that rests.
    private func isExplained(_ call: SeenCall, _ index: Int, _ circumstances: Circumstances) -> Bool {
        if let last = attempts(of: index).last {
            return circumstances.fault(last.faultRule).map { $0.cureTakes == nil } ?? false
        }
        return call.attempts > 1 && !deliveries[index].stops.isEmpty
            || !circumstances.firings(from: call.sentAt, to: call.answeredAt).isEmpty
    }

    /// The fault of ours that refused it so that the same push may not be sent again, and that the relay cannot end.
    private func refusedForGood(
        _ index: Int, _ token: TokenHash?, since: Instant, _ circumstances: Circumstances
    ) -> String? {
        let tried = attempts(of: index).filter { token == nil || since <= $0.arrivedAt && $0.token == token }
        guard let last = tried.last, tried.allSatisfy(\.metFault), last.isRefusedForGood,
            let fault = circumstances.fault(last.faultRule), fault.cureTakes == nil
        else { return nil }
        return fault.label
    }

    /// We ended the relay so soon behind the answer to the state's call that it need not be on its disk, or within the
    /// registration of its token, which is on its disk once it is answered. Whoever pushed it since has it.
    private func wasForgotten(_ index: Int, _ circumstances: Circumstances) -> Bool {
        guard !circumstances.outages.isEmpty else { return false }
        let row = account.rows[index]
        let registered = tokens.registrations[row.token]?.last { $0.place <= row.place || row.flags.contains(.wasHeld) }
        func isGone(_ place: UInt64, within grace: Interval, _ shown: SeenPush?) -> Bool {
            guard let call = account.call(at: place), call.wasTaken,
                circumstances.wasDown(between: call.sentAt, and: call.answeredAt + grace)
            else { return false }
            return !(shown.map { circumstances.wasDown(between: call.sentAt, and: $0.arrivedAt) } ?? false)
        }
        let tried = attempts(of: index)
        return isGone(row.place, within: circumstances.inFlightGrace, tried.last)
            || registered.map { isGone($0.place, within: .zero, tried.last { $0.token == row.token }) } ?? false
    }

    /// When a state that had waited for its activity's token was to leave: the relay had it in hand until then, whatever else
    /// happened meanwhile. Nil where it had not been taken for good before we ended the relay.
    private func heldUntil(_ row: Expectation, _ circumstances: Circumstances) -> Instant? {
        guard row.flags.contains(.wasHeld), let call = account.call(at: row.place), call.wasTaken,
            let registered = tokens.registrations[row.token]?.last(where: { call.place < $0.place && $0.wasTaken }),
            !circumstances.wasDown(between: call.sentAt, and: call.answeredAt + circumstances.inFlightGrace)
        else { return nil }
        return max(row.plannedAt, registered.sentAt)
    }

    /// The fault of ours that refused a start until its session was over: behind that none is due (R0.15).
    private func overtakenStart(_ index: Int, _ circumstances: Circumstances) -> Circumstances.Fault? {
        let row = account.rows[index]
        let tried = attempts(of: index)
        guard row.event == .start, let last = tried.last, tried.allSatisfy(\.metFault) else { return nil }
        let isOver = account.calls.contains { call in
            call.session == row.session && row.place < call.place && circumstances.finalKinds.contains(call.kind)
                && call.state == .sent && call.sentAt <= last.answeredAt + circumstances.leastPatience
        }
        return isOver ? circumstances.fault(last.faultRule) : nil
    }

    /// The answer by which the token was dead, in words.
    func deadToken(
        _ token: TokenHash, plannedAt: Instant, by due: Instant, _ circumstances: Circumstances
    ) -> String? {
        guard let death = tokens.death(of: token, plannedAt: plannedAt, by: due),
            !isElsewhere(death, circumstances) || isDeadAtHome(death, by: due, circumstances),
            !isInDoubt(death, by: due, circumstances)
        else { return nil }
        let fault = circumstances.fault(account.pushes[death.push].faultRule)
        return "dead token" + (fault.map { " (\($0.label))" } ?? "")
    }

    /// It had still to come when its app's registration at FCM was replaced, and that which took its place is dead.
    private func deadInItsPlace(_ row: Expectation, by due: Instant, _ circumstances: Circumstances) -> String? {
        nextRegistration(of: row, by: due).flatMap { deadToken($0.token, plannedAt: $0.sentAt, by: due, circumstances) }
    }

    /// A token that travels in its device's row may go with it (R0.44).
    private func deadDevice(
        _ row: Expectation, plannedAt: Instant, by due: Instant, _ circumstances: Circumstances
    ) -> String? {
        guard row.lane.role.isOfDevicesRow else { return nil }
        func registered(_ token: TokenHash) -> Instant? {
            tokens.registrations[token]?.last { $0.wasTaken && $0.sentAt <= plannedAt }?.sentAt
        }
        let devices = tokens.lanes.filter { $0.value == Lane(role: .device, phone: row.lane.phone) }.keys
        let newest = devices.compactMap { token in registered(token).map { (at: $0, token: token) } }.max { $0.at < $1.at }
        let death = newest.flatMap { deadToken($0.token, plannedAt: plannedAt, by: due, circumstances) }
        return death.map { $0 + " of its device" }
    }

    /// It met a dead token, and was owed to no other: what the card that took its place has to show, and when, is a rule's.
    func toldBySuccessor(_ index: Int, _ circumstances: Circumstances) -> String? {
        let row = account.rows[index]
        guard restarts != nil, row.lane.role == .activity, owedAgain(index) == nil,
            let accepted = deliveries[index].accepted, areOfTwoActivities(row.token, account.pushes[accepted].token)
        else { return nil }
        return deadToken(row.token, plannedAt: row.plannedAt, by: deliveries[index].due, circumstances)
    }

    /// It went to a card that is over or was replaced, or to its token that was dead, which may be taken for that of the card
    /// before or behind.
    private func wasToldBlurred(_ index: Int) -> Bool {
        let row = account.rows[index]
        let blurred = restarts?.activities.filter { $0.isBlurred && $0.session == row.session && $0.phone == row.lane.phone }
        guard row.lane.role == .activity, let blurred, !blurred.isEmpty else { return false }
        return account.pushes.contains { push in
            guard push.isMarked, push.place == row.place, push.isLiveActivity, push.event == row.event,
                blurred.contains(where: { $0.tokens.contains(push.token) })
            else { return false }
            let isDead = tokens.deaths[push.token]?.contains { account.pushes[$0.push].id == push.id } ?? false
            return isDead || push.outcome == .ignoredEnded || push.isAccepted && isOfRestart(push)
        }
    }

    /// The mock said by itself that it does not know the token, for a push that should have gone to the other environment, or
    /// under another topic. The token lives on, and the loss is the relay's.
    private func isElsewhere(_ death: TokenLife.Death, _ circumstances: Circumstances) -> Bool {
        let push = account.pushes[death.push]
        return circumstances.hasBothEnvironments && push.status == 400 && !push.metFault
    }

    /// The other environment has said so as well, where nobody but that can mean the token itself.
    private func isDeadAtHome(_ death: TokenLife.Death, by due: Instant, _ circumstances: Circumstances) -> Bool {
        tokens.deaths[account.pushes[death.push].token]?.contains { other in
            other.environment != death.environment && other.arrivedAt <= due && !isElsewhere(other, circumstances)
        } ?? false
    }

    /// The one host has called the token bad; the other, asked since, was busy each time, which says nothing of the token: it
    /// is to be asked again, and no row may go for 429 or 5xx (R0.23, R0.27, G3).
    private func isInDoubt(_ death: TokenLife.Death, by due: Instant, _ circumstances: Circumstances) -> Bool {
        let told = account.pushes[death.push]
        guard circumstances.hasBothEnvironments, told.status == 400 else { return false }
        let asked = account.pushes.filter {
            $0.token == told.token && $0.environment != death.environment
                && death.arrivedAt < $0.arrivedAt && $0.arrivedAt <= due
        }
        return !asked.isEmpty && asked.allSatisfy(\.isRefusedForNow)
    }

    /// Whether more time would have told: a newer state did come, or its token was taken back meanwhile.
    package func isLossByTheClock(_ row: Int) -> Bool { replacedAt(row) != nil || takingBack(row) != nil }

    /// When its call left us, and when whatever goes before the push was through.
    func departure(of row: Expectation) -> (sentAt: Instant, leftAt: Instant) {
        let sentAt = account.call(at: row.place)?.sentAt ?? row.plannedAt
        return (sentAt, alertAnswered(row).map { max($0, sentAt) } ?? sentAt)
    }

    /// Connections that went while the push may have been on its way over them.
    package func connectionsLost(with index: Int, _ circumstances: Circumstances) -> Int {
        let row = account.rows[index]
        return circumstances.firings(from: departure(of: row).sentAt, to: lastDeparture(of: row, circumstances)).count
    }

    /// By then it has left, where nothing holds it up.
    func lastDeparture(of row: Expectation, _ circumstances: Circumstances) -> Instant {
        let wait = row.flags.contains(.isThrottled) ? circumstances.throttle ?? .zero : .zero
        return departure(of: row).leftAt + wait + circumstances.real(Tolerances.journey)
    }

    /// When the alert of the same event was accepted on that phone.
    private func alertAnswered(_ row: Expectation) -> Instant? {
        account.rows(at: row.place, .alert).filter { account.rows[$0].lane.phone == row.lane.phone }
            .compactMap { deliveries[$0].accepted.map { account.pushes[$0].answeredAt } }.max()
    }

    /// Its token was taken back when it need not have left yet: within a quarter of what is granted to pushes on their way,
    /// counted from the relay's answer to its call, from that to the alert that goes first, or from the end of its window; or,
    /// where something of ours stopped its clock, before the relay had the least time that anybody is given.
    private func wasTakenBack(
        _ index: Int, _ token: TokenHash?, since: Instant, _ circumstances: Circumstances
    ) -> Bool {
        let row = account.rows[index]
        guard let taken = takingBack(row, token)?.sentAt else { return false }
        // What is gone by then has nothing to draw anew.
        if row.type.isReload, taken <= deliveries[index].due { return true }
        if attempts(of: index).isEmpty {
            let answeredAt = account.call(at: row.place).map { max($0.sentAt, $0.answeredAt) } ?? row.plannedAt
            let leftAt = max(answeredAt, departure(of: row).leftAt)
            let mayLeave = max(leftAt, windowOver(row, at: leftAt, circumstances) ?? leftAt)
            if taken <= mayLeave + circumstances.inFlightGrace * Tolerances.prompt { return true }
        }
        guard !deliveries[index].stops.isEmpty else { return false }
        return taken < clock(row, since: since, within: circumstances.leastPatience, circumstances).due
    }

    /// When the window is over that the last push to its card began before that instant (R0.7).
    private func windowOver(_ row: Expectation, at instant: Instant, _ circumstances: Circumstances) -> Instant? {
        guard row.flags.contains(.isThrottled), let throttle = circumstances.throttle else { return nil }
        let last = account.pushes.last { $0.token == row.token && $0.isLiveActivity && $0.arrivedAt <= instant }
        return last.map { max($0.arrivedAt, $0.answeredAt) + throttle }
    }

    package func takingBack(_ index: Int) -> SeenCall? { takingBack(account.rows[index], nil) }

    /// The first later call that took its token back, and owes nothing itself.
    private func takingBack(_ row: Expectation, _ token: TokenHash?) -> SeenCall? {
        let said = account.call(at: row.place)?.sentAt ?? row.plannedAt
        return account.tokenCalls.compactMap { taken -> SeenCall? in
            guard !taken.isRegistration, taken.token == token ?? row.token, let call = account.call(at: taken.place),
                call.state == .sent, !account.rows.contains(where: { $0.place == taken.place })
            else { return nil }
            // Of one session the plan knows the order, of two the clock.
            let isLater = taken.place >> 32 == row.place >> 32 ? taken.place > row.place : call.sentAt > said
            return isLater ? call : nil
        }.min { $0.sentAt < $1.sentAt }
    }
}
