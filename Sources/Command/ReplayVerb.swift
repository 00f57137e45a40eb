import Basics
import Harness

extension Verb {
    static let replay = Verb(
        name: "replay", operand: "RUN|FILE",
        summary: "Plays a recorded run again, with the same calls, pauses and faults; says if the verdict is the same",
        example: """
            pushrig replay Reports/latest --session 12
                     pushrig replay session-12.ndjson --speed 2 -- ./my-relay --port '{{relay.port}}' --apns '{{mock.apns}}'

            RUN is a run directory, also of a run that was killed or of a case of `pushrig check`; FILE is what `pushrig export`
            wrote. A command behind -- launches another relay than the recorded one. Exits as the run does.
            """,
        options: [
            Option("--session", "N", "only session N, and those that share its user's tokens"),
            Option("--speed", "N", "speed of the plan, times the recorded one (default 1); deadlines and windows stay"),
            Option("--clock-scale", "N", "speed of the run's clock, up to 3600 times real time (default: the scenario's)"),
            Option("--stepped", "steps the run's clock: it jumps when nothing is under way (docs/time.md)"),
            Option("--relay", "URL", "URL of a relay that runs already, in place of the recorded one"),
            Option("--mock-address", "ADDR", "with --relay: where it looks for APNs, such as 127.0.0.1:2197"),
            Option("--mock-state", "DIR", "with --relay: state directory of the mock whose key it has"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "key of the scenario, not of its plan, and its new value"),
            Option("--gate", "'EXPR'", isRepeatable: true, "further gate, such as 'lost == 0'"),
            Option(
                "--known-failing", "RULE", isRepeatable: true,
                "rule that is allowed to break; if it is kept, the run fails"),
            Option("--strict", "rules of level should count like those of level must"),
            Option("--out", "DIR", "folder of the run (default Reports/<time>-<scenario>-replay)"),
            Option("--dry-run", "prints the plan and its digest, starts nothing"),
            Option("--plain", "progress as lines, not a live panel"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json|sarif", "output form (default text)"),
            Option("--full-tokens", "tokens in full"),
            Option("--allow-host", "NAME", isRepeatable: true, "host that may be called, beside loopback"),
        ]
    ) { arguments, invocation in
        guard let path = arguments.operands.first else {
            throw Failure(
                .usage, "replay needs the directory of a run, or a file of `pushrig export`",
                hint: "such as pushrig replay Reports/latest")
        }
        var options = ReplayOptions(path: path)
        options.launch = Array(arguments.operands.dropFirst())
        options.session = try arguments.integer("--session", in: 0...UInt32.max)
        options.speed = try arguments.number("--speed", above: 0) ?? 1
        options.relayURL = arguments.text("--relay")
        options.mockAddress = arguments.text("--mock-address")
        options.mockState = arguments.text("--mock-state")
        options.overrides = try arguments.overrides("--set")
        if let text = arguments.text("--clock-scale") { options.overrides.append(("clockScale", text)) }
        if arguments.has("--stepped") { options.overrides.append(("clock", "stepped")) }
        options.gates = arguments.all("--gate")
        options.knownFailing = arguments.all("--known-failing")
        options.isStrict = arguments.has("--strict")
        options.run.outputDirectory = arguments.text("--out")
        options.run.isDryRun = arguments.has("--dry-run")
        options.run.isPlain = arguments.has("--plain")
        options.run.isQuiet = arguments.has("--quiet")
        options.run.format = try OutputFormat.chosen(arguments)
        options.run.showsFullTokens = arguments.has("--full-tokens")
        options.run.allowHosts = Set(arguments.all("--allow-host"))
        options.run.command = invocation.command
        return try ReplayCommand(options, signals: invocation.signals).run()
    }
}
