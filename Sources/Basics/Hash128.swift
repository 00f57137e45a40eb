// A device token's key in every table: 128 bits of its hex digits, the same on every machine and in every run, so that
// what is decided by it (shards, chance) can be replayed.

/// 128 bits of hash: of a device token, of which two spellings that differ in case have the same, or of any bytes.
package struct Hash128: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// `hex` are the digits as sent; what is no hex digit is hashed all the same.
    package init(hex: Span<UInt8>) { self = Self.read(hex).hash }

    /// Of a token of either provider: hex digits, or a registration of FCM, which is told by its colon or by a letter that
    /// is no digit, and in which case counts.
    package init(ofToken token: Span<UInt8>) { self = Hash128(checking: token) ?? Hash128(hashing: token) }

    /// Of any bytes, case and all: a key for what is no token.
    package init(hashing bytes: Span<UInt8>) {
        self = bytes.withUnsafeBytes { bytes in
            var mixer = Mixer()
            for start in stride(from: 0, to: bytes.count, by: 16) {
                mixer.take(word(bytes, at: start, filler: 0), word(bytes, at: start + 8, filler: 0))
            }
            return mixer.finish(count: bytes.count)
        }
    }

    /// Nil unless the text is an even number of hex digits, at least two.
    package init?(checking hex: Span<UInt8>) {
        guard hex.count % 2 == 0, hex.count > 0 else { return nil }
        let (hash, isHex) = Self.read(hex)
        guard isHex else { return nil }
        self = hash
    }

    /// Eight digits at a time: setting bit 5 turns A-F into a-f and leaves 0-9 alone.
    private static func read(_ hex: Span<UInt8>) -> (hash: Hash128, isHex: Bool) {
        hex.withUnsafeBytes { bytes in
            let lowerCase: UInt64 = 0x2020_2020_2020_2020
            let zeros: UInt64 = 0x3030_3030_3030_3030
            var mixer = Mixer()
            var good = ~UInt64(0)
            for start in stride(from: 0, to: bytes.count, by: 16) {
                let first = word(bytes, at: start, filler: zeros)
                let second = word(bytes, at: start + 8, filler: zeros)
                good &= HexWord.mask(first) & HexWord.mask(second)
                mixer.take(first | lowerCase, second | lowerCase)
            }
            return (mixer.finish(count: bytes.count), good & HexWord.highBits == HexWord.highBits)
        }
    }
}
