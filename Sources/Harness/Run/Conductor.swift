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
    private let startAt: WallTime?
    private let show: (Moment) -> Void
    private let isStopping: () -> Void
    private let time = SystemTime()
    private var faults: FaultTimeline
    private var phases: PhaseTimeline

    /// What a spectator is told at each turn.
    struct Moment {
        var now: Instant
        var origin: Instant
        var phase: String
        var load: LoadSnapshot
        var mock: MockStatistics
        var faults: [String]
    }

    /// `isStopping` is called when the timeline is over, `show` at each turn of it.
    init(
        _ rig: Rig, scenario: Scenario, journal: RunJournal, signals: Signals, startAt: WallTime?,
        isStopping: @escaping () -> Void = {}, show: @escaping (Moment) -> Void
    ) {
        self.rig = rig
        self.scenario = scenario
        self.journal = journal
        self.signals = signals
        self.startAt = startAt
        self.show = show
        self.isStopping = isStopping
        let mock = rig.mock
        faults = FaultTimeline(scenario.faults) { rule, now in mock.faults.status(of: mock.add(rule, now: now))?.number ?? 0 }
        phases = PhaseTimeline(warmUp: scenario.phases.warmUp)
    }

    /// Plays the timeline to its end, and stops the rig. Throws when something of ours has failed; the rig is stopped all
    /// the same.
    func conduct() throws(Failure) -> Ending {
        let ending: Result<Ending, Failure>
        do throws(Failure) { ending = .success(try play()) } catch { ending = .failure(error) }
        isStopping()
        stop()
        return try ending.get()
    }

    private func play() throws(Failure) -> Ending {
        do throws(Failure) { try rig.relay.start(now: time.now()) } catch { return .neverReady(error) }
        while !rig.relay.wasReady {
            let now = time.now()
            rig.relay.advance(since: nil, now: now)
            if let failure = rig.relay.neverReady(now: now) { return .neverReady(failure) }
            try check(nil)
            if signals.wait(atMost: Self.quickPace) { return .interrupted }
        }
        let origin = time.now() + startDelay
        try rig.startLoad(at: origin)
        return try playLoad(from: origin)
    }

    private func playLoad(from origin: Instant) throws(Failure) -> Ending {
        var loadEnded: Instant?
        while true {
            let now = time.now()
            for (name, at) in phases.begun(at: now, origin: origin, loadEnded: loadEnded) { note(.phase(name), at) }
            for fault in faults.advance(since: origin, now: now) { note(.faultGiven(fault), now) }
            faults.count(rig.mock.faults.rules)
            rig.relay.advance(since: origin, now: now)
            let load = rig.load?.snapshot() ?? LoadSnapshot()
            try check(load)
            if load.isDone, loadEnded == nil { loadEnded = now }
            show(
                Moment(
                    now: now, origin: origin, phase: phases.current, load: load, mock: rig.mock.statistics(),
                    faults: faults.active(at: now)))
            if let loadEnded, now >= loadEnded + scenario.drain, phases.current == PhaseTimeline.drain { return .over }
            if signals.wait(atMost: tick(now, origin: origin, isDraining: loadEnded != nil)) { return .interrupted }
        }
    }

    /// Ends load, relay and mock, and notes what they counted.
    private func stop() {
        // What happens from here on is the end of the run and no evidence. A run that never had a first phase has no last
        // one either: the first is the plan's origin.
        if !phases.current.isEmpty { note(.phase(PhaseTimeline.stop), time.now()) }
        rig.stop()
        faults.count(rig.mock.faults.rules)
        for fault in faults.given { note(.faultTaken(fault.number), time.now()) }
        note(.totals(rig.totals(firings: faults.firings)), time.now())
    }

    private func note(_ note: RunNote, _ instant: Instant) { journal.note(note, at: instant) }

    /// Whatever of ours has failed.
    private func check(_ load: LoadSnapshot?) throws(Failure) {
        if let failure = rig.mock.failure ?? load?.journalFailure ?? journal.failure { throw failure }
    }

    /// A moment to get ready, or until the instant that was asked for.
    private var startDelay: Interval {
        guard let startAt else { return .milliseconds(200) }
        return max(.milliseconds(200), startAt - time.wall())
    }

    /// Until the next thing to do.
    private func tick(_ now: Instant, origin: Instant, isDraining: Bool) -> Interval {
        let due = [
            faults.next.map { origin + $0 }, phases.next.map { origin + $0 }, rig.relay.next(since: origin),
        ].compactMap { $0 }.min()
        let pace = rig.relay.isDown ? Self.quickPace : Self.pace
        return due.map { max(.milliseconds(1), min(pace, $0 - now)) } ?? pace
    }
}
