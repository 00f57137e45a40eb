// Writes the files of a run directory, each whole or not at all.

package import Basics
import Glibc
import OperatingSystem
package import Sessions
package import Verdicts

package enum ReportFiles {
    /// Writes run.json, latency.hlog, junit.xml, report.sarif, summary.md and report.html into an existing directory, run.json
    /// first, since all others can be made from it. Tokens are shortened unless `fullTokens`. `sessions` nil: nothing is known
    /// of them.
    package static func writeAll(
        _ record: RunRecord, _ sessions: SessionsSeen? = nil, to directory: String, fullTokens: Bool = false
    ) throws(Failure) {
        let record = fullTokens ? record : record.withShortTokens
        let sessions = fullTokens ? sessions : sessions?.withShortTokens
        try write(json(record, sessions).encoded(pretty: true) + [10], to: directory + "/run.json")
        try write(Array(LatencyLog.text(record).utf8), to: directory + "/latency.hlog")
        try write(JUnitReport.bytes(record), to: directory + "/junit.xml")
        try write(SarifReport.json(record).encoded(pretty: true) + [10], to: directory + "/report.sarif")
        try write(MarkdownSummary.bytes(record), to: directory + "/summary.md")
        try write(HTMLReport.bytes(record, sessions), to: directory + "/report.html")
    }

    /// What run.json holds.
    package static func json(_ record: RunRecord, _ sessions: SessionsSeen?) -> JSONValue {
        guard var object = record.json.object else { return record.json }
        object["sessions"] = sessions?.json(in: record.directory) ?? .null
        return .object(object)
    }

    /// Reads a run directory's run.json, or the file itself.
    package static func readRecord(at path: String) throws(Failure) -> RunRecord { try read(at: path).record }

    /// The same with what was seen of sessions; nil where the file does not tell.
    package static func read(at path: String) throws(Failure) -> (record: RunRecord, sessions: SessionsSeen?) {
        let file = FileStatus(path)?.isFolder == true ? path + "/run.json" : path
        let bytes: [UInt8]
        do { bytes = try FileSystem.read(file, limit: recordLimit) } catch {
            throw Failure(.usage, "cannot read \(file): \(error.words)")
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes.span)
        } catch {
            throw Failure(
                .usage, "not JSON: \(error.message)", hint: "give a run directory or its run.json",
                place: "\(file):\(error.line):\(error.column)")
        }
        do {
            let record = try RunRecord(json: json)
            guard let sessions = json["sessions"], !sessions.isNull else { return (record, nil) }
            return (record, try SessionsSeen(JSONReading(sessions, of: "run record", pointer: "/sessions")))
        } catch {
            var failure = error
            failure.place = file
            throw failure
        }
    }

    /// Bytes of a run.json that is read; a run of a day has some megabytes.
    private static let recordLimit = 256 << 20

    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        do { try FileSystem.replace(path, with: bytes.span, isSynced: true) } catch {
            let hint: String? =
                switch error.number {
                case ENOSPC, EDQUOT: "free some space, or write elsewhere with --out DIR"
                case EACCES, EPERM, EROFS: "choose a directory you may write to with --out DIR"
                case ENOENT, ENOTDIR: "the run directory is gone; choose another with --out DIR"
                default: nil
                }
            throw Failure(.run, "cannot write \(path): \(error.words)", hint: hint)
        }
    }
}
