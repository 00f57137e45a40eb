// Tokens by 64 bits.

import Basics
import Pushes
import Testing

@Suite struct TokenHashTests {
    private let token = String(repeating: "a1b2c3d4", count: 8)

    @Test func `case makes no difference`() {
        #expect(TokenHash(token) == TokenHash(token.uppercased()))
        #expect(TokenHash("aB3") == TokenHash("Ab3"))
        #expect(withBytes(of: token) { TokenHash($0) } == TokenHash(token))
    }

    @Test func `is the same in every run`() {
        #expect(TokenHash("").bits == 8_501_126_755_798_521_307)
        #expect(TokenHash(token).bits == 3_118_565_492_660_345_751)
    }

    /// 64 bits of hash give two of a million tokens the same one once in 37 million tries.
    @Test func `tokens that differ anywhere, or in length, differ`() {
        var generator = Seed(3).generator()
        var seen: Set<TokenHash> = []
        var count = 0
        for _ in 0..<100_000 {
            seen.insert(TokenHash(String(generator.next(), radix: 16)))
            count += 1
        }
        for length in 0..<200 {
            for digit in "0123456789abcdef" {
                for place in Set([0, length / 2, length - 1]) where place >= 0 && place < length && digit != "7" {
                    var digits = Array(repeating: Character("7"), count: length)
                    digits[place] = digit
                    seen.insert(TokenHash(String(digits)))
                    count += 1
                }
            }
        }
        #expect(seen.count == count)
    }

    @Test func `its bits are well mixed`() {
        // Each of the 64 bits is set in about half of the hashes of near-equal tokens.
        var counts = [Int](repeating: 0, count: 64)
        for number in 0..<4096 {
            let bits = TokenHash(String(repeating: "0", count: 60) + String(4096 + number, radix: 16)).bits
            for bit in 0..<64 where bits >> UInt64(bit) & 1 == 1 { counts[bit] += 1 }
        }
        for (bit, count) in counts.enumerated() { #expect(1800...2300 ~= count, "bit \(bit): \(count)") }
    }
}
