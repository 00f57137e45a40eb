// Numbers tokens in order of their first mention. A token is known by 64 bits of hash, so that a million of them fit
// in some tens of megabytes.

struct TokenTable: Sendable {
    private var numbers: [UInt64: Int32] = [:]

    var count: Int { numbers.count }

    /// The token's number; upper and lower case are one token.
    mutating func number(of token: String) -> Int32 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var token = token
        token.withUTF8 { bytes in
            for byte in bytes {
                let lower = byte >= 65 && byte <= 90 ? byte | 32 : byte
                hash = (hash ^ UInt64(lower)) &* 0x0000_0100_0000_01B3
            }
        }
        // FNV-1a leaves the last bytes badly mixed.
        hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
        let next = Int32(numbers.count)
        let number = numbers[hash, default: next]
        if number == next { numbers[hash] = next }
        return number
    }
}
