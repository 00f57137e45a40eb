// Comparing bytes on the data path: length first, then one memcmp.

import Glibc

extension Span<UInt8> {
    func matches(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count > 0 else { return true }
        return withUnsafeBufferPointer { left in
            other.withUnsafeBufferPointer { memcmp(left.baseAddress!, $0.baseAddress!, left.count) == 0 }
        }
    }

    func matches(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount
            && withUnsafeBufferPointer { memcmp($0.baseAddress!, text.utf8Start, $0.count) == 0 }
    }

    func starts(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount
            && withUnsafeBufferPointer { memcmp($0.baseAddress!, text.utf8Start, text.utf8CodeUnitCount) == 0 }
    }

    func ends(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        return count >= length
            && withUnsafeBufferPointer { memcmp($0.baseAddress! + (count - length), text.utf8Start, length) == 0 }
    }

    func matches(_ bytes: [UInt8]) -> Bool { matches(bytes.span) }

    func contains(_ byte: UInt8) -> Bool {
        count > 0 && withUnsafeBufferPointer { memchr($0.baseAddress!, Int32(byte), $0.count) != nil }
    }
}
