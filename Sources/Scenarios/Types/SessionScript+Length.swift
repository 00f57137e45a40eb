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
        var now = 0.0
        for step in steps {
            switch step.time {
            case .at(let time): now = max(now, time.most)
            case .after(let time): now += time.most
            }
            switch step.repetition?.limit {
            case .count(let count): now += max(0, count.most - 1) * (step.repetition?.every.most ?? 0)
            case .until(let end): now = max(now, end.most)
            case nil: break
            }
        }
        let waits = reactions.map { ($0.within ?? 0) + $0.delay.most }.max() ?? 0
        let deeds = acts.map { act -> Double in
            switch act.time {
            case .at(let time): time.most
            case .on: 0
            }
        }
        return max(now, waits, deeds.max() ?? 0)
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
        }
    }
}
