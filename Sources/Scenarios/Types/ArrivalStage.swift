// When sessions begin, as a file says it: stretches of a rate, bursts, and instants that were written down.

package import Basics

/// A stretch of arrivals. All shapes that a file knows are made of these: a staircase is several rates, a train of bursts is
/// bursts and pauses.
package enum ArrivalStage: Hashable, Sendable {
    /// The rate, 0 or more a second, changes linearly.
    case ramp(from: Double, to: Double, duration: Interval, of: RateUnit = .sessions)
    /// That many sessions at one instant; takes no time.
    case burst(Int)
    /// An instant for each session.
    case listed(ArrivalList)
    /// Users each of whom begins a session when the last one is over. Stands alone.
    case closed(ClosedUsers)

    /// `rate` a second (0 is a pause).
    package static func constant(rate: Double, duration: Interval, of unit: RateUnit = .sessions) -> ArrivalStage {
        .ramp(from: rate, to: rate, duration: duration, of: unit)
    }

    package var duration: Interval {
        switch self {
        case .ramp(_, _, let duration, _): duration
        case .burst: .zero
        case .listed(let list): list.instants.last ?? .zero
        case .closed(let users): users.duration
        }
    }

    /// Sessions begun in this stage, before `maxSessions`, or events where its rate is of events; not rounded. Of closed users
    /// the first of each: how many follow depends on the relay.
    package var count: Double {
        switch self {
        case .ramp(let from, let to, let duration, _): (from + to) / 2 * duration.seconds
        case .burst(let count): Double(count)
        case .listed(let list): Double(list.instants.count)
        case .closed(let users): Double(users.count)
        }
    }

    package var countsEvents: Bool {
        if case .ramp(_, _, _, .events) = self { true } else { false }
    }
}

/// What a rate counts. Of events: as many sessions begin as have that many events, by the mean of the scripts.
package enum RateUnit: String, CaseIterable, Sendable { case sessions, events }

/// Where in the time of a rate its sessions begin.
package enum ArrivalSpacing: String, CaseIterable, Sendable {
    case even
    /// Independent of each other: as many begin in a second as chance has it, the rate on average.
    case poisson
}

/// Which script a session plays.
package enum ScriptDraw: String, CaseIterable, Sendable {
    case byWeight = "by-weight"
    /// One after the other, by the session's number over all shards.
    case inTurn = "in-turn"
}

/// Instants that a file lists.
package struct ArrivalList: Hashable, Sendable {
    /// The file, as the scenario names it.
    package var name: String
    /// Since the stage's beginning; none earlier than the one before. At least one.
    package var instants: [Interval]

    package init(name: String, instants: [Interval]) {
        self.name = name
        self.instants = instants
    }
}

/// A closed load: so many sessions at once, whatever the relay takes for them.
package struct ClosedUsers: Hashable, Sendable {
    package var count: Int
    /// Seconds from the last answer of a session to the beginning of the next; `pace` leaves them alone.
    package var think: Distribution
    /// No session begins later.
    package var duration: Interval

    package init(count: Int, think: Distribution, duration: Interval) {
        self.count = count
        self.think = think
        self.duration = duration
    }
}

extension WorkloadSpec {
    /// Nil where the load is open.
    package var closedUsers: ClosedUsers? {
        if case .closed(let users) = arrivals.first { users } else { nil }
    }
}

extension ArrivalStage: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ramp(0, 0, let duration, _): return "a pause of \(duration)"
        case .ramp(let from, let to, let duration, let unit):
            let rate = from == to ? Self.text(from) : Self.text(from) + " to " + Self.text(to)
            return "\(rate)\(unit == .events ? " events" : "")/s for \(duration)"
        case .burst(let count): return "\(count) at once"
        case .listed(let list): return "\(list.instants.count) of \(list.name)"
        case .closed(let users): return "\(users.count) closed users for \(users.duration), whose first sessions these are"
        }
    }

    /// To three places at most.
    package static func text(_ rate: Double) -> String {
        let rounded = (rate * 1_000).rounded() / 1_000
        return rounded == rounded.rounded() && rounded < 1e15 ? String(Int64(rounded)) : String(rounded)
    }
}
