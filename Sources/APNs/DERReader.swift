// ASN.1 DER, as much as Apple's certificate extensions need: values one after another, and those inside one of them.
// Whatever the bytes, it ends, and it never reads beyond them.

/// The tags that are met.
enum DERTag {
    static let null: UInt8 = 0x05
    static let utf8String: UInt8 = 0x0C
    static let sequence: UInt8 = 0x30
}

struct DERReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    struct Value {
        var tag: UInt8
        fileprivate var range: Range<Int>
    }

    var isAtEnd: Bool { position == end }

    /// Nil: there is none, or it is cut, or its length is not one that DER allows.
    mutating func next() -> Value? {
        guard end - position >= 2 else { return nil }
        let tag = bytes[position]
        var length = Int(bytes[position + 1])
        var start = position + 2
        if length >= 0x80 {
            let digits = length - 0x80
            guard 1...3 ~= digits, end - start >= digits else { return nil }
            length = bytes[start..<start + digits].reduce(0) { $0 << 8 | Int($1) }
            start += digits
        }
        guard tag & 0x1F != 0x1F, length <= end - start else { return nil }
        position = start + length
        return Value(tag: tag, range: start..<position)
    }

    func inside(_ value: Value) -> DERReader { DERReader(bytes, value.range) }
    func content(of value: Value) -> [UInt8] { Array(bytes[value.range]) }
}

/// DER of a value; for lengths below 64 KiB.
func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    precondition(content.count < 65_536)
    let count = content.count
    let length: [UInt8] =
        count < 0x80
        ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [tag] + length + content
}
