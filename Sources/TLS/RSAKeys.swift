// RSA keys that sign JSON Web Tokens (RFC 7518 §3.3).

package import Basics
import COpenSSL

/// The hash under a signature by RSASSA-PKCS1-v1_5.
package enum RSAHash: Sendable {
    case sha256, sha384, sha512

    fileprivate var method: OpaquePointer {
        switch self {
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }
}

/// An RSA private key of 2,048 to 8,192 bits. Signing from several threads at once is safe.
package final class RSAPrivateKey: Sendable {
    private let key: KeyObject

    /// Reads a `PRIVATE KEY` or `RSA PRIVATE KEY` PEM block without a password; a usage failure says what is wrong with it.
    package init(pem: String) throws(Failure) {
        TLSErrors.clear()
        let read = withMemoryBIO(pem) { bio in
            var password: CChar = 0
            return PEM_read_bio_PrivateKey(bio, nil, nil, &password)
        }
        guard let pointer = read else {
            throw Failure(
                .usage, "not a PEM private key: \(TLSErrors.drain())",
                hint: "expected a -----BEGIN PRIVATE KEY----- block without a password")
        }
        key = KeyObject(owning: pointer)
        guard EVP_PKEY_get_base_id(key.pointer) == EVP_PKEY_RSA else {
            throw Failure(.usage, "the private key is no RSA key", hint: "RS256 needs RSA; a key on P-256 signs ES256")
        }
        guard 2_048...8_192 ~= EVP_PKEY_get_bits(key.pointer) else {
            throw Failure(.usage, "the RSA key must have 2,048 to 8,192 bits", hint: "make another (RFC 7518 §3.3)")
        }
    }

    /// About 1 ms for a key of 2,048 bits on a slow core.
    package func sign(_ message: Span<UInt8>, _ hash: RSAHash) -> [UInt8] {
        TLSErrors.clear()
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("no digest context") }
        defer { EVP_MD_CTX_free(context) }
        precondition(
            EVP_DigestSignInit(context, nil, hash.method, nil, key.pointer) == 1,
            "signing cannot begin: \(TLSErrors.drain())")
        return [UInt8](unsafeUninitializedCapacity: Int(EVP_PKEY_get_size(key.pointer))) { signature, count in
            count = signature.count
            let done = message.withUnsafeBufferPointer {
                EVP_DigestSign(context, signature.baseAddress, &count, $0.baseAddress, $0.count)
            }
            precondition(done == 1, "signing failed: \(TLSErrors.drain())")
        }
    }
}
