import Basics
import Harness

extension Verb {
    static let bench = Verb(
        name: "bench", operand: "URL",
        summary: "Loads an APNs endpoint straight, without a relay",
        example: "pushrig bench https://127.0.0.1:2197 --ca state/ca.pem --bearer \"$JWT\" --header "
            + "'apns-topic: com.example.app' --requests 100000",
        options: [
            Option("--connections", "N", "connections (default 10)"),
            Option("--streams", "N", "requests at once on each (default 100)"),
            Option("--requests", "N", "stop after so many requests"),
            Option("--duration", "TIME", "or after this time (default 10s)"),
            Option("--rate", "N", "requests a second, whatever is answered; latency counts from the planned instant then"),
            Option("--http1.1", "HTTP/1.1 instead of HTTP/2, one request at a time on each connection"),
            Option("--method", "NAME", "default POST"),
            Option("--path", "PATH", "default /3/device/{token}; {token}, {uuid}, {number}, {text:N} are new in each request"),
            Option("--header", "'NAME: VALUE'", isRepeatable: true, "a request header"),
            Option("--bearer", "JWT", "provider token"),
            Option("--body-bytes", "N", "size of the made-up alert (default 250)"),
            Option("--body", "FILE", "the body instead, which may hold the same"),
            Option("--tokens", "N", "draw each {token} from so many (default: a new one for each request)"),
            Option("--repeated", "send one and the same request each time"),
            Option("--ca", "FILE", "PEM file of the authority to trust (default: the system's)"),
            Option("--loops", "N", "threads (default 1)"),
            Option("--seed", "N", "chance of what is new in each request (default 1)"),
            Option("--allow-host", "NAME", isRepeatable: true, "a host other than loopback that may be called"),
            Option("--format", "text|json", "what is printed"),
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
        command.usesHTTP1 = arguments.has("--http1.1")
        command.method = arguments.text("--method")
        command.path = arguments.text("--path")
        command.bearer = arguments.text("--bearer")
        command.bodyBytes = try arguments.integer("--body-bytes", in: 0...1_048_576) ?? command.bodyBytes
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
        summary: "Judges a saved run again, also one that was killed, or what a mock has seen; exits as the run would",
        example: "pushrig judge Reports/latest --gate 'delivery.p99 < 2s'",
        options: [
            Option("--gate", "'EXPR'", isRepeatable: true, "a further gate, such as 'lost == 0'"),
            Option(
                "--known-failing", "RULE", isRepeatable: true,
                "a rule that is known to break; one that heals fails the run"),
            Option("--strict", "what the relay should do counts like what it must"),
            Option("--full-tokens", "tokens in full"),
            Option("--examples", "N", "keep N examples of each class, such as all that was lost (default 5)"),
            Option("--format", "text|json|sarif", "what is printed"),
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
        summary: "Renders the report of a saved run again, or that of one that was killed",
        example: "pushrig report Reports/latest",
        options: [
            Option("--out", "DIR", "where the files go (default: the run's own folder)"),
            Option("--full-tokens", "tokens in full, as the run's journal has them"),
            Option("--format", "text|json|sarif", "json and sarif are printed, and no file is written; sarif of a check, too"),
        ]
    ) { arguments, _ in
        let run = try arguments.onlyOperand("RUN", example: "pushrig report Reports/latest")
        return try ReportCommand.run(
            run, into: arguments.text("--out"), fullTokens: arguments.has("--full-tokens"),
            format: try OutputFormat.chosen(arguments))
    }

    static let list = Verb(
        name: "list", operand: "KIND",
        summary: "Tells what there is: " + Knowledge.kinds.joined(separator: ", "),
        example: """
            pushrig list reasons
                     pushrig list reasons --provider fcm
            """,
        options: [Option("--provider", "apns|fcm", "whose reasons (default apns)")]
    ) { arguments, _ in
        let kind = try arguments.onlyOperand("KIND", example: "pushrig list reasons")
        Console.out(try Knowledge.list(kind, of: try arguments.one(of: ["apns", "fcm"], "--provider")))
        return .passed
    }

    static let explain = Verb(
        name: "explain", operand: "ID",
        summary: "Explains a claim, a rule, a word of the report, a metric, a reason, a fault or a defect",
        example: "pushrig explain BadDeviceToken", options: []
    ) { arguments, _ in
        Console.out(try Knowledge.explain(try arguments.onlyOperand("ID", example: "pushrig explain BadDeviceToken")))
        return .passed
    }
}
