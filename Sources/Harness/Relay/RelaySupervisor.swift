// The relay's life during a run: comes up, is ended and started again on purpose, and is watched for ending by itself. What
// it does is noted, never waited for: a relay that will not stop or come up holds up nobody.

import Basics
import EventLoop
import Journal
import LoadGenerator
import Net
import Scenarios

/// Confined to the thread that runs the harness.
final class RelaySupervisor {
    private enum State {
        /// Not started yet, or ended by itself.
        case down
        /// Ended on purpose; starts again at this instant of the run's clock.
        case resting(until: Instant)
        /// Was started, and has not answered yet.
        case comingUp
        case running
        /// Was told to end; is killed at `killAt` of the host's clock. It stays down for `rest`; nil: for good.
        case stopping(killAt: Instant, rest: Interval?)
    }

    /// Checked before anything is started or asked.
    let target: CheckedOrigin
    /// How it is called there.
    let tls: TLSClientSettings
    /// It answered its ready probe once: from then on its failures are its own.
    private(set) var wasReady = false
    private let spec: RelaySpec
    private let process: RelayProcess?
    private let probe: ReadyProbe
    private let sampler: RelaySampler?
    private let note: (RunNote) -> Void
    /// Restarts and rests go by the run's clock; waits for a process go by the host's.
    private let clock: RunClock
    private let time = SystemTime()
    private var state = State.down
    private var pending: [RelayRestart]
    private var starts = 0
    private var isExitNoted = true
    private var startedAt = Instant(nanoseconds: 0)
    private var nextSample = Instant.distantFuture
    private var outageBegan: Instant?
    private var outages: [(start: Instant, end: Instant)] = []

    private static let samplePeriod = Interval.seconds(1)

    /// `variable` gives the values of the launch template; `note` puts on record what happens. Throws a usage `Failure`
    /// when the relay may not be called; then nothing has been started.
    init(
        _ spec: RelaySpec, logPath: String, allowHosts: Set<String> = [], variable: (String) -> String?,
        clock: RunClock = RunClock(base: SystemTime()), note: @escaping (RunNote) -> Void
    ) throws(Failure) {
        self.spec = spec
        self.clock = clock
        self.note = note
        tls = TLSClientSettings(spec.tls) { LaunchTemplate.fill($0, variable) }
        target = try TargetPolicy.check(
            Origin(parsing: LaunchTemplate.fill(spec.url, variable)), allowHosts: allowHosts)
        if let launch = spec.launch {
            process = try RelayProcess(
                arguments: launch.map { LaunchTemplate.fill($0, variable) },
                environment: spec.environment.map { ($0.name, LaunchTemplate.fill($0.value, variable)) },
                logPath: logPath)
            sampler = try RelaySampler()
        } else {
            process = nil
            sampler = nil
        }
        probe = try ReadyProbe(
            target: target, tls: tls, spec.ready,
            version: spec.profile.httpVersion == .http2 ? .http2 : .http1)
        pending = spec.restarts.sorted { $0.at < $1.at }
    }

    /// Starts it if it is ours to start.
    func start() throws(Failure) {
        try process?.start()
        begin()
    }

    private func begin() {
        let now = time.now()
        probe.forget()
        state = .comingUp
        startedAt = now
        nextSample = min(nextSample, now + Self.samplePeriod)
        guard let process else { return }
        isExitNoted = false
        note(.relayStarted(restart: starts, arguments: process.arguments))
        starts += 1
    }

    /// It is ended on purpose only when all is over.
    func restartNoMore() { pending = [] }

    /// Why it never came up, if so it is: it ended before it answered, or the time for that is over.
    var neverReady: Failure? {
        guard !wasReady, case .comingUp = state else { return wasReady ? nil : ended }
        guard time.now() >= startedAt + spec.ready.timeout else { return nil }
        return Failure(
            .run,
            "the relay did not answer \(spec.ready.method) \(target)\(spec.ready.path) with \(wanted) "
                + "within \(spec.ready.timeout)"
                + (probe.wrongStatus.map { ", but with \($0)" } ?? ""),
            hint: hintWhereNeverReady)
    }

    private var wanted: String {
        guard let statuses = spec.ready.statuses else { return "anything" }
        return statuses == Set(200..<300) ? "2xx" : statuses.sorted().map(String.init).joined(separator: ", ")
    }

    private var hintWhereNeverReady: String {
        let path = spec.ready.path == "/" ? "/health" : "/"
        let place = "name a path that it answers so, such as --set relay.ready.path=\(path), or --set relay.ready.status=any"
        if probe.wrongStatus != nil { return place }
        return process == nil
            ? "is it up? see to relay.url or --relay, or \(place)"
            : "its output is in relay.log of the run directory; give it longer by relay.ready.timeout, or \(place)"
    }

    private var ended: Failure? {
        guard let process, let ending = process.ending else { return nil }
        let words = lastWords(process)
        return Failure(
            .run, "the relay \(ending)" + (words.isEmpty ? "" : "; its last words:\n\(words)"),
            hint: "its output is in relay.log of the run directory")
    }

