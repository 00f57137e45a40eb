import Basics
import Harness

extension Verb {
    static let mock = Verb(
        name: "mock",
        summary: "Runs a mock of APNs, and of FCM with --fcm, for any client or test",
        example: "pushrig mock --state ./state --apns 127.0.0.1:0 --admin 127.0.0.1:0",
        options: [
            Option("--state", "DIR", "state directory: keys and journal; made if absent (default pushrig-state)"),
            Option("--apns", "ADDR", "address of APNs (default 127.0.0.1:2197; port 0: any)"),
            Option("--apns-twin", "ADDR", "second address of APNs, as Apple has 2197 beside 443"),
            Option("--sandbox", "ADDR", "address of a sandbox beside production, with tokens of its own"),
            Option("--sandbox-twin", "ADDR", "second address of the sandbox"),
            Option(
                "--fcm", "ADDR", else: MockCommand.usualFCM,
                "address of FCM and its token endpoint; without ADDR \(MockCommand.usualFCM) (default: no FCM)"),
            Option("--admin", "ADDR", "address of the admin API (default 127.0.0.1:2190)"),
            Option(
                "--channels", "ADDR|none",
                "address for managing broadcast channels (default port 2196, sandbox 2195, on --apns' host)"),
            Option("--sandbox-channels", "ADDR|none", "the same for --sandbox (default port 2195)"),
            Option("--tokens", "any|registered", "tokens that are accepted (default any)"),
            Option("--environment", "production|sandbox", "environment of --apns (default production)"),
            Option("--topic", "BUNDLE", isRepeatable: true, "bundle ID that the mock knows (default: any)"),
            Option("--name", "NAME", isRepeatable: true, "further host name of its certificate, such as a container's"),
            Option("--setting", "NAME=VALUE", isRepeatable: true, "setting of APNs, FCM or phones; `pushrig list settings`"),
            Option("--clock-skew", "TIME", "how far the mock's clock is ahead of the host's, such as 90m or -90m"),
            Option("--clock-scale", "N", "speed of the mock's clock, up to 3600 times real time (default 1)"),
            Option("--loops", "N", "threads that serve pushes, 1 to 64 (default 1)"),
            Option("--seed", "N", "number from which chance follows (default 1)"),
            Option("--health", "tells if the mock at --state or --admin is up; starts nothing"),
            Option("--print-env", "prints what a relay needs to know, as variables; starts nothing"),
            Option("--format", "sh|docker|json", "for --print-env: export lines, an --env-file, a JSON object (default sh)"),
        ]
    ) { arguments, invocation in
        try arguments.noOperands()
        if arguments.has("--health") {
            return try MockHealth.check(
                stateDirectory: arguments.text("--state") ?? MockCommand().stateDirectory, admin: arguments.text("--admin"))
        }
        var command = MockCommand()
        command.names = arguments.all("--name")
        let format = try arguments.one(of: MockCommand.formats, "--format")
        guard format == nil || arguments.has("--print-env") else {
            throw Failure(.usage, "--format is for --print-env", hint: "add --print-env, or leave --format out")
        }
        if arguments.has("--print-env") { command.printedFormat = format ?? MockCommand.formats[0] }
        command.stateDirectory = arguments.text("--state") ?? command.stateDirectory
        command.apns = arguments.text("--apns") ?? command.apns
        command.apnsTwin = arguments.text("--apns-twin")
        command.sandbox = arguments.text("--sandbox")
        command.sandboxTwin = arguments.text("--sandbox-twin")
        command.admin = arguments.text("--admin") ?? command.admin
        command.fcm = arguments.text("--fcm")
        command.channels = arguments.text("--channels")
        command.sandboxChannels = arguments.text("--sandbox-channels")
        if command.sandboxChannels != nil, !arguments.has("--sandbox") {
            throw Failure(
                .usage, "there are channels of sandbox but no sandbox", hint: "give --sandbox ADDR, or --channels ADDR")
        }
        command.registersTokens = try arguments.one(of: ["any", "registered"], "--tokens") == "registered"
        command.environment = try arguments.one(of: MockCommand.environments, "--environment") ?? command.environment
        command.topics = arguments.all("--topic")
        command.settings = try arguments.settings()
        command.clockSkew = try arguments.text("--clock-skew").map { text throws(Failure) in
            guard let skew = Interval(parsing: text.hasPrefix("-") ? String(text.dropFirst()) : text),
                ClockBounds.admits(skew: skew)
            else {
                throw Failure(
                    .usage, "--clock-skew \(text) is not a time of at most 36500d",
                    hint: "for example --clock-skew -90m")
            }
            return text.hasPrefix("-") ? Interval.zero - skew : skew
        } ?? .zero
        command.clockScale = try arguments.number("--clock-scale", above: 0) ?? command.clockScale
        guard ClockBounds.admits(scale: command.clockScale) else {
            throw Failure(
                .usage, "--clock-scale \(command.clockScale) is not above 0 and at most 3600",
                hint: "60 makes a minute of each second")
        }
        command.loops = try arguments.integer("--loops", in: 1...64) ?? command.loops
        command.seed = try arguments.integer("--seed", in: 0...UInt64.max) ?? command.seed
        return try command.run(signals: invocation.signals)
    }

