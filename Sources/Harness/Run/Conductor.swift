// The timeline of a run: what is due is done when it is due, and all of it is put on record as it happens. Nothing here
// waits for the relay.

import Basics
import Devices
import EventLoop
import Faults
import Journal
import LoadGenerator
import MockServer
import Scenarios

/// Confined to the thread that runs the harness.
final class Conductor {
    /// How a timeline ended.
    enum Ending {
        /// It went to its end.
        case over
        /// A signal came.
        case interrupted
        /// The load must not begin, and why; nothing was sent.
        case void(String)
        /// The relay never answered; nothing was sent to it.
        case neverReady(Failure)
    }

    /// Nothing is looked at less often than this.
    private static let pace = Interval.milliseconds(100)
    /// While the relay comes up or goes down.
    private static let quickPace = Interval.milliseconds(10)

    private let rig: Rig
    private let scenario: Scenario
    private let journal: RunJournal
    private let signals: Signals
    private let start: StartTerms
    private let show: (Moment) -> Void
    private let isStopping: () -> Void
    private let isWarm: () -> Bool
    private let earlyEnd: () -> EarlyEndNote?
    /// The run's, by which the timeline goes.
    private let clock: RunClock
    private let time = SystemTime()
    /// How this timeline takes part in a clock that stands.
    private let follower = ClockFollower(rank: .timeline, wake: {})
    /// The clock stands still for the relay, which comes up or goes down in real time.
    private var isHolding = true
    private var began: Instant?
    private var faults: FaultTimeline
    private var phases: PhaseTimeline
    private var mute: MuteWatch
    /// When the load began, and what came of it.
    private var useAtStart: ThreadUse?
    private var busiestThread = 0
    /// We gave a relay up that had answered no call: it owes nothing that could be waited for.
    private var tookNothing = false
    /// A gate could hold no more, and the load was ended for that.
    private var hasEndedEarly = false
    /// Those that are to come, in order.
    private var clockSteps: ArraySlice<ClockStep>

    /// What a spectator is told at each turn.
    struct Moment {
        var now: Instant
        var origin: Instant
        var phase: String
        var load: LoadSnapshot
        var mock: MockStatistics
        var faults: [String]
        /// How long each loop of ours has had nothing to do.
        var rested: [Interval] = []
    }

    /// `isStopping` is called when the timeline is over, `show` at each turn of it. `earlyEnd`: the gate that ends the load,
    /// asked until it tells of one; `isWarm`: the warm-up may end, asked while it goes on.
    init(
        _ rig: Rig, scenario: Scenario, journal: RunJournal, signals: Signals, start: StartTerms,
        isStopping: @escaping () -> Void = {}, earlyEnd: @escaping () -> EarlyEndNote? = { nil },
        isWarm: @escaping () -> Bool = { false },
        show: @escaping (Moment) -> Void
    ) {
        self.rig = rig
        self.scenario = scenario
        self.journal = journal
        self.signals = signals
        self.start = start
        self.show = show
        self.isStopping = isStopping
        self.earlyEnd = earlyEnd
        self.isWarm = isWarm
        clock = rig.clock
        let mock = rig.mock
        faults = FaultTimeline(scenario.faults) { rule, now in mock.faults.status(of: mock.add(rule, now: now))?.number ?? 0 }
        phases = PhaseTimeline(warmUp: scenario.phases.warmUp)
        mute = MuteWatch(requestTimeout: scenario.workload.requestTimeout)
        clockSteps = scenario.mock.clockSteps[...]
        guard clock.isStepped else { return }
        clock.hold()
        follower.begin()
        clock.add(follower)
    }

    /// Plays the timeline to its end, and stops the rig. Throws when something of ours has failed; the rig is stopped all
    /// the same.
    func conduct() throws(Failure) -> Ending {
        let ending: Result<Ending, Failure>
        do throws(Failure) { ending = .success(try play()) } catch { ending = .failure(error) }
        isStopping()
        // Nothing moves a clock that stands any more.
        clock.hold()
        stop()
        return try ending.get()
    }