    /// Looks at what has happened and does what is due at `now` on the run's clock; `origin` is the instant of the plan's
    /// start, nil before it is known. Never waits.
    func advance(since origin: Instant?, now: Instant) {
        let hostNow = time.now()
        sample(hostNow)
        noteExit()
        restartIfDue(since: origin, now: now)
        switch state {
        case .down, .running: break
        case .comingUp:
            guard probe.poll() == true else { return }
            state = .running
            wasReady = true
            note(.relayReady(restart: max(0, starts - 1)))
            if let began = outageBegan { outages.append((began, now)) }
            outageBegan = nil
        case .stopping(let killAt, let rest):
            if process?.isGone ?? true {
                // It may have gone since the look above, and was asked to.
                noteExit()
                state = rest.map { .resting(until: now + $0) } ?? .down
            } else if hostNow >= killAt {
                process?.send(.kill)
                state = .stopping(killAt: .distantFuture, rest: rest)
            }
        case .resting(let until):
            guard now >= until, let process else { return }
            do throws(Failure) {
                try process.start()
                begin()
            } catch {
                note(.relayExited(RelayExitNote(how: error.message, wasAsked: false, lastLines: "")))
                state = .down
            }
        }
    }

    /// A death on purpose, also of a relay that has died already or never came back: then only the rest is taken.
    private func restartIfDue(since origin: Instant?, now: Instant) {
        guard let process, let origin, let next = pending.first, now >= origin + next.at else { return }
        switch state {
        case .stopping, .resting: return
        case .down, .comingUp, .running: break
        }
        pending.removeFirst()
        outageBegan = outageBegan ?? now
        note(.relayStopping(signal: next.signal.rawValue))
        process.send(next.signal)
        state = .stopping(killAt: killAt(next.signal, at: time.now()), rest: next.down)
    }

    /// When it is killed if it does not obey.
    private func killAt(_ signal: ProcessSignal, at now: Instant) -> Instant {
        signal == .kill ? .distantFuture : now + spec.stop.grace
    }

    private func lastWords(_ process: RelayProcess) -> String { spec.profile.redacted(process.lastWords) }

    /// Bytes that it printed and that stand in no log.
    var outputLeftOut: Int { process?.leftOut ?? 0 }

    private func noteExit() {
        guard let process, !isExitNoted, !process.isRunning else { return }
        isExitNoted = true
        var wasAsked = false
        if case .stopping = state { wasAsked = true }
        note(
            .relayExited(
                RelayExitNote(how: process.ending ?? "ended", wasAsked: wasAsked, lastLines: lastWords(process))))
        if !wasAsked { state = .down }
    }

    /// Asks for a sample each second, and notes it when it is there.
    private func sample(_ now: Instant) {
        guard let process, let sampler, now >= nextSample, !process.isGone else { return }
        guard let sample = sampler.poll(below: process.keeper) else { return }
        note(.relaySample(sample))
        nextSample = max(nextSample + Self.samplePeriod, now)
    }

    /// Ended on purpose and not yet up again.
    var isDown: Bool { outageBegan != nil }

    /// It owes no answers: ended on purpose, and its time to come up again is not over.
    var isHeldDown: Bool {
        guard isDown, case .comingUp = state else { return isDown }
        return time.now() < startedAt + spec.ready.timeout
    }

    /// It was started again, and has time to come up: a run that ends before tells nothing of whether it does.
    var isAwaited: Bool {
        guard wasReady, case .comingUp = state else { return false }
        return time.now() < startedAt + spec.ready.timeout + .milliseconds(100)
    }

    /// It comes up or goes down, which takes its own time and not the run's.
    var isChanging: Bool {
        switch state {
        case .comingUp, .stopping: true
        case .down, .resting, .running: false
        }
    }

    /// When there will be something to do next, if that is known.
    func next(since origin: Instant?) -> Instant? {
        let restart = origin.flatMap { origin in pending.first.map { origin + $0.at } }
        let step: Instant? =
            switch state {
            case .down, .running, .comingUp: nil
            case .stopping: nil
            case .resting(let until): until
            }
        return [restart, step].compactMap { $0 }.min()
    }

    /// The outages on purpose up to `end`, one that still goes on among them.
    func outages(until end: Instant) -> [(start: Instant, end: Instant)] {
        outages + (outageBegan.map { [($0, end)] } ?? [])
    }

    /// Ends it for good, and waits for that: as long as the scenario allows, then with KILL.
    func stop(_ time: any TimeSource, sleep: (Interval) -> Void) {
        guard let process, !process.isGone else { return }
        let now = time.now()
        if case .stopping = state {
        } else {
            note(.relayStopping(signal: spec.stop.signal.rawValue))
            process.send(spec.stop.signal)
        }
        state = .stopping(killAt: killAt(spec.stop.signal, at: now), rest: nil)
        pending = []
        let last = now + spec.stop.grace + .seconds(5)
        while !process.isGone, time.now() < last {
            advance(since: nil, now: clock.now())
            sleep(.milliseconds(5))
        }
        noteExit()
    }
}

extension TLSClientSettings {
    /// `fill` puts values into the templates of paths.
    fileprivate init(_ spec: RelayTLS?, fill: (String) -> String) {
        self.init(
            caFile: spec?.ca.map(fill), serverName: spec?.serverName, certificateFile: spec?.certificate.map(fill),
            keyFile: spec?.key.map(fill))
    }
}
