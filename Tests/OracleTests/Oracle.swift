// An honest relay of one page, and whether it could have made a history. It shares nothing with the judge: what is uncertain
// it tries both ways, and time it walks in steps of 100 milliseconds.

/// What a relay may or may not have kept when it was killed. (A registration that it has answered it has kept.)
private struct World {
    /// States whose call was answered so soon before that they may be gone.
    var forgotten: Set<Int> = []
    /// Pushes whose 200 it may not know of any more, by their places.
    var unheard: Set<Int> = []
}

struct Oracle {
    private let tiny: Tiny
    /// What a KILL may take, and what may be under way, in milliseconds.
    private static let grace = 1_000
    /// Whoever was refused may wait so long, behind a further attempt two and a half times as long as before that; who cannot
    /// reach APNs, as long again as that had lasted, and so long besides.
    private static let pause = 2_000

    init(_ tiny: Tiny) { self.tiny = tiny }

    /// Nil: an honest relay could have made it; else what no world allows, of the world that comes furthest.
    var breach: String? {
        let breaches = worlds.map { Walk(tiny, $0).breach }
        return breaches.contains { $0 == nil } ? nil : breaches.compactMap(\.self).max { $0.at < $1.at }?.words
    }

    private var worlds: [World] {
        var worlds = [World()]
        func isKilled(in second: Int) -> Bool { tiny.outages.contains { $0.lowerBound == second } }
        for (state, told) in tiny.told.enumerated() where isKilled(in: told) {
            worlds += worlds.map { world in
                var other = world
                other.forgotten.insert(state)
                return other
            }
        }
        for (place, push) in tiny.pushes.enumerated() where isKilled(in: push.second) {
            worlds += worlds.map { world in
                var other = world
                other.unheard.insert(place)
                return other
            }
        }
        return worlds
    }

    /// One world, from its begin to its end.
    private struct Walk {
        struct Breach {
            var at: Int
            var words: String
        }

        private struct Debt {
            var able = 0
            /// Of the relay that ran when it was told.
            var isOpen = true
        }

        let tiny: Tiny
        let world: World
        private(set) var breach: Breach?
        private var debts: [Int: Debt] = [:]
        /// Places of the pushes that were accepted, for all that this process knows.
        private var accepted: Set<Int> = []
        /// When each state was refused for now, the last time and the time before, since it was accepted.
        private var refused: [Int: (before: Int?, last: Int)] = [:]
        /// The same of whatever the card was told.
        private var card: (before: Int, last: Int)?
        /// The first and the last time that anything was, since something was answered otherwise.
        private var trouble: (first: Int, last: Int)?
        private var deadSince: Int?
        /// Its next process does not know of that.
        private var forgetsDeath = false
        /// Places of pushes that were answered so, by their states: nobody sends such a one again.
        private var answeredDead: [Int: Set<Int>] = [:]
        /// What died with the first token, and waits for the second.
        private var waiting: Int?

        init(_ tiny: Tiny, _ world: World) {
            (self.tiny, self.world) = (tiny, world)
            for now in stride(from: 0, through: tiny.end, by: 100) where breach == nil { step(now) }
        }

        private mutating func broken(_ now: Int, _ words: String) { breach = breach ?? Breach(at: now, words: words) }

        private mutating func step(_ now: Int) {
            if tiny.down.contains(where: { $0.upperBound == now }) { wake(now) }
            if now % 1_000 == 0 { hear(now) }
            for place in tiny.pushes.indices where tiny.pushes[place].at == now { push(place) }
            for state in debts.keys.sorted() where debts[state]!.isOpen && !mayRest(state, now) {
                debts[state]!.able += 100
                if debts[state]!.able > Tiny.deadline { broken(now, "state \(state) is overdue") }
            }
        }

        /// What a new process does not know any more is owed no more; what it knows it has its time for again.
        private mutating func wake(_ now: Int) {
            for state in world.forgotten where tiny.told[state] * 1_000 < now { debts[state] = nil }
            if let state = waiting, world.forgotten.contains(state) { waiting = nil }
            if forgetsDeath { (deadSince, forgetsDeath) = (nil, false) }
            for state in answeredDead.keys { answeredDead[state]!.subtract(world.unheard) }
            accepted.subtract(world.unheard)
            for state in debts.keys { debts[state]!.able = 0 }
            (refused, trouble, card) = ([:], nil, nil)
        }

