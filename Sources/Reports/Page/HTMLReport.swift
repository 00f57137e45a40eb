// The HTML report as bytes.

import Sessions
import Verdicts

enum HTMLReport {
    static func bytes(_ record: RunRecord, _ sessions: SessionsSeen? = nil) -> [UInt8] {
        Array(ReportPage(record: record, sessions: sessions).text.utf8)
    }
}
