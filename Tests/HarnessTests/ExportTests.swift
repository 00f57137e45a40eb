// `pushrig export`: lines that people read and that replay drives again, and the history as a table.

import Basics
import Foundation
import Journal
import Planning
import Pushes
import SQLite
import Scenarios
import Testing
import Verdicts

@testable import Harness

@Suite("An export of a run")
struct ExportTests {
    private func lines(
        _ history: RecordedHistory, _ turn: (inout ExportCommand) -> Void = { _ in }
    ) throws -> [String] {
        var command = ExportCommand(directory: history.directory)
        turn(&command)
        let file = history.directory + "/export-\(UUID().uuidString)"
        command.file = file
        _ = try command.run()
        return try String(contentsOfFile: file, encoding: .utf8).utf8.split(separator: 10).map { String(Substring($0)) }
    }

    private func failure(of text: String) throws -> Failure? {
        try Place.withFolder { folder in
            let path = folder + "/some.ndjson"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            do { _ = try RecordedRun(path, session: nil) } catch { return error as? Failure }
            return nil
        }
    }

    @Test("is read back as the part that it is")
    func roundTrip() throws {
        try withRecorded { history in
            let file = history.directory + "/session-3.ndjson"
            var command = ExportCommand(directory: history.directory)
            (command.session, command.file) = (3, file)
            _ = try command.run()
            let (run, read) = (try RecordedRun(history.directory, session: 3), try RecordedRun(file, session: nil))
            #expect(read.note == run.note && read.cut == run.cut && read.verdict == run.verdict && read.cut != nil)
            try read.check()
            #expect(try RecordedRun(file, session: 3).cut == run.cut)
            #expect(throws: Failure.self) { try RecordedRun(file, session: 4) }
            #expect(throws: Failure.self, "the file is there") { try command.run() }
        }
    }

    @Test("tells calls as they were made, and no credential")
    func evidence() throws {
        try withRecorded { history in
            let all = try lines(history) { $0.session = 3 }
            let objects = try all.map { try JSONValue(parsing: $0) }
            #expect(objects[0]["pushrig"]?.string == "export" && objects[0]["about"]?.string?.hasPrefix("session 3 of a run of ") == true)
            #expect(objects.compactMap { $0["file"]?.string }.map { $0.split(separator: "/").last } .first == "recorded.yaml")
            let events = objects.filter { $0["kind"]?.string == "event" }
            #expect(events.count == history.plan.events(ofSession: 3).count && events.allSatisfy { $0["session"]?.int == 3 })
            #expect(events.first?["request"]?["path"]?.string == "/v1/device/register")
            #expect(events.first?["request"]?["body"]?["secret"]?.string == history.plan.token(.secret, session: 3))
            #expect(objects.filter { $0["kind"]?.string == "push" }.count == 3)
            #expect(!all.contains { $0.contains("eyJ") } && all.contains { $0.contains("(provider token)") })
            let token = history.plan.token(.activityToken, session: 3)
            #expect(!all.dropFirst().contains { $0.contains(token) })
            #expect(try lines(history) { ($0.session, $0.showsFullTokens) = (3, true) }.dropFirst().contains { $0.contains(token) })
        }
    }

    @Test("of all has each entry, and plays all")
    func whole() throws {
        try withRecorded { history in
            let file = history.directory + "/all.ndjson"
            var command = ExportCommand(directory: history.directory)
            command.file = file
            _ = try command.run()
            let read = try RecordedRun(file, session: nil)
            #expect(read.cut == nil && read.note == history.note)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.split(separator: "\n").count(where: { $0.contains(#""kind":"push""#) }) == 5)
        }
    }

