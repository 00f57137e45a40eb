// Keys and signatures: what we write others read, and the other way round.

import Basics
import TLS
import Testing

@Suite struct KeysTests {
    let key = P256PrivateKey()
    let message = Array("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJURUFNIn0".utf8)

    @Test func `a raw signature is 64 bytes and verifies`() {
        let signature = key.sign(message.span)
        #expect(signature.count == 64)
        #expect(verifies(signature))
    }

    @Test func `a DER signature verifies`() {
        let signature = key.signDER(message.span)
        #expect(signature.first == 0x30)
        #expect(verifies(signature))
    }

    /// r or s has leading zero bytes in one signature of 128; their DER is shorter and must still convert.
    @Test func `many signatures survive the conversion to raw and back`() {
        for number in 0..<600 {
            let message = Array("message \(number)".utf8)
            #expect(verifies(key.sign(message.span), over: message))
        }
    }

    @Test func `a changed message does not verify`() {
        let signature = key.sign(message.span)
        let changed = Array(message.dropLast() + [0x2E])
        #expect(!verifies(signature, over: changed))
    }

    @Test func `another key does not verify`() {
        #expect(!verifies(key.sign(message.span), by: P256PrivateKey().publicKey))
    }

    @Test(arguments: [0, 1, 8, 63, 64, 65, 72, 73, 200])
    func `rubbish of any length does not verify`(count: Int) {
        for byte: UInt8 in [0, 0x30, 0xFF] {
            let rubbish = [UInt8](repeating: byte, count: count)
            #expect(!verifies(rubbish))
        }
    }

    @Test func `trailing bytes after a DER signature do not verify`() {
        let signature = key.signDER(message.span) + [0]
        #expect(!verifies(signature))
    }

    @Test func `a key survives its PEM text`() throws {
        let pem = key.pem
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let again = try P256PrivateKey(pem: pem)
        #expect(again.pem == pem)
        let publicAgain = try P256PublicKey(pem: key.publicKey.pem)
        #expect(verifies(again.sign(message.span), by: publicAgain))
    }

    @Test func `broken, foreign and locked PEM texts are refused with a hint`() {
        let p384 = """
            -----BEGIN PUBLIC KEY-----
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEFPvfW6/LQqwHtTEcSlS/QIyWNT11lvpO
            hFl3vvqmgA1vIrMxrJf/Yb8All12LZAA8KmSq5E3EfMbPfWxRbdU0QLTLQ4e+Bng
            zOL4/yKH6EoXW6QBGFBSBxbyhDu9Yk1m
            -----END PUBLIC KEY-----
            """
        let refusals = [
            failure { _ = try P256PrivateKey(pem: "") },
            failure { _ = try P256PrivateKey(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n") },
            failure { _ = try P256PublicKey(pem: key.pem) },
            failure { _ = try P256PublicKey(pem: p384) },
        ]
        for refusal in refusals {
            #expect(refusal?.kind == .usage)
            #expect(refusal?.hint != nil)
        }
    }

    @Test func `a digest is SHA-256`() {
        #expect(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            digest("abc")
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `secrets differ`() {
        #expect(secretBytes(count: 16).count == 16)
        #expect(secretBytes(count: 16) != secretBytes(count: 16))
    }

    private func verifies(_ signature: [UInt8], over message: [UInt8]? = nil, by other: P256PublicKey? = nil) -> Bool {
        let message = message ?? self.message
        return (other ?? key.publicKey).verify(message.span, signature: signature.span)
    }

    private func digest(_ text: String) -> String {
        let digest = withBytes(of: text) { sha256($0) }
        return Hex.encode(digest.span)
    }

    private func failure(_ body: () throws -> Void) -> Failure? {
        do {
            try body()
            return nil
        } catch { return error as? Failure }
    }
}
