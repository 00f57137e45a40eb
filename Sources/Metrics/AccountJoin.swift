// Matches an account's pushes with its expectations and says what became of each.

package import Basics
import Pushes

/// An account that is over, joined: what correlator and rules see.
package struct JoinedAccount: Sendable {
    /// What became of an expectation.
    package struct Delivery: Hashable, Sendable {
        package var outcome = DeliveryClass.lost
        /// Index of the push that was accepted for it.
        package var accepted: Int?
        /// What of ours explains it, where it is excused.
        package var excuse: String?
        /// It was neither there nor overdue when the run ended.
        package var isOpen = false
        /// The last instant that was in time, our own lateness added, and all for which its clock stood.
        package var due: Instant
        /// The same, had nothing stopped its clock.
        package var undisturbedDue: Instant
        /// From when on it was owed.
        package var since: Instant
        /// What stopped its clock, in order of time.
        package var stops: [Stop] = []

        init(since: Instant, due: Instant) { (self.since, self.due, undisturbedDue) = (since, due, due) }
    }

    package let account: Account
    package let tokens: TokenLife
    /// Beside `account.rows`.
    package private(set) var deliveries: [Delivery]
    /// Beside `account.pushes`: the expectation each belongs to.
    package private(set) var rowOfPush: [Int?]
    /// Beside `account.pushes`: what is wrong with it, if anything.
    package private(set) var fault: [DeliveryClass?]
    /// Sessions of which it is uncertain what the relay knows: a call that registers a token, takes one back or owes a
    /// start was not sent or not taken, or the user signed out with all devices, and in again.
    private let disturbed: Set<UInt32>
    /// States that the death of their token kept from the card, and that count from the registration of the next one.
    private var renewals: [Int: Renewal] = [:]
    /// States that say what their card was told last, so that the relay need not tell it again.
    private var repeats: Set<Int> = []
    /// Starts by which a card came to be after all, in order of arrival.
    var beginnings: [SeenPush] = []
    /// Of what tokens a registration never reached the relay.
    let missing: Set<Lane.Role>
    /// Where its pushes went, one after the other.
    let ways: Ways
    /// What a relay cannot tell from what is late.
    package let doubts: UnregistrationDoubts
    /// Where the relay replaces activities that grow old: which there were, one after the other.
    package let restarts: RestartLife?
    let restartTerms: RestartTerms?
    /// Where the relay ends activities that grow old: which there were.
    package let aged: AgedEnds?

    /// `isDeath` says which answers tell that a token is dead.
    package init(_ account: Account, _ circumstances: Circumstances, isDeath: (SeenPush) -> Bool) {
        let tokens = TokenLife(account, circumstances, isDeath: isDeath)
        let account = account.withStartsDecided().withDeathsDecided(tokens, circumstances).withTokensDecided(circumstances)
        self.account = account
        self.tokens = tokens
        ways = Ways(account, tokens.lanes, circumstances)
        let delays = CallDelays(account, circumstances)
        deliveries = account.rows.map { [tokens] row in
            let registration = row.flags.contains(.wasHeld) ? tokens.registrations[row.token]?.last : nil
            let delay = max(delays[row.place], registration.map { delays[$0.place] } ?? .zero)
            let since = row.plannedAt + delay
            return Delivery(since: since, due: since + row.deadline + circumstances.allowance)
        }
        rowOfPush = Array(repeating: nil, count: account.pushes.count)
        fault = Array(repeating: nil, count: account.pushes.count)
        var disturbed: Set<UInt32> = []
        let starts = account.rows.lazy.filter { $0.event == .start }.map(\.place)
        for place in account.tokenCalls.map(\.place) + starts {
            guard let call = account.call(at: place), call.state != .sent || !call.wasTaken else { continue }
            // It concerns the one token, and nobody waits for what was to follow.
            if call.wasToldDead || call.state == .retired { continue }
            // One that was still to come when we stopped listening has disturbed nothing.
            if call.state == .planned, call.plannedAt > circumstances.end { continue }
            disturbed.insert(call.session)
        }
        self.disturbed = disturbed.union(Self.sessionsLeftByAll(account))
        doubts = UnregistrationDoubts(account)
        restartTerms = circumstances.restart
        restarts = circumstances.restart == nil ? nil : RestartLife(account, tokens, inFlight: circumstances.inFlightGrace)
        aged = circumstances.ageing.map { [tokens] in AgedEnds(account, tokens, $0, end: circumstances.end) }
        missing = Set(
            account.tokenCalls.filter { $0.isRegistration && Self.isMissing($0.place, account, circumstances) }
                .map(\.lane.role))
        match(circumstances)
        payReloads()
        collectAttempts()
        for index in account.rows.indices { setDue(of: index, delays, circumstances) }
        repeats = repeatedStates(circumstances)
        classify(circumstances)
    }

    /// When a state is overdue by its debt's clock, to whichever token it is owed in the end.
    private mutating func setDue(of index: Int, _ delays: CallDelays, _ circumstances: Circumstances) {
        let row = account.rows[index]
        func stop(_ since: Instant, within deadline: Interval) {
            let clock = clock(row, since: since, within: deadline, circumstances)
            guard clock.due > deliveries[index].due || deliveries[index].stops.isEmpty else { return }
            (deliveries[index].due, deliveries[index].stops) = (max(deliveries[index].due, clock.due), clock.stops)
            deliveries[index].since = max(deliveries[index].since, since)
        }
        let granted = row.deadline + circumstances.allowance
        stop(deliveries[index].since, within: granted)
        if let since = startableSince(index) {
            deliveries[index].undisturbedDue = max(deliveries[index].undisturbedDue, since + granted)
            stop(since, within: granted)
        }
        func again(_ renewal: Renewal) -> (since: Instant, within: Interval) {
            (renewal.registered.plannedAt + delays[renewal.registered.place], renewal.deadline + circumstances.allowance)
        }
        let renewal = renewal(of: index, circumstances) { renewal in
            let (since, within) = again(renewal)
            return clock(row, since: since, within: within, circumstances).due
        }
        guard let renewal else { return }
        renewals[index] = renewal
        let (since, within) = again(renewal)
        deliveries[index].undisturbedDue = max(deliveries[index].undisturbedDue, since + within)
        stop(since, within: within)
    }

    /// It says what its card was told last, and the relay need not tell it again.
    package func saysAgain(_ row: Int) -> Bool { repeats.contains(row) }

    /// Whether it waited for the token that took a dead one's place.
    package func wasRenewed(_ row: Int) -> Bool { renewals[row] != nil }

    /// The token which took a dead one's place is to be told this state.
    func owedAgain(_ row: Int) -> Renewal? { renewals[row].flatMap { $0.isOwed ? $0 : nil } }

    /// Pushes by expectation, in order of arrival: those of row `r` are `attempts[firstAttempt[r]..<firstAttempt[r + 1]]`.
    private var attempts: [Int32] = []
    private var firstAttempt: [Int32] = []

    /// What the relay sent for this expectation, in order of arrival.
    package func attempts(of row: Int) -> Attempts {
        Attempts(pushes: account.pushes, places: attempts[Int(firstAttempt[row])..<Int(firstAttempt[row + 1])])
    }

    /// Whether a fault of ours met one of them.
    package func metFault(_ row: Int) -> Bool {
        for place in firstAttempt[row]..<firstAttempt[row + 1]
        where account.pushes[Int(attempts[Int(place)])].metFault { return true }
        return false
    }

    /// When the first of them came.
    package func firstArrival(of row: Int) -> Instant? {
        guard firstAttempt[row] < firstAttempt[row + 1] else { return nil }
        return account.pushes[Int(attempts[Int(firstAttempt[row])])].arrivedAt
    }

    /// Some of an account's pushes, where they stand.
    package struct Attempts: RandomAccessCollection {
        fileprivate let pushes: [SeenPush]
        fileprivate let places: ArraySlice<Int32>

        package var startIndex: Int { places.startIndex }
        package var endIndex: Int { places.endIndex }
        package subscript(index: Int) -> SeenPush { pushes[Int(places[index])] }
    }

    private mutating func collectAttempts() {
        var counts = [Int32](repeating: 0, count: account.rows.count + 1)
        // A reload that shows what several calls have said was sent for each of them.
        let shared = account.rows.indices.filter { row in
            account.rows[row].type.isReload && deliveries[row].accepted.map { rowOfPush[$0] != row } ?? false
        }
        for row in rowOfPush { if let row { counts[row + 1] += 1 } }
        for row in shared { counts[row + 1] += 1 }
        for row in account.rows.indices { counts[row + 1] += counts[row] }
        firstAttempt = counts
        attempts = Array(repeating: 0, count: Int(counts[account.rows.count]))
        for (push, row) in rowOfPush.enumerated() {
            guard let row else { continue }
            attempts[Int(counts[row])] = Int32(push)
            counts[row] += 1
        }
        for row in shared {
            attempts[Int(counts[row])] = Int32(deliveries[row].accepted!)
            counts[row] += 1
            attempts[Int(firstAttempt[row])..<Int(firstAttempt[row + 1])].sort()
        }
    }

    /// What the relay knows of the session's tokens is what we told it.
    package func isUndisturbed(_ session: UInt32) -> Bool { !disturbed.contains(session) }

    /// A start for an activity that is to take another's place, or the end of one whose place was taken.
    package func isOfRestart(_ push: SeenPush) -> Bool { restarts?.explained.contains(push.id) ?? false }

    /// Of an activity whose place another had taken by then.
    package func isOfReplaced(_ push: SeenPush) -> Bool {
        restarts?.activities.contains { activity in
            activity.tokens.contains(push.token) && activity.replacedAt.map { $0 <= push.arrivedAt } ?? false
        } ?? false
    }

    /// The end of an activity that grew too old, or the start by which its session's card comes back.
    package func isOfAge(_ push: SeenPush) -> Bool { aged?.explained.contains(push.id) ?? false }

    // MARK: Pushes

    private mutating func match(_ circumstances: Circumstances) {
        var told = Told()
        var accepted = Accepted()
        var refreshes = Refreshes(circumstances)
        for (index, push) in account.pushes.enumerated() {
            // Owed to no call, but to an activity's age: judged by rules of its own.
            if isOfRestart(push) || isOfAge(push) || account.undecided.pushes.contains(push.id) { continue }
            let isRefresh = refreshes.take(push, lane: tokens.lanes[push.token])
            guard push.isMarked else {
                // What only we have told a relay nobody else asks it to push to.
                let isOurs = circumstances.isRelayOurs || tokens.lanes[push.token] != nil
                if push.isAccepted, isOurs, !account.rows.isEmpty, !isRefresh { fault[index] = .unexpected }
                continue
            }
            let candidates = account.rows(at: push.place, push.type)
            guard let row = row(for: push, among: candidates) else {
                let lane = push.isAccepted ? laneOfHeldStart(push, among: candidates, circumstances) : nil
                let key = lane.map { LaneKey(session: push.session, lane: $0) }
                let last = key.flatMap { told.last($0, before: push, circumstances) }
                if let key, last?.mayBeFollowed(by: push, ofSuccessor: isOfSuccessor(push)) ?? true {
                    told.tell(key, push, circumstances)
                } else if isBeginning(push) {
                    beginnings.append(push)
                } else if push.isAccepted, isUndisturbed(push.session), !isLateEnd(push), !doubts.cover(push) {
                    guard !isToDeviceOfAnother(push) else { continue }
                    fault[index] = candidates.isEmpty ? .unexpected : .misdirected
                }
                continue
            }
            rowOfPush[index] = row
            let served = Served(row: row, token: push.token)
            let isAgain = accepted.isKnown(served, before: push, circumstances)
            // An end may bear the marker of what was said last.
            let isOfRow = push.isAccepted || push.event == account.rows[row].event
            if isAgain, isOfRow, account.call(at: push.place)?.attempts ?? 1 < 2, !isRefresh { fault[index] = .duplicated }
            let key = LaneKey(session: push.session, lane: account.rows[row].lane)
            let last = told.last(key, before: push, circumstances)
            let isOlder = push.isLiveActivity && (last.map { push.place < $0.place } ?? false)
            if !isAgain, isOlder, isOfRow, isNews(push, of: row, circumstances), circumstances.isOrdered, let last,
                account.wasHeard(push.place, before: last.place, circumstances),
                wasSentLater(push, than: last.push, circumstances)
            {
                fault[index] = .reordered
            }
            guard push.isAccepted else { continue }
            if isAltered(push, account.rows[row]) {
                fault[index] = .altered
                continue
            }
            if !push.flags.contains(.isAnswerUndelivered) { accepted.note(served, push, circumstances) }
            guard isReceived(push, isOlder: isOlder) else { continue }
            if deliveries[row].accepted == nil { deliveries[row].accepted = index }
            if push.isLiveActivity, !isOlder { told.tell(key, push, circumstances) }
        }
    }

    /// The expectation for the same token, else the one for the same phone under the token it had before or after.
    private func row(for push: SeenPush, among candidates: Range<Int>) -> Int? {
        let candidates = candidates.filter { account.rows[$0].provider == push.provider }
        if let exact = candidates.first(where: { account.rows[$0].token == push.token }) { return exact }
        guard let lane = tokens.lanes[push.token] else { return nil }
        if let sameLane = candidates.first(where: { account.rows[$0].lane == lane }) { return sameLane }
        // The start that never reached the relay: it may begin the activity with the next state.
        guard push.event == .start, lane.role == .start, !isUndisturbed(push.session) else { return nil }
        return candidates.first { account.rows[$0].lane.phone == lane.phone && account.rows[$0].event == .update }
    }

    private func isAltered(_ push: SeenPush, _ row: Expectation) -> Bool {
        if push.undecodable >= 0 || push.alteration >= 0 || push.outcome == .undecodable { return true }
        return push.isLiveActivity && row.event != nil && push.event != row.event && isUndisturbed(row.session)
    }

    /// An older state that a device passes over was received all the same: it came too late to be shown.
    private func isReceived(_ push: SeenPush, isOlder: Bool) -> Bool {
        // Of FCM such a message was for trial only, or to a topic to which nobody listens.
        guard let outcome = push.outcome else { return push.provider == .apns }
        // What an Android device makes of it, and when, is no relay's doing.
        if push.provider == .fcm, !push.flags.contains(.isForApple) { return true }
        switch outcome {
        case .ignoredEnded: return isOlder || wasStored(push) || wasShownBefore(push)
        case .ignoredOlder: return isOlder || wasShownBefore(push)
        case .undecodable, .unknownActivity, .ignoredFuture, .nothingShown: return false
        default: return true
        }
    }

    /// Not accepted before, for all that its sender knows, or told again to the token that took the place of the one that was
    /// told it, and seen.
    private func isNews(_ push: SeenPush, of row: Int, _ circumstances: Circumstances) -> Bool {
        guard let accepted = deliveries[row].accepted else { return true }
        if circumstances.mayBeForgotten(account.pushes[accepted], by: push) { return true }
        return push.token != account.pushes[accepted].token && push.outcome ?? .updated == .updated && restarts == nil
    }

    /// Whether the relay, and not the wire, put the older state behind the newer one: by one connection, by more than a
    /// wire's slack, or so that the user saw it.
    private func wasSentLater(_ older: SeenPush, than newer: SeenPush, _ circumstances: Circumstances) -> Bool {
        older.connection == newer.connection || older.arrivedAt - newer.arrivedAt > circumstances.real(Tolerances.wire)
            || older.outcome == .updated
    }

    /// One reload shows all that was said before it left.
    private mutating func payReloads() {
        for (index, row) in account.rows.enumerated() where row.type.isReload {
            guard let call = account.call(at: row.place), call.state == .sent else { continue }
            deliveries[index].accepted = account.pushes.firstIndex { push in
                push.isAccepted && isReceived(push, isOlder: false) && push.type == row.type && call.sentAt <= push.arrivedAt
                    && tokens.lanes[push.token] == row.lane
            }
        }
    }

    // MARK: Expectations

    /// The newest first: what became of it tells whether it took an older one's place.
    private mutating func classify(_ circumstances: Circumstances) {
        for index in account.rows.indices.reversed() {
            let row = account.rows[index]
            if let accepted = deliveries[index].accepted {
                let arrivedAt = account.pushes[accepted].arrivedAt
                guard arrivedAt > deliveries[index].due else {
                    deliveries[index].outcome = .delivered
                    continue
                }
                if row.mayBeSuperseded, mayComeLate(index, account.pushes[accepted], circumstances) {
                    deliveries[index].outcome = .superseded
                    continue
                }
                let excuse =
                    goneCard(index) ?? toldBySuccessor(index, circumstances) ?? leftOut(index, circumstances)
                    ?? (row.type.isReload ? release(index, circumstances) : nil)
                deliveries[index].outcome = excuse == nil ? .late : .excused
                deliveries[index].excuse = excuse
            } else if row.flags.contains(.waitsInVain) || account.undecided.holds(row) {
                deliveries[index].outcome = .undecided
            } else if wasNeverSent(row, circumstances) {
                deliveries[index].outcome = .unsent
            } else if wasBegun(row) || saysAgain(index)
                || stoodAsNewerCame(index, circumstances) || row.mayBeSuperseded && isSuperseded(index)
            {
                deliveries[index].outcome = .superseded
            } else if let reason = release(index, circumstances) {
                deliveries[index].outcome = .excused
                deliveries[index].excuse = reason
            } else if deliveries[index].due > circumstances.end {
                let isStopped = deliveries[index].undisturbedDue <= circumstances.end
                deliveries[index].outcome = isStopped ? .excused : .undecided
                deliveries[index].excuse = isStopped ? whatStopped(index) : nil
                deliveries[index].isOpen = true
            }
        }
    }

    /// Why it need not have come at all, where a newer state was told while its clock stood, or its token was dead and another
    /// known: it came all the same.
    private func leftOut(_ index: Int, _ circumstances: Circumstances) -> String? {
        if stoodAsNewerCame(index, circumstances) { return whatStopped(index) }
        let row = account.rows[index]
        guard owedAgain(index) == nil, let accepted = deliveries[index].accepted, account.pushes[accepted].token != row.token
        else { return nil }
        return deadToken(row.token, plannedAt: row.plannedAt, by: deliveries[index].due, circumstances)
    }

    /// What stopped its clock last, in words.
    private func whatStopped(_ index: Int) -> String? { deliveries[index].stops.max { $0.until < $1.until }?.cause }
}
