import Basics
import Harness

extension Verb {
    static let prove = Verb(
        name: "prove", operand: "SCENARIO…",
        summary: "Asks cases or scenarios whether they convict: the reference relay as it is, and with each defect",
        example: "pushrig prove Scenarios/conformance/environments.yaml --only keeps-old-token",
        options: [
            Option("--only", "NAME", isRepeatable: true, "a defect, or honest"),
            Option("--slow", "cases of more than a minute, too"),
            Option("--write", "FILE", "puts the map of defects and cases between the markers of a page"),
            Option("--against", "FILE", "quick: only what the map of that page names, and held against it"),
            Option("--lanes", "N", "cases side by side; as many as the machine carries"),
            Option("--seed", "N", "chance of all cases (default 1)"),
            Option("--out", "DIR", "where the map goes; default Reports/<time>-prove"),
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
        summary: "Asks a relay all that its profile can be asked, case by case, and judges each",
        example: "pushrig check Scenarios/smoke.yaml --only R0.22",
        options: [
            Option("--relay", "URL", "where the relay of a profile runs already; without it its command stands behind --"),
            Option("--mock", "DIR", "a mock that is up on this state directory: each case has its place in turn"),
            Option("--mock-address", "ADDR", "where such a relay looks for APNs, such as 127.0.0.1:2197"),
            Option("--mock-state", "DIR", "folder of the mock's keys and authority, as such a relay knows them"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "changes one value of the scenario"),
            Option("--only", "WORD", isRepeatable: true, "a case, or the cases of a rule or a claim, such as R0.22"),
            Option("--skip", "WORD", isRepeatable: true, "the same, left out"),
            Option("--list", "prints the cases, and why one cannot be run; runs nothing"),
            Option("--slow", "cases of more than a minute, too"),
            Option("--stepped", "what can be goes by a clock that is stepped, for a relay that takes part in one"),
            Option("--lanes", "N", "cases side by side; as many as the machine carries"),
            Option("--seed", "N", "chance of all cases; a new one that is printed"),
            Option("--out", "DIR", "where the report goes; default Reports/<time>-check"),
            Option(
                "--known-failing", "RULE", isRepeatable: true,
                "a rule that is known to break; one that heals fails the check"),
            Option("--strict", "what the relay should do counts like what it must"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json|sarif", "what is printed at the end"),
            Option("--allow-host", "NAME", isRepeatable: true, "a host other than loopback that may be called"),
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
