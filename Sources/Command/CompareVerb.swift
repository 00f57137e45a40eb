import Basics
import Harness

extension Verb {
    static let compare = Verb(
        name: "compare", operand: "BASE… NEW… | --live N SCENARIO",
        summary: "Says whether a relay became better, worse or neither, from runs of both versions",
        example: """
            pushrig compare Reports/main Reports/branch
                     pushrig compare --metric delivery.p99 --margin 10%,20ms main-*/ -- branch-*/
                     pushrig compare --live 7 Scenarios/smoke.yaml --new './my-relay --port {{relay.port}} --apns {{mock.apns}}'
                     pushrig compare --self-check Reports/main

            BASE and NEW are run folders, or folders that hold some; where they are more than two, -- stands between the sides.
            To show a change, three metrics need 5 runs a side, or 7 pairs with one seed each; one run a side says less.
            Exit codes: 0 same or better, 2 not comparable, 3 worse, 4 a must rule newly broken, 5 undecided or no base.
            """,
        options: [
            Option("--live", "N", "plays N pairs of SCENARIO, base and new in turn, 1 to 100; 7 show a change of 10 %"),
            Option("--base", "'CMD'", "with --live: command of the base relay (default: the scenario's)"),
            Option("--new", "'CMD'", "with --live: command of the new relay (default: the scenario's)"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "with --live: key of the scenario and its new value"),
            Option(
                "--metric", "NAME", isRepeatable: true,
                "metric to compare, as gates name it (default delivery.p50, delivery.p99, answer.p99)"),
            Option(
                "--margin", "MARGIN",
                "change that counts as none: a share, a duration, or the larger of both (default 5%,5ms)"),
            Option("--self-check", "splits the base at random many times; says how often that raises an alarm"),
            Option("--seed", "N", "number from which chance follows (default 1; with --live the scenario's)"),
            Option("--out", "DIR", "folder of compare.json, summary.md and compare.html; with --live of the runs, too"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json|markdown", "output form (default text)"),
            Option("--allow-host", "NAME", isRepeatable: true, "with --live: host that may be called, beside loopback"),
        ]
    ) { arguments, invocation in
        var options = CompareOptions()
        options.metrics = arguments.all("--metric")
        options.margin = arguments.text("--margin")
        options.checksItself = arguments.has("--self-check")
        options.seed = try arguments.integer("--seed", in: 0...UInt64.max)
        options.outputDirectory = arguments.text("--out")
        options.isQuiet = arguments.has("--quiet")
        let formats = CompareOptions.Format.allCases.map(\.rawValue)
        options.format = try arguments.one(of: formats, "--format").flatMap(CompareOptions.Format.init) ?? .text
        options.command = invocation.command
        if let pairs = try arguments.integer("--live", in: LiveOptions.pairCounts) {
            var live = LiveOptions(
                scenario: try arguments.onlyOperand(
                    "SCENARIO", example: "pushrig compare --live 7 Scenarios/smoke.yaml --new CMD"),
                pairs: pairs)
            live.base = arguments.text("--base")
            live.new = arguments.text("--new")
            live.overrides = try arguments.overrides("--set")
            live.allowHosts = arguments.all("--allow-host")
            return try LivePairs(live, options, signals: invocation.signals).run()
        }
        for name in ["--base", "--new", "--set", "--allow-host"] where arguments.has(name) {
            throw Failure(.usage, "\(name) is for relays that are played, with --live N", hint: "name the folders as they are")
        }
        (options.base, options.new) = try sides(arguments, isOneEnough: options.checksItself)
        return try CompareCommand(options).run()
    }

    /// The folders before and behind `--`; without one, the first and the second of two. Throws a usage failure for others.
    private static func sides(_ arguments: Arguments, isOneEnough: Bool) throws(Failure) -> (base: [String], new: [String]) {
        let all = arguments.operands
        if let divide = arguments.operandsBeforeDivide, divide > 0, divide < all.count {
            return (Array(all[..<divide]), Array(all[divide...]))
        }
        if isOneEnough, all.count == 1 { return (all, []) }
        guard all.count == 2 else {
            throw Failure(
                .usage, all.count < 2 ? "compare needs both sides" : "it is not clear where the base ends",
                hint: all.count < 2
                    ? "such as pushrig compare Reports/main Reports/branch"
                    : "put -- between the sides, such as pushrig compare main-*/ -- branch-*/")
        }
        return ([all[0]], [all[1]])
    }
}
