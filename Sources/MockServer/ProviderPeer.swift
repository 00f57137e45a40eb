// What the mock keeps for one connection of a provider, besides what the rules keep.

import APNs

/// Confined to the connection's loop.
final class ProviderPeer {
    let provider: ProviderConnection
    /// The one that was shown, good or bad.
    let certificate: ClientCertificate?
    /// The certificate was bad: nothing on this connection is answered.
    var isRefused = false
    /// The first answer's `apns-id` enters the HPACK table, later ones are never indexed (spec/apns.md §0).
    var hasAnswered = false
    /// One stream until the first valid provider token, 1,000 afterwards (spec/apns.md §2.1).
    var hasWideLimit = false

    /// `address` with its port, as connections tell it.
    init(address: String, certificate: ClientCertificate?) {
        self.certificate = certificate
        let host = address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
        provider = ProviderConnection(peer: String(host), certificate: certificate)
    }
}
