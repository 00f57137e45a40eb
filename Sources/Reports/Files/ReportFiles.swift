// Writes the files of a run directory, each whole or not at all.

package import Basics
import Glibc
import OperatingSystem
package import Verdicts

package enum ReportFiles {
    /// Writes run.json, latency.hlog, junit.xml, summary.md and report.html into an existing directory, run.json first,
    /// since all others can be made from it. Tokens are shortened unless `fullTokens`.
    package static func writeAll(
        _ record: RunRecord, to directory: String, fullTokens: Bool = false
    ) throws(Failure) {
        let record = fullTokens ? record : record.withShortTokens
        try write(record.json.encoded(pretty: true) + [10], to: directory + "/run.json")
        try write(Array(LatencyLog.text(record).utf8), to: directory + "/latency.hlog")
        try write(JUnitReport.bytes(record), to: directory + "/junit.xml")
        try write(MarkdownSummary.bytes(record), to: directory + "/summary.md")
        try write(HTMLReport.bytes(record), to: directory + "/report.html")
    }

    /// Reads a run directory's run.json, or the file itself.
    package static func readRecord(at path: String) throws(Failure) -> RunRecord {
        let file = FileStatus(path)?.isFolder == true ? path + "/run.json" : path
        let bytes: [UInt8]
        do { bytes = try FileSystem.read(file, limit: recordLimit, kind: .any) } catch {
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
            return try RunRecord(json: json)
        } catch {
            var failure = error
            failure.place = file
            throw failure
        }
    }

    /// Bytes of a run.json that is read; a run of a day has some megabytes.
    private static let recordLimit = 256 << 20

    private static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
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
