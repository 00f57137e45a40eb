// The mixing step behind our own hash tables: a full 64 × 64 bit product folded onto itself.

@inline(__always)
func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
}

/// Accumulates 16 bytes at a time into 128 bits. The constants hold bytes that no hex text has, so that no token can
/// cancel one out.
struct Mixer {
    private var high: UInt64 = 0xA076_1D64_78BD_642F
    private var low: UInt64 = 0xE703_7ED1_A0B4_28DB

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) {
        high = fold(first ^ 0x8EBC_6AF0_9C88_C6E3, second ^ high)
        low = fold(second ^ 0x5899_65CC_7537_4CC3, first ^ low ^ 0x1D8E_4E27_C47D_124F)
    }

    /// The hash of everything taken, never all zero.
    func finish(count: Int) -> Hash128 {
        let length = UInt64(truncatingIfNeeded: count)
        let left = fold(high ^ length, 0xE703_7ED1_A0B4_28DB ^ low)
        let right = fold(low ^ 0x8EBC_6AF0_9C88_C6E3, high ^ ~length)
        return Hash128(high: left, low: right | (left == 0 ? 1 : 0))
    }
}

/// Eight bytes from `start`, or fewer followed by `filler` bytes.
@inline(__always)
func word(_ bytes: UnsafeRawBufferPointer, at start: Int, filler: UInt64) -> UInt64 {
    if start + 8 <= bytes.count { return bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) }
    var word = filler
    var shift: UInt64 = 0
    for index in min(start, bytes.count)..<bytes.count {
        word = word & ~(0xFF << shift) | UInt64(bytes[index]) << shift
        shift += 8
    }
    return word
}
