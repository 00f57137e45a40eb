// A certificate authority of our own, so that a client under test trusts the mock by one file and nothing else on the
// machine. What it issues satisfies strict verifiers (RFC 5280: key usage, key identifiers, names in the SAN only).

package import Basics
import COpenSSL

/// Issues certificates. The private key is P-256; keep `keyPEM` in a file of mode 0600.
package struct CertificateAuthority: Sendable {
    package let certificatePEM: String
    package let keyPEM: String
    private let key: P256PrivateKey

    /// A new authority, valid for ten years from yesterday by the system's clock.
    package init(commonName: String) {
        key = P256PrivateKey()
        keyPEM = key.pem
        let certificate = Certificate()
        certificate.setUp(commonName: commonName, from: -86_400, until: 3650 * 86_400, publicKey: key)
        certificate.setIssuer(from: certificate)
        certificate.extend(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: certificate)
        certificate.extend(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: certificate)
        certificate.extend(NID_subject_key_identifier, "hash", issuer: certificate)
        certificate.sign(with: key)
        certificatePEM = certificate.pem
    }

    /// An authority read back from its two PEM texts; a usage failure when they are broken or do not fit together.
    package init(pem: String, keyPEM: String) throws(Failure) {
        key = try P256PrivateKey(pem: keyPEM)
        let certificate = try Certificate(pem: pem)
        guard X509_check_private_key(certificate.pointer, key.key.pointer) == 1 else {
            TLSErrors.clear()
            throw Failure(.usage, "the CA certificate and the CA key do not belong together")
        }
        certificatePEM = pem
        self.keyPEM = keyPEM
    }

    /// A server certificate for these names and literal IP addresses (RFC 6125: clients read the SAN only), with its
    /// own new P-256 key. `days` at most 825, the longest that Apple's platforms accept from a private authority.
    package func issue(
        commonName: String, dnsNames: [String], addresses: [String], days: Int = 820
    ) -> (certificatePEM: String, keyPEM: String) {
        precondition(days > 0 && days <= 825)
        precondition(!dnsNames.isEmpty || !addresses.isEmpty, "a server certificate needs a name")
        guard let issuer = try? Certificate(pem: certificatePEM) else {
            preconditionFailure("the authority was checked")
        }
        let serverKey = P256PrivateKey()
        let certificate = Certificate()
        certificate.setUp(commonName: commonName, from: -86_400, until: days * 86_400, publicKey: serverKey)
        certificate.setIssuer(from: issuer)
        let names = (dnsNames.map { "DNS:" + $0 } + addresses.map { "IP:" + $0 }).joined(separator: ",")
        certificate.extend(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer)
        certificate.extend(NID_key_usage, "critical,digitalSignature", issuer: issuer)
        certificate.extend(NID_ext_key_usage, "serverAuth", issuer: issuer)
        certificate.extend(NID_subject_key_identifier, "hash", issuer: issuer)
        certificate.extend(NID_authority_key_identifier, "keyid", issuer: issuer)
        certificate.extend(NID_subject_alt_name, names, issuer: issuer)
        certificate.sign(with: key)
        return (certificate.pem, serverKey.pem)
    }

    /// A client certificate with its own new P-256 key. `userID` is the subject's UID, at most 64 characters;
    /// `extensions` are added as they are, by dotted identifier. `from` and `until` are seconds from now.
    package func issueClient(
        commonName: String, userID: String?, extensions: [PeerCertificate.Extension], from: Int = -86_400,
        until: Int = 365 * 86_400, password: String
    ) -> ClientIdentity {
        guard let issuer = try? Certificate(pem: certificatePEM) else {
            preconditionFailure("the authority was checked")
        }
        let clientKey = P256PrivateKey()
        let certificate = Certificate()
        certificate.setUp(commonName: commonName, from: from, until: until, publicKey: clientKey)
        if let userID { certificate.name(NID_userId, userID) }
        certificate.setIssuer(from: issuer)
        certificate.extend(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer)
        certificate.extend(NID_key_usage, "critical,digitalSignature", issuer: issuer)
        certificate.extend(NID_ext_key_usage, "clientAuth", issuer: issuer)
        certificate.extend(NID_subject_key_identifier, "hash", issuer: issuer)
        certificate.extend(NID_authority_key_identifier, "keyid", issuer: issuer)
        for item in extensions { certificate.extend(item.id, der: item.content) }
        certificate.sign(with: key)
        return ClientIdentity(
            certificatePEM: certificate.pem, keyPEM: clientKey.pem,
            pkcs12: certificate.pkcs12(key: clientKey, password: password, name: commonName))
    }

    /// Whether a certificate of an earlier run still serves: issued by this authority for that key, good for all these
    /// names, and valid now and for another 30 days by the system's clock.
    package func stillServes(
        certificatePEM: String, keyPEM: String, dnsNames: [String], addresses: [String]
    ) -> Bool {
        defer { TLSErrors.clear() }
        guard let certificate = try? Certificate(pem: certificatePEM), let serverKey = try? P256PrivateKey(pem: keyPEM),
            X509_check_private_key(certificate.pointer, serverKey.key.pointer) == 1,
            X509_verify(certificate.pointer, key.key.pointer) == 1,
            pushrig_x509_valid_for(certificate.pointer, 30 * 86_400) == 1
        else { return false }
        return dnsNames.allSatisfy { X509_check_host(certificate.pointer, $0, $0.utf8.count, 0, nil) == 1 }
            && addresses.allSatisfy { X509_check_ip_asc(certificate.pointer, $0, 0) == 1 }
    }
}

