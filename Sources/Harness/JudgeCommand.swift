// `pushrig judge`: judges a run directory again, also one of a run that was killed. Its exit code is the verdict.

package import Basics
import Reports
import Sessions
import Verdicts

package struct JudgeCommand: Sendable {
    package var directory: String
    /// Beside those of the run.
    package var gates: [String] = []
    package var knownFailing: [String] = []
    package var isStrict = false
    package var format = OutputFormat.text
    package var showsFullTokens = false
    /// Of each class of deliveries; nil: a few.
    package var maxExamples: Int?

    package init(directory: String) { self.directory = directory }

    /// Writes nothing into the directory.
    package func run() throws(Failure) -> ExitCode {
        try Preflight.checkRules(knownFailing, "--known-failing", [])
        var options = JudgeOptions()
        options.gates = gates
        options.knownFailing = knownFailing
        options.isStrict = isStrict
        if let maxExamples { options.maxExamples = maxExamples }
        let judged = try Verdicts.judge(directory, options)
        let record = showsFullTokens ? judged : judged.withShortTokens
        let seen = SeenSessions.read(judged)
        let sessions = showsFullTokens ? seen : seen?.withShortTokens
        switch format {
        case .json: Console.out(ReportFiles.json(record, sessions).text + "\n")
        case .sarif: Console.out(SarifReport.json(record).text + "\n")
        case .text: Console.out(TerminalSummary.renderText(record, sessions, color: Console.wantsColor(1)))
        }
        return ExitCode(rawValue: record.exit.code) ?? .couldNotRun
    }
}
