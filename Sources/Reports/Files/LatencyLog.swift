// All histograms of a run in one HdrHistogram log, tagged by what they measure.

import Basics
import Metrics
import Verdicts

enum LatencyLog {
    static func text(_ record: RunRecord) -> String {
        let c = record.correlation
        var log = HistogramLog(
            startedAt: record.startedAt, comment: "pushrig \(word(record.name)) seed \(record.seed), nanoseconds")
        var tagged: [(String, Histogram)] = [
            ("delivery", c.delivery), ("answer", c.answer), ("answer-uncorrected", c.answerUncorrected),
            ("lateness", c.lateness),
        ]
        tagged += c.deliveryByKind.sorted { $0.key < $1.key }.map { ("delivery." + word($0.key), $0.value) }
        tagged += c.answerByKind.sorted { $0.key < $1.key }.map { ("answer." + word($0.key), $0.value) }
        for (tag, histogram) in tagged where histogram.count > 0 {
            log.add(histogram, tag: tag, start: .zero, length: record.duration)
        }
        return log.text
    }

    /// A tag may hold no comma, space or line end.
    private static func word(_ text: String) -> String {
        String(text.map { $0.isWhitespace || $0 == "," || $0 == "\"" ? "_" : $0 })
    }
}
