// Which JSON numbers Swift's number types decode from. Foundation's JSONDecoder is the measure, and tests hold this to it.
//
// An integer type takes `1.0`, `1e2` and `100e-2` as well as `1`, when the value is whole and in its range. A Double
// takes every number, though not one so small that it becomes 0. Text, true and false are no numbers.

/// A number type of Swift.
enum NumberWidth: String, CaseIterable, Sendable {
    case int, int8, int16, int32, int64
    case uint, uint8, uint16, uint32, uint64
    case double, float
    /// `Date` with the default strategy: seconds since 2001-01-01 as a Double.
    case date = "swift-date"

    var isInteger: Bool { range != nil }

    /// Of the integer types.
    var range: ClosedRange<Int128>? {
        switch self {
        case .int8: Self.signed(8)
        case .int16: Self.signed(16)
        case .int32: Self.signed(32)
        case .int, .int64: Self.signed(64)
        case .uint8: Self.unsigned(8)
        case .uint16: Self.unsigned(16)
        case .uint32: Self.unsigned(32)
        case .uint, .uint64: Self.unsigned(64)
        case .double, .float, .date: nil
        }
    }

    /// The type's name in Swift.
    var words: String {
        switch self {
        case .date: "Date"
        case .uint, .uint8, .uint16, .uint32, .uint64: "UI" + rawValue.dropFirst(2)
        default: rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }

    private static func signed(_ bits: Int) -> ClosedRange<Int128> { -(1 << (bits - 1))...(1 << (bits - 1)) - 1 }

    private static func unsigned(_ bits: Int) -> ClosedRange<Int128> { 0...(1 << bits) - 1 }
}

/// A number as it is written. The text is of valid JSON grammar.
struct NumberText: ~Escapable {
    let bytes: Span<UInt8>
    /// Without fraction and exponent.
    let isInteger: Bool

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, isInteger: Bool) {
        self.bytes = bytes
        self.isInteger = isInteger
    }

    /// What an integer type of this width decodes; nil when it does not. Text beyond a Double's exact integers is read
    /// digit by digit, so that no integer becomes another.
    func integer(_ width: NumberWidth) -> Int128? {
        guard let range = width.range else { return nil }
        let value: Int128
        if isInteger {
            guard let whole = wholeValue() else { return nil }
            value = whole
        } else {
            guard let double, double.isFinite, double == double.rounded(.towardZero), double.magnitude < 0x1p64 else {
                return nil
            }
            guard double.magnitude >= 0x1p53 else { return range.contains(Int128(double)) ? Int128(double) : nil }
            guard range.contains(Int128(double)), let exact = exactValue() else { return nil }
            value = exact
        }
        return range.contains(value) ? value : nil
    }

    /// Whether a floating-point type decodes it: neither too large nor, without being 0, too small for it.
    func isFloatingPoint(_ width: NumberWidth) -> Bool {
        if width == .float {
            guard let float = Float(text), float.isFinite else { return false }
            return float != 0 || isZero
        }
        guard let double, double.isFinite else { return false }
        return double != 0 || isZero
    }

    var double: Double? { Double(text) }

    private var text: String { bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    private var isZero: Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "e"), UInt8(ascii: "E"): return true
            case UInt8(ascii: "1")...UInt8(ascii: "9"): return false
            default: break
            }
        }
        return true
    }

    private func wholeValue() -> Int128? {
        var value: Int128 = 0
        let isNegative = bytes[0] == UInt8(ascii: "-")
        for index in (isNegative ? 1 : 0)..<bytes.count {
            value = value * 10 + Int128(bytes[index] &- 48)
            guard value < 1 << 66 else { return nil }
        }
        return isNegative ? -value : value
    }

    /// With fraction and exponent, of 2^53 and more. The smallest Int64 is out of its reach.
    private func exactValue() -> Int128? {
        guard let (isNegative, digits, exponent) = digits() else { return nil }
        var value = digits
        var left = exponent
        while left < 0, value > 0 {
            value /= 10
            left += 1
        }
        while left > 0 {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = product
            left -= 1
        }
        if isNegative { return value > UInt64(Int64.max) ? nil : -Int128(value) }
        return Int128(value)
    }

    /// All digits as one number, without zeros at its end, and the power of ten it is to be multiplied with; nil when 64
    /// bits do not hold them.
    private func digits() -> (isNegative: Bool, value: UInt64, exponent: Int)? {
        var value: UInt64 = 0
        var zeros = 0
        var isFraction = false
        var exponent = 0
        var index = 0
        let isNegative = bytes[0] == UInt8(ascii: "-")
        if isNegative { index = 1 }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            if byte | 0x20 == UInt8(ascii: "e") { break }
            if isFraction { exponent -= 1 }
            zeros += 1
            guard byte != UInt8(ascii: "0") else { continue }
            for _ in 0..<(value == 0 ? 0 : zeros) {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                guard !overflow else { return nil }
                value = product
            }
            let (sum, overflow) = value.addingReportingOverflow(UInt64(byte &- 48))
            guard !overflow else { return nil }
            value = sum
            zeros = 0
        }
        return (isNegative, value, value == 0 ? 0 : exponent + zeros + writtenExponent(from: index))
    }

    /// At most a million either way.
    private func writtenExponent(from start: Int) -> Int {
        var exponent = 0
        var sign = 1
        for index in start..<max(start, bytes.count) {
            switch bytes[index] {
            case UInt8(ascii: "-"): sign = -1
            case UInt8(ascii: "+"): break
            default: exponent = min(1_000_000, exponent * 10 + Int(bytes[index]) - 48)
            }
        }
        return sign * exponent
    }
}
