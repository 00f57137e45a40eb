// `pushrig merge`: the shards of a run become one run folder, which is judged as any other.

package import Basics
import EventLoop
import Journal
import LoadGenerator
import OperatingSystem
import Planning
import Reports
import Scenarios
import Sessions
import Verdicts

package struct MergeCommand: Sendable {
    /// Shards' run folders, and the state directories of mocks that they share, in any order.
    package var folders: [String]
    /// Nil: `Reports/<time>-<scenario>-merged`.
    package var outputDirectory: String?
    package var printsJSON = false
    package var showsFullTokens = false
    /// The command as given, for the record.
    package var command = ""

    package init(_ folders: [String]) { self.folders = folders }

    /// Writes the run folder, says what is wrong a line each, and exits as the judge does. Throws a usage failure for a folder
    /// that holds no journal.
    package func run() throws(Failure) -> ExitCode {
        var read: [ShardFolder] = []
        for folder in folders { read.append(try ShardFolder(folder)) }
        let shardSet = try ShardSet(read)
        Console.error(shardSet.voids.map { "pushrig: \($0)\n" }.joined())
        guard let note = shardSet.parts.first?.folder.plan else {
            Console.error("pushrig: nothing can be said of this run\n")
            return .inconclusive
        }
        if let chosen = outputDirectory, SharedMock.wasTried(in: chosen) {
            throw Failure(.usage, "\(chosen) holds a run already", hint: "choose an empty folder with --out DIR")
        }
        let scenario = try note.scenario()
        let directory = try RunDirectory(
            chosen: outputDirectory, scenario: scenario.name + "-merged", scenarioText: scenario.text, at: SystemTime().wall())
        var journal = try MergedJournal(shardSet, in: directory.journal, command: command)
        try journal.write()
        return try judge(directory.path)
    }

    private func judge(_ directory: String) throws(Failure) -> ExitCode {
        let judged = try Verdicts.judge(directory)
        let seen = SeenSessions.read(judged)
        try ReportFiles.writeAll(judged, seen, to: directory, fullTokens: showsFullTokens)
        let record = showsFullTokens ? judged : judged.withShortTokens
        let sessions = showsFullTokens ? seen : seen?.withShortTokens
        if printsJSON {
            Console.out(ReportFiles.json(record, sessions).text + "\n")
        } else {
            Console.out(TerminalSummary.renderText(record, sessions, color: Console.wantsColor(1)))
            Console.out("report: \(directory)/report.html\n")
        }
        return ExitCode(rawValue: record.exit.code) ?? .couldNotRun
    }
}
