// The relay's life during a run: comes up, is ended and started again on purpose, and is watched for ending by itself.

import Basics
import EventLoop
import Net
import Reports
import Scenarios

/// Confined to the thread that runs the harness.
final class RelaySupervisor {
    private enum State {
        case running
        /// Ended on purpose; starts again at this instant.
        case down(until: Instant)
        case comingUp(deadline: Instant)
    }

    /// Checked before anything is asked of it.
    let target: CheckedOrigin
    var origin: Origin { target.origin }
    private let spec: RelaySpec
    private let process: RelayProcess?
    private let probe: ReadyProbe
    private let time = SystemTime()
    private var state = State.running
    private var pending: [RelayRestart]
    private var outageBegan: Instant?
    private var outages: [(start: Instant, end: Instant)] = []

    /// `variable` gives the values of the launch template.
    init(
        _ spec: RelaySpec, logPath: String, allowHosts: Set<String> = [], variable: (String) -> String?
    ) throws(Failure) {
        self.spec = spec
        target = try TargetPolicy.check(
            Origin(parsing: LaunchTemplate.fill(spec.url, variable)), allowHosts: allowHosts)
        probe = try ReadyProbe(target: target, path: spec.ready.path)
        pending = spec.restarts.sorted { $0.at < $1.at }
        process = spec.launch.map { launch in
            RelayProcess(
                arguments: launch.map { LaunchTemplate.fill($0, variable) },
                environment: spec.environment.map { ($0.name, LaunchTemplate.fill($0.value, variable)) },
                logPath: logPath)
        }
    }

    /// Starts it if it is ours to start, and waits until it answers. `giveUp` is asked between questions.
    func comeUp(giveUp: (Interval) -> Bool) throws(Failure) {
        try process?.start()
        let deadline = time.now() + spec.ready.timeout
        while true {
            if let process, !process.isRunning { throw endedByItself(process) }
            if probe.isReady() { return }
            if giveUp(.milliseconds(50)) { return }
            guard time.now() < deadline else { throw neverReady() }
        }
    }

    /// Does what is due at `now`; throws when the relay has gone without being told to.
    func advance(since origin: Instant, now: Instant) throws(Failure) {
        guard let process else { return }
        switch state {
        case .running:
            if let next = pending.first, now >= origin + next.at {
                pending.removeFirst()
                outageBegan = now
                process.stop(StopSpec(signal: next.signal, grace: spec.stop.grace))
                state = .down(until: time.now() + next.down)
            } else if !process.isRunning {
                throw endedByItself(process)
            }
        case .down(let until):
            guard now >= until else { return }
            try process.start()
            state = .comingUp(deadline: now + spec.ready.timeout)
        case .comingUp(let deadline):
            guard process.isRunning else { throw endedByItself(process) }
            if probe.isReady() {
                outages.append((outageBegan ?? now, now))
                outageBegan = nil
                state = .running
            } else if now > deadline {
                throw neverReady()
            }
        }
    }

    /// Ended on purpose and not yet up again.
    var isDown: Bool { outageBegan != nil }

    /// The outages on purpose up to `end`, one that still goes on among them.
    func outages(until end: Instant) -> [(start: Instant, end: Instant)] {
        outages + (outageBegan.map { [($0, end)] } ?? [])
    }

    func stop() { process?.stop(spec.stop) }

    private func endedByItself(_ process: RelayProcess) -> Failure {
        let words = process.lastWords
        return Failure(
            .run, "the relay \(process.ending ?? "ended")" + (words.isEmpty ? "" : "; its last words:\n\(words)"),
            hint: "its output is in relay.log of the run directory")
    }

    private func neverReady() -> Failure {
        Failure(
            .run, "the relay did not answer GET \(origin)\(spec.ready.path) with 2xx within \(spec.ready.timeout)",
            hint: "check relay.url and relay.ready of the scenario; its output is in relay.log of the run directory")
    }
}
