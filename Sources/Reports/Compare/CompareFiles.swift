// Writes the files of a comparison, each whole or not at all.

package import Basics
package import Comparison

package enum CompareFiles {
    /// compare.json, summary.md and compare.html, into an existing directory.
    package static func writeAll(_ record: ComparisonRecord, to directory: String) throws(Failure) {
        try ReportFiles.write(record.json.encoded(pretty: true) + [10], to: directory + "/compare.json")
        try ReportFiles.write(Array(CompareMarkdown(record: record).text.utf8), to: directory + "/summary.md")
        try ReportFiles.write(Array(ComparePage(record: record).text.utf8), to: directory + "/compare.html")
    }
}
