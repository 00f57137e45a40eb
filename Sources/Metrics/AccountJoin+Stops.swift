// What stopped the clock of a debt: we held the relay down; the provider could not be reached; its own push, or one that it
// waits behind, was refused for now or had no answer, by our doing.

package import Basics
import Pushes

extension JoinedAccount {
    /// When a state is overdue that the relay can tell from `since` on, and what stopped its clock.
    func clock(_ row: Expectation, since: Instant, within deadline: Interval, _ circumstances: Circumstances) -> DebtClock {
        let isCalm = ways.isEmpty && circumstances.outages.isEmpty && circumstances.ability.isEmpty
            && circumstances.connectionFirings.isEmpty
        return DebtClock(since: since, within: deadline) { until in
            isCalm ? [] : stops(row, from: since, to: until, circumstances)
        }
    }

    private func stops(_ row: Expectation, from first: Instant, to last: Instant, _ circumstances: Circumstances) -> [Stop] {
        let stops = allStops(row, from: first, to: last, circumstances)
        guard !circumstances.outages.isEmpty else { return stops }
        // A process that is gone waits for nothing.
        return stops.map { stop in
            let ends = circumstances.outages.first { stop.from < $0.from && $0.from < stop.until }
            guard !stop.beginsAnew, let outage = ends else { return stop }
            var stop = stop
            stop.until = outage.from
            return stop
        }
    }

    private func allStops(_ row: Expectation, from first: Instant, to last: Instant, _ circumstances: Circumstances) -> [Stop] {
        var stops = circumstances.outageStops(from: first, to: last)
        stops += circumstances.ability.stops(at: row.provider, from: first, to: last, circumstances)
        if let cut = unseenCut(row, from: first, to: last, circumstances) { stops.append(cut) }
        guard !ways.isEmpty else { return stops }
        let tokens = tokensOnItsWay(row, by: last)
        for held in ways.held(at: tokens, of: row.session, from: first, to: last) {
            let push = account.pushes[held.push]
            guard let over = over(held, row, tokens, circumstances), over > first else { continue }
            let cause = circumstances.fault(push.faultRule)?.label ?? ""
            stops.append(Stop(from: push.arrivedAt, until: over, cause: cause))
        }
        return stops
    }

    /// Its own; of an app at FCM also those that it had before, and the one that it was given meanwhile: what waits goes
    /// with the app (R0.18).
    private func tokensOnItsWay(_ row: Expectation, by due: Instant) -> Set<TokenHash> {
        guard row.provider == .fcm, row.lane.role == .registration else { return [row.token] }
        let former = account.tokenCalls.filter { call in
            call.isRegistration && call.lane == row.lane && call.place >> 32 == row.place >> 32 && call.place < row.place
        }
        return Set(former.map(\.token)).union([row.token]).union(nextRegistration(of: row, by: due).map { [$0.token] } ?? [])
    }

    /// When what was held stands in the row's way no more; nil: it never did. Its own push may come again at any time. What
    /// waits behind another one goes on when something goes its way.
    private func over(
        _ held: Ways.Held, _ row: Expectation, _ tokens: Set<TokenHash>, _ circumstances: Circumstances
    ) -> Instant? {
        let push = account.pushes[held.push]
        let isOwn = push.isMarked && push.place == row.place && push.type == row.type && isOnItsWay(push, row)
        guard isOwn || isBehind(push, row, tokens) else { return nil }
        if row.provider == .fcm {
            // The service asks all that goes to a registration to rest: only what is accepted shows that the rest is over, and
            // of another kind than the row's it tells nothing. After 429 the registration rests, and another need not.
            if push.token != row.token, push.status == 429, tokens.contains(push.token), isFormer(push.token, of: row) {
                return nil
            }
            let way = isFormer(push.token, of: row) ? row.token : push.token
            let wentOn = ways.first(to: way, behind: push.answeredAt + circumstances.inFlightGrace) { next in
                next.isAccepted && next.type == row.type && (!next.isMarked || next.session == row.session)
            }
            return min(held.until, wentOn?.arrivedAt ?? .distantFuture)
        }
        let next = isOwn
            ? ways.first(to: push.token, behind: push.arrivedAt) { $0.identity == push.identity }
            : ways.next(row, behind: max(push.arrivedAt, min(push.answeredAt, held.until)))
        return min(held.until, next?.arrivedAt ?? .distantFuture)
    }

