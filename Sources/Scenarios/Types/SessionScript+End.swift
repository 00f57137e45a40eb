// When a session is over at the latest, where that can be said of its script.

import Basics

extension SessionScript {
    /// Seconds since the session began, before `pace`, after which nothing of it is heeded; nil where its times have no bound.
    var latestEnd: Double? {
        guard let clock = latest({ clock, move in Self.latest(clock, move, of: steps) }) else { return nil }
        var end = clock + listen
        for reaction in reactions {
            guard let delay = reaction.delay.most else { return nil }
            end = max(end, reaction.within ?? 0) + delay * Double(reaction.times)
        }
        return end
    }

    /// The latest that the clock is after a move that begins at `clock`; nil: there is no bound.
    private static func latest(_ clock: Double, _ move: ScriptMove, of steps: [ScriptStep]) -> Double? {
        switch move {
        case .branch, .jump: return clock
        case .wait(let time, _): return time.most.map { clock + $0 }
        case .step(let number):
            let step = steps[number]
            guard let begun = step.time.latest(clock, { $0.most }) else { return nil }
            switch step.repetition?.limit {
            case nil: return begun
            case .until(let end): return end.most.map { max(begun, $0) }
            case .count(let count):
                guard let most = count.most, let every = step.repetition?.every.most else { return nil }
                return begun + max(0, most.rounded() - 1) * max(0.001, every)
            }
        }
    }
}

extension SessionScript {
    /// The greatest that the session's clock may be at its end, whichever arms it plays; `after` says what a move makes of it,
    /// nil: there is no bound. Arms lead forward only, so each move is met once.
    func latest(_ after: (Double, ScriptMove) -> Double?) -> Double? {
        var reached = [Double?](repeating: nil, count: moves.count + 1)
        reached[0] = 0
        func reach(_ place: Int, _ clock: Double) { reached[place] = max(reached[place] ?? 0, clock) }
        for (place, move) in moves.enumerated() {
            guard let clock = reached[place] else { continue }
            guard let then = after(clock, move) else { return nil }
            switch move {
            case .step, .wait: reach(place + 1, then)
            case .jump(let target): reach(target, then)
            case .branch(let arms, let chance, let end):
                for arm in arms { reach(arm.first, then) }
                if chance < 1 { reach(end, then) }
            }
        }
        return reached[moves.count]
    }
}

extension ScriptStep.Time {
    /// The clock after it, by what a distribution is held to be at most; nil where that has no bound.
    func latest(_ clock: Double, _ most: (Distribution) -> Double?) -> Double? {
        switch self {
        case .at(let time): most(time).map { max(clock, $0) }
        case .after(let time): most(time).map { clock + $0 }
        }
    }
}

extension Distribution {
    /// Nothing less is drawn.
    var least: Double {
        switch self {
        case .constant(let value), .uniform(let value, _): value
        case .measured(let values, let divisor): values.least / divisor
        case .exponential, .normal, .logNormal: 0
        }
    }

    /// Nothing more is drawn; nil: there is no bound.
    fileprivate var most: Double? {
        switch self {
        case .constant(let value), .uniform(_, let value): value
        case .measured(let values, let divisor): values.greatest / divisor
        case .exponential, .normal, .logNormal: nil
        }
    }
}
