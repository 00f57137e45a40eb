// Keyed digests (RFC 2104), with which relays have their requests signed.

import COpenSSL

/// A hash that a message is authenticated with.
package enum HMACAlgorithm: String, CaseIterable, Hashable, Sendable {
    case sha256, sha1, sha512

    /// Bytes of a code.
    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha1: 20
        case .sha512: 64
        }
    }

    fileprivate var method: OpaquePointer {
        switch self {
        case .sha256: EVP_sha256()
        case .sha1: EVP_sha1()
        case .sha512: EVP_sha512()
        }
    }
}

/// The code of `message` under `key`, which may be of any length. About 8 µs for a short message.
package func hmac(_ algorithm: HMACAlgorithm, key: Span<UInt8>, _ message: Span<UInt8>) -> [UInt8] {
    TLSErrors.clear()
    return [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { code, count in
        var length: UInt32 = 0
        let done = key.withUnsafeBufferPointer { key in
            message.withUnsafeBufferPointer { message in
                // Without a key OpenSSL would take the one of before: an empty key has an address too.
                withUnsafeBytes(of: UInt8(0)) { nothing in
                    HMAC(
                        algorithm.method, key.baseAddress.map { UnsafeRawPointer($0) } ?? nothing.baseAddress, Int32(key.count),
                        message.baseAddress, message.count, code.baseAddress, &length)
                }
            }
        }
        precondition(done != nil && Int(length) == algorithm.byteCount, "no code: \(TLSErrors.drain())")
        count = algorithm.byteCount
    }
}
