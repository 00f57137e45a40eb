// `pushrig replay`: plays the plan of a recorded run again, whole or one session of it, and says whether it came to the same.

package import Basics
import Journal
import Planning
import Scenarios
import Verdicts

/// One replay. Confined to the thread that makes it; blocks that thread until the run is over.
package final class ReplayCommand {
    private let options: ReplayOptions
    private let signals: Signals

    /// `signals` must have been made before any thread was started.
    package init(_ options: ReplayOptions, signals: Signals) {
        self.options = options
        self.signals = signals
    }

    /// The exit code is that of the run that is played.
    package func run() throws(Failure) -> ExitCode {
        let recorded = try RecordedRun(options.path, session: options.session)
        try recorded.check()
        let note = try note(recorded)
        let scenario = try note.scenario(readsSecrets: !options.run.isDryRun)
        if !options.run.isQuiet { Console.error(introduction(recorded, note, scenario)) }
        let command = try RunCommand(note, scenario, options.run, signals: signals)
        let code = try command.run()
        guard let record = command.record else { return code }
        let isStepped = scenario.isStepped && scenario.steppedUntil == nil
        let isOther = note.overrides != recorded.note.overrides
        let lines = recorded.verdict.comparison(with: record, isStepped: isStepped, isOther: isOther)
        let text = lines.map { $0 + "\n" }.joined()
        if options.run.format != .text { Console.error(text) } else { Console.out(text) }
        return code
    }

    /// The recorded plan with what was asked for now.
    private func note(_ recorded: RecordedRun) throws(Failure) -> PlanNote {
        var note = recorded.note
        let own = options.overrides + (try options.relayOverrides())
        note.overrides += own.map { [$0.path, $0.value] }
        if !own.isEmpty { try check(note, against: recorded.note) }
        var replay = recorded.cut ?? ReplayNote()
        replay.speed *= options.speed
        guard ReplayNote.admits(speed: replay.speed) else {
            throw Failure(
                .usage, "--speed comes to \(replay.speed) in all", hint: "from 0.001 to 1000 times as fast as recorded")
        }
        note.replay = replay
        // Gates over all sessions say nothing of some.
        note.gates = (replay.users == nil ? note.gates : []) + options.gates
        note.knownFailing = (replay.users == nil ? note.knownFailing : []) + options.knownFailing
        note.isStrict = note.isStrict || options.isStrict
        return note
    }

    /// Throws when `--set` makes it another history.
    private func check(_ note: PlanNote, against recorded: PlanNote) throws(Failure) {
        guard note.plan(of: try note.scenario()).digest() != recorded.digest else { return }
        throw Failure(
            .usage, "--set makes another plan of the recorded one, which would be no replay",
            hint: "change relay, mock or clock, or run the scenario: pushrig run \(recorded.files.first?.path ?? "SCENARIO")")
    }

    private func introduction(_ recorded: RecordedRun, _ note: PlanNote, _ scenario: Scenario) -> String {
        let version = note.toolVersion.isEmpty ? "of no version" : note.toolVersion
        var words = ["replays \(options.path), recorded by pushrig \(version)"]
        if let replay = note.replay, let users = replay.users {
            let plan = note.plan(of: scenario)
            let sessions = users.flatMap { plan.sessions(ofUser: UInt32($0)) }.map(String.init)
            words.append("session\(sessions.count == 1 ? "" : "s") \(sessions.joined(separator: ", ")) alone")
            if replay.skipped > .zero { words.append("without the first \(replay.skipped)") }
            let left = replay.faults.count(where: \.isLeftOut)
            if left > 0 { words.append("without \(Numbers.count(left, "fault")) that met only others") }
        }
        if let speed = note.replay?.speed, speed != 1 { words.append("\(Numbers.trimmed(speed, places: 3)) times as fast") }
        return words.joined(separator: ", ") + "\nthen    \(recorded.verdict.words)\n"
    }
}
