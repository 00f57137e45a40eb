// How a scenario's load becomes one of a wanted rate: the mix of sessions stays, and how many begin in a second follows.

import Basics
import Planning
import Scenarios
import Verdicts

struct FindPlan {
    /// Events of a session, on average.
    let eventsPerSession: Double
    /// Seconds from a session's first event to its last: on average, and at most.
    let meanLength: Double
    let longest: Double
    let axis: FindRecord.Axis
    private let drain: Double
    private let waitsToBeWarm: Bool

    /// For the relay to be asked and the run to be judged.
    private static let overhead = 3.0

    init(_ scenario: Scenario, axis: FindRecord.Axis) throws(Failure) {
        let mix = SessionMix(scenario)
        guard mix.eventsPerSession > 0 else { throw Self.callsNothing }
        (eventsPerSession, meanLength, longest) = (mix.eventsPerSession, mix.meanLength, mix.longest)
        self.axis = axis
        drain = scenario.drain.seconds
        waitsToBeWarm = scenario.phases.until != nil
        if axis == .sessions, meanLength <= 0 {
            throw Failure(.usage, "sessions of one call are never many at once", hint: "leave --scale sessions out")
        }
    }

    static let callsNothing = Failure(.usage, "the scenario's sessions make no call", hint: "add steps to its scripts")

    /// Until then sessions become as many as the rate has.
    var warmUp: Double { max(1, longest.rounded(.up)) }

    /// What a session is on average, where those of a plan are owed so much.
    func mix(_ summary: PlanSummary) -> FindRecord.Mix {
        let pushesPerEvent = summary.events > 0 ? Double(summary.expectedPushes) / Double(summary.events) : 0
        return FindRecord.Mix(events: eventsPerSession, pushes: pushesPerEvent * eventsPerSession, seconds: meanLength)
    }

    /// Of a trial of so many seconds, with all that belongs to it.
    func length(of seconds: Double) -> Double { warmUp + seconds + drain + Self.overhead }

    /// Sessions begun in a second.
    func arrivals(at rate: Double) -> Double { rate / (axis == .events ? eventsPerSession : meanLength) }

    /// Events per second that such a rate has.
    func events(at rate: Double) -> Double { axis == .events ? rate : arrivals(at: rate) * eventsPerSession }

    /// More than chance ever makes of so many, where it spaces them.
    private func most(_ sessions: Double) -> Double { sessions + 10 * sessions.squareRoot() + 10 }

    /// What of the scenario is another where it is played for so long, and no longer.
    func overrides(rate: Double, only seconds: Double) -> [(path: String, value: String)] {
        [
            ("workload.arrivals", "[{ rate: \(arrivals(at: rate)), for: \(seconds)s }]"), ("workload.stopAfter", "\(seconds)s"),
            ("workload.maxSessions", "10000000"),
        ]
    }

    /// What of the scenario is another in that trial; whether chance spaces its sessions stays.
    func overrides(rate: Double, seconds: Double) -> [(path: String, value: String)] {
        let (arrivals, whole) = (arrivals(at: rate), warmUp + seconds)
        func text(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
        return [
            ("workload.arrivals", "[{ rate: \(text(arrivals)), for: \(text(whole))s }]"),
            ("workload.maxSessions", String(min(10_000_000, Int(most(arrivals * whole))))),
            ("workload.stopAfter", "\(text(whole))s"), ("phases.warmUp", "\(text(warmUp))s"),
        ] + (waitsToBeWarm ? [("phases.until", "null")] : [])
    }
}
