// `pushrig find`: searches the highest load that a relay carries, trial by trial, and keeps what it knows at each.

package import Basics
import Capacity
import EventLoop
import LoadGenerator
import OperatingSystem
import Reports
import Scenarios
import Verdicts

/// One search. Confined to the thread that makes it; blocks that thread until the search is over.
package final class FindCommand {
    private let options: FindOptions
    private let signals: Signals
    private let scenario: Scenario
    private let goals: FindGoals
    private let plan: FindPlan
    private let seed: Seed
    private let folder: String
    private var record: FindRecord
    private var search: CapacitySearch
    private let time = SystemTime()
    private var began: Instant
    /// What was spent before a search was taken up again.
    private let spent: Double
    /// Trials of the same load and kind, for their seeds.
    private var attempts: [String: Int] = [:]

    /// How long a relay may take to come to rest, in lengths of the trial before.
    private static let patience = 6.0

    /// `signals` must have been made before any thread was started. Throws what the user can mend.
    package init(_ options: FindOptions, signals: Signals) throws(Failure) {
        var options = options
        var former: FindRecord?
        if let resumed = options.resume {
            let found = try FindFiles.read(at: resumed)
            (options.scenarioPath, options.seed, options.axis) = (found.scenarioPath, found.seed, found.axis)
            let budget = options.terms.budget
            options.terms = found.terms
            options.terms.budget = max(budget, found.terms.budget)
            former = found
        }
        let scenario = try Scenario.load(path: options.scenarioPath, overrides: options.overrides, searchPath: ["Scenarios"])
        try Preflight.check(scenario)
        try FindCheck.check(scenario, options)
        let keeps = FindCheck.keepsRelay(scenario, options)
        goals = try FindGoals(options.gates, scenario: scenario, keepsRelay: keeps)
        seed = Seed(options.seed ?? scenario.seed ?? Seed(UInt64(bitPattern: time.wall().nanoseconds)).child("find").value)
        plan = try FindPlan(scenario, seed: seed, axis: options.axis)
        try FindCheck.check(options.terms, plan, goals)
        self.options = options
        self.signals = signals
        self.scenario = scenario
        began = time.now()
        spent = former?.duration.seconds ?? 0
        let chosen = (options.resume ?? options.outputDirectory).map { FileSystem.absolute($0) ?? $0 }
        folder = chosen ?? RunDirectory.fresh("find-\(scenario.name)", at: time.wall())
        record = FindRecord(
            scenarioPath: options.scenarioPath, seed: seed.value, command: options.command, terms: options.terms,
            goals: goals.goals, startedAt: former?.startedAt ?? time.wall(), toolVersion: Build.version, machine: .current)
        record.axis = options.axis
        record.warmUp = plan.warmUp
        search = CapacitySearch(options.terms, goals: goals.goals.count)
        guard let former else { return }
        guard former.goals.map(\.gates) == goals.goals.map(\.gates) else {
            throw Failure(
                .usage, "the search in \(folder) had other gates",
                hint: "give the same --gate options, or begin another search")
        }
        for trial in former.trials { take(trial) }
    }

    package func run() throws(Failure) -> ExitCode {
        signals.attend()
        if options.resume == nil, FileSystem.exists(folder + "/find.json") {
            throw Failure(
                .usage, "\(folder) holds a search already", hint: "choose an empty folder, or go on with --resume \(folder)")
        }
        try FileSystem.makeDirectory(folder + "/trials")
        say(FindText.head(record, sessions: plan.arrivals(at: options.terms.from), folder: folder))
        var kept: KeptRelay?
        if FindCheck.keepsRelay(scenario, options) {
            var run = RunOptions(scenarioPath: options.scenarioPath)
            run.allowHosts = Set(options.allowHosts)
            run.executable = options.executable
            let rig = try RunDirectory(
                chosen: folder + "/rig" + (options.resume == nil ? "" : "-\(record.trials.count)"), scenario: scenario.name,
                scenarioText: scenario.text, at: time.wall())
            kept = try KeptRelay(scenario, Plan(scenario: scenario, seed: seed, run: 1), in: rig, run)
        }
        defer { kept?.stop() }
        if let kept, !(try kept.comeUp(signals)) { search.stop(.stopped) }
        let runner = TrialRun(
            options: options, signals: signals, mock: kept?.directory ?? options.mock,
            overrides: kept.map { [("relay.launch", "null"), ("relay.url", $0.url), ("relay.ready.timeout", "15s")] } ?? [],
            gates: goals.texts)
        if record.trials.isEmpty { try warmUp(runner, kept) }
        while true {
            switch search.next {
            case .stop(let reason): return try conclude(reason)
            case .trial(let place, let seconds): try play(.trial, place, seconds, runner, kept)
            case .confirm(let place, let seconds): try play(.confirm, place, seconds, runner, kept)
            }
        }
    }

    // MARK: Trials

    /// The first is for the relay's caches and compilers, and counts for nothing.
    private func warmUp(_ runner: TrialRun, _ kept: KeptRelay?) throws(Failure) {
        guard case .trial(let place, let seconds) = search.next else { return }
        try play(.warmUp, place, seconds, runner, kept)
    }

    private func play(
        _ kind: FindRecord.Trial.Kind, _ place: Int, _ seconds: Double, _ runner: TrialRun, _ kept: KeptRelay?
    ) throws(Failure) {
        let length = plan.length(of: seconds)
        guard elapsed + length <= options.terms.budget else { return search.stop(.deadline) }
        let rate = search.grid.rate(place)
        let key = "\(kind.rawValue) \(place)"
        attempts[key, default: 0] += 1
        let number = record.trials.count + 1
        var trial = FindRecord.Trial(
            number: number, kind: kind, place: place, rate: rate, seconds: seconds,
            folder: "trials/\(String(1_000 + number).dropFirst())-\(FindText.plain(rate))",
            seed: seed.child(key).child(UInt64(attempts[key]!)).value)
        _ = kept?.takeUsage()
        let ending = try runner.play(
            trial, in: folder + "/" + trial.folder, plan.overrides(rate: rate, seconds: seconds), lasting: length
        ) { () throws(Failure) in try kept?.attend() }
        switch ending {
        case .interrupted: return search.stop(.stopped)
        case .failed(let words): trial.void = words
        case .record(let run):
            let reading = TrialReading(run, goals: goals.gates, common: goals.common, demandsMusts: kind == .confirm)
            (trial.void, trial.words, trial.reasons) = (reading.void, reading.words, reading.reasons)
            trial.figures = reading.figures
        }
        if let usage = kept?.takeUsage() { (trial.figures.processor, trial.figures.memoryBytes) = usage }
        take(trial)
        try save()
        say(FindText.line(trial, left: options.terms.budget - elapsed))
        if let words = kept?.ending {
            record.detail = "the relay \(words)"
            return search.stop(.relayDied)
        }
        guard let kept else { return }
        let patience = Interval.seconds(max(30, Self.patience * seconds))
        switch try kept.rest(atMost: patience, signals) {
        case .resting: break
        case .interrupted: search.stop(.stopped)
        case .busy:
            record.detail = "\(patience) after the trial at \(FindText.rate(rate, record.axis)) it still pushed"
            search.stop(.noRecovery)
        }
    }

    /// Puts a trial on record, and tells the search.
    private func take(_ trial: FindRecord.Trial) {
        record.trials.append(trial)
        guard trial.kind != .warmUp else { return }
        if record.trials.count > attempts.values.reduce(0, +) {
            attempts["\(trial.kind.rawValue) \(trial.place)", default: 0] += 1
        }
        if let void = trial.void {
            search.recordVoid()
            if case .stop = search.next { record.detail = "\(FindText.rate(trial.rate, record.axis)): \(void)" }
        } else {
            search.record(trial.words)
            for rule in trial.figures.broken { record.broken[rule] = min(record.broken[rule] ?? .infinity, trial.rate) }
        }
        for index in record.goals.indices { record.goals[index].result = FindRecord.Result(search, goal: index) }
    }

    private var elapsed: Double { spent + (time.now() - began).seconds }

    // MARK: The end

    private func conclude(_ reason: StopReason) throws(Failure) -> ExitCode {
        record.stop = reason
        for index in record.goals.indices { record.goals[index].result = FindRecord.Result(search, goal: index) }
        try save()
        Console.out(options.printsJSON ? record.json.text + "\n" : FindText.text(record, folder: folder))
        return ExitCode(rawValue: record.exitCode(atLeast: options.atLeast)) ?? .couldNotRun
    }

    private func save() throws(Failure) {
        record.duration = .seconds(elapsed)
        try FindFiles.write(record, to: folder)
    }

    private func say(_ text: String) { if !options.isQuiet { Console.error(text) } }
}
