import Basics
import Harness

extension Verb {
    static let learn = Verb(
        name: "learn", operand: "[options] -- COMMAND [ARGUMENT…]",
        summary: "Writes a profile of a relay while your own tests, or lines of curl, call it",
        example: """
            pushrig learn --relay http://127.0.0.1:8787 --listen 127.0.0.1:8788 --tests 'npm test' -- node relay.js
                     pushrig learn --call 'curl -d "Build is done" http://127.0.0.1:8787/send/74…' -- ./my-relay

            It stands before the relay as a proxy, and behind it as the mocks. Without --tests and --call it watches until
            Ctrl-C. Then it plays what it understood, and mends it where the relay refuses (docs/learn.md). It exits with 0
            where some call is followed by a push, and with 5 where none is.
            """,
        options: [
            Option("--relay", "URL", "where COMMAND listens; default: where the first --call goes"),
            Option("--listen", "ADDR", "where the proxy listens (default 127.0.0.1:0, any port)"),
            Option("--tests", "LINE", "a line for sh that calls the relay at the proxy, whose URL is in PUSHRIG_RELAY_URL"),
            Option("--call", "CURL", isRepeatable: true, "a call to the relay as a line of curl, with values of its own"),
            Option("--out", "DIR", "where profile, scenario and logs go; default Reports/<time>-learn"),
            Option("--topic", "BUNDLE", "your app's bundle ID (default com.example.app)"),
            Option("--no-443", "leaves port 443 out, which needs a right; for relays that call 2197"),
            Option("--setting", "NAME=VALUE", isRepeatable: true, "what Apple leaves open; `pushrig list settings`"),
            Option("--quiet", "says nothing of its own but what it learned"),
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
