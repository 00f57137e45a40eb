// The authority: what it issues serves the names asked for, and nothing else does.

import Basics
import TLS
import Testing

@Suite struct CertificatesTests {
    let authority = CertificateAuthority(commonName: "PushRig test authority")
    let names = ["localhost", "api.push.apple.com"]
    let addresses = ["127.0.0.1", "::1"]

    @Test func `an issued certificate serves its names`() {
        let issued = authority.issue(commonName: "localhost", dnsNames: names, addresses: addresses)
        #expect(issued.certificatePEM.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(serves(issued, by: authority, names: names, addresses: addresses))
        #expect(!serves(issued, by: authority, names: ["example.com"], addresses: []))
        #expect(!serves(issued, by: authority, names: [], addresses: ["127.0.0.2"]))
    }

    @Test func `an authority survives its PEM texts`() throws {
        let again = try CertificateAuthority(pem: authority.certificatePEM, keyPEM: authority.keyPEM)
        let issued = again.issue(commonName: "localhost", dnsNames: names, addresses: addresses)
        #expect(serves(issued, by: authority, names: names, addresses: addresses))
    }

    @Test func `another authority of the same name does not vouch`() {
        let issued = authority.issue(commonName: "localhost", dnsNames: names, addresses: [])
        let other = CertificateAuthority(commonName: "PushRig test authority")
        #expect(!serves(issued, by: other, names: names, addresses: []))
    }

    @Test func `a certificate about to expire does not serve any more`() {
        let issued = authority.issue(commonName: "localhost", dnsNames: names, addresses: [], days: 20)
        #expect(!serves(issued, by: authority, names: names, addresses: []))
    }

    @Test func `a certificate with the key of another does not serve`() {
        let one = authority.issue(commonName: "localhost", dnsNames: names, addresses: [])
        let two = authority.issue(commonName: "localhost", dnsNames: names, addresses: [])
        #expect(!serves((one.certificatePEM, two.keyPEM), by: authority, names: names, addresses: []))
    }

    @Test func `a certificate and a key that do not belong together are refused`() {
        let other = CertificateAuthority(commonName: "other")
        #expect(throws: Failure.self) {
            try CertificateAuthority(pem: authority.certificatePEM, keyPEM: other.keyPEM)
        }
        #expect(throws: Failure.self) { try CertificateAuthority(pem: "rubbish", keyPEM: authority.keyPEM) }
    }

    private func serves(
        _ issued: (certificatePEM: String, keyPEM: String), by authority: CertificateAuthority,
        names: [String], addresses: [String]
    ) -> Bool {
        authority.stillServes(
            certificatePEM: issued.certificatePEM, keyPEM: issued.keyPEM, dnsNames: names, addresses: addresses)
    }
}
