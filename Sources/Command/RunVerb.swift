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
            Option("--mock", "DIR", "a mock that is up on this state directory: the run has its place until it is over"),
            Option("--clock-scale", "N", "how many times as fast as real time the run's clock runs, at most 3600"),
            Option("--stepped", "the run's clock moves only when nothing is in flight, and then at once"),
            Option("--strict", "what the relay should do counts like what it must"),
            Option("--dry-run", "prints the plan and its digest, starts nothing"),
            Option("--plain", "lines instead of the live panel"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json", "what is printed at the end"),
            Option("--full-tokens", "tokens in full in the report"),
            Option("--allow-host", "NAME", isRepeatable: true, "a host other than loopback that may be called"),
            Option("--shard", "I/N", "only the I-th of N parts of the plan, I from 0"),
            Option("--start-at", "TIME", "when the load begins, such as 2026-11-21T10:00:00Z"),
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
        options.isPlain = arguments.has("--plain")
        options.isQuiet = arguments.has("--quiet")
        options.printsJSON = try arguments.one(of: ["text", "json"], "--format") == "json"
        options.showsFullTokens = arguments.has("--full-tokens")
        options.allowHosts = Set(arguments.all("--allow-host"))
        options.mock = arguments.text("--mock")
        options.command = invocation.command
        options.overrides = try arguments.overrides("--set")
        if let text = arguments.text("--clock-scale") { options.overrides.append(("clockScale", text)) }
        if arguments.has("--stepped") { options.overrides.append(("clock", "stepped")) }
        if let text = arguments.text("--shard") {
            let parts = text.split(separator: "/").map { Int($0) }
            guard parts.count == 2, let index = parts[0], let count = parts[1], 0 <= index, index < count,
                RunOptions.shardCounts.contains(count)
            else {
                throw Failure(
                    .usage, "--shard \(text) is not one of 0/N to N-1/N with N up to 1000000", hint: "for example --shard 0/4")
            }
            options.shard = (index, count)
        }
        if let text = arguments.text("--start-at") {
            guard let wall = WallTime(iso8601: text) else {
                throw Failure(.usage, "--start-at \(text) is not a time", hint: "for example 2026-11-21T10:00:00Z")
            }
            options.startAt = wall
        }
        return try RunCommand(options, signals: invocation.signals).run()
    }
}
