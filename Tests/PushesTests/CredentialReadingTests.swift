// What of a refused token stands in words: never a sign that steers a terminal, and never a key.

import Basics
import Testing

@testable import Pushes

@Suite("A refused credential in words")
struct CredentialReadingTests {
    private func words(kid: String) throws -> String {
        let header: JSONValue = ["alg": "ES256", "kid": .string(kid)]
        let token = Base64URL.encode(header.encoded().span) + ".e30.AA"
        return CredentialCause.keyUnknown.words(authorization: "bearer " + token)
    }

    @Test("shows what cannot be seen", arguments: ["a\n", "a\u{1B}]0;x", "a\u{9B}31m", "a\u{202E}b", "a\u{200B}"])
    func hidden(kid: String) throws {
        let words = try words(kid: kid)
        #expect(words.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) }, "\(words)")
        #expect(words.contains("\\"))
    }

    @Test("shows no key that stands where its ID belongs")
    func key() throws {
        let words = try words(kid: "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIGx5c2VjcmV0")
        #expect(words.contains("-----BEGIN…") && !words.contains("PRIVATE") && !words.contains("MHc"), "\(words)")
    }
}
