// `pushrig export`: the history of a run or of a mock as text or as a database, whole or one session of it. Reads what was
// written so far, and changes nothing.

package import Basics
import Journal
import OperatingSystem
import Verdicts

package struct ExportCommand: Sendable {
    package enum Format: String, CaseIterable, Sendable { case ndjson, csv, sqlite }

    package var directory: String
    package var format = Format.ndjson
    /// Only this one, and those of its user.
    package var session: UInt32?
    /// Where it goes; nil: standard output.
    package var file: String?
    package var showsFullTokens = false

    package init(directory: String) { self.directory = directory }

    /// Throws a usage `Failure` when there is no journal, no such session, or a file where one is to be written.
    package func run() throws(Failure) -> ExitCode {
        if let file, FileSystem.exists(file) {
            throw Failure(.usage, "\(file) is there already", hint: "choose another name with --out, or take it away")
        }
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        switch format {
        case .ndjson: try write { output throws(Failure) in try ExportLines(self, reader).write(to: &output) }
        case .csv: try write { output throws(Failure) in try TableExport(self, reader).write(to: &output) }
        case .sqlite:
            guard let file else {
                throw Failure(.usage, "a database needs a file", hint: "add --out run.sqlite")
            }
            Console.error("\(file): \(Numbers.count(try TableExport(self, reader).write(to: file), "row"))\n")
        }
        return .passed
    }

    /// Lines are kept until the file is written: it is whole or it is not there.
    private func write(_ fill: (inout LineOutput) throws(Failure) -> Void) throws(Failure) {
        guard let file else {
            var output = LineOutput(showsFullTokens: true)
            try fill(&output)
            return output.flush()
        }
        let sink = try FileSink(file)
        var output = LineOutput(showsFullTokens: true) { sink.add($0) }
        do throws(Failure) {
            try fill(&output)
            output.flush()
            try sink.finish()
        } catch {
            FileSystem.remove(file)
            throw error
        }
        Console.error("\(file): \(Numbers.count(sink.lines, "line"))\n")
    }
}
