// Eight hex digits in one machine word, the first in the lowest byte, as little-endian loads leave them.

package enum HexWord {
    @inlinable
    package static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// The high bit of each byte says whether the byte is a hex digit. A byte below 0x80 plus (0x80 - n) has its high
    /// bit set exactly when it is at least n, and nothing carries into its neighbour.
    @inlinable
    @inline(__always)
    package static func mask(_ word: UInt64) -> UInt64 {
        let ascii = word & ~highBits
        let lower = ascii | 0x2020_2020_2020_2020
        let digit = (ascii &+ 0x5050_5050_5050_5050) & ~(ascii &+ 0x4646_4646_4646_4646)
        let letter = (lower &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lower &+ 0x1919_1919_1919_1919)
        return (digit | letter) & ~word
    }

    @inlinable
    @inline(__always)
    package static func isHex(_ word: UInt64) -> Bool { mask(word) & highBits == highBits }

    /// The 32 bits that eight checked digits spell. A letter has bit 6 set and its low nibble is nine short.
    @inlinable
    @inline(__always)
    package static func value(_ word: UInt64) -> UInt64 {
        let nibbles = (word & 0x0F0F_0F0F_0F0F_0F0F) &+ 9 &* (word >> 6 & 0x0101_0101_0101_0101)
        var pairs = nibbles.byteSwapped
        pairs = (pairs | pairs >> 4) & 0x00FF_00FF_00FF_00FF
        pairs = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return (pairs | pairs >> 16) & 0xFFFF_FFFF
    }
}
