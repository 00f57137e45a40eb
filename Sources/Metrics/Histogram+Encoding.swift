// HdrHistogram's own formats, so that any of its tools can read what we write: "V2", and the same compressed.
//
//     V2          u32 cookie  u32 payload length  u32 normalizing offset  u32 digits  u64 lowest  u64 highest
//                 f64 ratio, then the counts up to the highest value as zigzag LEB128, a negative number -n standing
//                 for n empty buckets; all fixed numbers big-endian
//     compressed  u32 cookie  u32 length, then V2 through zlib

import Deflate

/// Why bytes are no histogram that we can take.
package struct HistogramError: Error, Hashable, Sendable, CustomStringConvertible {
    package var message: String

    package init(message: String) { self.message = message }

    package var description: String { message }
}

extension Histogram {
    private static let headerLength = 40
    private static let cookie: UInt32 = 0x1C84_9313
    private static let compressedCookie: UInt32 = 0x1C84_9314
    private static let maxEncodedLength = headerLength + 9 * Layout.countsLength

    package func encodedV2() -> [UInt8] {
        var payload: [UInt8] = []
        let end = (lastIndex ?? 0) + 1
        var index = 0
        while index < end {
            var zeros = 0
            while index + zeros < end, counts[index + zeros] == 0 { zeros += 1 }
            Self.appendZigZag(zeros > 0 ? Int64(-zeros) : counts[index], to: &payload)
            index += Swift.max(zeros, 1)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerLength + payload.count)
        Self.append(Self.cookie, to: &bytes)
        Self.append(UInt32(payload.count), to: &bytes)
        Self.append(UInt32(0), to: &bytes)
        Self.append(UInt32(Layout.significantDigits), to: &bytes)
        Self.append(UInt64(Layout.lowestDiscernible), to: &bytes)
        Self.append(UInt64(Layout.highestTrackable), to: &bytes)
        Self.append((1.0).bitPattern, to: &bytes)
        return bytes + payload
    }

    /// What goes into a histogram log, there in base 64.
    package func encodedCompressedV2() -> [UInt8] {
        let plain = encodedV2()
        let packed = Zlib.packed(plain.span)
        var bytes: [UInt8] = []
        Self.append(Self.compressedCookie, to: &bytes)
        Self.append(UInt32(packed.count), to: &bytes)
        return bytes + packed
    }

    /// Takes histograms of three digits from 1 on, whoever wrote them, as long as their values fit ours.
    package init(decodingV2 bytes: Span<UInt8>) throws(HistogramError) {
        guard bytes.count >= Self.headerLength, Self.number(bytes, 0, UInt32.self) == Self.cookie else {
            throw HistogramError(message: "these bytes are no HdrHistogram of format V2")
        }
        guard Self.number(bytes, 8, UInt32.self) == 0,
            Self.number(bytes, 12, UInt32.self) == UInt32(Layout.significantDigits),
            Self.number(bytes, 16, UInt64.self) == UInt64(Layout.lowestDiscernible)
        else { throw HistogramError(message: "a histogram of other precision than three digits from 1 on") }
        let length = Int(Self.number(bytes, 4, UInt32.self))
        guard length <= bytes.count - Self.headerLength else { throw Self.cutOff }
        self.init()
        try readCounts(bytes.extracting(Self.headerLength..<Self.headerLength + length))
    }

    package init(decodingCompressedV2 bytes: Span<UInt8>) throws(HistogramError) {
        guard bytes.count >= 8, Self.number(bytes, 0, UInt32.self) == Self.compressedCookie else {
            throw HistogramError(message: "these bytes are no compressed HdrHistogram of format V2")
        }
        let packedLength = Int(Self.number(bytes, 4, UInt32.self))
        guard packedLength <= bytes.count - 8 else { throw Self.cutOff }
        guard let plain = Zlib.unpacked(bytes.extracting(8..<8 + packedLength), atMost: Self.maxEncodedLength) else {
            throw HistogramError(message: "the histogram does not unpack")
        }
        try self.init(decodingV2: plain.span)
    }

    private mutating func readCounts(_ payload: Span<UInt8>) throws(HistogramError) {
        var position = 0
        var index = 0
        while position < payload.count {
            guard let number = Self.zigZag(payload, &position) else { throw Self.cutOff }
            if number < 0 {
                guard number > Int64(-Layout.countsLength) else { throw Self.outOfRange }
                index -= Int(number)
            } else {
                let (sum, overflow) = count.addingReportingOverflow(number)
                guard number == 0 || index < counts.count, !overflow else { throw Self.outOfRange }
                if number > 0 { counts[index] = number }
                count = sum
                index += 1
            }
            guard index <= Layout.countsLength else { throw Self.outOfRange }
        }
    }

    private static let cutOff = HistogramError(message: "the histogram is cut off")
    private static let outOfRange = HistogramError(message: "the histogram holds values beyond one hour")

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func number<T: FixedWidthInteger>(_ bytes: Span<UInt8>, _ offset: Int, _ type: T.Type) -> T {
        var value: T = 0
        for index in offset..<offset + MemoryLayout<T>.size { value = value << 8 | T(bytes[index]) }
        return value
    }

    /// Seven bits a byte, at most nine bytes: the ninth holds eight.
    private static func appendZigZag(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        for _ in 0..<8 {
            if rest < 0x80 { return bytes.append(UInt8(rest)) }
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func zigZag(_ bytes: Span<UInt8>, _ position: inout Int) -> Int64? {
        var value: UInt64 = 0
        for place in 0..<9 {
            guard position < bytes.count else { return nil }
            let byte = UInt64(bytes[position])
            position += 1
            value |= (place == 8 ? byte : byte & 0x7F) << UInt64(7 * place)
            if byte < 0x80 || place == 8 { break }
        }
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}
