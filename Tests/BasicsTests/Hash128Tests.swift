// The hash of device tokens.

import Basics
import Testing

@Suite struct Hash128Tests {
    private func hash(_ text: String) -> Hash128? { withBytes(of: text) { Hash128(checking: $0) } }

    @Test("case does not matter (docs/apns.md §3: upper case accepted)")
    func caseInsensitive() {
        #expect(hash("00ABCDEFabcdef9900") == hash("00abcdefABCDEF9900"))
        #expect(hash("00abcdef") == withBytes(of: "00ABCDEF") { Hash128(hex: $0) })
    }

    @Test("every single byte that is no hex digit is found, at every place of a word")
    func nonDigits() {
        for byte in UInt8.min...UInt8.max {
            for place in [0, 7, 8, 15, 16, 21] {
                var text = [UInt8](repeating: 48, count: 22)
                text[place] = byte
                let isDigit = Hex.value(byte) != nil
                #expect((Hash128(checking: text.span) != nil) == isDigit, "byte \(byte) at \(place)")
            }
        }
    }

    @Test(
        "odd lengths and the empty text are no tokens", arguments: ["", "a", "abc", String(repeating: "a", count: 63)])
    func oddLengths(text: String) { #expect(hash(text) == nil) }

    @Test("tokens that differ in one digit or in length differ")
    func distinct() {
        var seen: Set<Hash128> = []
        for place in 0..<64 {
            for digit in "0123456789abcdef".utf8 {
                var text = [UInt8](repeating: 55, count: 64)
                text[place] = digit
                if digit != 55 || place == 0 { seen.insert(Hash128(checking: text.span)!) }
            }
        }
        for count in stride(from: 2, to: 62, by: 2) { seen.insert(hash(String(repeating: "7", count: count))!) }
        #expect(seen.count == 64 * 15 + 1 + 30)
    }

    @Test("the hash never changes, for shards and chance hang on it")
    func fixed() {
        let hash = hash("0123456789abcdef0123456789abcdef")
        #expect(hash?.low == 0xA6C1_4E02_99F0_0DDF)
    }
}
