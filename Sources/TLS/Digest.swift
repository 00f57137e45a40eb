// What the house takes from libcrypto besides keys and certificates: digests and secret random bytes.

import COpenSSL

/// The 32 bytes of SHA-256 (FIPS 180-4).
package func sha256(_ bytes: Span<UInt8>) -> [UInt8] {
    TLSErrors.clear()
    return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
        let done = bytes.withUnsafeBufferPointer { input in
            EVP_Digest(input.baseAddress, input.count, digest.baseAddress, nil, SHA256Method.shared.method, nil)
        }
        precondition(done == 1, "SHA-256 failed: \(TLSErrors.drain())")
        count = 32
    }
}

/// The 20 bytes of SHA-1 (FIPS 180-4), which proves nothing to an attacker; WebSockets want it of a nonce.
package func sha1(_ bytes: Span<UInt8>) -> [UInt8] {
    TLSErrors.clear()
    return [UInt8](unsafeUninitializedCapacity: 20) { digest, count in
        let done = bytes.withUnsafeBufferPointer { input in
            EVP_Digest(input.baseAddress, input.count, digest.baseAddress, nil, EVP_sha1(), nil)
        }
        precondition(done == 1, "SHA-1 failed: \(TLSErrors.drain())")
        count = 20
    }
}

/// The 16 bytes of MD5 (RFC 1321), which proves nothing to an attacker; some relays want it of a body nevertheless.
package func md5(_ bytes: Span<UInt8>) -> [UInt8] {
    TLSErrors.clear()
    return [UInt8](unsafeUninitializedCapacity: 16) { digest, count in
        let done = bytes.withUnsafeBufferPointer { input in
            EVP_Digest(input.baseAddress, input.count, digest.baseAddress, nil, EVP_md5(), nil)
        }
        precondition(done == 1, "MD5 failed: \(TLSErrors.drain())")
        count = 16
    }
}

/// Bytes from the system's secure random source, for secrets only; all other chance descends from a `Seed`.
package func secretBytes(count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= 4096)
    TLSErrors.clear()
    return [UInt8](unsafeUninitializedCapacity: count) { room, filled in
        precondition(RAND_bytes(room.baseAddress, Int32(count)) == 1, "no random bytes: \(TLSErrors.drain())")
        filled = count
    }
}

/// SHA-256 fetched once: a fetch by name costs more than the digest of a short message.
/// Unchecked: an EVP_MD never changes after the fetch, and this one is never freed.
struct SHA256Method: @unchecked Sendable {
    static let shared = SHA256Method()
    let method: OpaquePointer

    private init() {
        guard let fetched = EVP_MD_fetch(nil, "SHA2-256", nil) else {
            preconditionFailure("this OpenSSL has no SHA-256")
        }
        method = fetched
    }
}