/// A client certificate with its key, in the two forms that clients take.
package struct ClientIdentity: Sendable {
    package var certificatePEM: String
    package var keyPEM: String
    package var pkcs12: [UInt8]
}

/// One X.509 certificate, owned.
private struct Certificate: ~Copyable {
    let pointer: OpaquePointer

    init() {
        TLSErrors.clear()
        guard let fresh = X509_new() else { preconditionFailure("no certificate: \(TLSErrors.drain())") }
        pointer = fresh
    }

    init(pem: String) throws(Failure) {
        TLSErrors.clear()
        guard let read = withMemoryBIO(pem, { PEM_read_bio_X509($0, nil, nil, nil) }) else {
            throw Failure(.usage, "not a PEM certificate: \(TLSErrors.drain())")
        }
        pointer = read
    }

    deinit { X509_free(pointer) }

    /// `from` and `until` are seconds from now by the system's clock.
    borrowing func setUp(commonName: String, from: Int, until: Int, publicKey: P256PrivateKey) {
        var serial = secretBytes(count: 16)
        serial[0] = serial[0] & 0x7F | 0x40
        let number = BN_bin2bn(serial, Int32(serial.count), nil)
        defer { BN_free(number) }
        check(X509_set_version(pointer, 2))
        check(BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) == nil ? 0 : 1)
        check(X509_gmtime_adj(X509_getm_notBefore(pointer), from) == nil ? 0 : 1)
        check(X509_gmtime_adj(X509_getm_notAfter(pointer), until) == nil ? 0 : 1)
        check(X509_set_pubkey(pointer, publicKey.key.pointer))
        name(NID_commonName, commonName)
    }

    borrowing func name(_ nid: Int32, _ value: String) {
        check(X509_NAME_add_entry_by_NID(X509_get_subject_name(pointer), nid, MBSTRING_UTF8, value, -1, -1, 0))
    }

    borrowing func extend(_ id: String, der: [UInt8]) {
        check(pushrig_x509_add_der(pointer, id, der, Int32(der.count)))
    }

    /// The certificate with its key, sealed with `password`: a .p12 file of the old algorithms, 3DES and a MAC of SHA-1, which
    /// every reader knows. Readers in use, such as Go's pkcs12 of relays, know no newer ones. The password is no secret.
    borrowing func pkcs12(key: P256PrivateKey, password: String, name: String) -> [UInt8] {
        let cipher = NID_pbe_WithSHA1And3_Key_TripleDES_CBC
        // Without a MAC first: PKCS12_create would take its own digest for it.
        guard let sealed = PKCS12_create(password, name, key.key.pointer, pointer, nil, cipher, cipher, 2_048, -1, 0),
            PKCS12_set_mac(sealed, password, -1, nil, 0, 2_048, EVP_sha1()) == 1
        else {
            preconditionFailure("no PKCS #12: \(TLSErrors.drain())")
        }
        defer { PKCS12_free(sealed) }
        return writeMemoryBIOBytes { i2d_PKCS12_bio($0, sealed) }
    }

    borrowing func setIssuer(from issuer: borrowing Certificate) {
        check(X509_set_issuer_name(pointer, X509_get_subject_name(issuer.pointer)))
    }

    borrowing func extend(_ nid: Int32, _ value: String, issuer: borrowing Certificate) {
        check(pushrig_x509_extend(pointer, issuer.pointer, nid, value))
    }

    borrowing func sign(with key: P256PrivateKey) {
        check(X509_sign(pointer, key.key.pointer, EVP_sha256()) > 0 ? 1 : 0)
    }

    var pem: String { writeMemoryBIO { PEM_write_bio_X509($0, pointer) } }

    /// These calls fail only for lack of memory or by our own mistake.
    private func check(_ result: Int32) {
        precondition(result == 1, "building a certificate failed: \(TLSErrors.drain())")
    }
}
