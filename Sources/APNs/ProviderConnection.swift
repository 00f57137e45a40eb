// What APNs remembers about one connection: the last provider token, the team and key it is bound to, how often tokens
// changed, and whether it is wedged (spec/apns.md §7, §8).

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
    /// Every push is answered ExpiredProviderToken.
    package var isWedged: Bool { wedged }
    /// Requests judged on this connection.
    package var requestCount: Int { requests }
    /// Different provider tokens seen on this connection, good or bad; one that returns after two others counts again.
    package var tokenChanges: Int { changes }

    // The last accepted token.
    let token = ByteBuffer()
    var key: ProviderKey?
    var issuedAt: Int64 = 0
    var keysGeneration: UInt64 = 0

    /// The key of the first accepted push: it binds the connection to its team.
    var firstKey: ProviderKey?

    /// Until when every push is TooManyProviderTokenUpdates.
    var blockedUntil = WallTime(nanoseconds: .min)
    private var newest: (hash: TokenHash, since: WallTime)?
    private var older: (hash: TokenHash, since: WallTime)?

    package init() {}

    /// The team this connection is bound to.
    package var teamID: String? { firstKey?.teamID }

    /// Whether the token is the last accepted one and the keys are still the same.
    func knows(_ candidate: Span<UInt8>, generation: UInt64) -> Bool {
        guard keysGeneration == generation else { return false }
        let token = token
        return candidate.matches(token.bytes)
    }

    func accept(_ accepted: Span<UInt8>, key: ProviderKey, issuedAt: Int64, generation: UInt64) {
        token.clear()
        token.append(accepted)
        self.key = key
        self.issuedAt = issuedAt
        keysGeneration = generation
        self.accepted = true
        if firstKey == nil { firstKey = key }
    }

    /// False when this token would be the third different one within `interval`: two are a first token and its one
    /// update. A refused token is not counted, so that the connection heals `interval` after its older one.
    func admit(_ hash: TokenHash, now: WallTime, interval: Interval) -> Bool {
        if newest?.hash == hash || older?.hash == hash { return true }
        if let older, now < older.since + interval { return false }
        changes += 1
        older = newest
        newest = (hash, now)
        return true
    }

    /// When a token refused by `admit` would be admitted.
    func admission(after interval: Interval) -> WallTime? { older.map { $0.since + interval } }
}
