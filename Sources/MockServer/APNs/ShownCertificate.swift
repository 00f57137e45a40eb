// A provider's client certificate on one connection: what it allows, and whether it has been revoked meanwhile.

import APNs
import TLS

/// Confined to the connection's loop.
final class ShownCertificate {
    let certificate: ClientCertificate
    private let fingerprint: String
    private let credentials: LiveCredentials
    /// The revocations that were known at the last look.
    private var revocations: UInt64

    init(_ shown: PeerCertificate, _ credentials: LiveCredentials) {
        revocations = credentials.revocations
        certificate = credentials.judge(shown)
        fingerprint = shown.fingerprint
        self.credentials = credentials
    }

    /// Whether it was revoked since the last look.
    func isRevokedMeanwhile() -> Bool {
        let count = credentials.revocations
        guard count != revocations else { return false }
        revocations = count
        return credentials.isRevoked(fingerprint)
    }
}
