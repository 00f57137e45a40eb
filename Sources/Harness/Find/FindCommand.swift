// `pushrig find`: searches the highest load that a relay carries, trial by trial, and keeps what it knows at each.

package import Basics
import Capacity
import EventLoop
import OperatingSystem
import Planning
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

    /// How long a relay may take to come to rest, in lengths of the trial before.
    private static let patience = 6.0

    /// `signals` must have been made before any thread was started. Throws what the user can mend.
    package init(_ options: FindOptions, signals: Signals) throws(Failure) {
        var options = options
        var former: FindRecord?
        if let resumed = options.resume {
            let found = try FindFiles.read(at: resumed)
            (options.asked, options.seed) = (found.asked, found.seed)
            let budget = options.terms.budget
            options.terms = found.terms
            if options.givesBudget { options.terms.budget = max(budget, found.terms.budget) }
            former = found
        }
        var asked = options.asked
        let scenario = try Scenario.load(
            path: asked.scenarioPath, overrides: options.overrides, searchPath: ScenarioFolders.all)
        // A search may be taken up again from another folder.
        let path = FileSystem.absolute(scenario.path) ?? scenario.path
        (asked.scenarioPath, options.asked.scenarioPath) = (path, path)
        try Preflight.check(scenario)
        try FindCheck.check(scenario, options)
        goals = try FindGoals(asked.gates, scenario: scenario, keepsRelay: FindCheck.keepsRelay(scenario, options))
        seed = Seed(options.seed ?? scenario.seed ?? Seed(UInt64(bitPattern: time.wall().nanoseconds)).child("find").value)
        plan = try FindPlan(scenario, axis: asked.axis)
        try FindCheck.check(options.terms, plan, goals)
        self.options = options
        self.signals = signals
        self.scenario = scenario
        began = time.now()
        spent = former?.duration.seconds ?? 0
        let chosen = (options.resume ?? options.outputDirectory).map { FileSystem.absolute($0) ?? $0 }
        folder = chosen ?? RunDirectory.fresh("find-\(scenario.name)", at: time.wall())
        let own = Plan(scenario: scenario, seed: seed, run: 1)
        record = FindRecord(
            asked, planDigest: own.digest(), filesDigest: Self.digest(scenario), seed: seed.value,
            command: options.command, terms: options.terms, goals: goals.goals, startedAt: former?.startedAt ?? time.wall(),
            toolVersion: Build.version, machine: .current)
        record.warmUp = plan.warmUp
        record.mix = plan.mix(own.summary)
        search = CapacitySearch(options.terms, goals: goals.goals.count)
        guard let former else { return }
        record.command = former.command
        record.noiseFloor = former.noiseFloor
        guard former.planDigest == record.planDigest, former.filesDigest == record.filesDigest,
            former.toolVersion == record.toolVersion
        else {
            throw Failure(
                .usage,
                "\(asked.scenarioPath), a file that it names, or pushrig, is another than when the search in \(folder) began",
                hint: "begin another search")
        }
        for trial in former.trials {
            guard isExpected(trial) else {
                throw Failure(
                    .usage, "trial \(trial.number) in \(folder)/find.json is not one that this search would have made there",
                    hint: "the file was changed: begin another search")
            }
            take(trial, again: true)
        }
    }

    /// Of all files of the scenario, the relay's words included.
    private static func digest(_ scenario: Scenario) -> String {
        let seed = scenario.sources.reduce(Seed(0)) { $0.child($1.text) }
        return String(seed.value, radix: 16)
    }

    package func run() throws(Failure) -> ExitCode {
        signals.attend()
        if options.resume == nil, FileSystem.exists(folder + "/find.json") {
            throw Failure(
                .usage, "\(folder) holds a search already", hint: "choose an empty folder, or go on with --resume \(folder)")
        }
        try FileSystem.makeDirectory(folder + "/trials")
        say(FindText.head(record, sessions: plan.arrivals(at: options.terms.from), folder: folder))
        if record.noiseFloor == nil { record.noiseFloor = try noiseFloor() }
        var kept: KeptRelay?
        if FindCheck.keepsRelay(scenario, options) {
            var run = RunOptions(scenarioPath: options.asked.scenarioPath)
            run.allowHosts = Set(options.asked.allowHosts)
            run.executable = options.executable
            let rig = try RunDirectory(
                chosen: unused(folder + "/rig"), scenario: scenario.name, scenarioText: scenario.text, at: time.wall())
            kept = try KeptRelay(scenario, Plan(scenario: scenario, seed: seed, run: 1), in: rig, run)
        }
        defer { kept?.stop() }
        if let kept, !(try kept.comeUp(signals)) { search.stop(.stopped) }
        // One that was taken up again has a relay that is cold again.
        if options.resume == nil || kept != nil { try warmUp(kept) }
        while true {
            switch search.next {
            case .stop(let reason): return try conclude(reason)
            case .trial(let place, let seconds): try play(.trial, place, seconds, kept)
            case .confirm(let place, let seconds): try play(.confirm, place, seconds, kept)
            }
        }
    }

    private func noiseFloor() throws(Failure) -> Double? {
        let only = plan.overrides(rate: options.terms.from, only: NoiseFloor.length.seconds)
        let scenario = try Scenario.load(
            path: options.asked.scenarioPath, overrides: options.overrides + only, searchPath: ScenarioFolders.all)
        let floor = try NoiseFloor.measure(scenario, seed: seed, in: folder)
        if let floor { say(FindText.floor(floor, budget: scenario.latenessBudget)) }
        return floor
    }

    // MARK: Trials

    /// The first is for the relay's caches and compilers, and counts for nothing.
    private func warmUp(_ kept: KeptRelay?) throws(Failure) {
        guard case .trial(let place, let seconds) = search.next else { return }
        try play(.warmUp, place, seconds, kept)
    }

    private func play(
        _ kind: FindRecord.Trial.Kind, _ place: Int, _ seconds: Double, _ kept: KeptRelay?
    ) throws(Failure) {
        let length = plan.length(of: seconds)
        guard elapsed + length <= options.terms.budget else { return search.stop(.deadline) }
        let rate = search.grid.rate(place)
        var trial = trial(kind, place, seconds)
        // One that was killed meanwhile may have left something there.
        trial.folder = String(unused(folder + "/" + trial.folder).dropFirst(folder.count + 1))
        _ = kept?.takeUsage()
        let run = ChildRun(
            arguments: arguments(trial, kept), folder: folder + "/" + trial.folder, length: .seconds(length),
            executable: options.executable)
        let ending = try run.play(signals) { () throws(Failure) in try kept?.attend() }
        let usage = kept?.takeUsage(ofLoad: plan.warmUp + seconds)
        switch ending {
        case .interrupted: return search.stop(.stopped)
        case .failed(let words): trial.void = words
        case .record(let found):
            let reading = TrialReading(
                found, goals: goals.gates, common: goals.common, demandsMusts: kind == .confirm, waits: usage?.waits)
            (trial.void, trial.words, trial.reasons) = (reading.void, reading.words, reading.reasons)
            trial.figures = reading.figures
        }
        (trial.figures.processor, trial.figures.memoryBytes) = (usage?.processor, usage?.memory)
        // What it came to by then says nothing of the load.
        let death = kept?.ending.map { "the relay \($0)" }
        if let death { (trial.void, trial.words, trial.reasons) = (death, [], []) }
        take(trial)
        try save()
        say(FindText.line(trial, record.axis, left: options.terms.budget - elapsed))
        if let death {
            record.detail = death
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

    /// The next one, if it is that.
    private func trial(_ kind: FindRecord.Trial.Kind, _ place: Int, _ seconds: Double) -> FindRecord.Trial {
        let (number, rate) = (record.trials.count + 1, search.grid.rate(place))
        let attempt = record.trials.count { $0.kind == kind && $0.place == place } + 1
        return FindRecord.Trial(
            number: number, kind: kind, place: place, rate: rate, seconds: seconds,
            folder: "trials/\(String(1_000 + number).dropFirst())-\(FindText.plain(rate))",
            seed: seed.child("\(kind.rawValue) \(place)").child(UInt64(attempt)).value)
    }

    /// A record that goes on holds the trials that this search would have made, or its bounds are of another.
    private func isExpected(_ found: FindRecord.Trial) -> Bool {
        let wanted: FindRecord.Trial
        switch (search.next, found.kind) {
        case (.trial(let place, let seconds), .trial), (.trial(let place, let seconds), .warmUp),
            (.confirm(let place, let seconds), .confirm):
            wanted = trial(found.kind, place, seconds)
        default: return false
        }
        return found.number == wanted.number && found.place == wanted.place && found.rate == wanted.rate
            && found.seconds == wanted.seconds && found.seed == wanted.seed
    }

    private func arguments(_ trial: FindRecord.Trial, _ kept: KeptRelay?) -> [String] {
        let asked = options.asked
        var settings = options.overrides
        if let kept { settings += [("relay.launch", "null"), ("relay.url", kept.url)] }
        settings += goals.overrides + plan.overrides(rate: trial.rate, seconds: trial.seconds)
        var words = [asked.scenarioPath, "--seed", String(trial.seed)]
        for (path, value) in settings { words += ["--set", "\(path)=\(value)"] }
        for gate in goals.texts { words += ["--gate", gate] }
        for host in asked.allowHosts { words += ["--allow-host", host] }
        return (kept?.directory ?? asked.mock).map { words + ["--mock", $0] } ?? words
    }

    /// The path, with a number behind it where something is there already.
    private func unused(_ path: String) -> String {
        if !FileSystem.exists(path) { return path }
        return (2...).lazy.map { "\(path)-\($0)" }.first { !FileSystem.exists($0) }!
    }

    /// Puts a trial on record, and tells the search. `again`: in a search that is taken up again, where a machine that was
    /// busy then is no reason to stop.
    private func take(_ trial: FindRecord.Trial, again: Bool = false) {
        record.trials.append(trial)
        guard trial.kind != .warmUp else { return }
        if let void = trial.void {
            if again { return }
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
