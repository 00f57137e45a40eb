import Basics
import Harness

extension Verb {
    static let run = Verb(
        name: "run", operand: "SCENARIO",
        summary: "Starts mock and relay, drives the load, judges, writes the report",
        example: "pushrig run Scenarios/quickstart.yaml --gate 'delivery.p99 < 20s'",
        options: [
            Option("--seed", "N", "chance of the run; the scenario's own, or a new one that is printed"),
            Option("--out", "DIR", "where the report goes; default Reports/<time>-<scenario>"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "changes one value of the scenario"),
            Option("--gate", "'EXPR'", isRepeatable: true, "a further gate, such as 'lost == 0'"),
            Option(
                "--known-failing", "RULE", isRepeatable: true,
                "a rule that is known to break; one that heals fails the run"),
            Option(
                "--mock", "DIR|URL", isRepeatable: true,
                "a mock that is up on this state directory, whose place the run has; for shards: the admin API of one"),
            Option("--clock-scale", "N", "how many times as fast as real time the run's clock runs, at most 3600"),
            Option("--stepped", "the run's clock moves only when nothing is in flight, and then at once"),
            Option("--strict", "what the relay should do counts like what it must"),
            Option("--dry-run", "prints the plan and its digest, starts nothing"),
            Option(
                "--watch", "[ADDR:]PORT",
                "serves a live page, its JSON and /metrics for Prometheus while the run goes on; port 0 picks one"),
            Option("--otlp", "URL", "posts the same metrics to a collector of OpenTelemetry, such as http://127.0.0.1:4318"),
            Option("--plain", "lines instead of the live panel"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json|sarif", "what is printed at the end"),
            Option("--full-tokens", "tokens in full in the report"),
            Option("--allow-host", "NAME", isRepeatable: true, "a host other than loopback that may be called"),
            Option("--shard", "I/N|auto", "only the I-th of N parts of the plan, I from 0; auto: as the environment says"),
            Option("--shards", "N", "of how many, for --shard auto where the environment does not say"),
            Option("--run-id", "ID", "names the run of all shards; default: what the environment says"),
            Option("--barrier", "DIR|URL", "where shards wait for each other: a shared folder, or a mock's admin API"),
            Option("--barrier-wait", "TIME", "how long at most (default 2m)"),
            Option("--start-at", "TIME", "when the load begins, such as 2026-11-21T10:00:00Z; later than that it does not"),
        ]
    ) { arguments, invocation in
        var options = RunOptions(
            scenarioPath: try arguments.onlyOperand("SCENARIO", example: "pushrig run Scenarios/quickstart.yaml"))
        options.seed = try arguments.integer("--seed", in: 0...UInt64.max)
        options.outputDirectory = arguments.text("--out")
        options.gates = arguments.all("--gate")
        options.knownFailing = arguments.all("--known-failing")
        options.isStrict = arguments.has("--strict")
        options.isDryRun = arguments.has("--dry-run")
        options.watch = arguments.text("--watch")
        options.otlp = arguments.text("--otlp")
        options.isPlain = arguments.has("--plain")
        options.isQuiet = arguments.has("--quiet")
        options.format = try OutputFormat.chosen(arguments)
        options.showsFullTokens = arguments.has("--full-tokens")
        options.allowHosts = Set(arguments.all("--allow-host"))
        options.mock = arguments.text("--mock")
        if arguments.all("--mock").count > 1, arguments.all("--mock").contains(where: { !PartOptions.isAddress($0) }) {
            throw Failure(.usage, "--mock is given twice", hint: "one state directory, or the admin APIs that all shards share")
        }
        options.command = invocation.command
        options.overrides = try arguments.overrides("--set")
        if let text = arguments.text("--clock-scale") { options.overrides.append(("clockScale", text)) }
        if arguments.has("--stepped") { options.overrides.append(("clock", "stepped")) }
        options.part = try part(arguments)
        if options.part?.mocks.isEmpty == false { options.mock = nil }
        if let text = arguments.text("--start-at") {
            guard let wall = WallTime(iso8601: text) else {
                throw Failure(.usage, "--start-at \(text) is not a time", hint: "for example 2026-11-21T10:00:00Z")
            }
            options.startAt = wall
        }
        return try RunCommand(options, signals: invocation.signals).run()
    }

    /// What of the command line is about shards; nil: all is run in one piece.
    private static func part(_ arguments: Arguments) throws(Failure) -> PartOptions? {
        let mocks = arguments.all("--mock").filter(PartOptions.isAddress)
        guard let text = arguments.text("--shard") else {
            let needing = ["--shards", "--run-id", "--barrier", "--barrier-wait"].first { arguments.has($0) }
            guard let lonely = needing ?? (mocks.isEmpty ? nil : "--mock \(mocks[0])") else { return nil }
            throw Failure(
                .usage, "\(lonely) is for shards", hint: "add --shard I/N, or --shard auto; one run alone is --shard 0/1")
        }
        let count = try arguments.integer("--shards", in: 1...1_000_000)
        var part = PartOptions(
            try ShardPlace(text, count: count, runID: arguments.text("--run-id"), environment: Invocation.environment))
        part.barrier = arguments.text("--barrier")
        part.patience = try arguments.duration("--barrier-wait") ?? part.patience
        part.mocks = mocks
        return part
    }
}
