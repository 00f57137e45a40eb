// A relay that lives through all trials of a search, and the mock that it knows: warm, and with one address. Each trial's run
// takes the mock's place for as long as it lasts (MockLoan).

import Basics
import EventLoop
import Glibc
import Journal
import MockServer
import Net
import OperatingSystem
import Planning
import Scenarios

/// Confined to the thread that runs the harness.
final class KeptRelay {
    /// Where the mock's state is.
    let directory: String
    private let mock: MockService
    private let relay: RelaySupervisor
    private var lender: MockLender
    private let notes: Notes
    private let time = SystemTime()
    private let clock: RunClock

    /// What the supervisor puts on record.
    private final class Notes {
        var samples: [RelaySample] = []
        /// How it ended by itself.
        var ending: String?
    }

    /// Pushes that rest for so long are over.
    private static let quiet = Interval.seconds(1)

    /// Starts the mock; the relay comes up with `comeUp`.
    init(_ scenario: Scenario, _ plan: Plan, in folder: RunDirectory, _ options: RunOptions) throws(Failure) {
        DescriptorLimit.raise()
        clock = RunClock(base: SystemTime())
        let mock = try MockService(options: try Rig.mockOptions(plan, directory: folder, place: nil, clock: clock))
        self.mock = mock
        directory = scenario.mock.state ?? folder.mockState
        lender = MockLender(mock, in: directory)
        let notes = Notes()
        self.notes = notes
        do throws(Failure) {
            relay = try RelaySupervisor(
                scenario.relay, logPath: folder.relayLog, allowHosts: options.allowHosts,
                variable: try Rig.variables(scenario, mock, folder, options, webhook: nil), clock: clock,
                note: { note in
                    switch note {
                    case .relaySample(let sample): notes.samples.append(sample)
                    case .relayExited(let exit) where !exit.wasAsked:
                        notes.ending = exit.how + (exit.lastLines.isEmpty ? "" : "; its last words:\n\(exit.lastLines)")
                    default: break
                    }
                })
        } catch {
            mock.drainAndStop()
            throw error
        }
    }

    /// Where it is called.
    var url: String { "\(relay.target)" }
    /// Why it lives no more; nil: it does.
    var ending: String? { notes.ending }

    /// Waits until it answers. False for a signal.
    func comeUp(_ signals: Signals) throws(Failure) -> Bool {
        try relay.start()
        while !relay.wasReady {
            relay.advance(since: nil, now: clock.now())
            if let failure = relay.neverReady { throw failure }
            if signals.wait(atMost: .milliseconds(10)) { return false }
        }
        return true
    }

    /// Looks after both; to be called many times a second.
    func attend() throws(Failure) {
        try lender.look()
        relay.advance(since: nil, now: clock.now())
        if let failure = mock.failure { throw failure }
    }

    /// What its process used since the last call: of one core in the busiest `seconds` of that time, which are those of a load
    /// so long, and the most memory. A sample is taken each second.
    func takeUsage(ofLoad seconds: Double = 1) -> (processor: Double, memory: Int64)? {
        let samples = notes.samples
        notes.samples = Array(samples.suffix(1))
        let used = zip(samples, samples.dropFirst()).map { ($1.cpu - $0.cpu).seconds }.sorted(by: >)
        let busiest = used.prefix(max(1, Int(seconds)))
        guard !busiest.isEmpty else { return nil }
        return (busiest.reduce(0, +) / Double(busiest.count), samples.map(\.residentBytes).max() ?? 0)
    }

    /// How a wait for the relay's rest ended.
    enum Rest {
        case resting, busy, interrupted
    }

    /// Waits until nothing has been pushed for a second, `limit` at most.
    func rest(atMost limit: Interval, _ signals: Signals) throws(Failure) -> Rest {
        let deadline = time.now() + limit
        var (pushes, since) = (mock.statistics().pushes, time.now())
        while time.now() < since + Self.quiet {
            guard time.now() < deadline else { return .busy }
            if signals.wait(atMost: .milliseconds(20)) { return .interrupted }
            try attend()
            let count = mock.statistics().pushes
            if count != pushes { (pushes, since) = (count, time.now()) }
        }
        return .resting
    }

    func stop() {
        relay.stop(time) { usleep(UInt32(clamping: $0.nanoseconds / 1_000)) }
        mock.drainAndStop()
    }
}
