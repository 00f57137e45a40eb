// Writes the files of a check, each whole or not at all.

package import Basics
import OperatingSystem
package import Verdicts

package enum CheckFiles {
    /// check.json, junit.xml, codequality.json, report.sarif, summary.md and report.html, into an existing directory. `text`:
    /// of the file that was checked.
    package static func writeAll(_ record: CheckRecord, text: String, to directory: String) throws(Failure) {
        try ReportFiles.write(record.json.encoded(pretty: true) + [10], to: directory + "/check.json")
        try ReportFiles.write(CheckJUnit(record: record).bytes, to: directory + "/junit.xml")
        let quality = CheckCodeQuality(record: record).json
        try ReportFiles.write(quality.encoded(pretty: true) + [10], to: directory + "/codequality.json")
        let sarif = SarifReport.json(record, text: text)
        try ReportFiles.write(sarif.encoded(pretty: true) + [10], to: directory + "/report.sarif")
        try ReportFiles.write(Array(CheckMarkdown(record: record).text.utf8), to: directory + "/summary.md")
        try ReportFiles.write(Array(CheckPage(record: record, directory: directory).text.utf8), to: directory + "/report.html")
    }
}
