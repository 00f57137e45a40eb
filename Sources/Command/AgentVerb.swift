import Basics
import Harness

extension Verb {
    static let lint = Verb(
        name: "lint", operand: "FILE…",
        summary: "Reports errors and warnings in scenarios and profiles; starts nothing",
        example: "pushrig lint Scenarios/*.yaml Scenarios/relays/*.yaml",
        options: [
            Option("--strict", "fails on warnings, too (exit code 2)"),
            Option("--format", "text|json", "a line for each mistake, or one JSON array (default text)"),
        ]
    ) { arguments, _ in
        guard !arguments.operands.isEmpty else {
            throw Failure(.usage, "FILE is missing", hint: "for example: pushrig lint Scenarios/smoke.yaml")
        }
        var command = LintCommand(files: arguments.operands)
        command.isStrict = arguments.has("--strict")
        command.printsJSON = try arguments.one(of: ["text", "json"], "--format") == "json"
        return command.run()
    }

    static let mcp = Verb(
        name: "mcp",
        summary: "Serves verbs as tools for agents (Model Context Protocol), over standard input and output",
        example: """
            pushrig mcp

            An agent's settings name the command `pushrig` with the argument `mcp`. Tools: check, run, find, judge, journal,
            lint, explain, list, start_mock, stop_mock and mock_request.
            """,
        options: []
    ) { arguments, invocation in
        try arguments.noOperands()
        let folder = "a run's folder, such as Reports/latest"
        let tools: [AgentTool] = [
            check.tool(
                .one("subject", "a profile, or a scenario that says how the relay is started"),
                command: "launches the relay of a profile; {{mock.apns}} and other words are filled in", usual: ["--quiet"]),
            run.tool(
                .one("scenario", "a scenario's file, or the name of a shipped one, such as quickstart"), usual: ["--quiet"]),
            find.tool(.one("scenario", "a scenario's file"), usual: ["--quiet"]),
            judge.tool(.one("run", folder)), journal.tool(.one("run", folder + ", or a mock's state directory")),
            lint.tool(.many("files", "scenarios and profiles")),
            explain.tool(.one("id", "such as BadDeviceToken, last-state-delivered or R0.22")),
            list.tool(.one("kind", "such as reasons, rules, claims, faults or metrics")),
        ]
        let mock = mock.tool(
            .none, without: ["--health", "--print-env", "--format", "--apns", "--admin"],
            usual: ["--apns=127.0.0.1:0", "--admin=127.0.0.1:0", "--channels=none"])
        return try AgentServer(tools: tools, mock: mock).run(signals: invocation.signals)
    }

    /// The verb as a tool, without the options in `left` and those for people. `usual` are given where the agent does not.
    private func tool(
        _ operand: AgentTool.Operand, command: String? = nil, without left: [String] = [], usual: [String] = []
    ) -> AgentTool {
        // Live panels and pages are for people.
        let left = left + ["--quiet", "--plain", "--watch"]
        return AgentTool(
            verb: name, summary: summary, operand: operand, command: command,
            options: options.filter { !left.contains($0.name) }.map {
                AgentTool.Option(name: $0.name, value: $0.value, help: $0.help, isRepeatable: $0.isRepeatable)
            }, usual: usual)
    }
}