    static let relay = Verb(
        name: "relay",
        summary: "Runs the reference relay, honest unless told otherwise",
        example: "pushrig relay --apns https://127.0.0.1:2197 --apns-ca state/ca.pem "
            + "--key state/AuthKey_ABC1234567.p8 --key-id ABC1234567 --team-id DEF1234567 --topic com.example.app",
        options: [
            Option("--dialect", "NAME", "family of relays to speak like; `pushrig list dialects` (default opencode)"),
            Option("--listen", "ADDR", "address of the relay (default 127.0.0.1:8787; port 0: any)"),
            Option("--apns", "URL", "URL of APNs (required)"),
            Option("--apns-sandbox", "URL", "URL of APNs' sandbox (default: that of --apns)"),
            Option("--apns-ca", "FILE", "PEM file of the authority to trust (default: the system's)"),
            Option("--key", "FILE", "provider key, .p8 (required)"),
            Option("--key-id", "ID", "its key ID (required)"),
            Option("--team-id", "ID", "its team ID (required)"),
            Option("--topic", "BUNDLE", "bundle ID of registrations that name none (required)"),
            Option("--storage", "FILE", "SQLite file (default relay.sqlite)"),
            Option("--throttle", "TIME", "least time between progress pushes of a session (default 10s)"),
            Option("--timeout", "TIME", "longest wait for one answer of APNs (default 5s)"),
            Option("--connections", "N", "connections to each host of APNs (default 1)"),
            Option("--shared", "shares port and storage with processes started the same way"),
            Option("--lifetime", "TIME", "age at which an activity ends as timed out (default 7h59m)"),
            Option("--variant", "A|B", "published form of the activity (opencode; default A)"),
            Option("--answer", "early|late", "whether it answers an event at once or after APNs (default late)"),
            Option("--clock", "SETTING|URL", "clock to follow: scale=60,at=MS,shows=MS, or a mock's admin API (docs/time.md)"),
            Option("--allow-host", "NAME", isRepeatable: true, "host that may be called, beside loopback"),
            Option("--fcm", "URL", "URL of FCM (sendora)"),
            Option("--service-account", "FILE", "service account that calls FCM, as Google gives it"),
            Option("--webhook", "URL", "URL that is told of sessions and of dead tokens"),
            Option("--webhook-key", "FILE", "key that webhooks are signed with"),
            Option("--defect", "ID", isRepeatable: true, "defect to have; `pushrig list defects`"),
            Option("--as-built", "has the defects of the published source (opencode)"),
            Option("--collapse", "lets an alert replace the session's last one (apns-collapse-id)"),
            Option("--plant", "N", "spoils every Nth question to the user in one of five ways, and logs which"),
        ]
    ) { arguments, invocation in
        try arguments.noOperands()
        var command = RelayCommand()
        command.dialect = arguments.text("--dialect") ?? command.dialect
        command.listen = arguments.text("--listen") ?? command.listen
        command.apns = arguments.text("--apns") ?? command.apns
        command.apnsSandbox = arguments.text("--apns-sandbox")
        command.caFile = arguments.text("--apns-ca")
        command.keyFile = arguments.text("--key") ?? command.keyFile
        command.keyID = arguments.text("--key-id") ?? command.keyID
        command.teamID = arguments.text("--team-id") ?? command.teamID
        command.topic = arguments.text("--topic") ?? command.topic
        command.storage = arguments.text("--storage") ?? command.storage
        command.throttle = try arguments.duration("--throttle")
        command.timeout = try arguments.duration("--timeout")
        command.lifetime = try arguments.duration("--lifetime")
        command.connections = try arguments.integer("--connections", in: 1...1_000)
        command.variant = try arguments.one(of: RelayCommand.variants, "--variant")
        command.answer = try arguments.one(of: RelayCommand.answerModes, "--answer")
        command.clock = arguments.text("--clock")
        command.isShared = arguments.has("--shared")
        command.allowHosts = Set(arguments.all("--allow-host"))
        command.fcm = arguments.text("--fcm")
        command.serviceAccount = arguments.text("--service-account")
        command.webhook = arguments.text("--webhook")
        command.webhookKey = arguments.text("--webhook-key")
        command.defects = arguments.all("--defect")
        command.isAsBuilt = arguments.has("--as-built")
        command.collapsesAlerts = arguments.has("--collapse")
        command.plantEvery = try arguments.integer("--plant", in: 1...1_000_000)
        return try command.run(signals: invocation.signals)
    }
}
