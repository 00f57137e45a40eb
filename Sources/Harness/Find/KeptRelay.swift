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
import Verdicts

/// Confined to the thread that runs the harness.
final class KeptRelay {
    /// Where the mock's state is.
    let directory: String
    private let mock: MockService
    private let relay: RelaySupervisor
    private var lender: MockLender
    private let notes: Notes
    private let time: SystemTime
    private let clock: RunClock

    /// What the supervisor puts on record.
    private final class Notes {
        var samples: [(at: Instant, sample: RelaySample)] = []
        /// How it ended by itself.
        var ending: String?
    }

    /// Pushes that rest for so long are over.
    private static let quiet = Interval.seconds(1)

    /// Starts the mock; the relay comes up with `comeUp`.
    init(_ scenario: Scenario, _ plan: Plan, in folder: RunDirectory, _ options: RunOptions) throws(Failure) {
        DescriptorLimit.raise()
        let time = SystemTime()
        self.time = time
        clock = RunClock(base: time)
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
                    case .relaySample(let sample): notes.samples.append((time.now(), sample))
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

    struct Usage {
        /// Of one core.
        var processor: Double
        var memory: Int64
        var waits = ProcessorWaits()
    }

    /// What its process used since the last call: of one core in the busiest `seconds` of that time, which are those of a load
    /// so long, and the most memory; and for how long it waited for a processor. A sample is taken each second.
    func takeUsage(ofLoad seconds: Double = 1) -> Usage? {
        let samples = notes.samples
        notes.samples = Array(samples.suffix(1))
        let pairs = zip(samples, samples.dropFirst())
        let busiest = pairs.map { ($1.sample.cpu - $0.sample.cpu).seconds }.sorted(by: >).prefix(max(1, Int(seconds)))
        guard !busiest.isEmpty else { return nil }
        var usage = Usage(
            processor: busiest.reduce(0, +) / Double(busiest.count), memory: samples.map(\.sample.residentBytes).max() ?? 0)
        for (last, next) in pairs { usage.waits.add(next.sample, behind: last.sample, seconds: (next.at - last.at).seconds) }
        return usage
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
