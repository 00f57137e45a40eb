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

    /// A new key of 2,048 bits from the system's secure random source. About 100 ms.
    package init() {
        TLSErrors.clear()
        guard let pointer = pushrig_rsa_generate(2_048) else { preconditionFailure("no key: \(TLSErrors.drain())") }
        key = KeyObject(owning: pointer)
    }

    /// Reads a `PRIVATE KEY` or `RSA PRIVATE KEY` PEM block without a password; a usage failure says what is wrong with it.
    package init(pem: String) throws(Failure) {
        key = try KeyObject(privatePEM: pem)
        guard EVP_PKEY_get_base_id(key.pointer) == EVP_PKEY_RSA else {
            throw Failure(.usage, "the private key is no RSA key", hint: "RS256 needs RSA; a key on P-256 signs ES256")
        }
        guard 2_048...8_192 ~= EVP_PKEY_get_bits(key.pointer) else {
            throw Failure(.usage, "the RSA key must have 2,048 to 8,192 bits", hint: "make another (RFC 7518 §3.3)")
        }
    }

    /// A PKCS #8 `PRIVATE KEY` PEM block.
    package var pem: String { writeMemoryBIO { PEM_write_bio_PKCS8PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) } }

    package var publicKey: RSAPublicKey { RSAPublicKey(key.shared()) }

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

/// An RSA public key. Verifying from several threads at once is safe.
package final class RSAPublicKey: Sendable {
    private let key: KeyObject

    fileprivate init(_ key: consuming KeyObject) { self.key = key }

    /// Whether `signature` is an RS256 signature over `message` by this key. About 30 µs.
    package func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool {
        TLSErrors.clear()
        guard signature.count > 0, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        precondition(
            EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
            "verifying cannot begin: \(TLSErrors.drain())")
        let verified = signature.withUnsafeBufferPointer { signature in
            message.withUnsafeBufferPointer { message in
                EVP_DigestVerify(context, signature.baseAddress, signature.count, message.baseAddress, message.count)
            }
        }
        if verified != 1 { TLSErrors.clear() }
        return verified == 1
    }
}
