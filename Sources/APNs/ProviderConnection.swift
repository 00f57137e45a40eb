// What APNs remembers about one connection: the client certificate, the last provider token, the team and key it is
// bound to, how often tokens changed, and whether it is wedged (docs/apns.md §7, §8, §9).

import Basics

/// State of one provider's connection; confined to its loop.
package final class ProviderConnection {
    // Stored apart from what other modules see: an access to a stored property they can reach is checked at run time.
    var accepted = false
    var wedged = false
    var requests = 0
    private var changes = 0

    /// Whether a push with a good provider token was seen (more than one stream is allowed only then, §2.1).
    package var hasAcceptedToken: Bool { accepted }
    /// Requests judged on this connection.
    package var requestCount: Int { requests }
    /// Different provider tokens seen on this connection, good or bad; one that returns after two others counts again.
    package var tokenChanges: Int { changes }

    /// With a good client certificate the provider token is ignored.
    let certificate: ClientCertificate?
    /// Of the peer's address, for what is counted across connections.
    let peer: Hash128

    // The last accepted token.
    let token = ByteBuffer()
    var key: ProviderKey?
    var issuedAt: Int64 = 0
    var keysGeneration: UInt64 = 0

    /// The key of the first accepted push, as it was then: it binds the connection to its team and topics.
    var firstKey: ProviderKey?
    /// The bundle IDs that the credential may push to; nil: any. See `TopicBinding`.
    var topics: [[UInt8]]?
    /// The bundle ID of the first push that passed, where the connection is bound to it.
    var firstTopic: [UInt8]?

    /// Until when every push is TooManyProviderTokenUpdates.
    var blockedUntil = WallTime(nanoseconds: .min)
    private var history = TokenHistory()

    /// `peer` is the peer's address without its port.
    package init(peer: String = "", certificate: ClientCertificate? = nil) {
        self.peer = withBytes(of: peer) { Hash128(hashing: $0) }
        self.certificate = certificate
    }

    /// The team this connection is bound to.
    package var teamID: String? { firstKey?.record.teamID }

    /// An expired token was seen on it: whatever comes is refused from here on (§8).
    package func wedge() { wedged = true }

    /// Whether the token is the last accepted one and the keys are still the same.
    func knows(_ candidate: Span<UInt8>, generation: UInt64) -> Bool {
        guard keysGeneration == generation else { return false }
        let token = token
        return candidate.matches(token.bytes)
    }

    func accept(
        _ accepted: Span<UInt8>, key: ProviderKey, issuedAt: Int64, generation: UInt64, binding: TopicBinding
    ) {
        token.clear()
        token.append(accepted)
        self.key = key
        self.issuedAt = issuedAt
        keysGeneration = generation
        self.accepted = true
        let first = firstKey ?? key
        firstKey = first
        topics = key.topicBytes
        if binding != .none, first.record.keyID == key.record.keyID, let bound = first.topicBytes {
            topics = topics?.filter(bound.contains) ?? bound
        }
    }

    /// Counts a token by its bytes on this connection, or in `ledger` among all of its peer and `team`.
    func admit(
        _ hash: Hash128, among ledger: TokenLedger?, team: Hash128, now: WallTime, interval: Interval
    ) -> TokenHistory.Admission {
        let admission =
            if let ledger {
                ledger.admit(hash, peer: peer, team: team, now: now, interval: interval)
            } else {
                history.admit(hash, now: now, interval: interval)
            }
        if admission == .fresh { changes += 1 }
        return admission
    }
}
