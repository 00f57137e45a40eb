// Header blocks as a client may write them, and as it must not: each representation of RFC 7541 §6 by its name.

package enum HPACK {
    /// The literal representations (§6.2).
    package enum Literal: Sendable, Equatable { case incremental, withoutIndexing, neverIndexed }

    package static func indexed(_ index: Int) -> [UInt8] { integer(index, prefix: 7, 0x80) }

    package static func literal(
        _ form: Literal, _ name: String, _ value: String, huffman: Bool = false
    ) -> [UInt8] {
        start(form, index: 0) + string(name, huffman: huffman) + string(value, huffman: huffman)
    }

    package static func literal(
        _ form: Literal, nameIndex: Int, _ value: String, huffman: Bool = false
    ) -> [UInt8] {
        start(form, index: nameIndex) + string(value, huffman: huffman)
    }

    /// Without indexing.
    package static func literal(_ name: String, _ value: String, huffman: Bool = false) -> [UInt8] {
        literal(.withoutIndexing, name, value, huffman: huffman)
    }

    package static func literal(nameIndex: Int, _ value: String) -> [UInt8] {
        literal(.withoutIndexing, nameIndex: nameIndex, value)
    }

    private static func start(_ form: Literal, index: Int) -> [UInt8] {
        switch form {
        case .incremental: integer(index, prefix: 6, 0x40)
        case .withoutIndexing: integer(index, prefix: 4, 0x00)
        case .neverIndexed: integer(index, prefix: 4, 0x10)
        }
    }

    /// Dynamic table size update (§6.3).
    package static func sizeUpdate(_ size: Int) -> [UInt8] { integer(size, prefix: 5, 0x20) }

    /// §5.1; `mark` holds the bits before the prefix.
    package static func integer(_ value: Int, prefix: Int, _ mark: UInt8) -> [UInt8] {
        let limit = 1 << prefix - 1
        guard value >= limit else { return [mark | UInt8(value)] }
        var rest = value - limit
        var bytes = [mark | UInt8(limit)]
        while rest >= 128 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// §5.2.
    package static func string(_ text: String, huffman: Bool = false) -> [UInt8] {
        string(bytes: Array(text.utf8), huffman: huffman)
    }

    package static func string(bytes: [UInt8], huffman: Bool = false) -> [UInt8] {
        let coded = huffman ? Huffman.encode(bytes) : bytes
        return integer(coded.count, prefix: 7, huffman ? 0x80 : 0) + coded
    }

    /// Every field as a literal without indexing: a block that neither needs nor leaves any state.
    package static func block(_ fields: [(String, String)]) -> [UInt8] { fields.flatMap { literal($0.0, $0.1) } }
}

/// The code of RFC 7541, Appendix B. It is canonical: the lengths alone tell the codes.
package enum Huffman {
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ]
    package static let endOfString = 256

    private struct Code: Hashable { var bits: UInt32, length: UInt8 }

    private static let codes: [Code] = {
        var codes = [Code](repeating: Code(bits: 0, length: 0), count: lengths.count)
        var next: UInt32 = 0
        var last: UInt8 = 5
        for symbol in lengths.indices.sorted(by: { (lengths[$0], $0) < (lengths[$1], $1) }) {
            next <<= UInt32(lengths[symbol] - last)
            last = lengths[symbol]
            codes[symbol] = Code(bits: next, length: last)
            next += 1
        }
        return codes
    }()

    private static let symbols = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($0.element, $0.offset) })

    package static func encode(_ bytes: [UInt8]) -> [UInt8] { encode(symbols: bytes.map(Int.init)) }

    /// `padding`: the bit that fills the last byte; a lawful encoder takes ones.
    package static func encode(symbols: [Int], padding: UInt8 = 1) -> [UInt8] {
        var bits: [UInt8] = []
        for symbol in symbols {
            let code = codes[symbol]
            bits += (0..<code.length).reversed().map { UInt8(code.bits >> UInt32($0) & 1) }
        }
        while bits.count % 8 != 0 { bits.append(padding) }
        return stride(from: 0, to: bits.count, by: 8).map { start in bits[start..<start + 8].reduce(0) { $0 << 1 | $1 } }
    }

    /// Nil for anything that RFC 7541 §5.2 forbids.
    package static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
        var out: [UInt8] = []
        var current = Code(bits: 0, length: 0)
        for byte in bytes {
            for shift in (0..<8).reversed() {
                current = Code(bits: current.bits << 1 | UInt32(byte >> UInt8(shift) & 1), length: current.length + 1)
                if let symbol = symbols[current] {
                    guard symbol != endOfString else { return nil }
                    out.append(UInt8(symbol))
                    current = Code(bits: 0, length: 0)
                }
                guard current.length <= 30 else { return nil }
            }
        }
        return current.length < 8 && current.bits == 1 << UInt32(current.length) - 1 ? out : nil
    }
}
