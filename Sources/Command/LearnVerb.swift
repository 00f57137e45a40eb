import Basics
import Harness

extension Verb {
    static let learn = Verb(
        name: "learn", operand: "[options] -- COMMAND [ARGUMENT…]",
        summary: "Writes a profile of a relay while your own tests, or lines of curl, call it",
        example: """
            pushrig learn --relay http://127.0.0.1:8787 --listen 127.0.0.1:8788 --tests 'npm test' -- node relay.js
                     pushrig learn --call 'curl -d "Build is done" http://127.0.0.1:8787/send/74…' -- ./my-relay

            PushRig is the relay's proxy and its mocks. Without --tests and --call it watches until Ctrl-C. Then it plays the
            profile that it wrote, and mends what the relay refuses (docs/learn.md). Exit codes: 0 if some call is followed by
            a push, 5 if none is.
            """,
        options: [
            Option("--relay", "URL", "URL at which COMMAND listens (default: that of the first --call)"),
            Option("--listen", "ADDR", "address of the proxy (default 127.0.0.1:0, any port)"),
            Option("--tests", "LINE", "line for sh that runs your tests against the proxy, whose URL is in PUSHRIG_RELAY_URL"),
            Option("--call", "CURL", isRepeatable: true, "call to the relay, as a line of curl with values of your own"),
            Option("--out", "DIR", "folder of profile, scenario and logs (default Reports/<time>-learn)"),
            Option("--topic", "BUNDLE", "bundle ID of your app (default com.example.app)"),
            Option("--no-443", "leaves out FCM and port 443, which needs privileges; for programs that call 2197"),
            Option("--setting", "NAME=VALUE", isRepeatable: true, "setting of APNs, FCM or phones; `pushrig list settings`"),
            Option("--quiet", "prints nothing of its own but what it learned"),
        ]
    ) { arguments, invocation in
        guard !arguments.operands.isEmpty else {
            throw Failure(.usage, "learn needs a command", hint: "such as pushrig learn --relay URL -- ./my-relay")
        }
        var learn = LearnCommand(command: arguments.operands)
        learn.relay = arguments.text("--relay")
        learn.listen = arguments.text("--listen") ?? learn.listen
        learn.tests = arguments.text("--tests")
        learn.calls = arguments.all("--call")
        learn.outputDirectory = arguments.text("--out")
        learn.topic = arguments.text("--topic") ?? learn.topic
        learn.isQuiet = arguments.has("--quiet")
        for value in arguments.all("--setting") { learn.execArguments += ["--setting", value] }
        if arguments.has("--no-443") { learn.execArguments.append("--no-443") }
        return try learn.run(invocation.signals)
    }
}
