import Basics
import Harness

extension Verb {
    static let bench = Verb(
        name: "bench", operand: "URL",
        summary: "Measures how fast an APNs endpoint answers, without a relay",
        example: "pushrig bench https://127.0.0.1:2197 --ca state/ca.pem --bearer \"$JWT\" --header "
            + "'apns-topic: com.example.app'",
        options: [
            Option("--connections", "N", "connections, 1 to 20000 (default 10)"),
            Option("--streams", "N", "requests at once on each, 1 to 10000 (default 100)"),
            Option("--requests", "N", "requests to send, in place of --duration"),
            Option("--duration", "TIME", "length of the bench (default 10s)"),
            Option("--rate", "N", "requests a second, whatever is answered; latency counts from the planned instant then"),
            Option("--http1.1", "HTTP/1.1 instead of HTTP/2, one request at a time on each connection"),
            Option("--method", "NAME", "HTTP method (default POST)"),
            Option(
                "--path", "PATH",
                "path; {token}, {uuid}, {number}, {text:N} are new in each request (default /3/device/{token})"),
            Option("--header", "'NAME: VALUE'", isRepeatable: true, "request header"),
            Option("--bearer", "JWT", "provider token"),
            Option("--body-bytes", "N", "bytes of the made-up alert, 29 to 1048576 (default 250)"),
            Option("--body", "FILE", "body instead; may hold {token} and the like"),
            Option("--tokens", "N", "tokens that {token} is drawn from (default: a new one each time)"),
            Option("--repeated", "the same request each time"),
            Option("--ca", "FILE", "PEM file of the authority to trust (default: the system's)"),
            Option("--loops", "N", "threads, 1 to 64 (default 1)"),
            Option("--seed", "N", "number from which chance follows (default 1)"),
            Option("--allow-host", "NAME", isRepeatable: true, "host that may be called, beside loopback"),
            Option("--format", "text|json", "output form (default text)"),
        ]
    ) { arguments, _ in
        var command = BenchCommand()
        command.url = try arguments.onlyOperand("URL", example: "pushrig bench https://127.0.0.1:2197")
        command.connections = try arguments.integer("--connections", in: 1...20_000) ?? command.connections
        command.streams = try arguments.integer("--streams", in: 1...10_000) ?? command.streams
        command.requests = try arguments.integer("--requests", in: 1...10_000_000_000)
        command.rate = try arguments.number("--rate", above: 0, atMost: 10_000_000)
        command.tokens = try arguments.integer("--tokens", in: 1...1_000_000_000)
        command.repeats = arguments.has("--repeated")
        command.duration = try arguments.duration("--duration")
        if command.requests != nil, command.duration != nil {
            throw Failure(.usage, "--requests and --duration both say when the bench ends", hint: "give one of them")
        }
        command.usesHTTP1 = arguments.has("--http1.1")
        command.method = arguments.text("--method")
        command.path = arguments.text("--path")
        command.bearer = arguments.text("--bearer")
        command.bodyBytes = try arguments.integer("--body-bytes", in: 29...1_048_576) ?? command.bodyBytes
        command.bodyFile = arguments.text("--body")
        command.caFile = arguments.text("--ca")
        command.loops = try arguments.integer("--loops", in: 1...64) ?? command.loops
        command.seed = try arguments.integer("--seed", in: 0...UInt64.max) ?? command.seed
        command.allowHosts = Set(arguments.all("--allow-host"))
        command.printsJSON = try arguments.one(of: ["text", "json"], "--format") == "json"
        for text in arguments.all("--header") {
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
                throw Failure(.usage, "--header '\(text)' has no colon", hint: "write --header 'apns-priority: 10'")
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " }
            command.fields.append((text[..<colon].lowercased(), String(value)))
        }
        return try command.run()
    }

    static let judge = Verb(
        name: "judge", operand: "RUN",
        summary: "Judges a saved run again, also one that was killed, or a mock's journal; exits as the run would",
        example: "pushrig judge Reports/latest --gate 'delivery.p99 < 2s'",
        options: [
            Option("--gate", "'EXPR'", isRepeatable: true, "further gate, such as 'lost == 0'"),
            Option(
                "--known-failing", "RULE", isRepeatable: true,
                "rule that is allowed to break; if it is kept, the run fails"),
            Option("--strict", "rules of level should count like those of level must"),
            Option("--full-tokens", "tokens in full"),
            Option("--examples", "N", "examples kept of what is lost, late and so on (default 5)"),
            Option("--format", "text|json|sarif", "output form (default text)"),
        ]
    ) { arguments, _ in
        var command = JudgeCommand(directory: try arguments.onlyOperand("RUN", example: "pushrig judge Reports/latest"))
        command.gates = arguments.all("--gate")
        command.knownFailing = arguments.all("--known-failing")
        command.isStrict = arguments.has("--strict")
        command.showsFullTokens = arguments.has("--full-tokens")
        command.maxExamples = try arguments.integer("--examples", in: 0...10_000_000)
        command.format = try OutputFormat.chosen(arguments)
        return try command.run()
    }

    static let report = Verb(
        name: "report", operand: "RUN",
        summary: "Writes the report of a saved run again, also of one that was killed",
        example: "pushrig report Reports/latest",
        options: [
            Option("--out", "DIR", "folder of the report (default: the run's own)"),
            Option("--full-tokens", "tokens in full"),
            Option(
                "--format", "text|json|sarif",
                "json, sarif: prints that form and writes no file; sarif of a check, too (default text)"),
        ]
    ) { arguments, _ in
        let run = try arguments.onlyOperand("RUN", example: "pushrig report Reports/latest")
        return try ReportCommand.run(
            run, into: arguments.text("--out"), fullTokens: arguments.has("--full-tokens"),
            format: try OutputFormat.chosen(arguments))
    }

    static let list = Verb(
        name: "list", operand: "KIND",
        summary: "Lists all names of a KIND: " + Knowledge.kinds.joined(separator: ", "),
        example: """
            pushrig list reasons
                     pushrig list reasons --provider fcm
            """,
        options: [Option("--provider", "apns|fcm", "provider of the reasons (default apns)")]
    ) { arguments, _ in
        let kind = try arguments.onlyOperand("KIND", example: "pushrig list reasons")
        Console.out(try Knowledge.list(kind, of: try arguments.one(of: ["apns", "fcm"], "--provider")))
        return .passed
    }

    static let explain = Verb(
        name: "explain", operand: "ID",
        summary: "Explains any name of `pushrig list`, such as a claim, rule, metric, reason or defect",
        example: "pushrig explain BadDeviceToken", options: []
    ) { arguments, _ in
        Console.out(try Knowledge.explain(try arguments.onlyOperand("ID", example: "pushrig explain BadDeviceToken")))
        return .passed
    }
}
