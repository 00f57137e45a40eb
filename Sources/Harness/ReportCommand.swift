// `pushrig report`: renders the files of a saved run again.

package import Basics
import OperatingSystem
import Reports

package enum ReportCommand {
    /// `run` is a run directory or its run.json; `directory` nil writes beside it.
    package static func run(_ run: String, into directory: String?, fullTokens: Bool) throws(Failure) -> ExitCode {
        let record = try ReportFiles.readRecord(at: run)
        let folder = run.hasSuffix(".json") ? String(run[..<(run.lastIndex(of: "/") ?? run.startIndex)]) : run
        let target = directory ?? (folder.isEmpty ? "." : folder)
        try FileSystem.makeDirectory(target)
        try ReportFiles.writeAll(record, to: target, fullTokens: fullTokens)
        Console.out(TerminalSummary.renderText(record, color: Console.wantsColor(1)))
        Console.out("report: \(FileSystem.absolute(target) ?? target)/report.html\n")
        return .passed
    }
}
