// What a session does next: its script as a flat list of moves, so that a session keeps one number of where it is.

package import Basics

/// One move of a script. All targets are places among `SessionScript.moves`, or their count, and lie further on, so that every
/// session comes to an end.
package enum ScriptMove: Hashable, Sendable {
    /// The step of that number, with all its repetitions; then the next move.
    case step(Int)
    /// The clock moves on by a draw of seconds, before `WorkloadSpec.pace`; with that probability, drawn first where it is less
    /// than 1. Then the next move.
    case wait(Distribution, probability: Double)
    /// One of the arms, never none, is drawn by weight; or with the rest of that probability none, and `end` is next.
    case branch([ScriptArm], probability: Double, end: Int)
    case jump(Int)

    /// Of one script, at most.
    package static let most = 20_000
    /// Branches within each other.
    package static let deepest = 6
}

/// A way that a session may take.
package struct ScriptArm: Hashable, Sendable {
    /// Greater than 0; its share is weight over the sum of weights.
    package var weight: Double
    /// Its first move.
    package var first: Int

    package init(weight: Double, first: Int) {
        self.weight = weight
        self.first = first
    }
}

extension SessionScript {
    /// Numbers of the steps that a session may come to: not those that a probability of 0 leaves out.
    package var reachable: Set<Int> {
        var open: Set<Int> = [0]
        var found: Set<Int> = []
        for (place, move) in moves.enumerated() where open.contains(place) {
            switch move {
            case .step(let number):
                if steps[number].probability > 0 { found.insert(number) }
                open.insert(place + 1)
            case .wait: open.insert(place + 1)
            case .jump(let target): open.insert(target)
            case .branch(let arms, let probability, let end):
                if probability > 0 { open.formUnion(arms.map(\.first)) }
                if probability < 1 { open.insert(end) }
            }
        }
        return found
    }
}
