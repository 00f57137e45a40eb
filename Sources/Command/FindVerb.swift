import Basics
import Harness

extension Verb {
    static let find = Verb(
        name: "find", operand: "SCENARIO",
        summary: "Finds the highest load at which a relay holds the gates and does not fall behind",
        example: "pushrig find Scenarios/capacity.yaml --gate 'delivery.p99 < 2s'",
        options: [
            Option("--gate", "'[NAME:] EXPR'", isRepeatable: true, "further gate; each NAME is a goal with its own capacity"),
            Option("--from", "R", "lowest load, in events per second (default 50)"),
            Option("--to", "R", "highest load (default 20000)"),
            Option("--width", "PERCENT", "largest gap of the bounds, a load that holds and one that fails (default 2%)"),
            Option("--trial", "TIME", "length of a trial, 7s to 1h (default 10s)"),
            Option("--sum", "TIME", "shortest time for which each bound is measured (default 70s)"),
            Option("--exceed", "SHARE", "share of that time that may be bad at a load that holds (default 0.5)"),
            Option("--confirm", "TIME", "length of the last trial, at the lower bound; 0s: none (default 60s)"),
            Option("--budget", "TIME", "longest time of the search (default 20m)"),
            Option("--at-least", "R", "least capacity; below it the exit code is 3"),
            Option("--scale", "events|sessions", "unit of R: events per second or sessions at once (default events)"),
            Option("--restart", "starts the relay anew for each trial"),
            Option("--seed", "N", "number from which chance follows (default: the scenario's or a new one)"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "key of the scenario and its new value"),
            Option("--mock", "DIR", "state directory of the mock, for a relay that runs already"),
            Option("--allow-host", "NAME", isRepeatable: true, "host that may be called, beside loopback"),
            Option("--out", "DIR", "folder of the search (default Reports/<time>-find-<scenario>)"),
            Option("--resume", "DIR", "folder of a search to go on with, as it was asked; --budget may be higher"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json", "output form (default text)"),
        ]
    ) { arguments, invocation in
        var options: FindOptions
        if let folder = arguments.text("--resume") {
            if let given = asked.first(where: arguments.has) ?? arguments.operands.first {
                throw Failure(
                    .usage, "\(given) beside --resume: a search goes on as it was asked",
                    hint: "leave it out, or begin another search")
            }
            options = FindOptions(scenarioPath: "")
            options.resume = folder
        } else {
            options = FindOptions(
                scenarioPath: try arguments.onlyOperand("SCENARIO", example: "pushrig find Scenarios/capacity.yaml"),
                gates: arguments.all("--gate"), overrides: try arguments.overrides("--set"),
                scalesSessions: try arguments.one(of: ["events", "sessions"], "--scale") == "sessions",
                restarts: arguments.has("--restart"), mock: arguments.text("--mock"),
                allowHosts: arguments.all("--allow-host"))
        }
        options.seed = try arguments.integer("--seed", in: 0...UInt64.max)
        options.outputDirectory = arguments.text("--out")
        options.isQuiet = arguments.has("--quiet")
        options.printsJSON = try arguments.one(of: ["text", "json"], "--format") == "json"
        options.command = invocation.command
        try options.readTerms(
            from: arguments.text("--from"), to: arguments.text("--to"), width: arguments.text("--width"),
            trial: arguments.text("--trial"), sum: arguments.text("--sum"), exceed: arguments.text("--exceed"),
            confirm: arguments.text("--confirm"), budget: arguments.text("--budget"), atLeast: arguments.text("--at-least"))
        return try FindCommand(options, signals: invocation.signals).run()
    }

    /// The options that make a search what it is. `--resume` takes them from its folder, and none of them beside it.
    private static let asked = [
        "--gate", "--from", "--to", "--width", "--trial", "--sum", "--exceed", "--confirm", "--scale", "--restart", "--seed",
        "--set", "--mock", "--allow-host", "--out",
    ]
}
