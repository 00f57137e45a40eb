// The answer to a message that was taken, against the tree of JSON that it stands for.

import Basics
import Testing

@testable import MockServer

@Suite("The name of a message") struct MessageNameTests {
    private func text(_ project: String, _ id: MessageID) -> String {
        let text = ByteBuffer()
        withBytes(of: project) { MessageName.write(project: $0, id, to: text) }
        return text.text
    }

    @Test("stands in JSON of Google's form, whatever the project is called",
        arguments: ["pushrig-mock", "a\"b", "a\\b", "ä-€-😀", "\u{7F}", "\u{1}", "a b%20"])
    func project(_ project: String) {
        let value: JSONValue = ["name": .string("projects/\(project)/messages/7")]
        #expect(text(project, .number(14)) == String(decoding: value.encoded(pretty: true), as: UTF8.self) + "\n")
    }

    @Test("bytes that are no UTF-8 become the sign for that")
    func invalid() {
        let (bytes, text): ([UInt8], ByteBuffer) = ([0x61, 0xFF], ByteBuffer())
        MessageName.write(project: bytes.span, .number(2), to: text)
        #expect(text.text == "{\n  \"name\": \"projects/a\u{FFFD}/messages/1\"\n}\n")
    }

    @Test("ends in each of the forms")
    func forms() {
        let start = "{\n  \"name\": \"projects/p/messages/"
        func end(_ id: MessageID) -> String { String(text("p", id).dropFirst(start.count).dropLast(4)) }
        #expect(end(.number(.max)) == "9223372036854775807")
        #expect(end(.number(1)) == "0")
        let uuid = UUIDBytes(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(end(.uuid(uuid)) == uuid.text(uppercase: false))
        for word in [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xDEAD_BEEF, .max] as [UInt32] {
            let hex = String(word | 1 << 31, radix: 16)
            for time in [1_764_000_000_123_456, 0, -5, .max, .min] as [Int64] {
                #expect(end(.sample(microseconds: time, word)) == "0:\(time)%\(hex)\(hex)")
            }
        }
    }
}
