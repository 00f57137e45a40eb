// A `pushrig run` of its own, watched to its end: what a search and a comparison are made of.

import Basics
import EventLoop
import OperatingSystem
import Reports
import Scenarios
import Verdicts

/// Confined to the thread that runs the harness, which it blocks.
struct ChildRun {
    enum Ending {
        case record(RunRecord)
        /// It left none; in words.
        case failed(String)
        /// A signal came, and ended it.
        case interrupted
    }

    /// Behind `run`.
    let arguments: [String]
    /// Where it leaves its report; its own output goes beside it, with `.log` behind the name.
    let folder: String
    /// How long it was planned to take.
    let length: Interval
    /// What is run; nil: this program.
    var executable: String?

    /// Beyond its length, for the relay to come up and to go, and for the judge; then for an end in order.
    private static let patience = Interval.seconds(120)
    private static let grace = Interval.seconds(20)

    /// `attend` is called many times a second meanwhile.
    func play(_ signals: Signals, attend: () throws(Failure) -> Void = {}) throws(Failure) -> Ending {
        signals.attend()
        let program = executable ?? FileSystem.executable
        let process = try RelayProcess(
            arguments: [program, "run"] + arguments + ["--quiet", "--out", folder], environment: [], logPath: folder + ".log")
        try process.start()
        let time = SystemTime()
        var deadline = time.now() + length + Self.patience
        var (isInterrupted, isOverdue) = (false, false)
        while !process.isGone {
            if signals.wait(atMost: .milliseconds(20)), !isInterrupted {
                isInterrupted = true
                signals.endAtNext()
                process.send(.int)
            }
            try attend()
            guard time.now() > deadline else { continue }
            process.send(isOverdue ? .kill : .int)
            deadline = time.now() + Self.grace
            isOverdue = true
        }
        if isInterrupted { return .interrupted }
        if isOverdue { return .failed("the run did not end in time") }
        guard FileSystem.exists(folder + "/run.json") else {
            let words = process.lastWords
            return .failed(words.isEmpty ? "the run \(process.ending ?? "left nothing")" : words)
        }
        return .record(try ReportFiles.readRecord(at: folder))
    }
}
