// What the rules of APNs ask of others.

/// Checks an ES256 signature (ECDSA with P-256 and SHA-256), given raw (r and s, 64 bytes) or as DER.
package protocol SignatureVerifier: Sendable {
    func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool
}
