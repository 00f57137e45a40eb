// One metric of one run, second by second, so that a run can be drawn anew from its own pieces.

import Basics
import Glibc
import Metrics
import Scenarios
import Verdicts

/// What each second adds to a metric. Seconds without anything are in it: an idle second is one as well.
enum IntervalFigures {
    /// A sum by a sum, such as a mean latency or a rate.
    case ratio(sums: [Double], counts: [Double])
    /// A percentile of all samples, which stand as numbers of bins and counts, by second.
    case percentile(Double, [[(bin: Int, count: Int)]])

    /// Nil where the run does not tell it by the second. Warm-up and drain are left out.
    init?(_ measure: GateMeasure, _ record: RunRecord) {
        let rows = record.correlation.series
        let measured = record.measuredSeconds.clamped(to: 0..<rows.count)
        let seconds = Array(rows[measured])
        guard seconds.count > 1 else { return nil }
        switch measure {
        case .latency(.delivery, nil, .mean):
            self = .ratio(
                sums: seconds.map { Double($0.deliveryMicroseconds) * 1e3 }, counts: seconds.map { Double($0.deliveries) })
        case .latency(.staleness, nil, .mean):
            self = .ratio(
                sums: seconds.map { Double($0.cardAges) * 1e9 }, counts: seconds.map { Double($0.cardMilliseconds) })
        case .latency(let latency, let kind, let statistic):
            guard let percentile = statistic.percentile, let all = record.correlation.intervals,
                let samples = latency == .delivery
                    ? all.deliveries(of: kind) : latency == .answer ? all.answers : nil
            else { return nil }
            self = .percentile(percentile, measured.map { Self.bins($0 < samples.count ? samples[$0] : []) })
        case .eventRate:
            self = .ratio(sums: seconds.map { Double($0.answered) }, counts: seconds.map { _ in 1 })
        case .pushRate:
            self = .ratio(sums: seconds.map { Double($0.pushes) }, counts: seconds.map { _ in 1 })
        case .errorRate:
            self = .ratio(sums: seconds.map { Double($0.errors) }, counts: seconds.map { Double($0.sent) })
        default: return nil
        }
    }

    var count: Int {
        switch self {
        case .ratio(let sums, _): sums.count
        case .percentile(_, let seconds): seconds.count
        }
    }

    /// The metric over these seconds, each as often as it is named. Nil where they hold nothing.
    func value(over seconds: [Int]) -> Double? {
        switch self {
        case .ratio(let sums, let counts):
            let total = seconds.reduce(0.0) { $0 + counts[$1] }
            return total > 0 ? seconds.reduce(0.0) { $0 + sums[$1] } / total : nil
        case .percentile(let percentile, let bins):
            var counts = [Int](repeating: 0, count: Self.binCount)
            var total = 0
            for second in seconds {
                for (bin, count) in bins[second] {
                    counts[bin] += count
                    total += count
                }
            }
            guard total > 0 else { return nil }
            let wanted = max(1, Int((percentile / 100 * Double(total)).rounded(.up)))
            var seen = 0
            let bin = counts.firstIndex { count in
                seen += count
                return seen >= wanted
            }
            return bin.map { exp(Double($0) * Self.step) * 1e3 }
        }
    }

    /// Bins are half a per cent wide, from a microsecond to an hour.
    private static let step = 0.005
    private static let binCount = Int(log(3.6e9) / step) + 2

    private static func bins(_ nanoseconds: [Int64]) -> [(bin: Int, count: Int)] {
        var counts: [Int: Int] = [:]
        for value in nanoseconds {
            let bin = Int((log(max(Double(value) / 1e3, 1)) / step).rounded())
            counts[min(bin, binCount - 1), default: 0] += 1
        }
        return counts.map { ($0.key, $0.value) }
    }
}

extension RunRecord {
    /// The seconds of the series that are measured: all where no phase is named so.
    var measuredSeconds: Range<Int> {
        guard let phase = phases.first(where: { $0.name == "measure" }) else { return 0..<Int.max }
        let start = max(0, Int(phase.start.seconds.rounded()))
        return start..<max(start, Int(phase.end.seconds.rounded(.up)))
    }
}
