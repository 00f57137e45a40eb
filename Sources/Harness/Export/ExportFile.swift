// The file that `pushrig export --to ndjson` writes of a run: an object of JSON a line. The first says what was run and what
// came of it, the next hold the scenario's files, and behind them stands the history. `pushrig replay` needs the first two.

import Basics
import Journal
import OperatingSystem
import Verdicts

enum ExportFile {
    /// The first line's `pushrig`, by which such a file is known.
    static let mark = "export"
    /// Readers refuse a newer one.
    static let version: Int64 = 1
    /// Of one that is read, in bytes: what comes later is history.
    private static let mostBytes = 160 << 20

    // MARK: Writing

    /// The lines that a replay needs. `about`: the run in words.
    static func beginning(_ run: RecordedRun, about: String) -> [String] {
        let note = run.note
        var plan = note.json.object ?? JSONObject()
        plan["files"] = .array([])
        let head: JSONValue = [
            "pushrig": .string(mark), "version": .integer(version), "about": .string(about),
            "verdict": run.verdict.json, "scenario": .string(note.files.first?.path ?? ""), "seed": .string(String(note.seed)),
            "plan": .object(plan), "files": .integer(Int64(note.files.count)), "cut": run.cut?.json ?? .null,
        ]
        let files = note.files.map { file -> JSONValue in ["file": .string(file.path), "text": .string(file.text)] }
        return ([head] + files).map(\.text)
    }

    // MARK: Reading

    /// Whether `path` is no folder and none of the files of one.
    static func isOne(_ path: String) -> Bool {
        let isRun = path.hasSuffix("/run.json") || path == "run.json" || path.hasSuffix("/mock.json")
        return !isRun && FileStatus(path)?.isPlainFile == true
    }

    /// Throws a usage `Failure` that names the line when it is none, or cannot be played.
    static func read(_ path: String) throws(Failure) -> RecordedRun {
        let bytes: [UInt8]
        do { bytes = try FileSystem.start(of: path, count: mostBytes) } catch {
            throw Failure(
                .usage, "cannot read \(path): \(error.words)", hint: "give a run's directory or a file of `pushrig export`")
        }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated().makeIterator()
        guard let (_, first) = lines.next(), let head = object(first), head["pushrig"]?.string == mark else {
            throw Failure(
                .usage, "\(path) is no file of `pushrig export`",
                hint: "`pushrig export RUN --session N --to ndjson` writes one, or give the directory of a run")
        }
        guard let known = head["version"]?.int, known <= version else {
            throw Failure(
                .usage, "\(path) is of version \(head["version"]?.text ?? "none"), and this pushrig reads up to \(version)",
                hint: "take the pushrig that wrote it, or a newer one")
        }
        let reading = JSONReading(head, of: "export", pointer: "")
        do throws(Failure) {
            var note = try PlanNote(try reading["plan"])
            while let (number, line) = lines.next() {
                guard let file = object(line) else {
                    // The history may be cut off in a copy; what a replay needs may not.
                    if note.files.isEmpty { throw Failure(.usage, "this is no JSON", place: "\(path):\(number + 1):1") }
                    if line.starts(with: beginningOfFile) { throw isCut(note, of: head, path) }
                    break
                }
                guard let name = file["file"]?.string, let text = file["text"]?.string else { break }
                note.files.append(PlanNote.File(path: name, text: text))
            }
            guard !note.files.isEmpty else {
                throw Failure(.usage, "the scenario's files are missing", hint: "export it again", place: "\(path):2:1")
            }
            // Files of before do not say how many they hold.
            if let all = head["files"]?.int, note.files.count < all { throw isCut(note, of: head, path) }
            let cut = try reading["cut"].optional().map { value throws(Failure) in try ReplayNote(value) }
            return RecordedRun(
                note: note, cut: cut ?? note.replay, verdict: try RecordedVerdict(try reading["verdict"]), directory: nil)
        } catch {
            var failure = error
            failure.place = failure.place ?? "\(path):1:1"
            failure.hint = failure.hint ?? "export it again"
            throw failure
        }
    }

    /// How a line begins that holds a file of the scenario.
    private static let beginningOfFile = Array(#"{"file":"#.utf8)

    private static func isCut(_ note: PlanNote, of head: JSONValue, _ path: String) -> Failure {
        let all = head["files"]?.int.map { " of \($0)" } ?? ""
        return Failure(
            .usage, "the file is cut: it holds \(note.files.count)\(all) files of the scenario whole",
            hint: "copy it again, or export it again", place: "\(path):\(note.files.count + 2):1")
    }

    private static func object(_ line: some Collection<UInt8>) -> JSONValue? {
        guard let value = try? JSONValue(parsing: Array(line).span), value.object != nil else { return nil }
        return value
    }
}
