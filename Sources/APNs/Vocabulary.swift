// Small closed vocabularies of APNs.

/// A value of `aps.event` (spec/apns.md §10).
package enum ActivityEvent: UInt8, CaseIterable, Sendable {
    case start, update, end

    package var word: StaticString {
        switch self {
        case .start: "start"
        case .update: "update"
        case .end: "end"
        }
    }
}

/// One of the two worlds that tokens and environment-bound keys never cross (spec §1).
package enum APNsEnvironment: UInt8, CaseIterable, Sendable {
    case production, sandbox

    package var word: StaticString { self == .production ? "production" : "sandbox" }
}

/// Checks an ES256 signature (ECDSA with P-256 and SHA-256), given raw (r and s, 64 bytes) or as DER.
package protocol SignatureVerifier: Sendable {
    func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool
}