    private func play() throws(Failure) -> Ending {
        do throws(Failure) { try rig.relay.start() } catch { return .neverReady(error) }
        while !rig.relay.wasReady {
            rig.relay.advance(since: nil, now: clock.now())
            if let failure = rig.relay.neverReady { return .neverReady(failure) }
            try check(nil)
            if signals.wait(atMost: Self.quickPace) { return .interrupted }
        }
        if clock.isStepped, rig.mock.clockParticipants == 0 {
            throw Failure(
                .run, "the relay does not take part in the clock, which would move without it",
                hint: "it has to join at {{mock.clock}} before it answers \(scenario.relay.ready.path): docs/time.md tells how")
        }
        var startAt = start.at
        if !clock.isStepped {
            switch try start.meet(signals) {
            case .start(let wall): startAt = wall
            case .interrupted: return .interrupted
            case .void(let reason):
                journal.note(.void(reason))
                return .void(reason)
            }
            for offset in start.shards?.offsets ?? [] { journal.note(.clockOffset(offset)) }
        }
        began = time.now()
        let origin = clock.now() + delay(until: startAt)
        try rig.startLoad(at: origin)
        return try playLoad(from: origin)
    }

    private func playLoad(from origin: Instant) throws(Failure) -> Ending {
        var loadEnded: Instant?
        var loadIsDone = false
        // Whoever is one shard of several listens as long as the others send.
        let whole = origin + start.length
        while true {
            let now = clock.due
            if phases.current == PhaseTimeline.warmUp, isWarm() { phases.measure(at: now - origin) }
            for (name, at) in phases.begun(at: now, origin: origin, loadEnded: loadEnded) { journal.note(.phase(name), at: at) }
            for fault in faults.advance(since: origin, now: now) { journal.note(.faultGiven(fault)) }
            faults.count(rig.mock.faults.rules)
            while let step = clockSteps.first, now >= origin + step.at {
                clockSteps.removeFirst()
                rig.mock.set(wall: rig.mock.clock.wall() + step.by)
            }
            rig.relay.advance(since: origin, now: now)
            var load = rig.load?.snapshot() ?? LoadSnapshot()
            try check(load)
            if !load.isDone, giveUp(load, now) { load = rig.load?.snapshot() ?? load }
            endEarly(load)
            if useAtStart == nil, now >= origin { useAtStart = rig.use() }
            if load.isDone, !loadIsDone {
                loadIsDone = true
                if let start = useAtStart { busiestThread = rig.use().busiest(since: start) }
                // The load held it, so that this is its end indeed.
                if clock.isStepped { clock.release() }
            }
            if loadIsDone, loadEnded == nil, now >= whole || start.shards == nil || tookNothing { loadEnded = now }
            runIfDue(since: origin, now: now)
            show(
                Moment(
                    now: now, origin: origin, phase: phases.current, load: load, mock: rig.mock.statistics(),
                    faults: faults.active(at: now), rested: rig.rested(by: time.now())))
            let isOver = loadEnded.map { now >= $0 + drain } ?? false
            if isOver, phases.current == PhaseTimeline.drain, !rig.relay.isAwaited { return .over }
            let drained = loadEnded.map { $0 + drain } ?? (loadIsDone ? whole : nil)
            let isInterrupted =
                clock.isStepped ? rest(origin, drained) : signals.wait(atMost: tick(now, origin: origin))
            if isInterrupted { return .interrupted }
        }
    }

    /// Ends the load of a relay that answers nothing any more. True when it has.
    private func giveUp(_ load: LoadSnapshot, _ now: Instant) -> Bool {
        // Time-outs go by a clock that stands, and else by the host's.
        let at = clock.isStepped ? now : time.now()
        guard let note = mute.see(load, at: at, isHeldDown: rig.relay.isHeldDown) else { return false }
        journal.note(.relayMute(note))
        tookNothing = load.answered == 0
        // As the load does itself at its end.
        if clock.isStepped { clock.hold() }
        rig.load?.stop()
        return true
    }

