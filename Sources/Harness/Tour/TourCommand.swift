// `pushrig exec --tour`: a relay that nobody has described. Its calls are given as lines of curl. They are made once when all
// is well; what came then is owed while APNs refuses, rests and goes away, one after the other.

package import Basics
import Cases
import EventLoop
import Glibc
import Journal
import Net
import OperatingSystem
import Pushes
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

    package init(command: [String]) { self.command = command }

    /// Ends as `run` does. `signals` must have been made before any thread was started.
    package func run(_ signals: Signals) throws(Failure) -> ExitCode {
        var read: [CurlCall] = []
        for line in calls { read.append(try CurlCall(line)) }
        var draft = try TourDraft(read, topic: topic)
        guard draft.isMarked else {
            throw Failure(
                .usage, "no call of the tour says {{text}}, by which PushRig finds a push again",
                hint: "write {{text}} where the text stands that a phone shows")
        }
        _ = try TargetPolicy.check(Origin(parsing: read[0].origin), allowHosts: [])
        let time = SystemTime()
        let folder = outputDirectory.map { FileSystem.absolute($0) ?? $0 } ?? RunDirectory.fresh("tour", at: time.wall())
        guard !FileSystem.exists(folder + "/profile.yaml") else {
            throw Failure(.usage, "\(folder) holds a tour already", hint: "choose an empty folder with --out DIR")
        }
        try FileSystem.makeDirectory(folder)
        signals.attend()
        // What a call says is read before anything is started.
        try FileSystem.write(draft.profile, to: folder + "/first.profile.yaml")
        try FileSystem.write(draft.first(), to: folder + "/first.yaml")
        do throws(Failure) { _ = try Scenario.load(path: folder + "/first.yaml") } catch {
            throw Failure(
                .usage, "a call says what cannot be said: \(error.message)",
                hint: "there are {{token}}, {{activityToken}}, {{startToken}}, {{registrationToken}}, {{text}}, {{user}} and "
                    + "{{session}}")
        }
        let relay = try LedRelay(command, in: folder, topic: topic, execArguments: execArguments, signals)
        defer { relay.end(signals) }
        guard try relay.comesUp(signals) else { return .interrupted }
        // The calls themselves, when all is well.
        let code = try relay.play("first", signals)
        if relay.process.isGone { return try ended(relay, "when the mock closed its connection with a GOAWAY", in: folder) }
        guard !signals.wait(atMost: .zero), code != ExitCode.interrupted.rawValue else { return .interrupted }
        try relay.checkPlayed("first", code)
        let probe = try TourProbe(of: folder + "/first", calls: read.count)
        try check(probe, draft)
        draft = try TourDraft(read, topic: probe.topic ?? topic)
        (draft.seen, draft.isOfOneHost) = (probe.seen, probe.environments.count == 1)
        let profile = folder + "/profile.yaml"
        try FileSystem.write(draft.profile, to: profile)
        try FileSystem.write(draft.base(), to: folder + "/base.yaml")
        guard let base = try ScenarioBase.load(path: folder + "/base.yaml").base else {
            preconditionFailure("a base has a relay")
        }
        switch CaseCatalogue(base.relay).tour {
        case .cannot(_, _, let reason):
            throw Failure(.run, "the tour cannot be made: \(reason)", hint: "its profile is \(profile)")
        case .runs(let item):
            let isOfFCM = draft.seen.allSatisfy { $0.pushes.allSatisfy { $0.provider == .fcm } }
            say(
                "the calls brought about \(draft.words); now \(isOfFCM ? "FCM" : "APNs") refuses, rests and goes away for "
                    + "\(item.duration)\n")
            let played = Set(item.scripts.flatMap(\.steps).map(\.call))
            let others = draft.names.filter { !played.contains($0) }
            if !others.isEmpty { say("not played there: \(others.joined(separator: ", "))\n") }
            try FileSystem.write(item.text(extending: folder + "/base.yaml", seed: seed), to: folder + "/tour.yaml")
        }
        let result = try relay.play("tour", signals)
        Console.out(FileSystem.text(of: folder + "/tour.log") ?? "")
        if relay.process.isGone { return try ended(relay, "while it was asked", in: folder) }
        for (call, text) in probe.altered.sorted(by: { $0.key < $1.key }) {
            let seen = Escaping.terminal(String(text.prefix(100)))
            say("`\(draft.names[call])` said `\(TourDraft.text)`, and `\(seen)` arrived: is that meant?\n")
        }
        say(advice(draft, profile))
        return ExitCode(rawValue: result) ?? .couldNotRun
    }

    /// A relay that ended by itself though its calls had brought pushes about. Throws where they had not, or what leads it
    /// failed.
    private func ended(_ relay: LedRelay, _ when: String, in folder: String) throws(Failure) -> ExitCode {
        let words = relay.process.lastWords
        let hasPushed = try Self.hasPushed(folder + "/first")
        if words.contains("pushrig: ") || !hasPushed { throw relay.gone }
        Console.out(
            "\nCONFORMANCE BROKEN  the relay ended by itself \(when): it \(relay.process.ending ?? "ended")"
                + (words.isEmpty ? "\n" : "; its last words:\n\(words)\n"))
        return .conformanceBroken
    }

    private static func hasPushed(_ run: String) throws(Failure) -> Bool {
        guard FileSystem.exists(run) else { return false }
        var hasPushed = false
        _ = try JournalReader(directory: try JournalPlace.journal(of: run)).forEach(since: nil) { entry in
            if case .push(let push) = entry, push.status == 200 { hasPushed = true }
            return !hasPushed
        }
        return hasPushed
    }

    private func say(_ text: String) { if !isQuiet { Console.error("pushrig: " + text) } }
}
