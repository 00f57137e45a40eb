// `pushrig exec --tour`: a relay that nobody has described. Its calls are given as lines of curl. They are made once when all
// is well; what came then is owed while APNs refuses, rests and goes away, one after the other.

package import Basics
import Cases
import EventLoop
import Glibc
import Net
import OperatingSystem
import Reports
import Scenarios
import Verdicts

package struct TourCommand {
    package var command: [String]
    /// Lines of curl, in the order in which they are made.
    package var calls: [String] = []
    package var outputDirectory: String?
    package var topic = "com.example.app"
    package var seed: UInt64 = 1
    /// Behind `pushrig exec`, for the mock that the relay is led to.
    package var execArguments: [String] = []
    package var isQuiet = false

    /// So long the relay has to come up, and to end.
    private static let patience = Interval.seconds(15)
    package init(command: [String]) { self.command = command }

    /// Ends as `run` does. `signals` must have been made before any thread was started.
    package func run(_ signals: Signals) throws(Failure) -> ExitCode {
        var read: [CurlCall] = []
        for line in calls { read.append(try CurlCall(line)) }
        var draft = try TourDraft(read, topic: topic)
        _ = try TargetPolicy.check(Origin(parsing: read[0].origin), allowHosts: [])
        let time = SystemTime()
        let folder = outputDirectory.map { FileSystem.absolute($0) ?? $0 } ?? RunDirectory.fresh("tour", at: time.wall())
        guard !FileSystem.exists(folder + "/profile.yaml") else {
            throw Failure(.usage, "\(folder) holds a tour already", hint: "choose an empty folder with --out DIR")
        }
        try FileSystem.makeDirectory(folder)
        signals.attend()
        let program = FileSystem.executable
        let state = folder + "/state"
        // What a call says is read before anything is started.
        try FileSystem.write(draft.profile, to: folder + "/first.profile.yaml")
        try FileSystem.write(first(draft), to: folder + "/first.yaml")
        do throws(Failure) { _ = try Scenario.load(path: folder + "/first.yaml") } catch {
            throw Failure(
                .usage, "a call says what cannot be said: \(error.message)",
                hint: "there are {{token}}, {{activityToken}}, {{startToken}}, {{registrationToken}}, {{text}}, {{user}} and "
                    + "{{session}}")
        }
        let variables = try credentials(program, state, folder, signals)
        let relay = try RelayProcess(
            arguments: [program, "exec", "--state", state, "--quiet"] + execArguments + ["--"]
                + command.map { Self.filled($0, variables) },
            environment: variables, logPath: folder + "/relay.log")
        try relay.start()
        defer { end(relay, signals) }
        guard try see(relay, state, signals) else { return .interrupted }
        // The calls themselves, when all is well.
        let code = try play("first", beside: relay, program, folder, signals)
        guard !signals.wait(atMost: .zero), code != ExitCode.interrupted.rawValue else { return .interrupted }
        guard code != ExitCode.couldNotRun.rawValue, code != ExitCode.badUsage.rawValue else {
            let said = (FileSystem.text(of: folder + "/first.log") ?? "").split(separator: "\n")
            let words = said.first { $0.contains("COULD NOT RUN") }
            throw Failure(
                .run, words.map { String($0.drop { $0 != " " }.drop { !$0.isLowercase }) } ?? "the calls could not be made",
                hint: "see first.log and relay.log in \(folder)")
        }
        let probe = try TourProbe(of: folder + "/first", calls: read.count)
        try check(probe, draft)
        draft = try TourDraft(read, topic: probe.topic ?? topic)
        draft.seen = probe.seen
        let profile = folder + "/profile.yaml"
        try FileSystem.write(draft.profile, to: profile)
        try FileSystem.write(base(draft), to: folder + "/base.yaml")
        guard let base = try ScenarioBase.load(path: folder + "/base.yaml").base else {
            preconditionFailure("a base has a relay")
        }
        switch CaseCatalogue(base.relay).tour {
        case .cannot(_, _, let reason):
            throw Failure(.run, "the tour cannot be made: \(reason)", hint: "its profile is \(profile)")
        case .runs(let item):
            say("the calls brought about \(Self.words(draft)); now APNs refuses, rests and goes away for \(item.duration)\n")
            try FileSystem.write(item.text(extending: folder + "/base.yaml", seed: seed), to: folder + "/tour.yaml")
        }
        let result = try play("tour", beside: relay, program, folder, signals)
        Console.out(FileSystem.text(of: folder + "/tour.log") ?? "")
        if relay.isGone {
            let words = relay.lastWords
            // What leads it is ours.
            if words.contains("pushrig: ") { throw gone(relay) }
            Console.out(
                "\nCONFORMANCE BROKEN  the relay ended by itself while it was asked: it \(relay.ending ?? "ended")"
                    + (words.isEmpty ? "\n" : "; its last words:\n\(words)\n"))
            return .conformanceBroken
        }
        for (call, text) in probe.altered.sorted(by: { $0.key < $1.key }) {
            let seen = Escaping.terminal(String(text.prefix(100)))
            say("`\(draft.names[call])` said `\(TourDraft.text)`, and `\(seen)` arrived: is that meant?\n")
        }
        say(advice(draft, profile))
        return ExitCode(rawValue: result) ?? .couldNotRun
    }

    private func say(_ text: String) { if !isQuiet { Console.error("pushrig: " + text) } }

    // MARK: The relay

    /// The state directory is made, and what a relay has to be told of it, as `pushrig mock --print-env` says.
    private func credentials(
        _ program: String, _ state: String, _ folder: String, _ signals: Signals
    ) throws(Failure) -> [(name: String, value: String)] {
        let log = folder + "/credentials.log"
        let mock = try RelayProcess(
            arguments: [program, "mock", "--state", state, "--topic", topic, "--print-env", "--format", "json"],
            environment: [], logPath: log)
        try mock.start()
        let deadline = SystemTime().now() + Self.patience
        while !mock.isGone, SystemTime().now() < deadline {
            if signals.wait(atMost: .milliseconds(20)) { mock.send(.kill) }
        }
        let said = (try? JSONValue(parsing: FileSystem.text(of: log) ?? ""))?.object ?? JSONObject()
        let port = execArguments.contains("--no-443") ? ":\(ProviderName.twinPort)" : ""
        let names = ["APNS_URL": "api.push.apple.com", "APNS_SANDBOX_URL": "api.sandbox.push.apple.com"]
        return said.compactMap { name, value in
            if name.hasSuffix("_HOST") || name.hasSuffix("_PORT") { return nil }
            return (name, names[name].map { "https://\($0)\(port)" } ?? value.string ?? "")
        }
    }

    /// A word of the command, in which `{{mock.key}}` and its like stand for what the relay has to be told.
    private static func filled(_ word: String, _ variables: [(name: String, value: String)]) -> String {
        let names = [
            "mock.key": "APNS_KEY_FILE", "mock.keyId": "APNS_KEY_ID", "mock.teamId": "APNS_TEAM_ID", "mock.topic": "APNS_TOPIC",
            "mock.ca": "APNS_CA_FILE", "mock.keyText": "APNS_KEY_TEXT",
        ]
        return LaunchTemplate.fill(word) { name in
            names[name].flatMap { wanted in variables.first { $0.name == wanted }?.value }
        }
    }

    /// Waits until its mock is up. False: a signal came.
    private func see(_ relay: RelayProcess, _ state: String, _ signals: Signals) throws(Failure) -> Bool {
        let time = SystemTime()
        let deadline = time.now() + Self.patience
        while time.now() < deadline, !relay.isGone {
            if RunningMock.isUp(state), (try? RunningMock.coordinates(in: state)) != nil { return true }
            if signals.wait(atMost: .milliseconds(50)) { return false }
        }
        throw relay.isGone ? gone(relay) : Failure(.run, "the mock did not come up", hint: "see credentials.log and relay.log")
    }

    private func gone(_ relay: RelayProcess) -> Failure {
        let words = relay.lastWords
        return Failure(
            .run, "the relay \(relay.ending ?? "ended")" + (words.isEmpty ? "" : "; its last words:\n\(words)"),
            hint: "try it by hand: pushrig exec -- \(CommandText.line(command))")
    }

    private func end(_ relay: RelayProcess, _ signals: Signals) {
        let time = SystemTime()
        relay.send(.term)
        let deadline = time.now() + Self.patience
        while !relay.isGone, time.now() < deadline { if signals.wait(atMost: .milliseconds(20)) { break } }
        if !relay.isGone { relay.send(.kill) }
    }

    /// Plays `NAME.yaml` of the folder into the folder of that name, and gives its exit code. What it prints goes to a log.
    /// Throws where the relay ends before it was ever called.
    private func play(
        _ name: String, beside relay: RelayProcess, _ program: String, _ folder: String, _ signals: Signals
    ) throws(Failure) -> Int32 {
        let out = "\(folder)/\(name)"
        let run = try RelayProcess(
            arguments: [program, "run", "\(out).yaml", "--quiet", "--mock", folder + "/state", "--out", out],
            environment: [], logPath: out + ".log")
        try run.start()
        var isToldToEnd = false
        while !run.isGone {
            let hasSignal = signals.wait(atMost: .milliseconds(20))
            // Whoever asks again wants no report.
            if hasSignal, isToldToEnd { run.send(.kill) }
            if hasSignal || relay.isGone, !isToldToEnd {
                run.send(.int)
                isToldToEnd = true
            }
        }
        if relay.isGone, name == "first" { throw gone(relay) }
        return run.exitCode ?? ExitCode.couldNotRun.rawValue
    }
}
