// The life of a run: check, start, warm up and measure, drain, judge, write.

import APNs
package import Basics
import Devices
import EventLoop
import Faults
import Journal
import LoadGenerator
import Metrics
import MockServer
import Net
import Pushes
import Reports
import Scenarios

/// One execution of a scenario. Confined to the thread that makes it; blocks that thread until the run is over.
package final class Run {
    private let options: RunOptions
    private let signals: Signals
    private let scenario: Scenario
    private let seed: Seed
    private let plan: Plan
    private let time = SystemTime()
    private var panel: LivePanel
    private let isPanel: Bool
    private var nextFrame = Instant(nanoseconds: 0)

    /// `signals` must have been made before any thread was started.
    package init(_ options: RunOptions, signals: Signals) throws(Failure) {
        self.options = options
        self.signals = signals
        var scenario = try Scenario.load(
            path: options.scenarioPath, overrides: options.overrides, searchPath: ["Scenarios"])
        let kinds = scenario.relay.profile.calls.filter { !$0.pushes.isEmpty }.map(\.name)
        for gate in options.gates { scenario.gates.append(try Gate(parsing: gate, kinds: kinds)) }
        self.scenario = scenario
        let drawn = UInt64(bitPattern: time.wall().nanoseconds)
        seed = Seed(options.seed ?? scenario.seed ?? Seed(drawn).child("run").value)
        plan = Plan(
            scenario: scenario, seed: seed, run: UInt32(truncatingIfNeeded: seed.child("run").value),
            shard: Shard(index: options.shard.index, count: options.shard.count))
        isPanel = !options.isQuiet && !options.isPlain && Console.isTerminal(2)
        let style: LivePanel.Style =
            options.isQuiet
            ? .quiet : isPanel ? .panel(columns: Console.columns, color: Console.wantsColor(2)) : .lines
        panel = LivePanel(title: scenario.name, style: style)
    }

    /// Runs to the end and tells the exit code. What stands in the way of starting is thrown; what happens later is in
    /// the report.
    package func execute() throws(Failure) -> ExitCode {
        if options.isDryRun {
            Console.out(PlanText(plan: plan, scenario: scenario, seed: seed).text)
            return .passed
        }
        let startedAt = time.wall()
        let directory = try RunDirectory(
            chosen: options.outputDirectory, scenario: scenario.name, scenarioText: scenario.text, at: startedAt)
        say("seed \(seed), \(plan.sessionCount) sessions, \(plan.eventCount) events, report in \(directory.path)\n")
        let history = RunHistory(startedAt: startedAt, origin: time.now())
        do {
            try drive(directory, history)
        } catch {
            // Such as a relay that may not be called: nothing was started that a report could be about.
            if error.kind == .usage { throw error }
            history.failure = history.failure ?? error
        }
        let record = try RunJudge(
            options: options, scenario: scenario, plan: plan, seed: seed, directory: directory, history: history
        ).record()
        if !options.isQuiet { Console.error(panel.finish()) }
        try ReportFiles.writeAll(record, to: directory.path, fullTokens: options.showsFullTokens)
        if options.printsJSON {
            Console.out(record.withShortTokens.json.text + "\n")
        } else {
            Console.out(TerminalSummary.renderText(record, color: Console.wantsColor(1)))
            Console.out("report: \(directory.path)/report.html\n")
        }
        return ExitCode(rawValue: record.exit.code) ?? .couldNotRun
    }

    // MARK: Phases

    private func drive(_ directory: RunDirectory, _ history: RunHistory) throws(Failure) {
        let mock = try startMock(directory)
        defer {
            mock.drainAndStop()
            history.mock = mock.statistics()
            history.tokenCount = mock.devices.tokenCount
            history.failure = history.failure ?? mock.failure
        }
        let relay = try RelaySupervisor(
            scenario.relay, logPath: directory.relayLog, allowHosts: options.allowHosts,
            variable: try variables(mock, directory))
        defer { relay.stop() }
        try relay.comeUp { [signals] in signals.wait(atMost: $0) }
        let load = try LoadService(
            plan: plan, target: relay.target, connections: scenario.workload.connections,
            journalDirectory: directory.journal)
        defer {
            load.stop()
            history.load = load.snapshot()
        }
        let origin = time.now() + startDelay
        history.origin = origin
        load.start(at: origin)
        var faults = FaultTimeline(scenario.faults) { mock.add($0, now: $1) }
        defer {
            history.faults = faults.given
            history.outages = relay.outages(until: time.now())
        }
        var loadEnded: Instant?
        while true {
            let now = time.now()
            faults.advance(since: origin, now: now)
            try relay.advance(since: origin, now: now)
            let snapshot = load.snapshot()
            if let failure = mock.failure ?? snapshot.journalFailure { throw failure }
            if snapshot.isDone, loadEnded == nil { loadEnded = now }
            let drainEnds = loadEnded.map { $0 + drain }
            history.phases = phases(origin: origin, loadEnded: loadEnded, now: now)
            show(snapshot, mock, now: now, origin: origin, draining: loadEnded != nil, faults: faults.active(at: now))
            if let drainEnds, now >= drainEnds { return }
            if signals.wait(atMost: tick(now, origin: origin, faults: faults)) {
                history.isInterrupted = true
                return
            }
        }
    }

    private func startMock(_ directory: RunDirectory) throws(Failure) -> MockService {
        DescriptorLimit.raise()
        var options = MockOptions(stateDirectory: directory.mockState)
        options.apns = SocketAddress(host: "127.0.0.1", port: 0)
        options.admin = SocketAddress(host: "127.0.0.1", port: 0)
        options.loops = scenario.mock.loops
        options.registration = scenario.mock.tokens == .any ? .any : .registered
        switch scenario.mock.environment {
        case .production: options.environment = .production
        case .sandbox: options.environment = .sandbox
        case .both: options.sandbox = SocketAddress(host: "127.0.0.1", port: 0)
        }
        options.topics = scenario.mock.topics
        options.seed = seed.child("mock")
        options.journalDirectory = directory.journal
        for (name, value) in scenario.mock.settings { try options.set(name, to: value) }
        if scenario.clockScale != 1 || scenario.mock.clockSkew != .zero {
            options.clock = ScaledTime(base: time, scale: scenario.clockScale, skew: scenario.mock.clockSkew)
        }
        return try MockService(options: options)
    }

    private func variables(_ mock: MockService, _ directory: RunDirectory) throws(Failure) -> (String) -> String? {
        var listen = try SocketAddress(parsing: scenario.relay.listen)
        if listen.port == 0 {
            // Free now; the relay takes it a moment later.
            listen = try ListeningSocket(listen).boundAddress
        }
        let coordinates = mock.coordinates
        let executable = options.executable ?? FileSystem.executable
        return { name in
            switch name {
            case "pushrig": executable
            case "mock.apns": coordinates.apns.description
            case "mock.sandbox": (coordinates.sandbox ?? coordinates.apns).description
            case "mock.sandboxHost": (coordinates.sandbox ?? coordinates.apns).host
            case "mock.sandboxPort": String((coordinates.sandbox ?? coordinates.apns).port)
            case "mock.apnsHost": coordinates.apns.host
            case "mock.apnsPort": String(coordinates.apns.port)
            case "mock.ca": coordinates.ca
            case "mock.key": coordinates.apnsKey
            case "mock.keyId": coordinates.keyID
            case "mock.teamId": coordinates.teamID
            case "mock.topic": coordinates.topics[0]
            case "relay.listen": listen.description
            case "relay.host": listen.host
            case "relay.port": String(listen.port)
            case "run.dir": directory.path
            default: nil
            }
        }
    }

    /// As long as the scenario allows for the last pushes, and the relay says it may take.
    private var drain: Interval { max(scenario.phases.drain, scenario.relay.profile.settle) }

    /// A moment to get ready, or until the instant that was asked for.
    private var startDelay: Interval {
        guard let startAt = options.startAt else { return .milliseconds(200) }
        return max(.milliseconds(200), startAt - time.wall())
    }

    /// Until the next thing to do, at most as long as the panel may stand still.
    private func tick(_ now: Instant, origin: Instant, faults: FaultTimeline) -> Interval {
        let pace = Interval.milliseconds(100)
        guard let next = faults.next else { return pace }
        return min(pace, max(.milliseconds(1), origin + next - now))
    }

    private func phases(origin: Instant, loadEnded: Instant?, now: Instant) -> [RunRecord.Phase] {
        let warmUp = scenario.phases.warmUp
        let loadEnd = (loadEnded ?? now) - origin
        var phases: [RunRecord.Phase] = []
        if warmUp > .zero { phases.append(RunRecord.Phase(name: "warm-up", start: .zero, end: min(warmUp, loadEnd))) }
        phases.append(RunRecord.Phase(name: "measure", start: min(warmUp, loadEnd), end: loadEnd))
        if loadEnded != nil { phases.append(RunRecord.Phase(name: "drain", start: loadEnd, end: now - origin)) }
        return phases
    }

    private func show(
        _ snapshot: LoadSnapshot, _ mock: MockService, now: Instant, origin: Instant, draining: Bool, faults: [String]
    ) {
        guard !options.isQuiet, now >= nextFrame else { return }
        nextFrame = now + (isPanel ? .milliseconds(200) : .seconds(2))
        let statistics = mock.statistics()
        let elapsed = now - origin
        let answer = snapshot.answer
        let hasAnswers = answer.count > 0
        let phase = draining ? "drain" : elapsed < scenario.phases.warmUp ? "warm-up" : "measure"
        let text = panel.text(
            for: LiveFrame(
                phase: phase, elapsed: max(.zero, elapsed), total: plan.duration + drain,
                planned: Int64(snapshot.planned), sent: Int64(snapshot.sent), answered: Int64(snapshot.answered),
                failed: Int64(snapshot.failed), dropped: Int64(snapshot.dropped),
                activeSessions: Int64(snapshot.activeSessions), pushes: Int64(statistics.pushes),
                pushErrors: Int64(statistics.byStatus.filter { $0.key != 200 }.values.reduce(0, +)),
                faultsActive: faults,
                answerP50: hasAnswers ? Interval(nanoseconds: answer.value(at: 50)) : nil,
                answerP99: hasAnswers ? Interval(nanoseconds: answer.value(at: 99)) : nil,
                latenessP99: snapshot.lateness.count > 0 ? snapshot.latenessP99 : nil))
        Console.error(text)
    }

    private func say(_ text: String) { if !options.isQuiet { Console.error(text) } }
}

/// What happened in a run, gathered while it goes on. Confined to the run's thread.
final class RunHistory {
    let startedAt: WallTime
    var origin: Instant
    var phases: [RunRecord.Phase] = []
    var faults: [GivenFault] = []
    var outages: [(start: Instant, end: Instant)] = []
    var mock = MockStatistics()
    var tokenCount = 0
    var load = LoadSnapshot()
    var failure: Failure?
    var isInterrupted = false

    init(startedAt: WallTime, origin: Instant) {
        self.startedAt = startedAt
        self.origin = origin
    }
}
