// A relay that is started under `pushrig exec`, with a mock of its own, and runs that are played beside it.

import Basics
import EventLoop
import Net
import OperatingSystem
import Scenarios
import Verdicts

struct LedRelay {
    let process: RelayProcess
    let folder: String
    private let command: [String]
    private let program = FileSystem.executable
    var state: String { Self.state(folder) }

    /// So long the relay has to come up, and to end.
    private static let patience = Interval.seconds(15)
    private static func state(_ folder: String) -> String { folder + "/state" }

    /// Starts it. Throws where a process cannot be started.
    init(
        _ command: [String], in folder: String, topic: String, execArguments: [String], _ signals: Signals
    ) throws(Failure) {
        (self.command, self.folder) = (command, folder)
        let variables = try Self.credentials(program, folder, topic, isWithout443: execArguments.contains("--no-443"), signals)
        process = try RelayProcess(
            arguments: [program, "exec", "--state", Self.state(folder), "--quiet"] + execArguments + ["--"]
                + command.map { Self.filled($0, variables) },
            environment: variables, logPath: folder + "/relay.log")
        try process.start()
    }

    /// The state directory is made, and what a relay has to be told of it, as `pushrig mock --print-env` says.
    private static func credentials(
        _ program: String, _ folder: String, _ topic: String, isWithout443: Bool, _ signals: Signals
    ) throws(Failure) -> [(name: String, value: String)] {
        let log = folder + "/credentials.log"
        let mock = try RelayProcess(
            arguments: [
                program, "mock", "--state", state(folder), "--topic", topic, "--fcm", "127.0.0.1:0", "--print-env", "--format",
                "json",
            ],
            environment: [], logPath: log)
        try mock.start()
        let deadline = SystemTime().now() + patience
        while !mock.isGone, SystemTime().now() < deadline {
            if signals.wait(atMost: .milliseconds(20)) { mock.send(.kill) }
        }
        // What goes to people stands there as well.
        let lines = (FileSystem.text(of: log) ?? "").split(separator: "\n")
        let said = lines.lazy.compactMap { try? JSONValue(parsing: String($0)) }.first?.object ?? JSONObject()
        let port = isWithout443 ? ":\(ProviderName.twinPort)" : ""
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
            "mock.serviceAccount": "GOOGLE_APPLICATION_CREDENTIALS",
        ]
        return LaunchTemplate.fill(word) { name in
            names[name].flatMap { wanted in variables.first { $0.name == wanted }?.value }
        }
    }

    /// Waits until its mock is up. False: a signal came.
    func comesUp(_ signals: Signals) throws(Failure) -> Bool {
        let time = SystemTime()
        let deadline = time.now() + Self.patience
        while time.now() < deadline, !process.isGone {
            if RunningMock.isUp(state), (try? RunningMock.coordinates(in: state)) != nil { return true }
            if signals.wait(atMost: .milliseconds(50)) { return false }
        }
        throw process.isGone ? gone : Failure(.run, "the mock did not come up", hint: "see credentials.log and relay.log")
    }

    /// That it ended by itself, with its last words.
    var gone: Failure {
        let words = process.lastWords
        return Failure(
            .run, "the relay \(process.ending ?? "ended")" + (words.isEmpty ? "" : "; its last words:\n\(words)"),
            hint: "try it by hand: pushrig exec -- \(CommandText.line(command))")
    }

    func end(_ signals: Signals) {
        let time = SystemTime()
        process.send(.term)
        let deadline = time.now() + Self.patience
        while !process.isGone, time.now() < deadline { if signals.wait(atMost: .milliseconds(20)) { break } }
        if !process.isGone { process.send(.kill) }
    }

    /// Plays `NAME.yaml` of the folder into the folder of that name, and gives its exit code. What it prints goes to a log.
    /// `isFirst`: throws where the relay ends meanwhile.
    func play(_ name: String, _ signals: Signals, isFirst: Bool = false) throws(Failure) -> Int32 {
        let out = "\(folder)/\(name)"
        let run = try RelayProcess(
            arguments: [program, "run", "\(out).yaml", "--quiet", "--mock", state, "--out", out],
            environment: [], logPath: out + ".log")
        try run.start()
        var isToldToEnd = false
        while !run.isGone {
            let hasSignal = signals.wait(atMost: .milliseconds(20))
            // Whoever asks again wants no report.
            if hasSignal, isToldToEnd { run.send(.kill) }
            if hasSignal || process.isGone, !isToldToEnd {
                run.send(.int)
                isToldToEnd = true
            }
        }
        if process.isGone, isFirst { throw gone }
        return run.exitCode ?? ExitCode.couldNotRun.rawValue
    }

    /// Throws where that run could not be made.
    func checkPlayed(_ name: String, _ code: Int32) throws(Failure) {
        guard code == ExitCode.couldNotRun.rawValue || code == ExitCode.badUsage.rawValue else { return }
        let said = (FileSystem.text(of: "\(folder)/\(name).log") ?? "").split(separator: "\n")
        let words = said.first { $0.contains("COULD NOT RUN") }
        throw Failure(
            .run, words.map { String($0.drop { $0 != " " }.drop { !$0.isLowercase }) } ?? "the calls could not be made",
            hint: "see \(name).log and relay.log in \(folder)")
    }
}
