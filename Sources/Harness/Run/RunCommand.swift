// `pushrig run`: reads the scenario, sets the rig up, lets the conductor play, has it judged, writes the report.

package import Basics
import EventLoop
import Journal
import MockServer
import Net
import OperatingSystem
import Planning
import Reports
import Scenarios
import Sessions
import Verdicts

/// One execution of a scenario. Confined to the thread that makes it; blocks that thread until the run is over.
package final class RunCommand {
    private let options: RunOptions
    private let signals: Signals
    private let note: PlanNote
    private let scenario: Scenario
    private var seed: Seed { plan.seed }
    private let plan: Plan
    /// The plan in one piece: that of all shards.
    private let whole: Plan
    /// Of a mock that is up; nil: the run's mock has one of its own.
    private let place: MockPlace?
    /// Where the run can be watched; nil: nowhere.
    private let watch: SocketAddress?
    private let time = SystemTime()
    /// Bytes that the relay printed and that stand in no log.
    private var outputLeftOut = 0
    /// What it came to; nil until then, and where nothing was judged.
    private(set) var record: RunRecord?

    /// `signals` must have been made before any thread was started.
    package convenience init(_ options: RunOptions, signals: Signals) throws(Failure) {
        var options = options
        func load() throws(Failure) -> Scenario {
            try Scenario.load(path: options.scenarioPath, overrides: options.overrides, searchPath: ScenarioFolders.all)
        }
        var scenario = try load()
        let place = try options.mock.map { directory throws(Failure) in try MockPlace(of: directory) }
        if let place, let override = try place.override(for: scenario.mock.environment) {
            options.overrides.append(override)
            scenario = try load()
        }
        if let part = options.part, part.place.count > 1, options.seed == nil, scenario.seed == nil {
            throw Failure(
                .usage, "shards of one run need one seed", hint: "give each the same --seed N, or the scenario a `seed`")
        }
        let drawn = UInt64(bitPattern: SystemTime().wall().nanoseconds)
        let seed = Seed(options.seed ?? scenario.seed ?? Seed(drawn).child("run").value)
        var note = PlanNote(
            files: scenario.sources.map { PlanNote.File(path: $0.path, text: $0.text) },
            overrides: options.overrides.map { [$0.path, $0.value] }, gates: options.gates,
            knownFailing: options.knownFailing, isStrict: options.isStrict, seed: seed.value,
            run: UInt32(truncatingIfNeeded: seed.child("run").value), digest: "",
            shardIndex: options.part?.place.index ?? 0, shardCount: options.part?.place.count ?? 1)
        note.folder = FileSystem.realPath(".") ?? ""
        note.mock = options.mock ?? ""
        try self.init(note, scenario, options, place, signals: signals)
    }

    /// Plays the plan of `note`, which is that of `scenario`. Of `options` only counts what is no part of a plan.
    init(
        _ note: PlanNote, _ scenario: Scenario, _ options: RunOptions, _ place: MockPlace? = nil, signals: Signals
    ) throws(Failure) {
        self.options = options
        self.signals = signals
        self.note = note
        self.place = place
        watch = try options.watch.map { text throws(Failure) in try LiveServer.address(text) }
        var scenario = scenario
        let kinds = scenario.relay.profile.calls.filter { !$0.pushes.isEmpty }.map(\.name)
        for gate in note.gates { scenario.gates.append(try Gate(parsing: gate, kinds: kinds)) }
        try Preflight.check(scenario)
        try Preflight.checkRules(note.knownFailing, "--known-failing", [])
        self.scenario = scenario
        plan = note.plan(of: scenario)
        whole = options.part == nil ? plan : note.whole(of: scenario)
        try whole.checkRows()
        if whole.arrivalCount == 0 {
            throw whole.eventsPerSession == 0
                ? FindPlan.callsNothing
                : Failure(
                    .usage, "no session ever begins with seed \(note.seed)", hint: "raise a rate or a duration of `arrivals`")
        }
        if let part = options.part { try SharedMock.check(part, scenario, plan) }
    }

    /// Runs to the end and tells the exit code. What stands in the way of starting is thrown; what happens later is in
    /// the report.
    package func run() throws(Failure) -> ExitCode {
        if !options.isQuiet { Console.error(Self.warnings(scenario.relay.profile)) }
        if options.isDryRun {
            Console.out(PlanText(plan: plan, scenario: scenario, seed: seed, whole: whole).text)
            return .passed
        }
        if let part = options.part, let chosen = options.outputDirectory, SharedMock.wasTried(in: chosen) {
            Console.error(
                "pushrig: shard \(part.place.index) was tried in \(chosen) before: its run is void (give each attempt of a run "
                    + "a folder and a run id of its own)\n")
            return .inconclusive
        }
        signals.attend()
        let panel = RunPanel(
            title: scenario.name, options: options,
            total: plan.duration + scenario.drain)
        let loan = try place.map { place throws(Failure) in try MockLoan(of: place.directory) }
        let directory = try RunDirectory(
            chosen: options.outputDirectory, scenario: scenario.name + (note.replay == nil ? "" : "-replay"),
            scenarioText: scenario.text, at: time.wall())
        panel.say("seed \(seed), \(plan.sessionCount) sessions, \(plan.eventCount) events, report in \(directory.path)\n")
        try play(directory, panel)
        loan?.giveBack()
        if let part = options.part {
            try Seal.write(directory.path, planNote, part.place)
            if !part.mocks.isEmpty {
                panel.finish()
                return try SharedMock.tell(directory.path, part.place, options)
            }
        }
        var judging = JudgeOptions()
        judging.saysInterrupted = true
        let judged = try Verdicts.judge(directory.path, judging)
        self.record = judged
        let record = options.showsFullTokens ? judged : judged.withShortTokens
        let seen = SeenSessions.read(judged)
        let sessions = options.showsFullTokens ? seen : seen?.withShortTokens
        panel.finish()
        try ReportFiles.writeAll(record, sessions, to: directory.path, fullTokens: options.showsFullTokens)
        switch options.format {
        case .json: Console.out(ReportFiles.json(record, sessions).text + "\n")
        case .sarif: Console.out(SarifReport.json(record).text + "\n")
        case .text:
            Console.out(TerminalSummary.renderText(record, sessions, color: Console.wantsColor(1)))
            Console.out("report: \(directory.path)/report.html\n")
            if outputLeftOut > 0 {
                Console.out("relay.log: \(Numbers.count(outputLeftOut)) bytes that the relay printed are left out\n")
            }
        }
        return ExitCode(rawValue: record.exit.code) ?? .couldNotRun
    }

    /// The scenario at `path` with all that can be known without running it. Throws a usage `Failure` that says what is wrong.
    static func checked(_ path: String) throws(Failure) -> Scenario {
        var options = RunOptions(scenarioPath: path)
        options.isDryRun = true
        return try RunCommand(options, signals: Signals()).scenario
    }

    /// What is lawful in a profile and hardly meant, a line each.
    static func warnings(_ profile: Profile) -> String { profile.doubts.map { "warning: \($0)\n" }.joined() }

    /// The run itself, on record from its plan to its end. Throws what the user can mend before anything is started.
    private func play(_ directory: RunDirectory, _ panel: RunPanel) throws(Failure) {
        let hostClock = HostClock()
        // Shards on clocks that stand begin at the same second where they are told one.
        let clock = RunClock(
            base: hostClock.time, mode: scenario.isStepped ? .stepped : .running(scenario.clockScale),
            wall: scenario.isStepped ? WallTime(seconds: (options.startAt ?? hostClock.wall()).seconds) : nil)
        let journal = try RunJournal(directory: directory.journal, clock: clock)
        journal.note(.plan(planNote))
        var finish = FinishNote()
        if let place = options.part?.place, place.attempt > 0 {
            let reason =
                "shard \(place.index) is tried again, attempt \(place.attempt): what it sent before cannot be told apart"
            Console.error("pushrig: \(reason)\n")
            journal.note(.void(reason))
            return journal.note(.finished(finish))
        }
        do throws(Failure) {
            let shardStart = try options.part.map { part throws(Failure) in
                try ShardStart(
                    part, digest: whole.digest(), startAt: options.startAt, clock: hostClock, allowHosts: options.allowHosts,
                    say: panel.say)
            }
            let exporter = try options.otlp.map { url throws(Failure) in
                try OTLPExporter(url, allowHosts: options.allowHosts, from: time.wall())
            }
            let live = try LiveRun(
                plan, scenario, directory, at: watch, postingTo: exporter,
                isShard: options.part.map { $0.place.count > 1 } ?? false, clock)
            defer { if let lost = live?.stop() { Console.error("pushrig: \(lost)\n") } }
            if let address = live?.address { Console.error("watch the run at http://\(address)/ (metrics: /metrics)\n") }
            let rig = try Rig(
                plan: plan, scenario: scenario, directory: directory, options: options, place: place, clock: clock,
                note: {
                    journal.note($0)
                    live?.see($0)
                })
            let conductor = Conductor(
                rig, scenario: scenario, journal: journal, signals: signals,
                start: StartTerms(at: options.startAt, shards: shardStart, clock: hostClock, length: whole.duration),
                isStopping: signals.endAtNext,
                earlyEnd: {
                    guard let end = live?.end else { return nil }
                    panel.say("the load ends: the gate \(end.gate) can hold no more: \(end.reason)\n")
                    return end
                },
                isWarm: { live?.isWarm ?? false },
                show: {
                    panel.show($0)
                    live?.show($0)
                })
            switch try conductor.conduct() {
            case .over:
                for offset in try shardStart?.measure() ?? [] { journal.note(.clockOffset(offset)) }
            case .void(let reason): Console.error("pushrig: \(reason)\n")
            case .interrupted:
                finish.isInterrupted = true
            case .neverReady(let failure):
                finish.wasNeverReady = true
                finish.trouble = failure.description
            }
            outputLeftOut = rig.relay.outputLeftOut
            if let failure = rig.mock.failure { throw failure }
        } catch {
            finish.trouble = finish.trouble ?? error.description
            journal.note(.finished(finish))
            // Such as a relay that may not be called: nothing was started that a report could be about.
            if error.kind == .usage { throw error }
            return
        }
        journal.note(.finished(finish))
    }

    private var planNote: PlanNote {
        var note = note
        note.digest = plan.digest()
        note.closedUsers = scenario.workload.closedUsers?.count
        note.command = options.command
        note.toolVersion = Build.version
        note.commit = Build.commit
        note.machine = .current
        if let part = options.part {
            note.part = PartNote(
                runID: part.place.runID, attempt: part.place.attempt, whole: whole.digest(), mocks: part.mocks)
        }
        return note
    }
}
