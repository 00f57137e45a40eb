import Basics
import Harness

extension Verb {
    static let run = Verb(
        name: "run", operand: "SCENARIO",
        summary: "Starts mock and relay, makes a scenario's calls, judges, writes the report",
        example: "pushrig run Scenarios/quickstart.yaml --gate 'delivery.p99 < 20s'",
        options: [
            Option("--seed", "N", "number from which chance follows (default: the scenario's or a new one)"),
            Option("--out", "DIR", "folder of the run (default Reports/<time>-<scenario>)"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "key of the scenario and its new value"),
            Option("--gate", "'EXPR'", isRepeatable: true, "further gate, such as 'lost == 0'"),
            Option(
                "--known-failing", "RULE", isRepeatable: true,
                "rule that is allowed to break; if it is kept, the run fails"),
            Option(
                "--mock", "DIR|URL", isRepeatable: true,
                "state directory of a mock that is up, whose place the run takes; for shards: its admin API"),
            Option("--clock-scale", "N", "speed of the run's clock, up to 3600 times real time (default: the scenario's)"),
            Option("--stepped", "steps the run's clock: it jumps when nothing is under way (docs/time.md)"),
            Option("--strict", "rules of level should count like those of level must"),
            Option("--dry-run", "prints the plan and its digest, starts nothing"),
            Option(
                "--watch", "[ADDR:]PORT",
                "address of the live page, its JSON and /metrics for Prometheus (ADDR: 127.0.0.1; port 0: any)"),
            Option("--otlp", "URL", "OpenTelemetry collector that gets the run's metrics, such as http://127.0.0.1:4318"),
            Option("--plain", "progress as lines, not a live panel"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json|sarif", "output form (default text)"),
            Option("--full-tokens", "tokens in full"),
            Option("--allow-host", "NAME", isRepeatable: true, "host that may be called, beside loopback"),
            Option(
                "--shard", "I/N|auto",
                "part I of N of the plan, I from 0; auto: as Kubernetes, Slurm, MPI or GNU parallel says"),
            Option("--shards", "N", "number of shards, for auto (default: PUSHRIG_SHARDS, or Slurm's or MPI's)"),
            Option("--run-id", "ID", "name of the run for all shards (default: PUSHRIG_RUN, or Slurm's job)"),
            Option("--barrier", "DIR|URL", "where shards wait for all: a shared folder, or a mock's admin API"),
            Option("--barrier-wait", "TIME", "longest wait at --barrier (default 2m)"),
            Option("--start-at", "TIME", "when the load begins, such as 2026-11-21T10:00:00Z; a late run sends nothing"),
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

    /// The shard that the command line names; nil: the run is in one piece. Throws a usage failure for an option of shards
    /// without `--shard`.
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