    @Test("that cannot be read is told in one line with its place")
    func hostile() throws {
        try withRecorded { history in
            let all = try lines(history) { $0.session = 3 }
            #expect(try failure(of: all.joined(separator: "\n")) == nil)
            // The end of the history may be missing.
            #expect(try failure(of: all.joined(separator: "\n").dropLast(40).description) == nil)
            #expect(try failure(of: all[0])?.place?.hasSuffix("some.ndjson:2:1") == true)
            #expect(try failure(of: all[0] + "\n{\"file\":")?.message == "this is no JSON")
            // What a replay needs may not, be it cut within a file or between two.
            let files = all.count { $0.hasPrefix(#"{"file":"#) }
            #expect(files > 1)
            for kept in 1..<files {
                let whole = all[...kept].joined(separator: "\n")
                for text in [whole, whole + "\n" + all[kept + 1].dropLast(9)] {
                    let failure = try failure(of: text)
                    #expect(failure?.message == "the file is cut: it holds \(kept) of \(files) files of the scenario whole")
                    #expect(failure?.place?.hasSuffix("some.ndjson:\(kept + 2):1") == true)
                }
                let old = whole.replacing(#""files":\#(files),"#, with: "")
                #expect(try failure(of: old + "\n" + all[kept + 1].dropLast(9))?.message.hasPrefix("the file is cut") == true)
            }
            let rest = "\n" + all[1...files].joined(separator: "\n")
            let newer = all[0].replacing(#""version":1"#, with: #""version":2"#)
            #expect(try failure(of: newer)?.message.contains("is of version 2") == true)
            let speed = all[0].replacing(#""speed":1"#, with: #""speed":-1"#)
            #expect(try failure(of: speed + rest)?.message.contains("/cut/speed is no speed") == true)
            let other = all[0].replacing(history.note.digest, with: "0000000000000000")
            #expect(try failure(of: other + rest) == nil)
        }
        for text in ["", "{}", "no JSON", "[1]", #"{"pushrig":"else"}"#, #"{"kind":"push"}"#] {
            let failure = try failure(of: text)
            #expect(failure?.kind == .usage && failure?.message.contains("is no file of `pushrig export`") == true, "\(text)")
        }
    }

    @Test("as CSV has a row for each entry, and quotes what has to be")
    func csv() throws {
        #expect(HistoryTable.csv(["entry": 5, "answer": "a \"b\", c", "reason": "", "step": .null]).hasPrefix("5,,,,,,,"))
        #expect(HistoryTable.csv(["answer": "a \"b\", c\n"]).contains(",\"a \"\"b\"\", c\n\","))
        #expect(HistoryTable.csv(["answer": "\"\u{301}"]).utf8.count { $0 == 34 } == 4)
        #expect(HistoryTable.csv(["headers": [["a", "b"]]]).contains(#","[[""a"",""b""]]","#))
        try withRecorded { history in
            let all = try lines(history) { $0.format = .csv }
            #expect(all[0] == HistoryTable.csvHead)
            #expect(all.count(where: { $0.contains(",push,") }) == 5 && all.allSatisfy { $0.hasSuffix("\r") })
            #expect(!all.contains { $0.contains("eyJ") })
            let own = try lines(history) { ($0.format, $0.session) = (.csv, 3) }
            #expect(own.count(where: { $0.contains(",push,") }) == 3)
        }
    }

    @Test("as a database has the same rows, in one file")
    func sqlite() throws {
        try withRecorded { history in
            var command = ExportCommand(directory: history.directory)
            command.format = .sqlite
            #expect(throws: Failure.self) { try command.run() }
            command.file = history.directory + "/run.sqlite"
            _ = try command.run()
            #expect(!FileManager.default.fileExists(atPath: history.directory + "/run.sqlite-wal"))
            let database = try Database(path: command.file!)
            func number(_ query: String) throws -> Int64 {
                let statement = try database.prepare(query)
                #expect(try statement.step())
                return statement.integer(0)
            }
            #expect(try number("SELECT count(*) FROM pushes") == 5)
            #expect(try number("SELECT count(*) FROM pushes WHERE status = 429 AND session = 3") == 2)
            #expect(try number("SELECT count(*) FROM events") == Int64(history.plan.events(ofSession: 3).count))
            #expect(try number("SELECT min(offset_ns) FROM pushes") == 31_000_000_000)
        }
    }

    @Test("of a mock alone is its history, which has no sessions")
    func mock() throws {
        try withRecorded { history in
            for name in ["run", "load-0"] {
                try FileManager.default.removeItem(atPath: history.directory + "/journal/\(name).journal")
            }
            let all = try lines(history)
            #expect(all.count == 5 && all.allSatisfy { $0.contains(#""kind":"push""#) })
            #expect(throws: Failure.self) { try lines(history) { $0.session = 3 } }
        }
    }
}
