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

            The program has /etc/hosts, nsswitch.conf and authorities of its own, in a mount namespace; the network is the
            usual one. It exits as COMMAND does, with 128 and its number when a signal ended that; with 1 when it was not
            begun, with 126 or 127 when COMMAND cannot be run or is not there. docs/staging.md tells what it cannot lead.
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
            Option("--quiet", "says nothing of its own, unless it fails"),
        ]
    ) { arguments, _ in
        guard !arguments.operands.isEmpty else {
            throw Failure(.usage, "exec needs a command", hint: "such as pushrig exec -- ./my-relay")
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
}
