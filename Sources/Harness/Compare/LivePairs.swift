// `pushrig compare --live`: plays both relays in turn, in pairs of one seed, the second pair the other way round: what drifts
// on the machine meets both alike.

package import Basics
import EventLoop
import Glibc
import Metrics
import OperatingSystem
import Planning
import Reports
import Scenarios
import Verdicts

/// Confined to the thread that makes it; blocks that thread until all pairs are played.
package final class LivePairs {
    private enum Side: String { case base, new }

    private let live: LiveOptions
    private var options: CompareOptions
    private let signals: Signals
    private let time = SystemTime()
    private let launches: [Side: [String]]
    private let seed: Seed
    private let length: Interval
    /// Both sides are played to their ends.
    private let againstAbort: [(path: String, value: String)]

    /// A pair of which one run is void, because of us, is played again so often.
    private static let mostAttempts = 3

    /// Throws a usage `Failure` for what can be known before anything starts.
    package init(_ live: LiveOptions, _ options: CompareOptions, signals: Signals) throws(Failure) {
        (self.live, self.options, self.signals) = (live, options, signals)
        try CompareCommand(options).check()
        guard live.base != nil || live.new != nil else {
            throw Failure(
                .usage, "both sides launch one relay", hint: "give --base 'COMMAND', --new 'COMMAND', or both")
        }
        var launches: [Side: [String]] = [:]
        if let base = live.base { launches[.base] = try CommandWords.split(base, "--base") }
        if let new = live.new { launches[.new] = try CommandWords.split(new, "--new") }
        self.launches = launches
        var overrides = live.overrides
        // A scenario may name none of its own.
        if let words = launches[.base] ?? launches[.new] { overrides.append(("relay.launch", Self.list(words))) }
        let scenario = try Scenario.load(path: live.scenario, overrides: overrides, searchPath: ScenarioFolders.all)
        try Preflight.check(scenario)
        againstAbort = scenario.overridesAgainstAbort
        let own = try? Scenario.load(path: live.scenario, overrides: live.overrides, searchPath: ScenarioFolders.all)
        guard launches.count == 2 || own?.relay.launch != nil else {
            throw Failure(
                .usage, "\(live.scenario) launches no relay of its own", hint: "give both --base 'COMMAND' and --new 'COMMAND'")
        }
        seed = Seed(options.seed ?? scenario.seed ?? 1)
        self.options.seed = seed.value
        // One by a stepped clock takes as long as its work.
        let planned = Plan(scenario: scenario, seed: seed, run: 0).duration + scenario.drain
        length = scenario.isStepped ? .zero : planned * (1 / scenario.clockScale)
        self.options.outputDirectory = options.outputDirectory
            ?? RunDirectory.fresh(scenario.name + "-compare", at: time.wall())
    }

    /// Plays all, then compares what was played. The exit code is that of the comparison.
    package func run() throws(Failure) -> ExitCode {
        let out = FileSystem.absolute(options.outputDirectory!) ?? options.outputDirectory!
        guard !FileSystem.exists(out + "/base") else {
            throw Failure(.usage, "\(out) holds a comparison already", hint: "choose an empty folder with --out DIR")
        }
        for folder in ["", "/base", "/new", "/warm", "/void"] { try FileSystem.makeDirectory(out + folder) }
        say("seed \(seed), \(live.pairs) pairs and a run of each to warm up, in \(out)\n")
        for side in [Side.base, .new] {
            guard try play(side, seed.child("warm"), out + "/warm/\(side.rawValue)") != nil else { return .interrupted }
        }
        for pair in 1...live.pairs { guard try play(pair, out) else { return .interrupted } }
        options.base = [out + "/base"]
        options.new = [out + "/new"]
        return try CompareCommand(options).run()
    }

    /// One pair, again where the machine spoilt it. False: a signal ended it.
    private func play(_ pair: Int, _ out: String) throws(Failure) -> Bool {
        let name = pair < 10 ? "0\(pair)" : "\(pair)"
        for attempt in 1...Self.mostAttempts {
            let order = pair % 2 == 1 ? [Side.base, .new] : [.new, .base]
            var lines: [String] = []
            var why: String?
            for side in order {
                let folder = "\(out)/\(side.rawValue)/\(name)"
                guard let record = try play(side, seed.child("pair \(pair)"), folder) else { return false }
                if let reason = record.voidReason { why = why ?? "\(side.rawValue): \(reason)" }
                lines.append("\(side.rawValue) \(record.exit.word), delivery p99 \(p99(record))")
                if why != nil { break }
            }
            guard let why else {
                say("pair \(pair) of \(live.pairs): \(lines.joined(separator: "; "))\n")
                return true
            }
            say("pair \(pair) of \(live.pairs) is void, \(why)\n")
            guard attempt < Self.mostAttempts else {
                throw Failure(
                    .usage, "pair \(pair) was void \(attempt) times: \(why)",
                    hint: "play on a quieter machine, or with less load")
            }
            for side in order {
                rename("\(out)/\(side.rawValue)/\(name)", "\(out)/void/\(side.rawValue)-\(name)-\(attempt)")
            }
        }
        return true
    }

    /// One run to its end, as `pushrig run` of its own. Nil: a signal ended it.
    private func play(_ side: Side, _ seed: Seed, _ folder: String) throws(Failure) -> RunRecord? {
        var words = [live.scenario, "--seed", "\(seed)"]
        for override in live.overrides + againstAbort { words += ["--set", "\(override.path)=\(override.value)"] }
        if let launch = launches[side] { words += ["--set", "relay.launch=\(Self.list(launch))"] }
        for host in live.allowHosts { words += ["--allow-host", host] }
        let record: RunRecord
        switch try ChildRun(arguments: words, folder: folder, length: length).play(signals) {
        case .interrupted: return nil
        case .record(let found): record = found
        case .failed(let why):
            throw Failure(.run, "the \(side.rawValue) relay could not be run: \(why)", hint: "see \(folder).log")
        }
        guard record.exit.code != 1 else {
            throw Failure(
                .run, "the \(side.rawValue) relay could not be run: \(record.exit.reasons.first ?? "it was never ready")",
                hint: "see \(folder)/relay.log")
        }
        return record
    }

    private func p99(_ record: RunRecord) -> String {
        Numbers.duration(nanoseconds: record.correlation.delivery.value(at: 99))
    }

    private func say(_ text: String) { if !options.isQuiet { Console.error(text) } }

    private static func list(_ words: [String]) -> String { "[\(words.map(CheckBase.quoted).joined(separator: ", "))]" }
}
