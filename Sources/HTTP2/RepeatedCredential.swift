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
    private static let placeholder: (UInt8, UInt8) = (1, 0x2A)

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
        guard let literal = HeaderBlockWalk.credential(in: frame), Self.usefulLengths.contains(literal.count) else {
            return (.plain, 0)
        }
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
        let start = frame.baseAddress!
        scratch.update(from: start, count: literal.lowerBound)
        scratch[literal.lowerBound] = Self.placeholder.0
        scratch[literal.lowerBound + 1] = Self.placeholder.1
        let rest = frame.count - literal.upperBound
        (scratch + literal.lowerBound + 2).update(from: start + literal.upperBound, count: rest)
        let count = literal.lowerBound + 2 + rest
        let length = count - FrameHeader.bytes
        scratch[0] = UInt8(truncatingIfNeeded: length >> 16)
        scratch[1] = UInt8(truncatingIfNeeded: length >> 8)
        scratch[2] = UInt8(truncatingIfNeeded: length)
        return count
    }
}

/// Passes over the representations of a header block without decoding them (RFC 7541 §6).
enum HeaderBlockWalk {
    private static let endHeaders: UInt8 = 4
    private static let padded: UInt8 = 8
    private static let priority: UInt8 = 32
    /// `authorization` in the static table (RFC 7541, Appendix A).
    private static let authorization = 23

    /// The string literal, length and octets, of the first `authorization` that is Huffman-coded and not indexed. Nil
    /// where there is none, and where the frame is of a kind not looked into.
    static func credential(in frame: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard frame.count > FrameHeader.bytes, frame[4] & (endHeaders | padded) == endHeaders else { return nil }
        var at = FrameHeader.bytes + (frame[4] & priority != 0 ? 5 : 0)
        while at < frame.count {
            let first = frame[at]
            if first & 0x80 != 0 {  // indexed
                guard integer(frame, &at, bits: 7) != nil else { return nil }
            } else if first & 0xE0 == 0x20 {  // size of the table
                guard integer(frame, &at, bits: 5) != nil else { return nil }
            } else {
                let isIndexing = first & 0x40 != 0
                guard let name = integer(frame, &at, bits: isIndexing ? 6 : 4) else { return nil }
                if name == 0 { guard string(frame, &at) else { return nil } }
                let start = at
                guard string(frame, &at) else { return nil }
                if name == authorization, !isIndexing { return frame[start] & 0x80 != 0 ? start..<at : nil }
            }
        }
        return nil
    }

    @inline(__always)
    private static func string(_ frame: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Bool {
        guard at < frame.count, let length = integer(frame, &at, bits: 7), length <= frame.count - at else { return false }
        at += length
        return true
    }

    /// An integer below 2^24 (RFC 7541 §5.1); `at` is within the frame and then behind it.
    @inline(__always)
    private static func integer(_ frame: UnsafeBufferPointer<UInt8>, _ at: inout Int, bits: UInt8) -> Int? {
        let mask = (1 as UInt8) << bits - 1
        let prefix = frame[at] & mask
        at += 1
        guard prefix == mask else { return Int(prefix) }
        var value = Int(mask)
        var shift = 0
        while at < frame.count, shift < 21 {
            let byte = frame[at]
            at += 1
            value += Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }
}
