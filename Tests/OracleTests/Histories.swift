// Which histories are tried: drawn ones, and all of a coarse grid. None in which the relay pushes what nobody has told it, to a
// token that nobody has told it of, or while it is down: no relay can.

extension Tiny {
    static func draw(_ dice: inout Dice) -> Tiny {
        let first = 1 + dice.roll(3)
        let second = first + 1 + dice.roll(2)
        var told = [first, second]
        if dice.oneIn(2) { told.append(second + 1 + dice.roll(2)) }
        var tiny = Tiny(told: told, latestWins: dice.oneIn(2))
        if dice.oneIn(3) { tiny.rotated = 2 + dice.roll(4) }
        if dice.oneIn(4) { tiny.dies = 2 + dice.roll(3) }
        if dice.oneIn(2) {
            let from = 1 + dice.roll(5)
            tiny.faults = [from..<from + 1 + dice.roll(4)]
        }
        if dice.oneIn(4) {
            let from = 1 + dice.roll(5)
            tiny.outages = [from...from + 1 + dice.roll(2)]
        }
        for state in told.indices where !tiny.isDown(told[state] * 1_000) {
            var second = told[state]
            for _ in 0..<1 + dice.roll(3) where !dice.oneIn(5) {
                second += dice.oneIn(2) ? 0 : dice.roll(4)
                while tiny.isDown(second * 1_000 + 500) { second += 1 }
                let isSecond = tiny.knowsSecondToken(in: second) && !dice.oneIn(10)
                tiny.pushes.append(Push(second: min(second, 14), state: state, isSecondToken: isSecond))
                if tiny.answer(tiny.pushes.last!) == .accepted, !dice.oneIn(10) { break }
                second += 1
            }
        }
        tiny.pushes.sort { ($0.second, $0.state) < ($1.second, $1.state) }
        tiny.spread()
        return tiny
    }

    func knowsSecondToken(in second: Int) -> Bool { rotated.map { $0 <= second && !isDown($0 * 1_000) } ?? false }

    /// Pushes of one second come one behind the other.
    mutating func spread() {
        for place in pushes.indices.dropFirst() where pushes[place].second == pushes[place - 1].second {
            pushes[place].offset = pushes[place - 1].offset + 100
        }
    }

    /// Whether a relay can make that push at all.
    private func isPossible(_ push: Push) -> Bool {
        let told = told[push.state]
        return told <= push.second && !isDown(told * 1_000) && !isDown(push.second * 1_000 + 500)
            && (!push.isSecondToken || knowsSecondToken(in: push.second))
    }

    /// Without pushes: all that is told, and all that is done to the relay.
    static var scripts: [Tiny] {
        var scripts: [Tiny] = []
        for told in [[1, 2], [1, 3], [2, 3], [1, 2, 3], [1, 2, 4]] {
            for rotated in [nil, 2, 3] as [Int?] {
                for dies in [nil, 3] as [Int?] {
                    for faults in [[], [1..<3], [2..<5]] {
                        for outages in [[], [2...3]] {
                            for latestWins in [false, true] {
                                scripts.append(
                                    Tiny(told: told, rotated: rotated, dies: dies, faults: faults, outages: outages, latestWins: latestWins))
                            }
                        }
                    }
                }
            }
        }
        return scripts
    }

    /// Up to three pushes.
    func forEachHistory(_ visit: (Tiny) -> Void) {
        var all: [Push] = []
        for second in [1, 2, 3, 4, 6, 8] {
            for state in told.indices {
                for isSecond in [false, true] { all.append(Push(second: second, state: state, isSecondToken: isSecond)) }
            }
        }
        let possible = all.filter(isPossible)
        func extend(_ history: Tiny, from first: Int) {
            var whole = history
            whole.spread()
            visit(whole)
            guard history.pushes.count < 3 else { return }
            for place in first..<possible.count {
                var longer = history
                longer.pushes.append(possible[place])
                extend(longer, from: place)
            }
        }
        extend(self, from: 0)
    }
}
