// Histograms in JSON, and the small things that records are written with.

import Basics
import Metrics

extension JSONReading {
    /// No run counts further; so sums of counts over all seconds of a run stay within 64 bits, whatever the file says.
    private static let mostCount = 1 << 50

    /// A count: a whole number from 0 to 2^50.
    func count<I: FixedWidthInteger>() throws(Failure) -> I {
        guard let wide = value.int, 0...Int64(Self.mostCount) ~= wide, let count = I(exactly: wide) else {
            throw wrong("is not a count")
        }
        return count
    }

    func countsInOrder() throws(Failure) -> [Int] {
        var counts: [Int] = []
        for item in try list() { counts.append(try item.count()) }
        return counts
    }

    func countsByName() throws(Failure) -> [String: Int] {
        var counts: [String: Int] = [:]
        for (key, reading) in try members() { counts[key] = try reading.count() }
        return counts
    }

    func histogram() throws(Failure) -> Histogram {
        guard let text = value["hdr"] else { return Histogram() }
        guard let text = text.string, let bytes = Base64.decode(text) else {
            throw wrong("is not a histogram in Base64")
        }
        do {
            return try Histogram(decodingCompressedV2: bytes.span)
        } catch {
            throw wrong("is not an HdrHistogram: \(error.message)")
        }
    }

    func histograms() throws(Failure) -> [String: Histogram] {
        var histograms: [String: Histogram] = [:]
        for (key, reading) in try members() { histograms[key] = try reading.histogram() }
        return histograms
    }
}

/// Writes what `JSONReading` reads.
enum JSONWriting {
    static func counts(_ counts: [String: Int]) -> JSONValue {
        var object = JSONObject()
        for (key, count) in counts.sorted(by: { $0.key < $1.key }) { object[key] = .integer(Int64(count)) }
        return .object(object)
    }

    static func integers(_ numbers: [Int]) -> JSONValue { .array(numbers.map { .integer(Int64($0)) }) }

    /// The usual figures in nanoseconds, and the whole histogram as HdrHistogram V2, compressed, in Base64.
    static func histogram(_ histogram: Histogram) -> JSONValue {
        guard histogram.count > 0 else { return ["count": 0] }
        return [
            "count": .integer(histogram.count),
            "minNanoseconds": .integer(histogram.min),
            "meanNanoseconds": .number(histogram.mean),
            "p50Nanoseconds": .integer(histogram.value(at: 50)),
            "p90Nanoseconds": .integer(histogram.value(at: 90)),
            "p99Nanoseconds": .integer(histogram.value(at: 99)),
            "p999Nanoseconds": .integer(histogram.value(at: 99.9)),
            "maxNanoseconds": .integer(histogram.max),
            "hdr": .string(Base64.encode(histogram.encodedCompressedV2().span)),
        ]
    }

    static func histograms(_ histograms: [String: Histogram]) -> JSONValue {
        var object = JSONObject()
        for (key, value) in histograms.sorted(by: { $0.key < $1.key }) { object[key] = histogram(value) }
        return .object(object)
    }
}
