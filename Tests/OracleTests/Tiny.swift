// A history so plain that every way in which an honest relay could have made it can be tried: one card, two tokens, faults,
// restarts. Instants are milliseconds. What happens in a second: its calls are sent at its begin and answered ten
// milliseconds later, pushes come in its middle, and the relay is killed near its end.

import Basics

/// What the relay was told, what was done to it, and what it pushed.
struct Tiny: Sendable, Hashable {
    /// Of one state, in order.
    struct Push: Sendable, Hashable {
        var second: Int
        var state: Int
        var isSecondToken = false
        /// From the begin of its second.
        var offset = 500
        var at: Int { second * 1_000 + offset }
    }

    enum Answer: Sendable, Hashable { case accepted, unavailable, dead }

    static let deadline = 3_000
    /// How long it is.
    var seconds = 16
    var end: Int { seconds * 1_000 }

    /// The second in which each state is told; the last one is the card's end.
    var told: [Int]
    /// The second in which the card's second token is registered.
    var rotated: Int?
    /// From that second on the first token is dead.
    var dies: Int?
    /// Seconds in which APNs answers 503.
    var faults: [Range<Int>] = []
    /// The relay is killed near the end of the one, and ready again near the end of the other; in order of time.
    var outages: [ClosedRange<Int>] = []
    /// A newer state may stand for an older one.
    var latestWins: Bool
    var pushes: [Push] = []

    /// In milliseconds.
    var down: [Range<Int>] { outages.map { $0.lowerBound * 1_000 + 800..<$0.upperBound * 1_000 + 800 } }
    func isDown(_ instant: Int) -> Bool { down.contains { $0.contains(instant) } }

    func answer(_ push: Push) -> Answer {
        if faults.contains(where: { $0.contains(push.second) }) { return .unavailable }
        return !push.isSecondToken && dies.map { $0 <= push.second } ?? false ? .dead : .accepted
    }
}

extension Tiny: CustomStringConvertible {
    /// As in `told 1 3 4; fault 1..<3; latest wins; pushes 1.5:0A→503 3.5:1A`.
    var description: String {
        var words = ["told " + told.map { "\($0)" }.joined(separator: " ")]
        if let rotated { words.append("second token \(rotated)") }
        if let dies { words.append("dies \(dies)") }
        words += faults.map { "fault \($0)" } + outages.map { "down \($0)" }
        if latestWins { words.append("latest wins") }
        let list = pushes.map { push in
            let answer = answer(push) == .accepted ? "" : answer(push) == .dead ? "→410" : "→503"
            return "\(Double(push.at) / 1_000):\(push.state)\(push.isSecondToken ? "B" : "A")\(answer)"
        }
        return words.joined(separator: "; ") + "; pushes " + list.joined(separator: " ")
    }
}

/// Chance that can be drawn again.
struct Dice {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func roll(_ count: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int((state >> 16) % UInt64(count))
    }

    mutating func oneIn(_ count: Int) -> Bool { roll(count) == 0 }
}
