// The history as a table, in a file of CSV or of SQLite.

import Basics
import Journal
import OperatingSystem
import Planning
import Pushes
import SQLite
import Verdicts

struct TableExport {
    private let command: ExportCommand
    private let reader: JournalReader

    init(_ command: ExportCommand, _ reader: JournalReader) {
        self.command = command
        self.reader = reader
    }

    func write(to output: inout LineOutput) throws(Failure) {
        output.add(HistoryTable.csvHead)
        var lines = output
        try forEach { object in lines.add(shortened(HistoryTable.csv(object))) }
        output = lines
    }

    /// Makes the database at `path`; where that fails there is none. Gives the number of rows.
    func write(to path: String) throws(Failure) -> Int {
        do throws(Failure) {
            let database = try Database(path: path)
            try database.execute(HistoryTable.definition)
            let insertion = try database.prepare(HistoryTable.insertion)
            var rows = 0
            var trouble: Failure?
            try database.transaction { () throws(Failure) in
                try forEach { object in
                    guard trouble == nil else { return }
                    bind(object, to: insertion)
                    do throws(Failure) { try insertion.run() } catch { trouble = error }
                    rows += 1
                }
                if let trouble { throw trouble }
            }
            // One file, and nothing beside it.
            try database.execute(HistoryTable.indices + "; PRAGMA journal_mode = DELETE")
            return rows
        } catch {
            for ending in ["", "-wal", "-shm"] { FileSystem.remove(path + ending) }
            throw error
        }
    }

    private func bind(_ object: JSONObject, to statement: Statement) {
        for (index, column) in HistoryTable.columns.enumerated() {
            let place = Int32(index + 1)
            if column.isNumber, let number = object[column.member]?.int {
                statement.bind(number, at: place)
            } else {
                statement.bind(HistoryTable.text(object[column.member]).map(shortened), at: place)
            }
        }
    }

    private func shortened(_ text: String) -> String { command.showsFullTokens ? text : ShortTokens.cut(text) }

    /// Each entry, in order of time, as it is told elsewhere.
    private func forEach(_ body: (JSONObject) -> Void) throws(Failure) {
        var frame = try HistoryFrame(reader)
        try frame.findReasons(reader)
        var selections = try sessions(frame).map { HistorySelection(session: $0, token: nil) }
        for index in selections.indices { try selections[index].findTokens(reader) }
        var known = (frame: frame, selections: selections)
        _ = try reader.forEach(since: nil) { entry in
            known.frame.see(entry)
            var isTaken = known.selections.isEmpty
            for index in known.selections.indices where known.selections[index].takes(entry) { isTaken = true }
            guard isTaken else { return true }
            var object = known.frame.object(entry)
            object.hideProviderToken()
            // By itself nothing tells that it is one.
            if !command.showsFullTokens, case .push(let push) = entry, push.provider == .fcm {
                object["token"] = .string(ShortTokens.cutToken(push.token))
            }
            body(object)
            return true
        }
    }

    /// Those that are asked for; none: all.
    private func sessions(_ frame: HistoryFrame) throws(Failure) -> [UInt32] {
        guard let session = command.session else { return [] }
        guard let note = try frame.plan?.asPlayed(reader) else {
            throw Failure(
                .usage, "\(command.directory) is a mock's own journal, which has no sessions", hint: "leave out --session")
        }
        return try SessionCut.sessions(of: session, note.plan(of: try note.scenario()), path: command.directory)
    }
}
