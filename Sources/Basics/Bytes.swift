// Bytes that grow and are lent out as spans. One owner at a time; not for sharing between threads.

import Glibc

/// A growable buffer with a read position at its front: append at the end, consume from the start.
/// Bind it to a local `let` before asking for `bytes`; the span lives as long as that binding.
package final class ByteBuffer {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var start = 0
    private var end = 0

    package init(capacity: Int = 0) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    package var count: Int { end - start }
    package var isEmpty: Bool { end == start }

    /// What has been appended and not consumed. Invalid after the next mutation.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = Span<UInt8>(_unsafeStart: UnsafePointer(base + start), count: end - start)
            return _overrideLifetime(span, borrowing: self)
        }
    }

    package func append(_ bytes: Span<UInt8>) {
        let count = bytes.count
        guard count > 0 else { return }
        reserve(count)
        bytes.withUnsafeBufferPointer { (base + end).update(from: $0.baseAddress!, count: count) }
        end += count
    }

    package func append(_ byte: UInt8) {
        reserve(1)
        base[end] = byte
        end += 1
    }

    /// Writes over a byte that stands there, counted from the first.
    package func replace(at offset: Int, with byte: UInt8) {
        precondition(offset >= 0 && offset < count, "only what stands there can be replaced")
        base[start + offset] = byte
    }

    package func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0.span) }
    }

    package func append(_ text: StaticString) {
        text.withUTF8Buffer { append($0.span) }
    }

    /// The number's decimal digits, behind a minus where it is below 0.
    package func append(decimal number: Int64) {
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var (first, rest) = (20, number.magnitude)
        repeat {
            first -= 1
            digits[first] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 {
            first -= 1
            digits[first] = UInt8(ascii: "-")
        }
        append(digits.span.extracting(first..<20))
    }

    /// Lends room for up to `count` bytes at the end; the closure says how many it wrote.
    package func append(upTo count: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        reserve(count)
        let room = UnsafeMutableBufferPointer(start: base + end, count: count)
        var output = OutputSpan(buffer: room, initializedCount: 0)
        write(&output)
        end += output.finalize(for: room)
    }

    /// Drops `count` bytes from the front.
    package func consume(_ count: Int) {
        precondition(count >= 0 && count <= end - start, "more bytes consumed than there are")
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Drops all but the first `count` bytes.
    package func truncate(to count: Int) {
        precondition(count >= 0 && count <= end - start, "more bytes kept than there are")
        end = start + count
    }

    /// Forgets the content and keeps the memory, unless it is larger than `capacityLimit`.
    package func clear(keepingUpTo capacityLimit: Int = .max) {
        start = 0
        end = 0
        if capacity > capacityLimit {
            base.deallocate()
            base = .allocate(capacity: 0)
            capacity = 0
        }
    }

    package func array() -> [UInt8] { Array(UnsafeBufferPointer(start: base + start, count: count)) }

    package var text: String { String(decoding: UnsafeBufferPointer(start: base + start, count: count), as: UTF8.self) }

    private func reserve(_ count: Int) {
        guard end + count > capacity else { return }
        // Moving what is left is only worth it when at least as much has gone, or it would be moved again and again.
        if start >= end - start, end - start + count <= capacity {
            base.update(from: base + start, count: end - start)
        } else {
            let grown = max(capacity * 2, end - start + count, 256)
            let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: grown)
            fresh.update(from: base + start, count: end - start)
            base.deallocate()
            base = fresh
            capacity = grown
        }
        end -= start
        start = 0
    }
}

extension Span<UInt8> {
    /// The bytes as text; invalid UTF-8 becomes U+FFFD.
    package var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    package var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }

    package func equals(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { equals($0.span) }
    }

    package func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { left in
            other.withUnsafeBufferPointer { right in
                guard let start = left.baseAddress, let otherStart = right.baseAddress else { return true }
                return memcmp(start, otherStart, left.count) == 0
            }
        }
    }

    /// The place of the first such byte.
    package func firstIndex(of byte: UInt8) -> Int? {
        withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(start)
        }
    }

    package func hasPrefix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { prefix in
            guard count >= prefix.count else { return false }
            return extracting(0..<prefix.count).equals(prefix.span)
        }
    }
}

/// Runs `body` with the UTF-8 bytes of `text`.
package func withBytes<R>(of text: String, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
    var text = text
    return try text.withUTF8 { try body($0.span) }
}
