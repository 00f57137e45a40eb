// What a relay need not send by its own rules: what its card was told last, and what goes beyond its cap.

import Basics
import Pushes

extension JoinedAccount {
    static let beyondCap = "beyond the relay's cap"

    /// States that say what the same card was told last. A state between the two that is to come by itself
    /// makes them differ: behind it the older one is news again.
    func repeatedStates(_ circumstances: Circumstances) -> Set<Int> {
        guard let terms = circumstances.repeats else { return [] }
        var repeats: Set<Int> = []
        for index in account.rows.indices where saysAgain(index, terms, known: repeats) { repeats.insert(index) }
        return repeats
    }

    private func saysAgain(_ index: Int, _ terms: RepeatTerms, known: Set<Int>) -> Bool {
        let row = account.rows[index]
        guard row.flags.contains(.mayRepeat), row.saying != 0, let call = account.call(at: row.place), call.state == .sent
        else { return false }
        for place in account.rows[..<index].indices.reversed() {
            let older = account.rows[place]
            let isOfCard = older.session == row.session && older.lane == row.lane && older.type == row.type
            guard isOfCard, older.place < row.place else { continue }
            if let accepted = deliveries[place].accepted {
                guard older.event == row.event, older.saying == row.saying else { return false }
                // No relay that counts from the push, or from its call, has it for younger.
                return terms.window.map { call.sentAt - account.pushes[accepted].answeredAt < $0 } ?? true
            }
            // The relay may not have been told it, or need not send it: what the card shows is older still.
            let isUnheard = account.call(at: older.place).map { !$0.wasTaken || $0.wasRefusedAsItMay } ?? true
            let isReplaceable = older.mayBeSuperseded && older.saying != row.saying
            guard isUnheard || isReplaceable || known.contains(place) else { return false }
        }
        return false
    }

    /// The relay had sent as many for the states before this one as it ever does.
    func isBeyondCap(_ index: Int, _ circumstances: Circumstances) -> Bool {
        let (row, due) = (account.rows[index], deliveries[index].due)
        guard let cap = circumstances.cap, row.type == .liveactivity, row.event == .update else { return false }
        let since = cap.span.map { row.plannedAt - $0 } ?? Instant(nanoseconds: .min)
        let sent = account.pushes.count { push in
            guard push.isLiveActivity, since < push.arrivedAt, push.arrivedAt <= due, let lane = tokens.lanes[push.token],
                lane == row.lane || lane.role == .start && lane.phone == row.lane.phone
            else { return false }
            // One without a marker may be of any state told by then.
            return push.isMarked ? push.session == row.session && push.place < row.place : push.arrivedAt <= row.plannedAt
        }
        return sent >= cap.most
    }

    /// A push of one of several states was accepted in that time, and whichever it is of is newer than the row.
    func isFollowedUndecided(_ row: Expectation, by due: Instant) -> Bool {
        guard !account.undecided.pushes.isEmpty else { return false }
        return account.pushes.contains { push in
            account.undecided.pushes.contains(push.id) && push.isAccepted && isOnItsWay(push, row)
                && row.plannedAt < push.arrivedAt && push.arrivedAt <= due
        }
    }
}
