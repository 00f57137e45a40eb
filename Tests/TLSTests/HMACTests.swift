// Keyed digests against the published vectors (RFC 2202 and RFC 4231, cases 1, 2 and 6).

import Testing
import TLS

@Suite struct HMACTests {
    private struct Case: Sendable {
        var key: [UInt8]
        var message: String
        var algorithm: HMACAlgorithm
        var code: String
    }

    private static let short = Array("Jefe".utf8)
    private static let question = "what do ya want for nothing?"
    private static let long = [UInt8](repeating: 0xAA, count: 131)
    private static let hashed = "Test Using Larger Than Block-Size Key - Hash Key First"

    private static let cases = [
        Case(
            key: short, message: question, algorithm: .sha256,
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Case(
            key: long, message: hashed, algorithm: .sha256,
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Case(key: short, message: question, algorithm: .sha1, code: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        Case(
            key: short, message: question, algorithm: .sha512,
            code: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        Case(
            key: [UInt8](repeating: 0x0B, count: 20), message: "Hi There", algorithm: .sha256,
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Case(
            key: [], message: "", algorithm: .sha256,
            code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: cases.indices)
    func `a code is the published one`(index: Int) {
        let one = Self.cases[index]
        let code = hmac(one.algorithm, key: one.key.span, Array(one.message.utf8).span)
        #expect(code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == one.code)
    }
}
