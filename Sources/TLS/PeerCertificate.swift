// The certificate that a peer showed, as a value: what is said in it, and whether an authority we trust stands behind it.

package import Basics
import COpenSSL

/// A peer's X.509 certificate, taken apart as far as judges need it.
package struct PeerCertificate: Sendable {
    package struct Extension: Hashable, Sendable {
        /// Dotted, such as `2.5.29.17`.
        package var id: String
        /// The content of its octet string.
        package var content: [UInt8]

        package init(id: String, content: [UInt8]) {
            self.id = id
            self.content = content
        }
    }

    /// The chain ends at an authority that the context trusts; dates do not count.
    package let isTrusted: Bool
    package let notBefore: WallTime
    package let notAfter: WallTime
    package let commonName: String?
    /// The user identifier (0.9.2342.19200300.100.1.1).
    package let userID: String?
    /// SHA-256 of the whole certificate in lower-case hex digits: what it is revoked by.
    package let fingerprint: String
    /// At most 64.
    package let extensions: [Extension]

    init?(of ssl: OpaquePointer) {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        self.init(certificate, isTrusted: SSL_get_verify_result(ssl) == Int(X509_V_OK))
    }

    /// Reads one from PEM, for whoever made it; nothing is known of its trust.
    package init?(pem: String) {
        TLSErrors.clear()
        guard let certificate = withMemoryBIO(pem, { PEM_read_bio_X509($0, nil, nil, nil) }) else {
            TLSErrors.clear()
            return nil
        }
        defer { X509_free(certificate) }
        self.init(certificate, isTrusted: false)
    }

    private init(_ certificate: OpaquePointer, isTrusted: Bool) {
        TLSErrors.clear()
        defer { TLSErrors.clear() }
        self.isTrusted = isTrusted
        // A date that cannot be read is one that never holds.
        notBefore = Self.time(X509_get0_notBefore(certificate), otherwise: .max)
        notAfter = Self.time(X509_get0_notAfter(certificate), otherwise: .min)
        let subject = X509_get_subject_name(certificate)
        commonName = Self.text(subject, NID_commonName)
        userID = Self.text(subject, NID_userId)
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 32
        precondition(X509_digest(certificate, EVP_sha256(), &digest, &count) == 1, "no digest of a certificate")
        fingerprint = Hex.encode(digest.span)
        extensions = (0..<min(64, max(0, X509_get_ext_count(certificate)))).compactMap { index in
            Self.read(X509_get_ext(certificate, index))
        }
    }

    /// Clamped to what a wall time can hold.
    private static func time(_ time: UnsafePointer<ASN1_TIME>?, otherwise: Int64) -> WallTime {
        let seconds = pushrig_asn1_seconds(time, otherwise)
        return WallTime(seconds: min(max(seconds, -9_000_000_000), 9_000_000_000))
    }

    private static func text(_ name: OpaquePointer?, _ nid: Int32) -> String? {
        let index = X509_NAME_get_index_by_NID(name, nid, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
        var room = [UInt8](repeating: 0, count: 256)
        let data = X509_NAME_ENTRY_get_data(entry)
        let count = Int(ASN1_STRING_length(data))
        guard 1...room.count ~= count, let bytes = ASN1_STRING_get0_data(data) else { return nil }
        for place in 0..<count { room[place] = bytes[place] }
        return String(decoding: room[..<count], as: UTF8.self)
    }

    private static func read(_ pointer: OpaquePointer?) -> Extension? {
        guard let pointer, let object = X509_EXTENSION_get_object(pointer),
            let data = X509_EXTENSION_get_data(pointer)
        else { return nil }
        var name = [CChar](repeating: 0, count: 128)
        let length = Int(OBJ_obj2txt(&name, Int32(name.count), object, 1))
        guard 1..<name.count ~= length else { return nil }
        let id = String(decoding: name[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let count = Int(ASN1_STRING_length(data))
        guard count > 0, let bytes = ASN1_STRING_get0_data(data) else { return Extension(id: id, content: []) }
        return Extension(id: id, content: Array(UnsafeBufferPointer(start: bytes, count: count)))
    }
}
