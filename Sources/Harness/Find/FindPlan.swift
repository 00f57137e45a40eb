// How a scenario's load becomes one of a wanted rate: the mix of sessions stays, and how many begin in a second follows.

import Basics
import LoadGenerator
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

    /// Sessions that are played for the averages: as many more as it takes until the error of the mean is small, since what one
    /// in a hundred does may be most of the load.
    private static let sampled = 400
    private static let mostSampled = 200_000
    private static let wantedError = 0.005
    /// For the relay to be asked and the run to be judged.
    private static let overhead = 3.0

    init(_ scenario: Scenario, seed: Seed, axis: FindRecord.Axis) throws(Failure) {
        var scenario = scenario
        scenario.workload.arrivals = [.constant(rate: Double(Self.mostSampled), duration: .seconds(1))]
        scenario.workload.maxSessions = Self.mostSampled
        scenario.workload.stopAfter = nil
        let plan = Plan(scenario: scenario, seed: seed, run: 1)
        var (events, squares, lengths) = (0, 0.0, [Double]())
        for index in 0..<plan.sessionCount {
            let session = plan.session(index)
            events += session.events.count
            squares += Double(session.events.count) * Double(session.events.count)
            lengths.append(session.events.last.map { ($0.at - session.start).seconds } ?? 0)
            guard lengths.count % Self.sampled == 0 else { continue }
            let count = Double(lengths.count)
            let mean = Double(events) / count
            let error = (max(0, squares / count - mean * mean) / count).squareRoot()
            // A session may have a million events.
            if error <= mean * Self.wantedError || events > 4_000_000 { break }
        }
        guard events > 0 else {
            throw Failure(.usage, "the scenario's sessions make no call", hint: "add steps to its scripts")
        }
        eventsPerSession = Double(events) / Double(lengths.count)
        meanLength = lengths.reduce(0, +) / Double(lengths.count)
        // Of no more than those, so that a rare long session does not stretch every trial.
        longest = lengths.prefix(Self.sampled).max() ?? 0
        self.axis = axis
        drain = scenario.drain.seconds
        if axis == .sessions, meanLength <= 0 {
            throw Failure(.usage, "sessions of one call are never many at once", hint: "leave --scale sessions out")
        }
    }

    /// Until then sessions become as many as the rate has.
    var warmUp: Double { max(1, longest.rounded(.up)) }

    /// Of a trial of so many seconds, with all that belongs to it.
    func length(of seconds: Double) -> Double { warmUp + seconds + drain + Self.overhead }

    /// Sessions begun in a second.
    func arrivals(at rate: Double) -> Double { rate / (axis == .events ? eventsPerSession : meanLength) }

    /// Events per second that such a rate has.
    func events(at rate: Double) -> Double { axis == .events ? rate : arrivals(at: rate) * eventsPerSession }

    /// What of the scenario is another in that trial.
    func overrides(rate: Double, seconds: Double) -> [(path: String, value: String)] {
        let (arrivals, whole) = (arrivals(at: rate), warmUp + seconds)
        func text(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
        return [
            ("workload.arrivals", "[{ rate: \(text(arrivals)), for: \(text(whole))s }]"),
            ("workload.maxSessions", String(min(10_000_000, Int(arrivals * whole) + 1))),
            ("workload.stopAfter", "\(text(whole))s"), ("phases.warmUp", "\(text(warmUp))s"),
        ]
    }
}