        private mutating func hear(_ now: Int) {
            guard !tiny.isDown(now) else { return }
            if tiny.rotated.map({ $0 * 1_000 == now }) ?? false, let state = waiting {
                waiting = nil
                debts[state] = Debt()
            }
            guard let state = tiny.told.firstIndex(of: now / 1_000) else { return }
            // The newest takes the place of what waits.
            for older in debts.keys where debts[older]!.isOpen && mayRest(older, now) { debts[older]!.isOpen = false }
            if isLost(now) { waiting = state } else { debts[state] = Debt() }
        }

        /// It holds no token that lives, for all that it knows.
        private func isLost(_ now: Int) -> Bool { deadSince != nil && !holdsSecond(now) }

        private func holdsSecond(_ now: Int) -> Bool {
            tiny.rotated.map { $0 * 1_000 <= now && !tiny.isDown($0 * 1_000) } ?? false
        }

        private func isOfSecond(_ state: Int) -> Bool { tiny.rotated.map { $0 <= tiny.told[state] } ?? false }

        /// It may be unable to tell that state just now, by our doing.
        private func mayRest(_ state: Int, _ now: Int) -> Bool {
            if tiny.isDown(now) { return true }
            if let trouble, now < trouble.last + (trouble.last - trouble.first) + Oracle.pause { return true }
            if let card, now < card.last + (card.last - card.before) * 5 / 2 { return true }
            guard let own = refused[state] else { return false }
            return now < own.last + (own.before.map { max(1_000, (own.last - $0) * 5 / 2) } ?? Oracle.pause)
        }

        private mutating func push(_ place: Int) {
            let (push, isUnheard) = (tiny.pushes[place], world.unheard.contains(place))
            let now = push.at
            guard !tiny.isDown(now) else { return broken(now, "a push while it is down") }
            let told = tiny.told[push.state] * 1_000
            guard told <= now, !tiny.isDown(told) else { return broken(now, "state \(push.state) is not known") }
            if world.forgotten.contains(push.state), tiny.down.contains(where: { told < $0.lowerBound && $0.upperBound <= now }) { return broken(now, "state \(push.state) is forgotten") }
            if push.isSecondToken {
                guard holdsSecond(now) else { return broken(now, "the second token is not known") }
            } else {
                if let dead = deadSince, dead + Oracle.grace <= now { return broken(now, "a dead token") }
                if !answeredDead[push.state, default: []].isEmpty { return broken(now, "a dead token") }
                if holdsSecond(now), tiny.rotated! * 1_000 + Oracle.grace <= now { return broken(now, "a token that was replaced") }
            }
            for other in accepted.map({ tiny.pushes[$0] }) {
                let isAgain = other.state == push.state && other.isSecondToken == push.isSecondToken
                if isAgain { return broken(now, "state \(push.state) again") }
            }
            if accepted.contains(where: { push.state < tiny.pushes[$0].state }) { return broken(now, "state \(push.state) behind a newer one") }
            switch tiny.answer(push) {
            case .unavailable:
                refused[push.state] = (refused[push.state]?.last, now)
                card = (card?.last ?? now, now)
                trouble = (trouble?.first ?? now, now)
                // It was tried in the place of what went before it: from here on it is owed alone.
                if tiny.latestWins { for older in debts.keys where older < push.state { debts[older]!.isOpen = false } }
            case .dead:
                if deadSince == nil { (deadSince, forgetsDeath) = (now, isUnheard) }
                answeredDead[push.state, default: []].insert(place)
                (refused[push.state], trouble, card) = (nil, nil, nil)
                // What was told when it held the second token already goes there.
                for (state, debt) in debts where debt.isOpen && !(holdsSecond(now) && isOfSecond(state)) {
                    debts[state]!.isOpen = false
                    if !holdsSecond(now) { waiting = max(waiting ?? 0, state) } else if state == push.state { debts[state]!.isOpen = true }
                }
            case .accepted:
                (refused[push.state], trouble, card) = (nil, nil, nil)
                accepted.insert(place)
                debts[push.state]?.isOpen = false
                if tiny.latestWins { for older in debts.keys where older < push.state { debts[older]!.isOpen = false } }
            }
        }
    }
}
