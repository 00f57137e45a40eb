// `pushrig report`: renders the files of a saved run again. One that was killed has none yet: its journal is judged.

package import Basics
import OperatingSystem
import Reports
import Sessions
import Verdicts

package enum ReportCommand {
    /// `run` is a run directory or its run.json, or for SARIF the folder of a check; `directory` nil writes beside it. Any
    /// format but text is printed, and no file is written. Throws a usage `Failure` when there is no run, or when tokens are
    /// asked for in full and the journal that holds them is gone.
    package static func run(
        _ run: String, into directory: String?, fullTokens: Bool, format: OutputFormat = .text
    ) throws(Failure) -> ExitCode {
        if format == .sarif, let sarif = FileSystem.text(of: run + "/check.json").flatMap({ _ in
            FileSystem.text(of: run + "/report.sarif")
        }) {
            Console.out(sarif)
            return .passed
        }
        let (record, sessions) = try record(of: run, fullTokens: fullTokens)
        switch format {
        case .text: break
        case .json:
            Console.out(ReportFiles.json(record, sessions).text + "\n")
            return .passed
        case .sarif:
            Console.out(SarifReport.json(record).text + "\n")
            return .passed
        }
        let folder = run.hasSuffix(".json") ? String(run[..<(run.lastIndex(of: "/") ?? run.startIndex)]) : run
        let target = directory ?? (folder.isEmpty ? "." : folder)
        try FileSystem.makeDirectory(target)
        try ReportFiles.writeAll(record, sessions, to: target, fullTokens: fullTokens)
        Console.out(
            TerminalSummary.renderText(
                fullTokens ? record : record.withShortTokens, sessions, color: Console.wantsColor(1)))
        Console.out("report: \(FileSystem.absolute(target) ?? target)/report.html\n")
        return .passed
    }

    /// What was seen of sessions is read from the journal where run.json does not tell.
    static func record(
        of run: String, fullTokens: Bool
    ) throws(Failure) -> (record: RunRecord, sessions: SessionsSeen?) {
        // However it was named: the commands of a report hold in any folder.
        let named = JournalPlace.home(of: run)
        let home = FileSystem.realPath(named) ?? FileSystem.absolute(named) ?? named
        let hasJournal = JournalPlace.isThere(home)
        let isSaved = FileSystem.exists(home + "/run.json") || run.hasSuffix(".json")
        guard isSaved || !hasJournal else {
            let judged = try judged(home)
            return (judged, SeenSessions.read(judged))
        }
        var (saved, sessions) = try ReportFiles.read(at: run)
        // It may have been moved since.
        let isThere = saved.directory.hasPrefix("/") && FileSystem.realPath(saved.directory) == home
        if hasJournal, !isThere { saved.directory = home }
        if hasJournal, sessions == nil { sessions = SeenSessions.read(saved) }
        guard fullTokens else { return (saved, sessions) }
        guard hasJournal else {
            throw Failure(
                .usage, "the tokens in \(run) are shortened, and the journal that holds them is gone",
                hint: "leave out --full-tokens, or put run.json back into its run directory")
        }
        let judged = try judged(home)
        guard judged.planDigest == saved.planDigest, judged.seed == saved.seed else {
            throw Failure(
                .usage, "the journal in \(home) is that of another run than \(run)",
                hint: "leave out --full-tokens, or put run.json back into its run directory")
        }
        return (judged, SeenSessions.read(judged))
    }

    private static func judged(_ home: String) throws(Failure) -> RunRecord {
        var options = JudgeOptions()
        options.saysInterrupted = true
        return try Verdicts.judge(home, options)
    }
}
