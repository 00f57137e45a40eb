// Hexadecimal, UUIDs and base 64.

import Basics
import Testing

struct HexTests {
    @Test func bytesSurviveTheRoundTripInEitherCase() {
        let bytes = (0...255).map { UInt8($0) }
        let text = Hex.encode(bytes.span)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
        #expect(Hex.decode("") == [])
    }

    @Test(arguments: ["0", "0g", "zz", "00 1", "é0"])
    func whatIsNotHexadecimalIsRefused(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}

struct UUIDTests {
    let text = "123e4567-e89b-12d3-a456-4266554400a0"

    @Test func aUUIDIsReadAndWrittenInEitherCase() throws {
        let uuid = try #require(withBytes(of: text) { UUIDBytes($0) })
        #expect(uuid == UUIDBytes(high: 0x123e_4567_e89b_12d3, low: 0xa456_4266_5544_00a0))
        #expect(uuid.text() == text)
        #expect(uuid.text(uppercase: true) == text.uppercased())
        #expect(withBytes(of: text.uppercased()) { UUIDBytes($0) } == uuid)
    }

    @Test func randomUUIDsSurviveTheRoundTripAndRepeatWithTheirSeed() {
        var generator = Seed(1).generator()
        var again = Seed(1).generator()
        for _ in 0..<1_000 {
            let uuid = UUIDBytes(using: &generator)
            #expect(withBytes(of: uuid.text()) { UUIDBytes($0) } == uuid)
            #expect(UUIDBytes(using: &again) == uuid)
        }
    }

    @Test func oneWrongCharacterAnywhereIsRefused() {
        for index in 0..<36 {
            var bytes = Array(text.utf8)
            bytes[index] = UInt8(ascii: "x")
            #expect(UUIDBytes(bytes.span) == nil)
        }
        #expect(withBytes(of: String(text.dropLast())) { UUIDBytes($0) } == nil)
        #expect(withBytes(of: text + "0") { UUIDBytes($0) } == nil)
    }
}

struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func theExamplesOfRFC4648ComeOut(plain: String, text: String) {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes.span) == text)
        #expect(Base64.decode(text) == bytes)
        let unpadded = String(text.prefix { $0 != "=" })
        #expect(Base64URL.encode(bytes.span) == unpadded)
        #expect(Base64URL.decode(unpadded) == bytes)
    }

    @Test func randomBytesSurviveTheRoundTripInBothAlphabets() {
        var generator = Seed(2).generator()
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            #expect(Base64.decode(Base64.encode(bytes.span)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes.span)) == bytes)
        }
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm 8=", "Zm8=Zm8=", "Zm8_", "=Zm8", "Zm9v\n",
    ])
    func whatIsNotPaddedBase64IsRefused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Zg==", "Z", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm 8", "Zm9vY"])
    func whatIsNotUnpaddedBase64ForURLsIsRefused(text: String) {
        var bytes: [UInt8] = [1, 2, 3]
        #expect(Base64URL.decode(text) == nil)
        #expect(withBytes(of: text) { Base64URL.decode($0, into: &bytes) } == false)
        #expect(bytes.isEmpty)
    }
}
