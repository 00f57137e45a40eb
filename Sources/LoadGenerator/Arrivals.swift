// When sessions begin, by arithmetic: the k-th session begins when the integral of the rate reaches k. Nothing is
// stored per session, so a plan of a hundred million sessions costs what a plan of ten costs.

import Basics
import Scenarios

struct Arrivals: Sendable {
    fileprivate struct Stage {
        /// Seconds from the plan's start.
        var begin: Double
        /// Sessions begun before this stage; not whole.
        var countBefore: Double
        var rateFrom: Double
        var rateTo: Double
        var duration: Double
    }

    private let stages: [Stage]
    /// Sessions over all stages, at most `limit`.
    let count: Int
    /// Length of all stages.
    let duration: Interval

    init(_ arrivals: [ArrivalStage], limit: Int) {
        var stages: [Stage] = []
        var begin = 0.0
        var total = 0.0
        for arrival in arrivals {
            let seconds = arrival.duration.seconds
            let (from, to) =
                switch arrival {
                case .constant(let rate, _): (rate, rate)
                case .ramp(let from, let to, _): (from, to)
                }
            let stage = Stage(begin: begin, countBefore: total, rateFrom: from, rateTo: to, duration: seconds)
            if seconds > 0, from + to > 0 { stages.append(stage) }
            begin += seconds
            total += (from + to) / 2 * seconds
        }
        self.stages = stages
        duration = .seconds(begin)
        // A total of 100.0000000001 is 100 sessions: the excess is rounding, not a session.
        let whole = (total * (1 - 1e-12)).rounded(.up)
        count = max(0, min(limit, whole < 4e9 ? Int(whole) : Int(UInt32.max)))
    }

    /// When the `index`-th session begins, `0..<count`; never falls as `index` grows.
    func start(of index: Int) -> Interval {
        let wanted = Double(index)
        var low = 0
        var high = stages.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if stages[middle].countBefore <= wanted { low = middle } else { high = middle - 1 }
        }
        let stage = stages[low]
        return .seconds(stage.begin + stage.seconds(toReach: wanted - stage.countBefore))
    }
}

extension Arrivals.Stage {
    /// Solves `from·t + (to − from)·t²/2d = count` in the form that does not cancel.
    fileprivate func seconds(toReach count: Double) -> Double {
        guard count > 0 else { return 0 }
        let slope = (rateTo - rateFrom) / duration
        let root = max(0, rateFrom * rateFrom + 2 * slope * count).squareRoot()
        return min(duration, 2 * count / (rateFrom + root))
    }
}
