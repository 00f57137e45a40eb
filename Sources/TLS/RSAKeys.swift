// RSA keys and RS256 signatures (RFC 7518 §3.3), as service accounts sign with.

package import Basics
import COpenSSL

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

/// An RSA private key of 2048 bits. Signing from several threads at once is safe.
package final class RSAPrivateKey: Sendable {
    private let key: KeyObject

    /// A new key from the system's secure random source. About 100 ms.
    package init() {
        TLSErrors.clear()
        guard let pointer = pushrig_rsa_generate(2_048) else { preconditionFailure("no key: \(TLSErrors.drain())") }
        key = KeyObject(owning: pointer)
    }

    /// Reads a `PRIVATE KEY` (PKCS #8) or `RSA PRIVATE KEY` PEM block without a password.
    package init(pem: String) throws(Failure) {
        TLSErrors.clear()
        // An empty password instead of none: OpenSSL would ask the terminal for it.
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
            throw Failure(.usage, "the private key is no RSA key", hint: "RS256 needs RSA")
        }
    }

    /// A PKCS #8 `PRIVATE KEY` PEM block.
    package var pem: String { writeMemoryBIO { PEM_write_bio_PKCS8PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) } }

    package var publicKey: RSAPublicKey { RSAPublicKey(key.shared()) }

    /// RS256 over `message`. About 700 µs.
    package func sign(_ message: Span<UInt8>) -> [UInt8] {
        TLSErrors.clear()
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("no digest context: \(TLSErrors.drain())") }
        defer { EVP_MD_CTX_free(context) }
        precondition(
            EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1, "signing cannot begin: \(TLSErrors.drain())")
        return [UInt8](unsafeUninitializedCapacity: 1_024) { signature, count in
            count = 1_024
            let done = message.withUnsafeBufferPointer {
                EVP_DigestSign(context, signature.baseAddress, &count, $0.baseAddress, $0.count)
            }
            precondition(done == 1, "signing failed: \(TLSErrors.drain())")
        }
    }
}
