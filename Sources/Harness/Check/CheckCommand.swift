// `pushrig check`: asks a relay all that its profile can be asked, case by case, each in a run of its own.

package import Basics
import Cases
import Conformance
import EventLoop
import Net
import OperatingSystem
import Reports
import Scenarios
import Verdicts

/// One check. Confined to the thread that makes it; blocks that thread until all cases are over.
package final class CheckCommand {
    private let options: CheckOptions
    private let signals: Signals
    private let time = SystemTime()

    /// `signals` must have been made before any thread was started.
    package init(_ options: CheckOptions, signals: Signals) {
        self.options = options
        self.signals = signals
    }

    package func run() throws(Failure) -> ExitCode {
        try Preflight.checkRules(options.knownFailing, "--known-failing", [])
        if let mock = options.mock {
            guard options.mockAddress == nil, options.mockState == nil else {
                throw Failure(
                    .usage, "--mock names a mock that is up, with its address and its state",
                    hint: "leave --mock-address and --mock-state out")
            }
            if !options.listsOnly { _ = try MockPlace(of: mock) }
        }
        let started = (wall: time.wall(), at: time.now())
        let wanted = options.outputDirectory.map { FileSystem.absolute($0) ?? $0 }
        let folder = wanted ?? RunDirectory.fresh("check", at: started.wall)
        let base = try CheckBase(options, directory: folder)
        try checkTarget(base.relay)
        let plan = try CheckPlan(options, base)
        let planned = withoutMoreTokens(try chosen(plan.cases), base.relay)
        say(RunCommand.warnings(base.relay.profile))
        if options.listsOnly {
            Console.out(list(planned, plan))
            return .passed
        }
        guard !FileSystem.exists(folder + "/check.json") else {
            throw Failure(.usage, "\(folder) holds a check already", hint: "choose an empty folder with --out DIR")
        }
        try FileSystem.makeDirectory(folder + "/cases")
        try base.write()
        let seed = options.seed ?? Seed(UInt64(bitPattern: started.wall.nanoseconds)).child("check").value
        var lanes = CheckLanes(count: laneCount(base.relay), folder: folder, arguments: arguments, signals: signals)
        lanes.executable = options.executable
        lanes.isOneRelay = base.relay.launch == nil
        let played = planned.compactMap { item -> (item: Case, play: CheckPlan.Play)? in
            guard case .runs(let item) = item, let play = plan.play(item) else { return nil }
            return (item, play)
        }
        // Those that take longest begin first, and the others fill the lanes beside them.
        for (item, play) in lanes.isOneRelay ? played : played.sorted(by: { $0.play.takes > $1.play.takes }) {
            let path = "\(folder)/cases/\(item.name).yaml"
            let own = Seed(seed).child(item.name)
            try FileSystem.write(item.text(extending: base.path, seed: own.value, clock: play.clock), to: path)
            lanes.add(CheckLanes.Job(name: item.name, item: item, play: play, scenario: path, seed: own))
        }
        say("\(Numbers.count(lanes.waiting, "case")), \(lanes.count) side by side, seed \(seed), report in \(folder)\n")
        let results = try lanes.play { _, result in
            say("  \(CheckText.line(result))\n")
            return []
        }
        let command = options.seed == nil ? CommandText.seeded(options.command, verb: "check", seed) : options.command
        var record = CheckRecord(
            subject: options.path, profile: base.relay.profile.name, command: command, seed: seed,
            startedAt: started.wall, duration: time.now() - started.at, toolVersion: Build.version, commit: Build.commit,
            cases: planned.map { result(of: $0, in: results, plan, lanes.whyStopped) })
        record.isInterrupted = lanes.isInterrupted
        record.unasked = plan.rulesUnasked(but: Set(results.keys))
        // As it was named; it may be gone by now.
        let subject = (try? CheckBase.read(options.path)) ?? ""
        try CheckFiles.writeAll(record, text: subject, to: folder)
        switch options.format {
        case .json: Console.out(record.json.text + "\n")
        case .sarif: Console.out(SarifReport.json(record, text: subject).text + "\n")
        case .text:
            Console.out(CheckText.text(record, directory: folder, color: Console.wantsColor(1)))
            if options.isInWorkflow { Console.out(CheckText.annotations(record)) }
        }
        return ExitCode(rawValue: record.exit.code) ?? .couldNotRun
    }

    private func say(_ text: String) { if !options.isQuiet { Console.error(text) } }

    /// A relay that runs already has one mock, and takes one case at a time.
    private func laneCount(_ relay: RelaySpec) -> Int {
        guard relay.launch != nil, options.mock == nil else { return 1 }
        return options.lanes ?? CheckLanes.usualCount
    }

    private var arguments: [String] {
        var words: [String] = []
        for (path, value) in options.overrides { words += ["--set", "\(path)=\(value)"] }
        if let mock = options.mock { words += ["--mock", FileSystem.absolute(mock) ?? mock] }
        for rule in options.knownFailing { words += ["--known-failing", rule] }
        for host in options.allowHosts { words += ["--allow-host", host] }
        return options.isStrict ? words + ["--strict"] : words
    }

    /// Whether it may be called at all, said once and not by each case.
    private func checkTarget(_ relay: RelaySpec) throws(Failure) {
        guard relay.launch == nil, !options.listsOnly, !relay.url.contains("{{") else { return }
        _ = try TargetPolicy.check(Origin(parsing: relay.url), allowHosts: Set(options.allowHosts))
    }

    // MARK: Which cases

    /// A relay that runs already has one provider token for all cases, and Apple grants a new one every twenty minutes: only
    /// the first of them may call it expired.
    private func withoutMoreTokens(_ cases: [PlannedCase], _ relay: RelaySpec) -> [PlannedCase] {
        guard relay.launch == nil else { return cases }
        var first: String?
        return cases.map { item in
            guard case .runs(let own) = item, own.says("ExpiredProviderToken") else { return item }
            guard let first else {
                first = own.name
                return item
            }
            return .cannot(
                name: own.name, question: own.question,
                reason: "the relay signs anew for it, as for `\(first)`, which Apple grants each 20 minutes: ask it alone")
        }
    }

    private func chosen(_ cases: [PlannedCase]) throws(Failure) -> [PlannedCase] {
        for word in options.only + options.skip {
            if cases.contains(where: { Self.matches($0, word) }) { continue }
            guard RuleBook.rule(named: word) != nil || Claim.named(word) != nil else {
                throw Failure(
                    .usage, "there is no case, rule or claim `\(word)`",
                    hint: Suggestion.hint(for: word, among: cases.map(\.name)))
            }
            guard options.only.contains(word) else { continue }
            throw Failure(
                .usage, "no case puts `\(word)` to the test", hint: "`pushrig explain \(word)` tells what is known of it")
        }
        let kept = cases.filter { item in
            (options.only.isEmpty || options.only.contains { Self.matches(item, $0) })
                && !options.skip.contains { Self.matches(item, $0) }
        }
        guard !kept.isEmpty else {
            throw Failure(
                .usage, "no case is left: --skip leaves none over",
                hint: "`pushrig check \(options.path) --list` tells what there is")
        }
        return kept
    }

    /// By its name, or by a rule or claim that it puts to the test.
    private static func matches(_ item: PlannedCase, _ word: String) -> Bool {
        if item.name == word { return true }
        guard case .runs(let item) = item else { return false }
        return RuleBook.all.contains { RuleBook.names([word], $0) && item.rules.contains($0.id) }
    }

    private func list(_ cases: [PlannedCase], _ plan: CheckPlan) -> String {
        cases.map { item in
            switch item {
            case .runs(let item):
                "\(item.name)\(Self.aside(plan.play(item), item)): \(item.question)\n"
                    + "    \(item.exercises.joined(separator: ", "))\n"
                    + (item.touches.isEmpty ? "" : "    perhaps \(item.touches.joined(separator: ", "))\n")
            case .cannot(let name, let question, let reason): "\(name): \(question)\n    not exercised: \(reason)\n"
            }
        }.joined()
    }

    /// What is unusual of its time.
    private static func aside(_ play: CheckPlan.Play?, _ item: Case) -> String {
        switch play?.clock {
        case nil: " (--slow, \(Numbers.duration(item.duration)))"
        case .stepped: " (stepped)"
        case .scaled(let scale): " (\(scale) times as fast)"
        case .asItIs, .running: ""
        }
    }

    private func result(
        of planned: PlannedCase, in results: [String: CaseResult], _ plan: CheckPlan, _ whyStopped: String?
    ) -> CaseResult {
        if let result = results[planned.name] { return result }
        switch planned {
        case .cannot(let name, let question, let reason):
            var result = CaseResult(name: name, question: question, verdict: .notExercised)
            result.reasons = [reason]
            return result
        case .runs(let item):
            var result = CaseResult(name: item.name, question: item.question, verdict: .notExercised)
            (result.exercises, result.touches) = (item.exercises, item.touches)
            result.reasons = [
                plan.play(item) == nil
                    ? "needs \(Numbers.duration(item.duration)): run it with --slow, or let the relay share a clock"
                    : whyStopped ?? "ended before its turn came"
            ]
            return result
        }
    }
}
