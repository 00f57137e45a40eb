// The mark that an event carries through a relay, in whatever text the relay passes on: `[pr:1a2b3c4d:1x:2f]`, which is
// the run in eight hex digits, the session and the step in base 36. No encoder of JSON escapes any of it.

package import Basics
import Glibc

/// Which event of which run a push speaks of.
package struct Marker: Hashable, Sendable {
    package var run: UInt32
    package var session: UInt32
    package var step: UInt32

    package init(run: UInt32, session: UInt32, step: UInt32) {
        self.run = run
        self.session = session
        self.step = step
    }

    /// The longest and the shortest one there is, in bytes.
    package static let maxLength = 29
    package static let minLength = 17

    // MARK: Writing

    package var text: String {
        let buffer = ByteBuffer(capacity: Self.maxLength)
        write(into: buffer)
        return buffer.text
    }

    /// Appends the marker, without heap once the buffer is warm.
    package func write(into buffer: ByteBuffer) {
        buffer.append("[pr:")
        buffer.append(upTo: Self.maxLength - 4) { output in
            for place in 0..<8 { output.append(Self.digit(run >> UInt32(28 - 4 * place) & 15)) }
            output.append(UInt8(ascii: ":"))
            Self.appendBase36(session, to: &output)
            output.append(UInt8(ascii: ":"))
            Self.appendBase36(step, to: &output)
            output.append(UInt8(ascii: "]"))
        }
    }

    private static func appendBase36(_ number: UInt32, to output: inout OutputSpan<UInt8>) {
        let number = UInt64(number)
        var power: UInt64 = 1
        while power * 36 <= number { power *= 36 }
        while power > 0 {
            output.append(digit(UInt32(number / power % 36)))
            power /= 36
        }
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 10 ? 48 + value : 87 + value)
    }

    // MARK: Finding

    /// The first marker in the bytes, of whatever run. The time goes with the number of bytes, whatever they are.
    package static func find(in bytes: Span<UInt8>) -> Marker? {
        bytes.withUnsafeBytes { bytes in
            var position = 0
            return next(in: bytes, &position)
        }
    }

    /// The first marker of that run in the bytes.
    package static func find(in bytes: Span<UInt8>, run: UInt32) -> Marker? {
        bytes.withUnsafeBytes { bytes in
            var position = 0
            while let marker = next(in: bytes, &position) {
                if marker.run == run { return marker }
            }
            return nil
        }
    }

    /// The first one from `position` on, which is then behind its bracket.
    private static func next(in bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Marker? {
        guard let base = bytes.baseAddress else { return nil }
        while bytes.count - position >= minLength,
            let found = memchr(base + position, 91, bytes.count - position - minLength + 1)
        {
            let start = UnsafeRawPointer(found) - base
            position = start + 1
            if let marker = read(bytes, at: start) { return marker }
        }
        return nil
    }

    /// Reads the marker that begins there; at least `minLength` bytes follow.
    private static func read(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Marker? {
        guard bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self) == opening,
            let run = hex(bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt64.self))
        else { return nil }
        var position = start + 12
        guard let session = number(bytes, &position), let step = number(bytes, &position), position < bytes.count,
            bytes[position] == UInt8(ascii: "]")
        else { return nil }
        return Marker(run: run, session: session, step: step)
    }

    /// `[pr:`
    private static let opening = UInt32(littleEndian: 0x3A72_705B)

    /// The number that eight lower-case hex digits spell, the first of them in the lowest byte. A byte below 0x80 plus
    /// (0x80 - n) has its high bit set exactly when it is at least n, and nothing carries into its neighbour.
    private static func hex(_ word: UInt64) -> UInt32? {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let ascii = word & ~highBits
        let digits = (ascii &+ 0x5050_5050_5050_5050) & ~(ascii &+ 0x4646_4646_4646_4646)
        let letters = (ascii &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(ascii &+ 0x1919_1919_1919_1919)
        guard (digits | letters) & ~word & highBits == highBits else { return nil }
        // A letter has bit 6 set, and its low nibble is nine short.
        var value = ((word & 0x0F0F_0F0F_0F0F_0F0F) &+ 9 &* (word >> 6 & 0x0101_0101_0101_0101)).byteSwapped
        value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
        value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: value | value >> 16)
    }

    /// A colon and a number of at most seven digits.
    private static func number(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else { return nil }
        position += 1
        let start = position
        var value: UInt64 = 0
        while position < bytes.count, position - start < 7 {
            switch bytes[position] {
            case let byte where 48...57 ~= byte: value = value * 36 + UInt64(byte - 48)
            case let byte where 97...122 ~= byte: value = value * 36 + UInt64(byte - 87)
            default: return position > start ? UInt32(exactly: value) : nil
            }
            position += 1
        }
        return UInt32(exactly: value)
    }
}
