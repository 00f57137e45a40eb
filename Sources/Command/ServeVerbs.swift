import Basics
import Harness

extension Verb {
    static let mock = Verb(
        name: "mock",
        summary: "Runs the mock APNs alone, for any client or test",
        example: "pushrig mock --state ./state --apns 127.0.0.1:0 --admin 127.0.0.1:0",
        options: [
            Option("--state", "DIR", "credentials and journal; made if absent (default pushrig-state)"),
            Option("--apns", "ADDR", "where APNs listens (default 127.0.0.1:2197; port 0 picks one)"),
            Option("--apns-twin", "ADDR", "a second address of APNs, as Apple has 2197 beside 443"),
            Option("--sandbox", "ADDR", "where it plays sandbox as well, with tokens and keys apart"),
            Option("--sandbox-twin", "ADDR", "a second address of sandbox"),
            Option(
                "--fcm", "ADDR", else: MockCommand.usualFCM,
                "FCM and its token endpoint as well, there or on \(MockCommand.usualFCM) (default: nowhere)"),
            Option("--admin", "ADDR", "where the admin API listens (default 127.0.0.1:2190)"),
            Option(
                "--channels", "ADDR|none",
                "where broadcast channels are managed (default port 2196, sandbox 2195, on the host of --apns)"),
            Option("--sandbox-channels", "ADDR|none", "the same for --sandbox (default port 2195)"),
            Option("--tokens", "any|registered", "whether unknown tokens are accepted (default any)"),
            Option("--environment", "production|sandbox", "which of Apple's two --apns plays (default production)"),
            Option("--topic", "BUNDLE", isRepeatable: true, "a bundle ID that exists; default: every one"),
            Option("--name", "NAME", isRepeatable: true, "a further name of its certificate, such as a container's"),
            Option("--setting", "NAME=VALUE", isRepeatable: true, "what Apple leaves open; `pushrig list settings`"),
            Option("--clock-skew", "TIME", "how far its clock is ahead of the real one, such as 90m; behind: -90m"),
            Option("--clock-scale", "N", "how many times as fast as real time its clock runs (default 1)"),
            Option("--loops", "N", "threads that serve pushes (default 1)"),
            Option("--seed", "N", "chance of faults and ids (default 1)"),
            Option("--health", "asks the mock that is up there whether it is well, and starts nothing"),
            Option("--print-env", "prints what a relay is to be told, as variables, and starts nothing"),
            Option("--format", "sh|docker|json", "of those variables: export lines, an --env-file, an object (default sh)"),
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
        summary: "Runs a reference relay, honest unless told otherwise",
        example: "pushrig relay --dialect opencode --apns https://127.0.0.1:2197 --apns-ca state/ca.pem "
            + "--key state/AuthKey_ABC1234567.p8 --key-id ABC1234567 --team-id DEF1234567 --topic com.example.app",
        options: [
            Option("--dialect", "NAME", "which relay it plays (default opencode)"),
            Option("--listen", "ADDR", "where it listens (default 127.0.0.1:8787; port 0 picks one)"),
            Option("--apns", "URL", "where APNs is"),
            Option("--apns-sandbox", "URL", "where sandbox APNs is (default: the same)"),
            Option("--apns-ca", "FILE", "PEM file of the authority to trust (default: the system's)"),
            Option("--key", "FILE", "provider key (.p8)"),
            Option("--key-id", "ID", "its key id"),
            Option("--team-id", "ID", "its team id"),
            Option("--topic", "BUNDLE", "bundle ID of registrations that name none"),
            Option("--storage", "FILE", "SQLite file (default relay.sqlite)"),
            Option("--throttle", "TIME", "at most one progress push per session in this time (default 10s)"),
            Option("--timeout", "TIME", "longest wait for one answer of APNs (default 5s)"),
            Option("--connections", "N", "connections to APNs (default 1)"),
            Option("--shared", "share port and storage with other processes started the same way"),
            Option("--lifetime", "TIME", "age at which it ends an activity as timed out (default 7h59m)"),
            Option("--variant", "A|B", "which of the two published shapes of the activity it pushes (default A)"),
            Option("--answer", "early|late", "whether an event is answered before or after APNs did (default late)"),
            Option(
                "--clock", "SETTING|URL",
                "another clock: scale=60,at=MS,shows=MS (since 1970) to follow, or a mock's admin API to take part in"),
            Option("--allow-host", "NAME", isRepeatable: true, "a host other than loopback on which a mock may be called"),
            Option("--fcm", "URL", "where FCM is (sendora)"),
            Option("--service-account", "FILE", "the service account that FCM is called as, as Google gives it"),
            Option("--webhook", "URL", "whom it calls back: what becomes of sessions, and tokens that are dead"),
            Option("--webhook-key", "FILE", "the key that webhooks are signed with"),
            Option("--defect", "ID", isRepeatable: true, "a fault to have; `pushrig list defects`"),
            Option("--as-built", "have the faults of the relay's published source (opencode)"),
            Option("--collapse", "have an alert take the place of the one before of its session (apns-collapse-id)"),
            Option("--plant", "N", "spoil every Nth question in one of five ways in turn, and log which it was"),
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
