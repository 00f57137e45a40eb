// Reads typed values out of a JSON tree and names the place where one is missing or of the wrong kind.

import Basics
import Metrics

/// One value of the tree and where it stands, as a JSON pointer.
struct JSONReading {
    let value: JSONValue
    let pointer: String

    init(_ value: JSONValue, pointer: String = "") {
        self.value = value
        self.pointer = pointer
    }

    subscript(key: String) -> JSONReading {
        get throws(Failure) {
            guard let member = value[key] else { throw wrong("has no \(key)") }
            return JSONReading(member, pointer: "\(pointer)/\(key)")
        }
    }

    func text() throws(Failure) -> String {
        guard let text = value.string else { throw wrong("is not a string") }
        return text
    }

    func integer<I: FixedWidthInteger>() throws(Failure) -> I {
        guard let wide = value.int, let narrow = I(exactly: wide) else { throw wrong("is not a fitting integer") }
        return narrow
    }

    func number() throws(Failure) -> Double {
        guard let number = value.double else { throw wrong("is not a number") }
        return number
    }

    func flag() throws(Failure) -> Bool {
        guard let flag = value.bool else { throw wrong("is neither true nor false") }
        return flag
    }

    func interval() throws(Failure) -> Interval { Interval(nanoseconds: try integer()) }

    func word<W: RawRepresentable<String>>() throws(Failure) -> W {
        guard let word = W(rawValue: try text()) else { throw wrong("is not a known word") }
        return word
    }

    /// Nil for null.
    func optional() -> JSONReading? { value.isNull ? nil : self }

    func list() throws(Failure) -> [JSONReading] {
        guard let array = value.array else { throw wrong("is not an array") }
        return array.enumerated().map { JSONReading($1, pointer: "\(pointer)/\($0)") }
    }

    func members() throws(Failure) -> [(key: String, reading: JSONReading)] {
        guard let object = value.object else { throw wrong("is not an object") }
        return object.map { ($0.key, JSONReading($0.value, pointer: "\(pointer)/\($0.key)")) }
    }

    func texts() throws(Failure) -> [String] {
        var texts: [String] = []
        for item in try list() { texts.append(try item.text()) }
        return texts
    }

    func integers<I: FixedWidthInteger>() throws(Failure) -> [I] {
        var numbers: [I] = []
        for item in try list() { numbers.append(try item.integer()) }
        return numbers
    }

    func counts() throws(Failure) -> [String: Int] {
        var counts: [String: Int] = [:]
        for (key, reading) in try members() { counts[key] = try reading.integer() }
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

    func wrong(_ what: String) -> Failure {
        Failure(
            .usage, "not a run record: \(pointer.isEmpty ? "the document" : pointer) \(what)",
            hint: "give the run.json of a run directory")
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