    private func isFormer(_ token: TokenHash, of row: Expectation) -> Bool {
        token != row.token && !(tokens.registrations[token]?.contains { $0.place > row.place } ?? false)
    }

    /// An older one, or the alert that goes first, to its token or to its phone in its session. Numbers of other sessions
    /// tell nothing of time.
    private func isBehind(_ push: SeenPush, _ row: Expectation, _ tokens: Set<TokenHash>) -> Bool {
        guard push.provider == row.provider else { return false }
        if push.provider == .fcm { return tokens.contains(push.token) }
        guard push.session != row.session || push.place <= row.place || !push.isMarked else { return false }
        if push.token == row.token { return true }
        return push.isMarked && push.session == row.session && self.tokens.lanes[push.token]?.phone == row.lane.phone
    }

    /// It goes where the row goes: to its token, or to another of the same card or device. Cards of other sessions are others.
    func isOnItsWay(_ push: SeenPush, _ row: Expectation) -> Bool {
        if push.token == row.token { return true }
        return tokens.lanes[push.token] == row.lane
            && (row.lane.role != .activity || !push.isMarked || push.session == row.session)
    }

    /// A fault met a connection while the push may have been on its way over it, unread: only its sender knows of it, and waits
    /// as behind a failure (F8, F20).
    private func unseenCut(
        _ row: Expectation, from first: Instant, to last: Instant, _ circumstances: Circumstances
    ) -> Stop? {
        guard !circumstances.connectionFirings.isEmpty else { return nil }
        let (sentAt, leaves) = (departure(of: row).sentAt, lastDeparture(of: row, circumstances))
        let firings = circumstances.firings(from: sentAt, to: min(leaves, last))
        guard let firing = firings.last, let fault = circumstances.fault(firing.rule) else { return nil }
        let own = account.pushes.filter { push in
            push.isMarked && push.place == row.place && push.type == row.type && isOnItsWay(push, row)
        }
        guard !own.contains(where: { $0.arrivedAt <= firing.at && $0.status != 0 }) else { return nil }
        // What GOAWAY names it tells apart, at FCM, too.
        let wait = max(circumstances.leastPatience, circumstances.waitBehindCut(at: fault.cutsOff ? row.provider : .apns))
        let next = own.first { $0.arrivedAt > firing.at }?.arrivedAt ?? .distantFuture
        return Stop(from: firing.at, until: min(firing.at + wait, next), cause: fault.label)
    }

    /// It was refused for now and not sent again, though something got through to its token since: no breach, for it may rest
    /// by itself, but worth to be told.
    func wasPassedOver(_ index: Int) -> Bool {
        guard let last = attempts(of: index).last, last.metFault, last.isRefusedForNow else { return false }
        return ways.first(to: last.token, behind: last.answeredAt, where: \.isAccepted) != nil
    }

    /// Until when nobody is blamed who sends nothing behind that answer.
    package func restOver(behind push: SeenPush, _ circumstances: Circumstances) -> Instant {
        ways.wait(behind: push) ?? circumstances.wait(behind: push, RefusalRows.Before()) ?? push.answeredAt
    }

    /// How long the relay was able to pay a debt until that instant, and what stopped its clock for how long, in words and in
    /// the order in which each began; empty: nothing did.
    package func ability(_ index: Int, until end: Instant) -> (able: Interval, stopped: String) {
        let delivery = deliveries[index]
        var now = delivery.since
        var able = Interval.zero
        var stopped: [(cause: String, lasted: Interval)] = []
        for stop in delivery.stops where stop.until > now && stop.from < end {
            able = able + max(.zero, stop.from - now)
            let lasted = min(stop.until, end) - max(stop.from, now)
            if let known = stopped.firstIndex(where: { $0.cause == stop.cause }) {
                stopped[known].lasted = stopped[known].lasted + lasted
            } else {
                stopped.append((stop.cause, lasted))
            }
            now = max(now, min(stop.until, end))
        }
        let words = stopped.map { "\($0.lasted) by \($0.cause)" }.joined(separator: ", ")
        return (able + max(.zero, end - now), words)
    }
}
