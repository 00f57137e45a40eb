import Basics
import Testing

@Suite("Words in hex")
struct HexWordsTests {
    @Test("have sixteen digits", arguments: [
        (0, "0000000000000000"), (255, "00000000000000ff"), (.max, "ffffffffffffffff"), (0x0123_4567_89AB_CDEF, "0123456789abcdef"),
    ] as [(UInt64, String)])
    func digits(value: UInt64, text: String) { #expect(Hex.word(value) == text) }
}
