// The HTML report as bytes.

import Verdicts

enum HTMLReport {
    static func bytes(_ record: RunRecord) -> [UInt8] { Array(ReportPage(record: record).text.utf8) }
}
