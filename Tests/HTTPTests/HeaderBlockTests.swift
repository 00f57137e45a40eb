// The block of fields.

import Basics
import HTTP
import Testing

struct HeaderBlockTests {
    @Test func fieldsKeepTheirOrderAndTheirBytes() {
        let head = HeaderBlock([(":method", "POST"), ("apns-id", ""), ("", "x"), ("apns-id", "two")])
        #expect(head.count == 4)
        #expect(head.lines == [":method: POST", "apns-id: ", ": x", "apns-id: two"])
        #expect(head.byteCount == 7 + 4 + 7 + 1 + 7 + 3)
        #expect(head.index(of: "apns-id") == 1)
        #expect(head.index(of: "apns-i") == nil)
        #expect(head.text(":method") == "POST")
        #expect(head.text("missing") == nil)
    }

    @Test func aBlockGrowsFarBeyondItsFirstMemory() {
        let head = HeaderBlock()
        let expected = (0..<500).map { ("name-\($0)", String(repeating: "v", count: $0)) }
        for (name, value) in expected { head.append(name: name, value: value) }
        #expect(head.lines == expected.map { "\($0): \($1)" })
        head.clear()
        #expect(head.count == 0 && head.byteCount == 0)
        head.append("a", "b")
        #expect(head.lines == ["a: b"])
    }

    @Test func aFieldRemembersThatItMustNotBeIndexed() {
        let head = HeaderBlock()
        head.append("authorization", "bearer x", neverIndexed: true)
        head.append("apns-topic", "t")
        #expect(head.isNeverIndexed(at: 0))
        #expect(!head.isNeverIndexed(at: 1))
    }

    @Test func aFieldThatIsNotThereStopsTheProcess() async {
        await #expect(processExitsWith: .failure) { _ = HeaderBlock().isNeverIndexed(at: 0) }
    }
}
