// Authorities for Java. That Java reads them is tried by script/exec.

import Basics
import TLS
import Testing

@Suite struct TrustStoreTests {
    /// 2.16.840.1.113894.746875.1.1 as DER, without which Java passes a certificate over.
    private let trustedKeyUsage: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x86, 0xF9, 0x66, 0xAD, 0xCA, 0x7B, 0x01, 0x01]

    @Test func `each certificate is marked as trusted`() throws {
        let one = CertificateAuthority(commonName: "One").certificatePEM
        let two = CertificateAuthority(commonName: "Two").certificatePEM
        let bytes = try TrustStore.pkcs12(pem: one + "# what people write between them\n" + two)
        let marks = bytes.indices.count { bytes[$0...].starts(with: trustedKeyUsage) }
        #expect(marks == 2)
        for name in ["One", "Two"] { #expect(bytes.indices.contains { bytes[$0...].starts(with: Array(name.utf8)) }, "\(name)") }
    }

    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `a text without one is a failure`(pem: String) {
        let failure = #expect(throws: Failure.self) { try TrustStore.pkcs12(pem: pem) }
        #expect(failure?.message.contains("no trust store") == true)
    }
}
