// Bundle IDs by small numbers, so that a row need not hold the text. There are few apps and many tokens.

import Glibc

/// Numbers from 1. At most `limit` of them: what comes later gets 0, "not known".
struct TopicNames: Sendable {
    private static let limit = 4096
    private var names: [[UInt8]] = []

    /// Whether `name` has that number.
    func matches(_ number: UInt16, _ name: Span<UInt8>) -> Bool {
        guard number > 0 else { return false }
        return Self.equal(names[Int(number) - 1], name)
    }

    mutating func number(of name: Span<UInt8>) -> UInt16 {
        for index in names.indices where Self.equal(names[index], name) { return UInt16(index + 1) }
        guard names.count < Self.limit, name.count > 0 else { return 0 }
        names.append(name.withUnsafeBufferPointer { Array($0) })
        return UInt16(names.count)
    }

    func text(_ number: UInt16) -> String? {
        number == 0 ? nil : String(decoding: names[Int(number) - 1], as: UTF8.self)
    }

    private static func equal(_ name: [UInt8], _ other: Span<UInt8>) -> Bool {
        guard name.count == other.count else { return false }
        return name.withUnsafeBufferPointer { left in
            other.withUnsafeBufferPointer { right in
                left.count == 0 || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
            }
        }
    }
}
