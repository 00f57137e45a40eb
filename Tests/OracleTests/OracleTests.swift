// The judge against the oracle over histories that are drawn: what an honest relay could have done is never blamed, and what
// none could have done is.

import Testing

@Suite("The judge and the oracle")
struct OracleTests {
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
            tiny.fault = from..<from + 1 + dice.roll(4)
        }
        if dice.oneIn(4) {
            let from = 1 + dice.roll(5)
            tiny.outage = from...from + 1 + dice.roll(2)
        }
        for state in told.indices where !tiny.isDown(told[state] * 1_000) {
            var second = told[state]
            for _ in 0..<1 + dice.roll(3) where !dice.oneIn(5) {
                second += dice.oneIn(2) ? 0 : dice.roll(4)
                while tiny.isDown(second * 1_000 + 500) { second += 1 }
                let isKnown = tiny.rotated.map { $0 <= second && !tiny.isDown($0 * 1_000) } ?? false
                let isSecond = isKnown && !dice.oneIn(10)
                tiny.pushes.append(.init(second: min(second, 14), state: state, isSecondToken: isSecond))
                if tiny.answer(tiny.pushes.last!) == .accepted, !dice.oneIn(10) { break }
                second += 1
            }
        }
        // One connection: two pushes of a second come one behind the other.
        tiny.pushes.sort { ($0.second, $0.state) < ($1.second, $1.state) }
        for place in tiny.pushes.indices.dropFirst() where tiny.pushes[place].second == tiny.pushes[place - 1].second {
            tiny.pushes[place].offset = tiny.pushes[place - 1].offset + 100
        }
        return tiny
    }

    @Test("agree")
    func agree() {
        var (blamed, missed, honest, breaches) = (0, 0, 0, 0)
        var kinds: [String: (count: Int, seed: UInt64)] = [:]
        for seed in 1...20_000 as ClosedRange<UInt64> {
            var dice = Dice(seed)
            let tiny = Self.draw(&dice)
            let (breach, judged) = (Oracle(tiny).breach, Judged(tiny))
            if breach == nil { honest += 1 } else { breaches += 1 }
            if breach == nil, !judged.blames.isEmpty {
                blamed += 1
                if blamed < 12 { print("BLAMED", seed, tiny, judged.blames, judged.classes) }
            } else if let breach, judged.blames.isEmpty {
                missed += 1
                kinds[breach.filter { !$0.isNumber }, default: (0, seed)].count += 1
                if missed < 12 { print("MISSED", seed, tiny, breach, judged.classes) }
            }
        }
        print("honest \(honest), breaches \(breaches), blamed \(blamed), missed \(missed)")
        print(kinds.sorted { $0.value.count > $1.value.count }.map { "MISSED \($0.value.count) \($0.key) e.g. \($0.value.seed)" }.joined(separator: "\n"))
        #expect(blamed == 0 && missed * 100 < breaches)
    }
}
