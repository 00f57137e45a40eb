// The shapes of arrivals, each as a count of sessions that grows with time, by its inverse.

import Basics
import Scenarios

protocol ArrivalCurve: Sendable {
    /// Sessions in all; not rounded.
    var count: Double { get }
    /// When so many have begun, 0 or more and less than `count`; never falls as that grows.
    func seconds(toReach reached: Double) -> Double
}

extension ArrivalStage {
    func curve(_ eventsPerSession: Double) -> any ArrivalCurve {
        switch self {
        case .ramp(let from, let to, let duration, let unit):
            let events = unit == .events ? eventsPerSession : 1
            guard events > 0 else { return LinearRate(from: 0, to: 0, duration: duration.seconds) }
            return LinearRate(from: from / events, to: to / events, duration: duration.seconds)
        case .burst(let count): return Burst(count: Double(count))
        case .closed(let users): return Burst(count: Double(users.count))
        case .listed(let list): return ListedInstants(instants: list.instants)
        }
    }
}

private struct LinearRate: ArrivalCurve {
    /// Per second.
    var from: Double
    var to: Double
    var duration: Double

    var count: Double { (from + to) / 2 * duration }

    /// Solves `from·t + (to − from)·t²/2d = reached` in the form that does not cancel.
    func seconds(toReach reached: Double) -> Double {
        guard reached > 0 else { return 0 }
        let slope = (to - from) / duration
        let root = max(0, from * from + 2 * slope * reached).squareRoot()
        return min(duration, 2 * reached / (from + root))
    }
}

private struct Burst: ArrivalCurve {
    var count: Double
    func seconds(toReach reached: Double) -> Double { 0 }
}

private struct ListedInstants: ArrivalCurve {
    var instants: [Interval]
    var count: Double { Double(instants.count) }
    func seconds(toReach reached: Double) -> Double { instants[max(0, min(instants.count - 1, Int(reached)))].seconds }
}
