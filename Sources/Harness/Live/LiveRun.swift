// Whoever looks on while a run goes on: its page and its metrics, and the gates that may end it. Nobody on the data path does
// anything for it.

import Basics
import EventLoop
import Journal
import Metrics
import Net
import Planning
import Scenarios
import Synchronization
import Verdicts

/// Confined to the thread that runs the harness, but for what its follower and its server share.
final class LiveRun {
    private let follower: JournalFollower
    private let server: LiveServer?
    private let exporter: OTLPExporter?
    private var lastMoment: Conductor.Moment?
    private let shared: Shared
    private let time = SystemTime()
    private var meter: LiveMeter
    private let terms: LiveJoin.Terms
    private let warmUp: Interval

    /// What crosses threads.
    private final class Shared: Sendable {
        struct Known {
            /// Nil before the plan's origin is known.
            var terms: LiveJoin.Terms?
            var greatest: RelaySample?
            var end: EarlyEndNote?
            var isWarm = false
            /// Nil: nobody waits for a warm relay.
            var watch: WarmUpWatch?
        }
        let known = Mutex(Known())
    }

    /// Nil where nobody looks on. Throws a failure that names the port, when it is taken.
    /// A shard does not know what the others have seen, so no gate ends it, nor its warm-up.
    init?(
        _ plan: Plan, _ scenario: Scenario, _ directory: RunDirectory, at address: SocketAddress?,
        postingTo exporter: OTLPExporter?, isShard: Bool, _ clock: RunClock
    ) throws(Failure) {
        let aborting = isShard ? [] : scenario.gates.filter(\.aborts)
        let until = isShard ? nil : scenario.phases.until
        guard address != nil || exporter != nil || !aborting.isEmpty || until != nil else { return nil }
        self.exporter = exporter
        let calls = scenario.relay.profile.calls
        terms = LiveJoin.Terms(
            run: plan.run, owesMarked: calls.map { $0.pushes.contains(where: \.isMarked) },
            expectedStatuses: calls.map(\.expectedStatus),
            callersKeepTokens: scenario.relay.profile.tokens == .caller, pace: scenario.pace)
        warmUp = scenario.phases.warmUp
        let shared = Shared()
        self.shared = shared
        if let until { shared.known.withLock { $0.watch = WarmUpWatch(until) } }
        var run = LiveState.Run(
            scenario: scenario.name, seed: plan.seed.value, version: Build.version, startedAt: clock.wall(),
            length: plan.duration + scenario.drain, events: plan.eventCount, sessions: plan.sessionCount)
        run.joins = terms.owesMarked.contains(true)
        meter = LiveMeter(run, gates: scenario.gates, kinds: plan.kinds)
        var first = LiveState()
        first.run = run
        first.gates = scenario.gates.map { LiveState.Gate(text: $0.text, aborts: $0.aborts) }
        let server = try address.map { address throws(Failure) in try LiveServer(address, first) }
        self.server = server
        let decider = aborting.isEmpty ? nil : AbortDecider(aborting, plan, directory: directory.path)
        do throws(Failure) {
            follower = try JournalFollower(
                directory: directory.journal, terms: { shared.known.withLock { $0.terms } },
                look: { [kinds = plan.kinds] figures in
                    shared.known.withLock { known in
                        guard let now = figures.readTo, !known.isWarm else { return }
                        known.isWarm = known.watch?.isWarm(figures.correlation(kinds), at: now) ?? false
                    }
                    guard let decider, shared.known.withLock({ $0.end == nil }) else { return }
                    let greatest = shared.known.withLock { $0.greatest }
                    guard let end = decider.decide(figures, greatest) else { return }
                    shared.known.withLock { $0.end = end }
                })
        } catch {
            server?.stop()
            throw error
        }
    }

    /// Where the page is; nil: nowhere.
    var address: SocketAddress? { server?.address }

    /// What the run puts on record.
    func see(_ note: RunNote) {
        guard case .relaySample(let sample) = note else { return }
        meter.see(sample, at: time.now())
        shared.known.withLock { $0.greatest = meter.greatest }
    }

    func show(_ moment: Conductor.Moment) {
        let end = shared.known.withLock { known in
            if known.terms == nil {
                var terms = terms
                // Until a warm-up of unknown length is over, all is told.
                if known.watch == nil { terms.measuredFrom = moment.origin + warmUp }
                known.terms = terms
            }
            if known.watch != nil, moment.phase == PhaseTimeline.measure {
                known.watch = nil
                known.terms?.measuredFrom = moment.now
            }
            return known.end
        }
        guard server != nil || exporter != nil else { return }
        let now = time.now()
        lastMoment = moment
        guard let state = meter.look(moment, follower.figures, at: now, ended: end?.gate) else { return }
        server?.show(state)
        exporter?.see(state, at: now, wall: time.wall())
    }

    /// Whether what `phases.until` asks for has held.
    var isWarm: Bool { shared.known.withLock { $0.isWarm } }

    /// The gate that can hold no more, so that the load is to end; nil: none that may end it.
    var end: EarlyEndNote? { shared.known.withLock { $0.end } }

    /// Tells of metrics that were lost on their way; nil: none were.
    func stop() -> String? {
        follower.stop()
        server?.stop()
        guard let exporter, let lastMoment,
            let state = meter.look(lastMoment, follower.figures, at: time.now(), ended: end?.gate, isLast: true)
        else { return nil }
        return exporter.finish(state, wall: time.wall())
    }
}
