// One trial of a search: a `pushrig run` of its own, in a folder of its own, that anybody can judge and replay.

import Basics
import EventLoop
import OperatingSystem
import Reports
import Scenarios
import Verdicts

/// Confined to the thread that runs the harness.
struct TrialRun {
    let options: FindOptions
    let signals: Signals
    /// State directory of the mock whose place the runs take; nil: each has its own.
    let mock: String?
    /// Beside the search's own.
    let overrides: [(path: String, value: String)]
    let gates: [String]

    enum Ending {
        case record(RunRecord)
        /// It left none; in words.
        case failed(String)
        case interrupted
    }

    /// Beyond what it was planned for, before it is ended.
    private static let patience = Interval.seconds(90)
    private static let grace = Interval.seconds(20)

    /// Blocks until it is over; `attend` is called many times a second meanwhile.
    func play(
        _ trial: FindRecord.Trial, in folder: String, _ more: [(path: String, value: String)], lasting: Double,
        attend: () throws(Failure) -> Void
    ) throws(Failure) -> Ending {
        let program = options.executable ?? FileSystem.executable
        let process = try RelayProcess(
            arguments: [program, "run", options.scenarioPath, "--quiet", "--out", folder] + arguments(trial, more),
            environment: [], logPath: folder + ".log")
        try process.start()
        let time = SystemTime()
        var deadline = time.now() + .seconds(lasting) + Self.patience
        var (wasInterrupted, wasOverdue) = (false, false)
        while !process.isGone {
            if signals.wait(atMost: .milliseconds(20)), !wasInterrupted {
                wasInterrupted = true
                signals.endAtNext()
                process.send(.int)
            }
            try attend()
            if time.now() > deadline {
                process.send(wasOverdue ? .kill : .int)
                deadline = time.now() + Self.grace
                wasOverdue = true
            }
        }
        if wasInterrupted { return .interrupted }
        if wasOverdue { return .failed("the run did not end in time") }
        do throws(Failure) { return .record(try ReportFiles.readRecord(at: folder)) } catch {
            let words = process.lastWords
            return .failed(words.isEmpty ? "the run \(process.ending ?? "left nothing")" : words)
        }
    }

    private func arguments(_ trial: FindRecord.Trial, _ more: [(path: String, value: String)]) -> [String] {
        var words = ["--seed", String(trial.seed)]
        for (path, value) in options.overrides + overrides + more { words += ["--set", "\(path)=\(value)"] }
        for gate in gates { words += ["--gate", gate] }
        for host in options.allowHosts { words += ["--allow-host", host] }
        return mock.map { words + ["--mock", $0] } ?? words
    }
}
