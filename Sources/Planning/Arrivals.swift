// When sessions begin, by arithmetic. A stage is a count that grows with time: the k-th session begins when it reaches k.
// Evenly spaced ones take the inverse of that count at whole numbers; those that chance spaces take it at the points of a
// Poisson process, of which any can be had without the others. Nothing is stored per session, so a plan of a hundred million
// sessions costs what a plan of ten costs; only instants that a file lists are kept.

import Basics
import Scenarios

struct Arrivals: Sendable {
    private struct Stage: Sendable {
        /// Seconds from the plan's start.
        var begin: Double
        /// Sessions begun before this stage; whole only where chance spaces them.
        var countBefore: Double
        var curve: any ArrivalCurve
        /// Where on the curve, as shares of its count; nil: at whole numbers.
        var points: RandomPoints?
    }

    private let stages: [Stage]
    /// Sessions over all stages, at most `limit`.
    let count: Int
    /// Length of all stages.
    let duration: Interval

    /// `eventsPerSession`: turns rates of events into those of sessions. `chance`: spaces the sessions of a rate; nil: evenly.
    init(_ arrivals: [ArrivalStage], limit: Int, eventsPerSession: Double = 1, chance: Seed? = nil) {
        var stages: [Stage] = []
        var begin = 0.0
        var total = 0.0
        for (number, arrival) in arrivals.enumerated() {
            let curve = arrival.curve(eventsPerSession)
            var stage = Stage(begin: begin, countBefore: total, curve: curve)
            var count = curve.count
            if let chance = chance?.child(UInt64(number)), case .ramp = arrival {
                var generator = chance.child("count").generator()
                let drawn = Int(min(generator.poisson(mean: count), Double(UInt32.max)))
                stage.points = RandomPoints(count: drawn, seed: chance.child("points"))
                count = Double(drawn)
            }
            if count > 0 { stages.append(stage) }
            begin += arrival.duration.seconds
            total += count
        }
        self.stages = stages
        duration = .seconds(begin)
        // A total of 100.0000000001 is 100 sessions: the excess is rounding, not a session.
        let whole = (total * (1 - 1e-12)).rounded(.up)
        count = max(0, min(limit, whole < 4e9 ? Int(whole) : Int(UInt32.max)))
    }

    /// When the `index`-th session begins, `0..<count`; never falls as `index` grows.
    package func start(of index: Int) -> Interval {
        let wanted = Double(index)
        var low = 0
        var high = stages.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if stages[middle].countBefore <= wanted { low = middle } else { high = middle - 1 }
        }
        let stage = stages[low]
        let place = wanted - stage.countBefore
        let reached = stage.points.map { $0.share(of: Int(place)) * stage.curve.count } ?? place
        return .seconds(stage.begin + stage.curve.seconds(toReach: reached))
    }
}
