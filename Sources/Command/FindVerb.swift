import Basics
import Harness

extension Verb {
    static let find = Verb(
        name: "find", operand: "SCENARIO",
        summary: "Searches the highest load that a relay carries: gates held, nobody falling behind",
        example: "pushrig find Scenarios/capacity.yaml --gate 'delivery.p99 < 2s'",
        options: [
            Option(
                "--gate", "'[NAME:] EXPR'", isRepeatable: true, "what has to hold; gates of one name are a goal of their own"),
            Option("--from", "R", "the least load, events per second (default 50)"),
            Option("--to", "R", "the highest load (default 20000)"),
            Option("--width", "PERCENT", "how far apart the two bounds may be (default 2%)"),
            Option("--trial", "TIME", "length of a trial, 7 s at least (default 10s)"),
            Option("--sum", "TIME", "for how long both bounds are measured at least (default 70s)"),
            Option("--exceed", "SHARE", "of bad seconds that a load may have and still holds (default 0.5)"),
            Option("--confirm", "TIME", "length of the last trial, at the lower bound; 0s: none (default 60s)"),
            Option("--budget", "TIME", "for all of it (default 20m)"),
            Option("--at-least", "R", "a lower capacity ends with exit code 3"),
            Option("--scale", "events|sessions", "what the rates are: events per second, or sessions at once"),
            Option("--restart", "starts the relay anew for each trial"),
            Option("--seed", "N", "chance of the search; the scenario's own, or a new one that is printed"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "changes one value of the scenario"),
            Option("--mock", "DIR", "the mock that a relay pushes to which runs already"),
            Option("--allow-host", "NAME", isRepeatable: true, "a host other than loopback that may be called"),
            Option("--out", "DIR", "where the search goes; default Reports/<time>-find-<scenario>"),
            Option("--resume", "DIR", "goes on with the search in that folder, as it was asked; --budget may be higher"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json", "what is printed at the end"),
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

    /// What a search is made of: where it goes on it stays the same.
    private static let asked = [
        "--gate", "--from", "--to", "--width", "--trial", "--sum", "--exceed", "--confirm", "--scale", "--restart", "--seed",
        "--set", "--mock", "--allow-host", "--out",
    ]
}
