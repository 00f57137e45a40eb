// SHA-256 of what comes piece by piece, such as a file that is larger than memory.

import COpenSSL

/// One digest under way; used once.
package struct RunningDigest: ~Copyable {
    private let context: OpaquePointer

    package init() {
        TLSErrors.clear()
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, SHA256Method.shared.method, nil) == 1 else {
            preconditionFailure("SHA-256 cannot begin: \(TLSErrors.drain())")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package mutating func add(_ bytes: Span<UInt8>) {
        let done = bytes.withUnsafeBufferPointer { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(done == 1, "SHA-256 failed: \(TLSErrors.drain())")
    }

    /// The 32 bytes.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            precondition(EVP_DigestFinal_ex(context, digest.baseAddress, nil) == 1, "SHA-256 failed: \(TLSErrors.drain())")
            count = 32
        }
    }
}
