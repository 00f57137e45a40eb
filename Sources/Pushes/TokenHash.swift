// What tokens are known by where a run of them is judged: 64 bits, so that a million of them fit in some tens of
// megabytes. (The mock's own tables hold 128 bits of a device token.)

import Basics

/// The hash of a push token. Two spellings that differ in case have the same one, on every machine and in every run.
package struct TokenHash: Hashable, Sendable {
    package let bits: UInt64

    package init(bits: UInt64) { self.bits = bits }

    package init(_ token: String) { self = withBytes(of: token) { TokenHash($0) } }

    /// Eight bytes at a time; setting bit 5 turns capitals into small letters and leaves digits alone.
    package init(_ token: Span<UInt8>) {
        bits = token.withUnsafeBytes { bytes in
            var hash: UInt64 = 0xE703_7ED1_A0B4_28DB ^ UInt64(truncatingIfNeeded: bytes.count)
            var start = 0
            while start + 8 <= bytes.count {
                hash = Self.mix(hash, bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian)
                start += 8
            }
            var rest: UInt64 = 0
            for place in start..<bytes.count { rest |= UInt64(bytes[place]) << UInt64(8 * (place - start)) }
            return Self.mix(Self.mix(hash, rest), 0x8EBC_6AF0_9C88_C6E3)
        }
    }

    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let lower = (word | 0x2020_2020_2020_2020) ^ 0x5899_65CC_7537_4CC3
        let product = (hash ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: lower)
        // Adding keeps what a zero factor would swallow.
        return (product.high ^ product.low) &+ hash &+ lower
    }
}
