// Writes the files of a run directory, each whole or not at all.

package import Basics
package import Verdicts

package enum ReportFiles {
    /// Writes run.json, latency.hlog, junit.xml, summary.md and report.html into an existing directory, run.json first,
    /// since all others can be made from it. Tokens are shortened unless `fullTokens`.
    package static func writeAll(
        _ record: RunRecord, to directory: String, fullTokens: Bool = false
    ) throws(Failure) {
        let record = fullTokens ? record : record.withShortTokens
        try AtomicFile.write(record.json.encoded(pretty: true) + [10], to: directory + "/run.json")
        try AtomicFile.write(Array(LatencyLog.text(record).utf8), to: directory + "/latency.hlog")
        try AtomicFile.write(JUnitReport.bytes(record), to: directory + "/junit.xml")
        try AtomicFile.write(MarkdownSummary.bytes(record), to: directory + "/summary.md")
        try AtomicFile.write(HTMLReport.bytes(record), to: directory + "/report.html")
    }

    /// Reads a run directory's run.json, or the file itself.
    package static func readRecord(at path: String) throws(Failure) -> RunRecord {
        let file = AtomicFile.isDirectory(path) ? path + "/run.json" : path
        let bytes = try AtomicFile.read(file)
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
}
