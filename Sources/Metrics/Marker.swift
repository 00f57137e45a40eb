// The mark that an event carries through a relay, in whatever text the relay passes on: `[pr:1a2b3c4d:1x:2f]`, which is
// the run in eight hex digits, the session and the step in base 36. No encoder of JSON escapes any of it.

package import Basics
import Glibc

package enum Marker {
    /// The longest one there is.
    package static let maxLength = 29

    /// `[pr:` and the run; a marker of session 0 and step 0 adds five bytes.
    private static let prefixLength = 12

    package static func text(run: UInt32, session: UInt32, step: UInt32) -> String {
        let buffer = ByteBuffer(capacity: maxLength)
        write(run: run, session: session, step: step, into: buffer)
        return buffer.text
    }

    /// Appends the marker, without heap once the buffer is warm.
    package static func write(run: UInt32, session: UInt32, step: UInt32, into buffer: ByteBuffer) {
        buffer.append("[pr:")
        buffer.append(upTo: maxLength - 4) { output in
            for place in 0..<8 { output.append(digit(run >> UInt32(28 - 4 * place) & 15)) }
            output.append(UInt8(ascii: ":"))
            appendBase36(session, to: &output)
            output.append(UInt8(ascii: ":"))
            appendBase36(step, to: &output)
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

    /// The first marker of that run in the bytes.
    package static func find(in bytes: Span<UInt8>, run: UInt32) -> (session: UInt32, step: UInt32)? {
        bytes.withUnsafeBufferPointer { bytes -> (session: UInt32, step: UInt32)? in
            guard let base = bytes.baseAddress else { return nil }
            var position = 0
            while position + prefixLength < bytes.count,
                let found = memchr(base + position, 91, bytes.count - position - prefixLength)
            {
                position = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
                if let numbers = read(bytes, from: position, run: run) { return numbers }
            }
            return nil
        }
    }

    /// Reads what follows a bracket.
    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, run: UInt32
    ) -> (session: UInt32, step: UInt32)? {
        guard bytes[start] == 112, bytes[start + 1] == 114, bytes[start + 2] == 58 else { return nil }
        for place in 0..<8 where bytes[start + 3 + place] != digit(run >> UInt32(28 - 4 * place) & 15) { return nil }
        var position = start + 11
        guard let session = number(bytes, &position, after: 58), let step = number(bytes, &position, after: 58),
            position < bytes.count, bytes[position] == 93
        else { return nil }
        return (session, step)
    }

    private static func number(
        _ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int, after mark: UInt8
    ) -> UInt32? {
        guard position < bytes.count, bytes[position] == mark else { return nil }
        position += 1
        let start = position
        var value: UInt64 = 0
        while position < bytes.count, position - start < 7 {
            switch bytes[position] {
            case let byte where 48...57 ~= byte: value = value * 36 + UInt64(byte - 48)
            case let byte where 97...122 ~= byte: value = value * 36 + UInt64(byte - 87)
            default:
                return position > start ? UInt32(exactly: value) : nil
            }
            position += 1
        }
        return UInt32(exactly: value)
    }

    @inline(__always)
    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 10 ? 48 + value : 87 + value)
    }
}
