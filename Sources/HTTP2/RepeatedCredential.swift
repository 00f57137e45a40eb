// A provider token comes with every push, Huffman-coded, and a sender must not index it (RFC 7541 §7.1.3): nghttp2 would
// decode the same octets for each push, at a quarter of the mock's time. So a connection remembers the octets of the
// last `authorization` and what they said. A header block that repeats them goes to nghttp2 with a placeholder in their
// place, and the value is put right when the field comes up. Literals that are not indexed leave HPACK's state alone, so
// nothing else changes.
//
//     from the peer   HEADERS | 83 87 44 a1 …  1f 08 ‹length, octets› … |
//     to nghttp2      HEADERS | 83 87 44 a1 …  1f 08 01 2a            … |

import Glibc

/// What one connection remembers, and how the frame that is being read is treated. Takes 4 KB once it has something to
/// remember.
struct RepeatedCredential: ~Copyable {
    /// How the `authorization` of a frame is treated: as it is, kept, or put in place of the placeholder.
    enum Mode { case plain, learning, restoring }

    /// Longer encoded values are left to nghttp2, as are shorter ones than are worth it.
    static let usefulLengths = 32...1_500
    /// The shortest Huffman code has 5 bits.
    private static let decodedRoom = usefulLengths.upperBound * 8 / 5 + 1
    private static let placeholder: (UInt8, UInt8) = (1, 0x2A)  // one octet, not Huffman-coded

    /// For the frame that nghttp2 is reading now.
    var mode = Mode.plain
    /// How many header blocks were shortened.
    private(set) var restored = 0
    /// The string literal as encoded (its length and its octets), and behind it the value.
    private var memory: UnsafeMutablePointer<UInt8>?
    private var encodedCount = 0
    private var valueCount = -1

    private var value: UnsafeMutablePointer<UInt8>? { memory.map { $0 + Self.usefulLengths.upperBound + 8 } }

    deinit { memory?.deallocate() }

    /// Looks at a whole HEADERS frame before nghttp2 does, and says in which mode nghttp2 is to read it; in `restoring`
    /// it reads the first `count` bytes of `scratch` instead.
    mutating func examine(_ frame: UnsafeBufferPointer<UInt8>, scratch: UnsafeMutablePointer<UInt8>) -> (Mode, count: Int) {
        guard let literal = HeaderBlockWalk.literals(in: frame)?.credential,
            Self.usefulLengths.contains(literal.count),
            frame[literal.lowerBound] & HeaderBlockWalk.huffman != 0
        else { return (.plain, 0) }
        let octets = frame.baseAddress! + literal.lowerBound
        if valueCount >= 0, literal.count == encodedCount, memcmp(octets, memory!, encodedCount) == 0 {
            restored += 1
            return (.restoring, shorten(frame, literal, into: scratch))
        }
        if memory == nil { memory = .allocate(capacity: Self.usefulLengths.upperBound + 8 + Self.decodedRoom) }
        memory!.update(from: octets, count: literal.count)
        encodedCount = literal.count
        valueCount = -1
        return (.learning, 0)
    }

    /// The value of an `authorization` field of this frame: the remembered one in place of the placeholder.
    mutating func settle(_ given: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        switch mode {
        case .plain: return given
        case .learning:
            // The first one of the frame is the one whose octets were kept.
            if given.count <= Self.decodedRoom, let start = given.baseAddress {
                value!.update(from: start, count: given.count)
                valueCount = given.count
            }
            mode = .plain
            return given
        case .restoring:
            mode = .plain
            return UnsafeBufferPointer(start: value, count: valueCount)
        }
    }

    private func shorten(
        _ frame: UnsafeBufferPointer<UInt8>, _ literal: Range<Int>, into scratch: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var placeholder = Self.placeholder
        return withUnsafeBytes(of: &placeholder) {
            HeaderBlockWalk.copy(frame, with: $0.bindMemory(to: UInt8.self), inPlaceOf: literal, to: scratch)
        }
    }
}
