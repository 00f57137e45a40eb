// Histories of real length, as an honest relay makes them that pushes one state after the other, and the same with one breach.

extension Tiny {
    /// What one relay does in its own way, drawn once.
    private struct Habits {
        /// What waits is replaced by what is newest.
        var keepsNewest: Bool
        /// One in so many pushes leaves a second later than it could.
        var lags: Int
        /// Its pauses double, or stay as they are.
        var doubles: Bool
    }

    /// A relay that runs: what it has on its disk, and what it has to do.
    private struct Relay {
        let habits: Habits
        var waiting: [Int] = []
        var holdsSecond = false
        var firstIsDead = false
        /// It sends nothing before that second.
        var restsUntil = 0
        var isLate = false
        var pause = 0

        mutating func hear(_ state: Int, _ second: Int, latestWins: Bool) {
            let isLost = firstIsDead && !holdsSecond
            // More than a few it cannot tell in time.
            let isFull = waiting.count > 3 || habits.keepsNewest
            if isLost || isFull && (latestWins || second < restsUntil) { waiting = [state] } else { waiting.append(state) }
        }

        mutating func isRefused(_ second: Int) {
            pause = habits.doubles && pause > 0 ? pause * 2 : 1
            restsUntil = second + pause
        }
    }

    static func walk(_ dice: inout Dice) -> Tiny {
        var tiny = Tiny(told: [], latestWins: dice.oneIn(2))
        tiny.seconds = 24 + dice.roll(48)
        let last = tiny.seconds - 12
        for second in 1...last where dice.oneIn(4) { tiny.told.append(second) }
        if tiny.told.isEmpty { tiny.told = [last] }
        if dice.oneIn(2) { tiny.rotated = 2 + dice.roll(last) }
        if dice.oneIn(3) { tiny.dies = 2 + dice.roll(last) }
        for _ in 0..<dice.roll(3) {
            let from = 1 + dice.roll(last)
            tiny.faults.append(from..<from + 1 + dice.roll(4))
        }
        var ready = 0
        for _ in 0..<dice.roll(3) {
            let from = ready + 1 + dice.roll(last)
            guard from < last else { break }
            ready = from + 1 + dice.roll(3)
            tiny.outages.append(from...ready)
        }
        tiny.play(&dice)
        return tiny
    }

    private mutating func play(_ dice: inout Dice) {
        let habits = Habits(keepsNewest: dice.oneIn(2), lags: 3 + dice.roll(8), doubles: dice.oneIn(2))
        var relay = Relay(habits: habits)
        /// What it finds on its disk when it was killed.
        var disk = relay
        for second in 0..<seconds {
            if isDown(second * 1_000) {
                relay = disk
                (relay.restsUntil, relay.pause) = (0, 0)
                continue
            }
            let isKilled = outages.contains { $0.lowerBound == second }
            disk = relay
            if rotated == second {
                relay.holdsSecond = true
                disk.holdsSecond = true
            }
            if let state = told.firstIndex(of: second) {
                relay.hear(state, second, latestWins: latestWins)
                if !dice.oneIn(2) { disk.waiting = relay.waiting }
            }
            if !relay.waiting.isEmpty, !relay.isLate, dice.oneIn(habits.lags) {
                (relay.isLate, disk.isLate) = (true, true)
                continue
            }
            relay.isLate = false
            var count = 0
            while let state = relay.waiting.first, relay.restsUntil <= second, !relay.firstIsDead || relay.holdsSecond, count < 3 {
                let isSecond = relay.firstIsDead || relay.holdsSecond && !(rotated == second && dice.oneIn(3))
                let push = Push(second: second, state: state, isSecondToken: isSecond)
                pushes.append(push)
                count += 1
                switch answer(push) {
                case .accepted:
                    relay.waiting.removeFirst()
                    relay.pause = 0
                case .unavailable: relay.isRefused(second)
                case .dead:
                    relay.firstIsDead = true
                    relay.pause = 0
                    if !relay.holdsSecond { relay.waiting = [relay.waiting.last!] }
                }
                if !dice.oneIn(2) { disk = relay }
            }
            if !isKilled { disk = relay }
        }
        pushes = Array(pushes.prefix(40))
        spread()
    }

    /// The same with one thing that this relay did otherwise; nil: there is nothing to change.
    func broken(_ dice: inout Dice) -> Tiny? {
        guard !pushes.isEmpty else { return nil }
        var other = self
        let place = dice.roll(pushes.count)
        switch dice.roll(5) {
        case 0:
            let state = pushes[place].state
            other.pushes.removeAll { $0.state == state }
        case 1: other.pushes.removeSubrange(place...)
        case 2:
            var again = pushes[place]
            again.second = min(again.second + 1 + dice.roll(6), seconds - 1)
            other.pushes.append(again)
        case 3: other.pushes[place].second = min(pushes[place].second + 4 + dice.roll(8), seconds - 1)
        default: other.pushes[place].isSecondToken.toggle()
        }
        other.pushes.removeAll { isDown($0.second * 1_000 + 500) || $0.isSecondToken && !knowsSecondToken(in: $0.second) }
        other.pushes.sort { ($0.second, $0.offset, $0.state) < ($1.second, $1.offset, $1.state) }
        for place in other.pushes.indices { other.pushes[place].offset = 500 }
        other.spread()
        other.pushes.removeAll { isDown($0.at) }
        return other == self ? nil : other
    }
}
