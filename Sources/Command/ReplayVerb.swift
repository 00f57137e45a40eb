import Basics
import Harness

extension Verb {
    static let replay = Verb(
        name: "replay", operand: "RUN|FILE",
        summary: "Drives a recorded history again: the same calls, gaps and faults; says whether the verdict is the same",
        example: """
            pushrig replay Reports/latest --session 12
                     pushrig replay session-12.ndjson --speed 2 -- ./my-relay --port '{{relay.port}}' --apns '{{mock.apns}}'

            RUN is a run directory, also of a run that was killed or of a case of `pushrig check`; FILE is what `pushrig export`
            wrote. Behind -- stands a command that launches another relay than the recorded one. Exits as the run does.
            """,
        options: [
            Option("--session", "N", "only this session, and those that share its user's tokens"),
            Option("--speed", "N", "how many times as fast the plan is played (default 1); what the relay is held to stays"),
            Option("--clock-scale", "N", "how many times as fast as real time the run's clock runs, at most 3600"),
            Option("--stepped", "the run's clock moves only when nothing is in flight, and then at once"),
            Option("--relay", "URL", "where another relay runs already, in the place of the recorded one"),
            Option("--mock-address", "ADDR", "where such a relay looks for APNs, such as 127.0.0.1:2197"),
            Option("--mock-state", "DIR", "folder of the mock's keys and authority, as such a relay knows them"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "changes one value of the scenario that is no part of the plan"),
            Option("--gate", "'EXPR'", isRepeatable: true, "a further gate, such as 'lost == 0'"),
            Option(
                "--known-failing", "RULE", isRepeatable: true,
                "a rule that is known to break; one that heals fails the run"),
            Option("--strict", "what the relay should do counts like what it must"),
            Option("--out", "DIR", "where the report goes; default Reports/<time>-<scenario>-replay"),
            Option("--dry-run", "prints the plan and its digest, starts nothing"),
            Option("--plain", "lines instead of the live panel"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json|sarif", "what is printed at the end"),
            Option("--full-tokens", "tokens in full in the report"),
            Option("--allow-host", "NAME", isRepeatable: true, "a host other than loopback that may be called"),
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
