import Basics
import Glibc
import Harness

extension Verb {
    static let exec = Verb(
        name: "exec", operand: "[options] -- COMMAND [ARGUMENT…]",
        summary: "Runs a program unchanged, with Apple's and Google's host names leading to a mock",
        example: """
            pushrig exec --state ./state -- ./my-relay --port 8787
                     pushrig exec --no-443 -- curl --http2 https://api.push.apple.com:2197/3/device/0
                     pushrig exec --tour --call 'curl -d "{{text}}" http://127.0.0.1:8787/send/{{token}}' -- ./my-relay

            COMMAND sees its own /etc/hosts, nsswitch.conf and certificate authorities, in a mount namespace, and the usual
            network. The exit code is COMMAND's: 128 plus the signal's number if one ended it, 126 or 127 if it cannot be run
            or is not there; 1 if it was not begun. docs/staging.md tells which programs this cannot lead. A tour exits as
            `pushrig run` does. In its calls {{token}}, {{activityToken}}, {{startToken}}, {{registrationToken}}, {{text}},
            {{user}} and {{session}} are filled in (docs/tour.md).
            """,
        options: [
            Option("--state", "DIR", "state directory: keys and journal; made if absent (default pushrig-state)"),
            Option("--mock", "DIR", "state directory of a mock that is up, instead of its own"),
            Option("--no-443", "leaves out FCM and port 443, which needs privileges; for programs that call 2197"),
            Option("--admin", "ADDR", "address of the admin API (default 127.0.0.1:0, any port)"),
            Option("--tokens", "any|registered", "tokens that are accepted (default any)"),
            Option("--topic", "BUNDLE", isRepeatable: true, "bundle ID that the mock knows (default: any)"),
            Option("--setting", "NAME=VALUE", isRepeatable: true, "setting of APNs, FCM or phones; `pushrig list settings`"),
            Option("--seed", "N", "number from which chance follows (default 1)"),
            Option("--tour", "makes the calls, also while APNs refuses, rests and goes away, and judges; needs no profile"),
            Option("--call", "CURL", isRepeatable: true, "with --tour: call to the program, as a line of curl"),
            Option("--out", "DIR", "with --tour: folder of profile and report (default Reports/<time>-tour)"),
            Option("--quiet", "prints nothing of its own, unless it fails"),
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
