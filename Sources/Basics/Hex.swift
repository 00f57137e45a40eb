// Hexadecimal and UUID text, both ways.

package enum Hex {
    private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            text.append(digits[Int(bytes[index] >> 4)])
            text.append(digits[Int(bytes[index] & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Sixteen digits.
    package static func word(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// Nil unless the text is an even number of hex digits; both cases are read.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in 0..<text.count / 2 {
            guard let high = value(text[2 * index]), let low = value(text[2 * index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    package static func decode(_ text: String) -> [UInt8]? { withBytes(of: text) { decode($0) } }

    /// The value of one hex digit, or nil.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 97...102: digit - 87
        case 65...70: digit - 55
        default: nil
        }
    }
}

/// Sixteen bytes as APNs prints and reads them: 8-4-4-4-12 hex digits.
package struct UUIDBytes: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(using generator: inout Generator) {
        high = generator.next()
        low = generator.next()
    }

    /// One of version 4 (RFC 9562 §5.4).
    package init(version4 generator: inout Generator) {
        high = generator.next() & ~0xF000 | 0x4000
        low = generator.next() >> 2 | 1 << 63
    }

    /// Nil unless the text is exactly 36 bytes of 8-4-4-4-12 hex digits; both cases are read.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for index in 0..<36 {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard text[index] == 45 else { return nil }
                continue
            }
            guard let value = Hex.value(text[index]) else { return nil }
            if digits < 16 { words.0 = words.0 << 4 | UInt64(value) } else { words.1 = words.1 << 4 | UInt64(value) }
            digits += 1
        }
        (high, low) = words
    }

    /// Appends the 36 characters, for which there has to be room.
    package func write(uppercase: Bool, to output: inout OutputSpan<UInt8>) {
        let (first, second) = (Self.digits(high, uppercase), Self.digits(high << 32, uppercase))
        let (third, fourth) = (Self.digits(low, uppercase), Self.digits(low << 32, uppercase))
        let hyphen = UInt64(45)
        // Whole words instead of 36 single bytes: each answer of APNs bears one or two of these.
        let words = (
            first, hyphen | (second & 0xFFFF_FFFF) << 8 | hyphen << 40 | (second >> 32) << 48,
            second >> 48 | hyphen << 16 | (third & 0xFFFF_FFFF) << 24 | hyphen << 56, third >> 32 | fourth << 32
        )
        output.withUnsafeMutableBufferPointer { room, count in
            precondition(room.count - count >= 36, "a UUID has 36 characters")
            let place = UnsafeMutableRawPointer(room.baseAddress! + count)
            place.storeBytes(of: words.0.littleEndian, toByteOffset: 0, as: UInt64.self)
            place.storeBytes(of: words.1.littleEndian, toByteOffset: 8, as: UInt64.self)
            place.storeBytes(of: words.2.littleEndian, toByteOffset: 16, as: UInt64.self)
            place.storeBytes(of: words.3.littleEndian, toByteOffset: 24, as: UInt64.self)
            place.storeBytes(of: UInt32(truncatingIfNeeded: fourth >> 32).littleEndian, toByteOffset: 32, as: UInt32.self)
            count += 36
        }
    }

    /// The upper 32 bits as eight characters, the first in the lowest byte.
    private static func digits(_ word: UInt64, _ uppercase: Bool) -> UInt64 {
        // The nibbles spread over the bytes, halving the pieces three times.
        var nibbles = word >> 48 | (word >> 32 & 0xFFFF) << 32
        nibbles = nibbles >> 8 & 0x00FF_0000_00FF | (nibbles & 0x00FF_0000_00FF) << 16
        nibbles = nibbles >> 4 & 0x000F_000F_000F_000F | (nibbles & 0x000F_000F_000F_000F) << 8
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* (uppercase ? 7 : 39)
    }

    package func text(uppercase: Bool = false) -> String {
        String(unsafeUninitializedCapacity: 36) { room in
            var output = OutputSpan(buffer: room, initializedCount: 0)
            write(uppercase: uppercase, to: &output)
            return output.finalize(for: room)
        }
    }
}
