import Basics
import Harness

extension Verb {
    static let prove = Verb(
        name: "prove", operand: "SCENARIO…",
        summary: "Proves that cases or scenarios find each defect of the reference relay, and acquit it without",
        example: "pushrig prove Scenarios/conformance/environments.yaml --only keeps-old-token",
        options: [
            Option("--only", "NAME", isRepeatable: true, "defect, or honest for the relay without one"),
            Option("--slow", "cases of more than a minute, too"),
            Option("--write", "FILE", "page whose table of defects and cases is written anew"),
            Option("--against", "FILE", "page whose table is tested, each defect by the cases of its row"),
            Option("--lanes", "N", "cases side by side, 1 to 64 (default: 7 a processor, up to 14)"),
            Option("--seed", "N", "number from which chance follows (default 1)"),
            Option("--out", "DIR", "folder of the proof (default Reports/<time>-prove)"),
            Option("--quiet", "only the result"),
        ]
    ) { arguments, invocation in
        guard let path = arguments.operands.first else {
            throw Failure(
                .usage, "SCENARIO is missing", hint: "for example: pushrig prove Scenarios/conformance/environments.yaml")
        }
        var options = CheckOptions(path: path)
        options.morePaths = Array(arguments.operands.dropFirst())
        options.only = arguments.all("--only")
        options.isSlow = arguments.has("--slow")
        options.writes = arguments.text("--write")
        options.against = arguments.text("--against")
        options.lanes = try arguments.integer("--lanes", in: 1...64)
        options.seed = try arguments.integer("--seed", in: 0...UInt64.max)
        options.outputDirectory = arguments.text("--out")
        options.isQuiet = arguments.has("--quiet")
        options.command = invocation.command
        return try ProveCommand(options, signals: invocation.signals).run()
    }

    static let check = Verb(
        name: "check", operand: "PROFILE|SCENARIO",
        summary: "Tests a relay with all small cases that its profile allows, and judges each",
        example: """
            pushrig check Scenarios/smoke.yaml --only R0.22
                     pushrig check my-profile.yaml -- ./my-relay '{{relay.port}}' '{{mock.apns}}'
            """,
        options: [
            Option("--relay", "URL", "URL of a relay that runs already, for a PROFILE without a command behind --"),
            Option("--mock", "DIR", "state directory of a mock that is up, whose place each case takes in turn"),
            Option("--mock-address", "ADDR", "with --relay: where it looks for APNs, such as 127.0.0.1:2197"),
            Option("--mock-state", "DIR", "with --relay: state directory of the mock whose key it has"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "key of the scenario and its new value"),
            Option("--only", "WORD", isRepeatable: true, "case, or all cases of a rule or claim, such as R0.22"),
            Option("--skip", "WORD", isRepeatable: true, "case, or all cases of a rule or claim, to leave out"),
            Option("--list", "prints the cases, and why one cannot be played; plays nothing"),
            Option("--slow", "cases of more than a minute, too"),
            Option("--stepped", "steps the clock where a case allows it and the relay takes part (docs/time.md)"),
            Option("--lanes", "N", "cases side by side, 1 to 64 (default: 7 a processor, up to 14)"),
            Option("--seed", "N", "number from which chance follows (default: a new one)"),
            Option("--out", "DIR", "folder of the check (default Reports/<time>-check)"),
            Option(
                "--known-failing", "RULE", isRepeatable: true,
                "rule that is allowed to break; if it is kept, the check fails"),
            Option("--strict", "rules of level should count like those of level must"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json|sarif", "output form (default text)"),
            Option("--allow-host", "NAME", isRepeatable: true, "host that may be called, beside loopback"),
        ]
    ) { arguments, invocation in
        guard let path = arguments.operands.first else {
            throw Failure(.usage, "check needs a profile or a scenario", hint: "such as pushrig check Scenarios/smoke.yaml")
        }
        var options = CheckOptions(path: path)
        options.launch = Array(arguments.operands.dropFirst())
        options.relayURL = arguments.text("--relay")
        options.mock = arguments.text("--mock")
        options.mockAddress = arguments.text("--mock-address")
        options.mockState = arguments.text("--mock-state")
        options.overrides = try arguments.overrides("--set")
        options.only = arguments.all("--only")
        options.skip = arguments.all("--skip")
        options.listsOnly = arguments.has("--list")
        options.isSlow = arguments.has("--slow")
        options.isStepped = arguments.has("--stepped")
        options.lanes = try arguments.integer("--lanes", in: 1...64)
        options.seed = try arguments.integer("--seed", in: 0...UInt64.max)
        options.outputDirectory = arguments.text("--out")
        options.knownFailing = arguments.all("--known-failing")
        options.isStrict = arguments.has("--strict")
        options.isQuiet = arguments.has("--quiet")
        options.format = try OutputFormat.chosen(arguments)
        options.allowHosts = arguments.all("--allow-host")
        options.isInWorkflow = Invocation.environment("GITHUB_ACTIONS") == "true"
        options.command = invocation.command
        return try CheckCommand(options, signals: invocation.signals).run()
    }
}
