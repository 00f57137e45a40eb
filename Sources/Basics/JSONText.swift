// The strings of JSON at the level of bytes, for the scanner: where a string ends, whether its escapes and its UTF-8
// are valid, and what it says once decoded. Callers guarantee sixteen readable bytes behind the text, the first of
// them 0: no string contains that byte, so nothing here needs to know where the text ends.

import Glibc

enum JSONText {
    typealias Bytes = UnsafePointer<UInt8>

    /// Where a string stopped being valid.
    struct Flaw {
        var code: JSONScanError.Code
        var at: Bytes
    }

    @inline(__always)
    static func word(_ p: Bytes) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
    }

    /// The first byte at or after `p` that is a quote, a backslash, a control character or not ASCII. Subtracting
    /// leaves the top bit of a byte that was hit, and of no byte below the lowest hit. Eight bytes first, which most
    /// keys end in; then sixteen at a time.
    @inline(__always)
    static func plainRun(_ start: Bytes) -> Bytes {
        let word = word(start)
        let quote = (word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
        let backslash = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
        let control = word &- 0x2020_2020_2020_2020
        let hits = (quote | backslash | control | word) & 0x8080_8080_8080_8080
        return hits != 0 ? start + (hits.trailingZeroBitCount >> 3) : longPlainRun(start + 8)
    }

    @inline(__always)
    private static func longPlainRun(_ start: Bytes) -> Bytes {
        var p = start
        while true {
            let bytes = UnsafeRawPointer(p).loadUnaligned(as: SIMD16<UInt8>.self)
            let quote = (bytes ^ SIMD16(repeating: 0x22)) &- SIMD16(repeating: 1)
            let backslash = (bytes ^ SIMD16(repeating: 0x5C)) &- SIMD16(repeating: 1)
            let control = bytes &- SIMD16(repeating: 0x20)
            let hits = (quote | backslash | control | bytes) & SIMD16(repeating: 0x80)
            let words = unsafeBitCast(hits, to: SIMD2<UInt64>.self)
            if words[0] != 0 { return p + (UInt64(littleEndian: words[0]).trailingZeroBitCount >> 3) }
            if words[1] != 0 { return p + (8 + (UInt64(littleEndian: words[1]).trailingZeroBitCount >> 3)) }
            p += 16
        }
    }

    /// From the first special byte of a string to the byte behind its closing quote.
    @inline(never)
    static func finishString(_ start: Bytes, hasEscapes: inout Bool, flaw: inout Flaw?) -> Bytes? {
        var p = start
        while true {
            switch p.pointee {
            case UInt8(ascii: "\""):
                return p + 1
            case UInt8(ascii: "\\"):
                hasEscapes = true
                guard let next = escape(p, flaw: &flaw) else { return nil }
                p = next
            case 0x80...:
                guard let next = multibyte(p) else {
                    flaw = Flaw(code: .invalidUTF8, at: p)
                    return nil
                }
                p = next
            default:
                flaw = Flaw(code: .controlCharacter, at: p)
                return nil
            }
            p = plainRun(p)
        }
    }

    /// The byte behind one well-formed character of two to four bytes (Unicode 15, table 3-7), and behind the ones
    /// that follow it.
    @inline(__always)
    private static func multibyte(_ start: Bytes) -> Bytes? {
        var p = start
        while p[0] >= 0x80 {
            let second = p[1]
            switch p[0] {
            case 0xC2...0xDF:
                guard second & 0xC0 == 0x80 else { return nil }
                p += 2
            case 0xE0...0xEF:
                guard second & 0xC0 == 0x80, p[2] & 0xC0 == 0x80, p[0] != 0xE0 || second >= 0xA0,
                    p[0] != 0xED || second < 0xA0
                else { return nil }
                p += 3
            case 0xF0...0xF4:
                guard second & 0xC0 == 0x80, p[2] & 0xC0 == 0x80, p[3] & 0xC0 == 0x80, p[0] != 0xF0 || second >= 0x90,
                    p[0] != 0xF4 || second < 0x90
                else { return nil }
                p += 4
            default:
                return nil
            }
        }
        return p
    }

    /// The byte behind the escape at `p`; a surrogate pair is one escape.
    private static func escape(_ p: Bytes, flaw: inout Flaw?) -> Bytes? {
        switch p[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return p + 2
        case UInt8(ascii: "u"):
            guard let unit = fourDigits(p + 2) else { break }
            switch unit {
            case 0xD800...0xDBFF:
                guard p[6] == UInt8(ascii: "\\"), p[7] == UInt8(ascii: "u"), let low = fourDigits(p + 8),
                    0xDC00...0xDFFF ~= low
                else {
                    flaw = Flaw(code: .loneSurrogate, at: p)
                    return nil
                }
                return p + 12
            case 0xDC00...0xDFFF:
                flaw = Flaw(code: .loneSurrogate, at: p)
                return nil
            default:
                return p + 6
            }
        default:
            break
        }
        flaw = Flaw(code: .invalidEscape, at: p)
        return nil
    }

    private static func fourDigits(_ p: Bytes) -> UInt32? {
        var unit: UInt32 = 0
        for index in 0..<4 {
            guard let digit = Hex.value(p[index]) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// Decodes validated string content into `output`, which has room for `end - start` bytes; decoding never
    /// lengthens. Returns the number of bytes written.
    static func unescape(_ start: Bytes, _ end: Bytes, into output: UnsafeMutablePointer<UInt8>) -> Int {
        var p = start
        var out = output
        while p < end {
            let backslash = memchr(p, 0x5C, end - p).map { Bytes($0.assumingMemoryBound(to: UInt8.self)) } ?? end
            out.update(from: p, count: backslash - p)
            out += backslash - p
            p = backslash
            guard p < end else { break }
            if p[1] == UInt8(ascii: "u") {
                var scalar = fourDigits(p + 2)!
                p += 6
                if 0xD800...0xDBFF ~= scalar {
                    scalar = 0x1_0000 + (scalar & 0x3FF) << 10 + fourDigits(p + 2)! & 0x3FF
                    p += 6
                }
                for byte in UTF8.encode(Unicode.Scalar(scalar)!)! {
                    out.pointee = byte
                    out += 1
                }
            } else {
                out.pointee = simpleEscape(p[1])
                out += 1
                p += 2
            }
        }
        return out - output
    }

    private static func simpleEscape(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "t"): 9
        default: letter
        }
    }

    /// Whether a number of valid grammar fits a double.
    static func isFiniteNumber(_ start: Bytes, _ end: Bytes) -> Bool { double(start, end).isFinite }

    static func double(_ start: Bytes, _ end: Bytes) -> Double {
        let text = String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
        return Double(text) ?? .infinity
    }
}
