// How long a session lasts, as far as its script can tell.

package import Basics

extension WorkloadSpec {
    /// From the start of the load to the last event that is planned: hardly any session takes longer.
    package var length: Interval {
        let arrivals = arrivals.map(\.duration).reduce(Interval.zero, +)
        let longest = scripts.map(\.script.length).max() ?? 0
        return arrivals + .seconds(min(longest / pace, 1e8))
    }
}

extension SessionScript {
    /// Seconds from its beginning to its last event or act, before `pace`.
    var length: Double {
        let now = latest { clock, move in
            switch move {
            case .branch, .jump: return clock
            case .wait(let time, _): return clock + time.most
            case .step(let number):
                let step = steps[number]
                let begun = step.time.latest(clock) { $0.most } ?? clock
                switch step.repetition?.limit {
                case .count(let count): return begun + max(0, count.most - 1) * (step.repetition?.every.most ?? 0)
                case .until(let end): return max(begun, end.most)
                case nil: return begun
                }
            }
        }
        let waits = reactions.map { ($0.within ?? 0) + $0.delay.most }.max() ?? 0
        let deeds = acts.map { act -> Double in
            switch act.time {
            case .at(let time): time.most
            case .on: 0
            }
        }
        return max(now ?? 0, waits, deeds.max() ?? 0)
    }
}

extension Distribution {
    /// Hardly ever passed.
    fileprivate var most: Double {
        switch self {
        case .constant(let value): value
        case .uniform(_, let high): high
        case .exponential(let mean): mean * 5
        case .normal(let mean, let deviation): mean + deviation * 3
        case .logNormal(_, let p95): p95 * 1.5
        case .measured(let values, let divisor): values.greatest / divisor
        }
    }
}
