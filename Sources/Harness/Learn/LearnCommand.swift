// `pushrig learn`: a relay that nobody has described, while somebody else's tests call it. PushRig stands before it as a proxy
// and behind it as the mocks, and writes a profile of what it saw. The profile is played once, and mended where it errs.

package import Basics
import EventLoop
import Journal
import Net
import OperatingSystem
import Reports
import Scenarios
import Verdicts

package struct LearnCommand {
    package var command: [String]
    /// Where the relay listens; nil: where the calls go.
    package var relay: String?
    /// Where the proxy listens.
    package var listen = "127.0.0.1:0"
    /// A line for `sh`, which calls the relay through the proxy.
    package var tests: String?
    /// Lines of curl, which PushRig makes itself.
    package var calls: [String] = []
    package var outputDirectory: String?
    package var topic = "com.example.app"
    /// Behind `pushrig exec`, for the mock that the relay is led to.
    package var execArguments: [String] = []
    package var isQuiet = false

    /// So long behind the last call its push may come: a state may be held back for a window.
    private static let settling = Interval.seconds(16)
    /// So long the relay has to come up.
    private static let patience = Interval.seconds(60)
    private static let pause = Interval.milliseconds(700)
    private static let mostRounds = 12

    package init(command: [String]) { self.command = command }

    /// `signals` must have been made before any thread was started.
    package func run(_ signals: Signals) throws(Failure) -> ExitCode {
        var lines: [CurlCall] = []
        for line in calls { lines.append(try CurlCall(line)) }
        let given = relay.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        guard let url = given ?? lines.first?.origin else {
            throw Failure(.usage, "nobody says where the relay listens", hint: "add --relay http://127.0.0.1:8787")
        }
        if let other = lines.first(where: { $0.origin != url }) {
            throw Failure(
                .usage, "the relay is at \(url), and --call '\(other.line.prefix(60))' goes to \(other.origin)",
                hint: "leave out calls that are not the relay's")
        }
        guard !url.hasPrefix("https://") else {
            throw Failure(.usage, "\(url): a relay with TLS is not read", hint: "let it listen without TLS meanwhile")
        }
        let target = try TargetPolicy.check(Origin(parsing: url), allowHosts: [])
        let address = try SocketAddress(parsing: listen)
        let time = SystemTime()
        let folder = outputDirectory.map { FileSystem.absolute($0) ?? $0 } ?? RunDirectory.fresh("learn", at: time.wall())
        guard !FileSystem.exists(folder + "/profile.yaml") else {
            throw Failure(.usage, "\(folder) holds a profile already", hint: "choose an empty folder with --out DIR")
        }
        try FileSystem.makeDirectory(folder)
        signals.attend()
        let led = try LedRelay(command, in: folder, topic: topic, execArguments: execArguments, signals)
        defer { led.end(signals) }
        guard try led.comesUp(signals) else { return .interrupted }
        let proxy = try WatchingProxy(address, before: target)
        defer { proxy.stop() }
        guard try comesUp(proxy, led, signals) else { return .interrupted }
        guard try watch(proxy, lines, led, signals) else { return .interrupted }
        _ = signals.wait(atMost: Self.settling)
        let seen = proxy.seen
        guard !seen.isEmpty else {
            throw Failure(
                .run, "nobody called the relay through http://\(proxy.address)",
                hint: "let your tests call that address, or \(TestsProcess.variable), which holds it")
        }
        say("\(seen.count == 1 ? "1 request was" : "\(seen.count) requests were") seen; now what they seem to mean is played\n")
        let learned = LearnedCalls(
            seen, try Self.pushes(of: led.state), topic: topic, origin: url)
        return try settle(learned, led, folder, signals)
    }

    func say(_ text: String) { if !isQuiet { Console.error("pushrig: " + text) } }

    /// Waits until the relay takes connections. False: a signal came.
    private func comesUp(_ proxy: WatchingProxy, _ led: LedRelay, _ signals: Signals) throws(Failure) -> Bool {
        let time = SystemTime()
        let deadline = time.now() + Self.patience
        while time.now() < deadline {
            guard !led.process.isGone else { throw led.gone }
            let isUp = proxy.isUp
            if signals.wait(atMost: isUp ? Self.pause : .milliseconds(50)) { return false }
            // Somebody else may have its port, and then it is gone by now.
            if isUp, !led.process.isGone { return true }
        }
        throw Failure(.run, "the relay did not come up within \(Self.patience)", hint: "see relay.log in \(led.folder)")
    }

    /// Lets the tests run, makes the calls, or waits for a signal, which ends the watching. False: a signal came too early.
    private func watch(
        _ proxy: WatchingProxy, _ lines: [CurlCall], _ led: LedRelay, _ signals: Signals
    ) throws(Failure) -> Bool {
        for line in lines {
            guard !led.process.isGone else { throw led.gone }
            var hasSignal = false
            let status = proxy.ask(line) {
                hasSignal = signals.wait(atMost: .zero)
                return !led.process.isGone && !hasSignal
            }
            guard !hasSignal else { return false }
            guard status != nil else {
                throw Failure(.run, "the relay did not answer --call '\(line.line.prefix(60))'", hint: "see relay.log")
            }
            if signals.wait(atMost: Self.pause) { return false }
        }
        let process = try tests.map { line throws(Failure) in try TestsProcess.start(line, proxy.address, in: led.folder) }
        if process != nil {
            say("the relay is at http://\(proxy.address) while the tests run; Ctrl-C ends them\n")
        } else if lines.isEmpty {
            say("the relay is at http://\(proxy.address): let your tests call it there, then press Ctrl-C\n")
        }
        // What the tests leave in the background ends with their process.
        while process.map({ $0.exitCode == nil && !$0.isGone }) ?? lines.isEmpty {
            if led.process.isGone { throw led.gone }
            guard signals.wait(atMost: .milliseconds(50)) else { continue }
            process?.send(.kill)
            break
        }
        if let code = process?.exitCode, code != 0 { say("the tests ended with \(code): tests.log has their words\n") }
        return true
    }

    private static func pushes(of state: String) throws(Failure) -> [PushEntry] {
        var pushes: [PushEntry] = []
        _ = try JournalReader(directory: try JournalPlace.journal(of: state)).forEach(since: nil) { entry in
            if case .push(let push) = entry, push.kind == .push { pushes.append(push) }
            return true
        }
        return pushes
    }

    // MARK: What it means

    /// Plays what was learned, and takes back what the relay answers otherwise than it did, until all of it is as it was.
    private func settle(
        _ learned: LearnedCalls, _ led: LedRelay, _ folder: String, _ signals: Signals
    ) throws(Failure) -> ExitCode {
        var learned = learned
        var lost: [String] = []
        if learned.unreadable > 0 { lost.append("\(learned.unreadable) requests are no text, or say {{, and are left out") }
        for round in 1... {
            let (drafts, scripts) = learned.plan
            guard !drafts.isEmpty else {
                throw Failure(
                    .run, "no request that was seen could be made again", hint: "the files first-… in \(folder) say why")
            }
            var draft = try TourDraft(
                drafts.map(\.curl), traits: drafts.map(\.traits), topic: learned.topic,
                author: "`pushrig learn` from requests that were seen")
            draft.scripts = scripts
            let name = "first-\(round)"
            try FileSystem.write(draft.profile, to: "\(folder)/\(name).profile.yaml")
            try FileSystem.write(draft.first(name, readyPath: learned.readyPath), to: "\(folder)/\(name).yaml")
            let code = try led.play(name, signals, isFirst: true)
            guard !signals.wait(atMost: .zero), code != ExitCode.interrupted.rawValue else { return .interrupted }
            try led.checkPlayed(name, code)
            let refused = Set(drafts.indices.filter { drafts[$0].traits.refusedWith != nil })
            let probe = try TourProbe(of: "\(folder)/\(name)", calls: drafts.count, refusing: refused)
            var isMended = true
            for (call, words) in probe.refusals.sorted(by: { $0.key < $1.key }) {
                isMended = false
                // What it names may have to stay as it was; else it cannot be made twice.
                if round < Self.mostRounds, learned.doubt(drafts[call]) { continue }
                learned.drop(drafts[call])
                lost.append("`\(draft.names[call])` could not be made again: the relay answered \(words)")
            }
            for (call, statuses) in probe.refusedWith.sorted(by: { $0.key < $1.key }) {
                guard let status = drafts[call].traits.refusedWith, statuses != [status] else { continue }
                isMended = false
                learned.drop(drafts[call])
                lost.append(
                    "`\(draft.names[call])` was answered \(status), and for another user "
                        + statuses.sorted().map(String.init).joined(separator: " or "))
            }
            guard isMended else { continue }
            draft = try TourDraft(
                drafts.map(\.curl), traits: drafts.map(\.traits), topic: probe.topic ?? learned.topic, author: draft.author)
            draft.scripts = scripts
            (draft.seen, draft.isOfOneHost) = (probe.seen, probe.environments.count == 1)
            if let call = probe.broadcast {
                draft.seen[call].pushes = []
                lost.append("`\(draft.names[call])` reached several phones, of other users among them")
            }
            guard ask(&draft, name, readyPath: learned.readyPath, led, signals) else { return .interrupted }
            return try write(draft, learned, probe, lost, folder, led)
        }
        preconditionFailure("each round takes something away, or is the last")
    }

    private func write(
        _ draft: TourDraft, _ learned: LearnedCalls, _ probe: TourProbe, _ lost: [String], _ folder: String, _ led: LedRelay
    ) throws(Failure) -> ExitCode {
        let count = draft.names.count == 1 ? "1 call was" : "\(draft.names.count) calls were"
        var text = "\(count) learned\(draft.words.isEmpty ? "" : ": ")\(draft.words)\n"
        try FileSystem.write(draft.profile, to: folder + "/profile.yaml")
        try FileSystem.write(draft.scenario(readyPath: learned.readyPath), to: folder + "/scenario.yaml")
        if !probe.seen.contains(where: { !$0.pushes.isEmpty }) {
            text += "none of them was followed by a push that PushRig knows again: no text of a request stands in its pushes\n"
        }
        if probe.unknown > 0 {
            text += "\(probe.unknown) pushes bore the text of no call, and nobody can say of which call they are\n"
        }
        for line in lost { text += line + "\n" }
        text += "It could not find out: `deadlines`\(draft.schemas.isEmpty ? ", `schemas`" : ""), and what nobody called.\n"
            + "Read \(folder)/profile.yaml, whose comments say how often each thing was seen. Then:\n"
            + "  eval \"$(pushrig mock --state DIR --print-env)\"; export APNS_URL=https://api.push.apple.com\n"
            + "  pushrig exec --state DIR -- \(CommandText.line(command))\n"
            + "  and beside it: pushrig check \(folder)/scenario.yaml --mock DIR\n"
        Console.out(text)
        return probe.seen.contains { !$0.pushes.isEmpty } ? .passed : .inconclusive
    }
}

/// Somebody's tests, as a process.
private enum TestsProcess {
    /// Of its environment: where the relay is.
    static let variable = "PUSHRIG_RELAY_URL"

    static func start(_ line: String, _ address: SocketAddress, in folder: String) throws(Failure) -> RelayProcess {
        let process = try RelayProcess(
            arguments: ["/bin/sh", "-c", line], environment: [(variable, "http://\(address)")], logPath: folder + "/tests.log")
        try process.start()
        return process
    }
}