    /// Ends the load for a gate that can hold no more: what is under way is waited for as ever, and nothing more is done to the
    /// relay than to wait for what it owes.
    private func endEarly(_ load: LoadSnapshot) {
        guard !load.isDone, !hasEndedEarly, let note = earlyEnd() else { return }
        hasEndedEarly = true
        journal.note(.endedEarly(note))
        faults.giveNoMore()
        rig.relay.restartNoMore()
        clockSteps = []
        rig.load?.endEarly()
    }

    /// From now on the clock runs, if the scenario says so.
    private func runIfDue(since origin: Instant, now: Instant) {
        guard let until = scenario.steppedUntil, clock.isStepped, now >= origin + until else { return }
        clock.remove(follower)
        if isHolding { clock.release() }
        isHolding = false
        clock.set(.running(scenario.clockScale))
    }

    /// Lets a clock that stands go on to the next thing to do here, for a moment of real time at most. True for a signal.
    private func rest(_ origin: Instant, _ drained: Instant?) -> Bool {
        // A relay that comes up or goes down takes none of the clock's time.
        let isBusy = rig.relay.isChanging
        if isBusy, !isHolding { clock.hold() }
        if !isBusy, isHolding { clock.release() }
        isHolding = isBusy
        let next = [
            faults.next.map { origin + $0 }, phases.next.map { origin + $0 }, rig.relay.next(since: origin), drained,
            scenario.steppedUntil.map { origin + $0 }, clockSteps.first.map { origin + $0.at },
        ].compactMap { $0 }.min()
        follower.rest(until: next)
        clock.ring()
        let lookAgain = time.now() + (isBusy ? Self.quickPace : Self.pace)
        repeat {
            if signals.wait(atMost: .milliseconds(1)) { return true }
        } while clock.due < next ?? .distantFuture && time.now() < lookAgain && (drained != nil || rig.load?.isDone != true)
        follower.begin()
        return false
    }

    /// Ends load, relay and mock, and notes what they counted.
    private func stop() {
        // What happens from here on is the end of the run and no evidence. A run that never had a first phase has no last
        // one either: the first is the plan's origin.
        if !phases.current.isEmpty { journal.note(.phase(PhaseTimeline.stop)) }
        rig.stop()
        faults.count(rig.mock.faults.rules)
        for fault in faults.given { journal.note(.faultTaken(fault.number)) }
        var totals = rig.totals(firings: faults.firings)
        totals.realTime = began.map { time.now() - $0 } ?? .zero
        totals.clockSteps = rig.mock.clockSteps
        totals.busiestThread = busiestThread
        journal.note(.totals(totals))
    }

    /// Whatever of ours has failed.
    private func check(_ load: LoadSnapshot?) throws(Failure) {
        if let trouble = rig.mock.clockTrouble {
            throw Failure(.run, trouble, hint: "docs/time.md tells what whoever takes part in a clock has to say")
        }
        if let failure = rig.mock.failure ?? load?.journalFailure ?? rig.watchFailure ?? journal.failure { throw failure }
    }

    /// As long as the scenario has it. What is on its way over the network takes the host's time, however fast the clock runs.
    private var drain: Interval {
        if tookNothing { return .zero }
        return scenario.drain + (scenario.pace > 1 ? clock.span(ofReal: scenario.inFlightGrace) : .zero)
    }

    /// A moment to get ready, or until the instant that was asked for.
    private func delay(until startAt: WallTime?) -> Interval {
        // A clock that stands began at a whole second, and so does the plan: phones count in seconds.
        if clock.isStepped { return .seconds(1) }
        return clock.span(ofReal: startAt.map { max(.zero, $0 - start.clock.wall()) } ?? .milliseconds(200))
    }

    /// Until the next thing to do.
    private func tick(_ now: Instant, origin: Instant) -> Interval {
        let due = [
            faults.next.map { origin + $0 }, phases.next.map { origin + $0 }, rig.relay.next(since: origin),
            clockSteps.first.map { origin + $0.at },
        ].compactMap { $0 }.min()
        let pace = rig.relay.isDown ? Self.quickPace : Self.pace
        return due.map { max(.milliseconds(1), min(pace, clock.real($0 - now))) } ?? pace
    }
}
