// Finds fields in an encoded header block, without decoding it.

/// Passes over the representations of a header block without decoding them (RFC 7541 §6).
enum HeaderBlockWalk {
    static let huffman: UInt8 = 0x80
    private static let endHeaders: UInt8 = 4
    private static let padded: UInt8 = 8
    private static let priority: UInt8 = 32

    /// Where the string literals (their length and octets) of some fields stand that are not indexed.
    struct Literals {
        var path: Range<Int>?
        var credential: Range<Int>?
        var length: Range<Int>?
        /// The block adds nothing to the dynamic table and does not change its size.
        var leavesTheTable = true
    }

    /// Nil for a frame of a kind that is not looked into. Of a repeated field the first counts.
    @inline(__always)
    static func literals(in frame: UnsafeBufferPointer<UInt8>) -> Literals? {
        guard frame.count > FrameHeader.bytes, frame[4] & (endHeaders | padded) == endHeaders else { return nil }
        var found = Literals()
        var at = FrameHeader.bytes + (frame[4] & priority != 0 ? 5 : 0)
        while at < frame.count {
            let first = frame[at]
            if first & 0x80 != 0 {  // indexed
                guard integer(frame, &at, bits: 7) != nil else { return nil }
            } else if first & 0xE0 == 0x20 {  // size of the table
                found.leavesTheTable = false
                guard integer(frame, &at, bits: 5) != nil else { return nil }
            } else {
                let isIndexing = first & 0x40 != 0
                guard let name = integer(frame, &at, bits: isIndexing ? 6 : 4) else { return nil }
                if name == 0 { guard string(frame, &at) else { return nil } }
                let start = at
                guard string(frame, &at) else { return nil }
                if isIndexing {
                    found.leavesTheTable = false
                } else {
                    // Numbers of the static table (RFC 7541, Appendix A).
                    switch name {
                    case 4, 5: if found.path == nil { found.path = start..<at }
                    case 23: if found.credential == nil { found.credential = start..<at }
                    case 28: if found.length == nil { found.length = start..<at }
                    default: break
                    }
                }
            }
        }
        return found
    }

    /// The changes of the table's size with which a block begins.
    static func sizeUpdates(in frame: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var at = FrameHeader.bytes
        while at < frame.count, frame[at] & 0xE0 == 0x20 {
            guard integer(frame, &at, bits: 5) != nil else { break }
        }
        return FrameHeader.bytes..<at
    }

    /// Copies a HEADERS frame with other octets in one place. How long it becomes.
    static func copy(
        _ frame: UnsafeBufferPointer<UInt8>, with octets: UnsafeBufferPointer<UInt8>, inPlaceOf place: Range<Int>,
        to target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        let start = frame.baseAddress!
        target.update(from: start, count: place.lowerBound)
        (target + place.lowerBound).update(from: octets.baseAddress!, count: octets.count)
        let behind = place.lowerBound + octets.count
        let rest = frame.count - place.upperBound
        (target + behind).update(from: start + place.upperBound, count: rest)
        let length = behind + rest - FrameHeader.bytes
        target[0] = UInt8(truncatingIfNeeded: length >> 16)
        target[1] = UInt8(truncatingIfNeeded: length >> 8)
        target[2] = UInt8(truncatingIfNeeded: length)
        return behind + rest
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
