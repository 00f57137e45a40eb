import Basics
import Glibc
import Harness

extension Verb {
    static let exec = Verb(
        name: "exec", operand: "[options] -- COMMAND [ARGUMENT…]",
        summary: "Runs a program as it is, with Apple's and Google's hard-coded names leading to a mock",
        example: """
            pushrig exec --state ./state -- ./my-relay --port 8787
                     pushrig exec --no-443 -- curl --http2 https://api.push.apple.com:2197/3/device/0
                     pushrig exec --tour --call 'curl -d "{{text}}" http://127.0.0.1:8787/send/{{token}}' -- ./my-relay

            The program has /etc/hosts, nsswitch.conf and authorities of its own, in a mount namespace; the network is the
            usual one. It exits as COMMAND does, with 128 and its number when a signal ended that; with 1 when it was not
            begun, with 126 or 127 when COMMAND cannot be run or is not there. docs/staging.md tells what it cannot lead.
            A tour ends as `pushrig run` does; in its calls {{token}}, {{activityToken}}, {{startToken}}, {{text}}, {{user}} and
            {{session}} stand for what PushRig says (docs/tour.md).
            """,
        options: [
            Option("--state", "DIR", "the mock's credentials and journal; made if absent (default pushrig-state)"),
            Option("--mock", "DIR", "a mock that is up on this state directory, instead of one of its own"),
            Option("--no-443", "leaves port 443 out, which needs a right; for programs that call 2197"),
            Option("--admin", "ADDR", "where the mock's admin API listens (default 127.0.0.1:0, any port)"),
            Option("--tokens", "any|registered", "whether unknown tokens are accepted (default any)"),
            Option("--topic", "BUNDLE", isRepeatable: true, "a bundle ID that exists; default: every one"),
            Option("--setting", "NAME=VALUE", isRepeatable: true, "what Apple leaves open; `pushrig list settings`"),
            Option("--seed", "N", "chance of faults and ids (default 1)"),
            Option("--tour", "makes the calls, has APNs refuse, rest and go away, and judges the program; needs no profile"),
            Option("--call", "CURL", isRepeatable: true, "of a tour: a call to the program as a line of curl"),
            Option("--out", "DIR", "of a tour: where files and report go; default Reports/<time>-tour"),
            Option("--quiet", "says nothing of its own, unless it fails"),
        ]
    ) { arguments, invocation in
        guard !arguments.operands.isEmpty else {
            throw Failure(.usage, "exec needs a command", hint: "such as pushrig exec -- ./my-relay")
        }
        if arguments.has("--tour") { return try tour(arguments, invocation.signals) }
        if let flag = ["--call", "--out"].first(where: arguments.has) {
            throw Failure(.usage, "\(flag) is of a tour", hint: "add --tour, or drop it")
        }
        var command = ExecCommand(command: arguments.operands)
        command.mock = arguments.text("--mock")
        let own = ["--state", "--no-443", "--admin", "--tokens", "--topic", "--setting", "--seed"]
        if command.mock != nil, let flag = own.first(where: arguments.has) {
            throw Failure(
                .usage, "\(flag) is for a mock of its own, and --mock names one that is up", hint: "drop one of the two")
        }
        command.stateDirectory = arguments.text("--state") ?? command.stateDirectory
        command.isWithout443 = arguments.has("--no-443")
        command.admin = arguments.text("--admin") ?? command.admin
        command.registersTokens = try arguments.one(of: ["any", "registered"], "--tokens") == "registered"
        command.topics = arguments.all("--topic")
        command.settings = try arguments.settings()
        command.seed = try arguments.integer("--seed", in: 0...UInt64.max) ?? command.seed
        command.isQuiet = arguments.has("--quiet")
        exit(try command.run())
    }

    private static func tour(_ arguments: Arguments, _ signals: Signals) throws(Failure) -> ExitCode {
        if let flag = ["--mock", "--state"].first(where: arguments.has) {
            throw Failure(.usage, "\(flag) is not for a tour, which has a mock of its own", hint: "drop it")
        }
        var tour = TourCommand(command: arguments.operands)
        tour.calls = arguments.all("--call")
        tour.outputDirectory = arguments.text("--out")
        tour.topic = arguments.text("--topic") ?? tour.topic
        tour.seed = try arguments.integer("--seed", in: 0...UInt64.max) ?? tour.seed
        tour.isQuiet = arguments.has("--quiet")
        for flag in ["--admin", "--tokens", "--setting"] {
            for value in arguments.all(flag) { tour.execArguments += [flag, value] }
        }
        if arguments.has("--no-443") { tour.execArguments.append("--no-443") }
        return try tour.run(signals)
    }
}
