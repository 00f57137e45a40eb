import Basics
import Harness

extension Verb {
    static let compare = Verb(
        name: "compare", operand: "BASE… NEW… | --live N SCENARIO",
        summary: "Whether a relay became better, worse or neither, from runs of both",
        example: """
            pushrig compare Reports/main Reports/branch
                     pushrig compare --metric delivery.p99 --margin 10%,20ms main-*/ -- branch-*/
                     pushrig compare --live 7 Scenarios/smoke.yaml --new './my-relay --port {{relay.port}} --apns {{mock.apns}}'
                     pushrig compare --self-check Reports/main

            BASE and NEW are run folders, or folders that hold some; where they are more than two, -- stands between the sides.
            At least 5 runs a side, or 6 pairs; one each is allowed and says less. With --live, N pairs are played in turn, by
            one seed each, and --base and --new are the commands that launch the relays.
            Exits with 0 same or better, 3 worse, 4 a must newly broken, 5 undecided or nothing to compare with, 2 incomparable.
            """,
        options: [
            Option("--live", "N", "plays N pairs of SCENARIO, base and new in turn; 7 show 10 % at 3 % of noise"),
            Option("--base", "'CMD'", "with --live: launches the base's relay; default: as the scenario does"),
            Option("--new", "'CMD'", "with --live: launches the new relay; default: as the scenario does"),
            Option("--set", "PATH=VALUE", isRepeatable: true, "with --live: changes one value of the scenario"),
            Option(
                "--metric", "NAME", isRepeatable: true,
                "what is compared, as gates name it (default delivery.p50, delivery.p99, answer.p99)"),
            Option("--margin", "MARGIN", "what is the same: a share, a duration or both, whichever is more (default 5%,5ms)"),
            Option("--self-check", "splits the base at random, again and again: how often that alone raises an alarm"),
            Option("--seed", "N", "chance of the comparison and of --live (default 1; with --live the scenario's own)"),
            Option("--out", "DIR", "writes compare.json, summary.md and compare.html; with --live the runs, too"),
            Option("--quiet", "only the result"),
            Option("--format", "text|json|markdown", "what is printed"),
            Option("--allow-host", "NAME", isRepeatable: true, "with --live: a host other than loopback that may be called"),
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

    /// The operands before and behind `--`; without one, of two the first and the second.
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
