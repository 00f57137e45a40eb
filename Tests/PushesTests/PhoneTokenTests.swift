// Tokens of virtual phones: a function that never changes, for others compute them again.

import Basics
import Pushes
import Testing

@Suite struct PhoneTokenTests {
    private let token = PhoneToken(.activity, phone: "p", app: "com.example.app", ordinal: 1)

    @Test("are 32 or 80 bytes in lower-case hex")
    func sizes() {
        for use in PhoneTokenUse.allCases {
            let text = PhoneToken(use, phone: "p", app: "a").text(Seed(1))
            #expect(text.utf8.count == (use == .device ? 64 : 160) && text == text.lowercased())
            #expect(Hex.decode(text) != nil)
        }
    }

    @Test("depend on each of their parts and on nothing else")
    func parts() {
        var all = [token, token, token, token, token, token]
        all[1].use = .start
        all[2].phone = "q"
        all[3].app = "com.example.apq"
        all[4].ordinal = 2
        all[5].rotation = 1
        let texts = all.map { $0.text(Seed(1)) } + [token.text(Seed(2))]
        #expect(Set(texts).count == 7 && token.text(Seed(1)) == texts[0])
        let first = UInt8(texts[0].prefix(2), radix: 16)
        #expect(first == PhoneToken.firstByte(phone: "p") && texts[4].prefix(2) == texts[0].prefix(2))
    }

    @Test("begin as the page on devices says")
    func formula() {
        let seed = Seed(1).child("phones").child("activity").child("p").child("com.example.app").child(1).child(0)
        var generator = seed.generator()
        let word = String(generator.next(), radix: 16)
        let drawn = String(repeating: "0", count: 16 - word.count) + word
        #expect(token.text(Seed(1)).dropFirst(2).prefix(16) == drawn)
    }
}
