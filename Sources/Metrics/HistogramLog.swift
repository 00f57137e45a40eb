// The text format in which HdrHistogram's tools exchange histograms over time (log format 1.3): one line an interval,
// each with its tag, so that one file holds the curves of a run.

package import Basics

/// Builds the text of a histogram log. Values are nanoseconds; the third column, for people, is milliseconds.
package struct HistogramLog: Sendable {
    private static let columns =
        #""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#

    /// The whole log as of now.
    package private(set) var text: String

    /// `comment` may have several lines.
    package init(startedAt: WallTime, comment: String? = nil) {
        text = "#[Histogram log format version 1.3]\n"
        for line in (comment ?? "").split(whereSeparator: \.isNewline) { text += "#[\(line)]\n" }
        let start = Self.thousandths(startedAt.nanoseconds / 1_000_000)
        text += "#[StartTime: \(start) (seconds since epoch), \(startedAt.iso8601)]\n"
        text += Self.columns + "\n"
    }

    /// Adds one interval. `start` counts from `startedAt`. In a tag, what would end it becomes `_`.
    package mutating func add(_ histogram: Histogram, tag: String?, start: Interval, length: Interval) {
        if let tag {
            text += "Tag=" + String(tag.map { $0 == "," || $0.isWhitespace ? "_" : $0 }) + ","
        }
        let encoded = histogram.encodedCompressedV2()
        text += Self.thousandths(start.nanoseconds / 1_000_000) + ","
        text += Self.thousandths(length.nanoseconds / 1_000_000) + ","
        text += Self.thousandths(histogram.max / 1_000) + ","
        text += Base64.encode(encoded.span) + "\n"
    }

    private static func thousandths(_ number: Int64) -> String {
        let size = number.magnitude
        let fraction = String(size % 1000)
        return (number < 0 ? "-" : "") + String(size / 1000) + "."
            + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
