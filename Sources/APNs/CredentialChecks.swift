// Checks of the provider token (docs/apns.md §7, §8). A token that equals the connection's last accepted one passes all
// of them but its age without being looked into.

import Basics
import HTTP
import Pushes

enum CredentialChecks {
    /// No field, another scheme than bearer, or nothing after it: there is no credential. Finds the JWT's place. With a
    /// client certificate the field is not looked at (§3).
    static func presence(_ it: inout Inspection, _ head: HeaderBlock, _ connection: ProviderConnection, _ context: CheckContext)
        -> Reason?
    {
        if connection.certificate != nil { return nil }
        guard it.fields.authorization >= 0 else { return it.refuse(.missingProviderToken, .noField) }
        let value = head.value(at: it.fields.authorization)
        guard let start = BearerText.start(value) else { return it.refuse(.missingProviderToken, cause(ofScheme: value)) }
        it.tokenStart = start
        it.keysGeneration = context.keys.generation
        it.isKnownToken = connection.knows(
            value.extracting(start..<value.count), generation: it.keysGeneration)
        return nil
    }

    private static func cause(ofScheme value: Span<UInt8>) -> CredentialCause {
        if value.starts(with: "eyJ") { return .bareToken }
        let scheme: StaticString = "bearer"
        guard value.count >= 6 else { return value.count == 0 ? .noToken : .otherScheme }
        for index in 0..<6 where value[index] | 0x20 != scheme.utf8Start[index] { return .otherScheme }
        return value.count == 6 || value[6] == 32 ? .noToken : .otherScheme
    }

    /// After `credential`. Counts tokens by their bytes, before anything is known of them.
    static func updateRate(
        _ it: inout Inspection, _ head: HeaderBlock, _ connection: ProviderConnection, _ context: CheckContext
    ) -> Reason? {
        guard context.settings.enforceTokenUpdateRate else { return nil }
        if it.now < connection.blockedUntil { return it.refuse(.tooManyProviderTokenUpdates, .tooManyTokens) }
        if it.isKnownToken || it.tokenStart == 0 { return nil }
        let hash = hashToken(&it, head)
        var ledger: TokenLedger?
        var team = Hash128(high: 0, low: 0)
        if context.settings.tokenUpdateScope == .peerAndTeam {
            let value = head.value(at: it.fields.authorization)
            ledger = context.ledger
            team = context.reader.claimedTeam(value.extracting(it.tokenStart..<value.count))
        }
        let admission = connection.admit(
            hash, among: ledger, team: team, now: it.now, interval: context.settings.tokenUpdateInterval)
        guard case .refused(let healed) = admission else { return nil }
        if context.settings.updateRateBlocksConnection { connection.blockedUntil = healed }
        return it.refuse(.tooManyProviderTokenUpdates, .tooManyTokens)
    }

    /// What only a new connection cures (§8): an expired token was seen on this one, or it has served its number.
    static func wedge(_ it: inout Inspection, _ connection: ProviderConnection, _ context: CheckContext) -> Reason? {
        if connection.wedged { return it.refuse(.expiredProviderToken, .connectionSpoiled) }
        guard let limit = context.settings.internalErrorAfter, connection.certificate == nil else { return nil }
        return connection.requests > limit ? .internalServerError : nil
    }

    /// After `credential`. Looks among the verified ones first, then verifies.
    static func signature(_ it: inout Inspection, _ head: HeaderBlock, _ context: CheckContext) -> Reason? {
        if it.isKnownToken || it.tokenStart == 0 { return nil }
        let hash = hashToken(&it, head)
        let value = head.value(at: it.fields.authorization)
        let token = value.extracting(it.tokenStart..<value.count)
        let keys = context.keys
        if let verified = keys.verified(token, hash: hash) {
            it.verified = verified
            return nil
        }
        do {
            let verified = try context.reader.verify(token, keys: keys)
            keys.remember(token, hash: hash, as: verified)
            it.verified = verified
            return nil
        } catch {
            return it.refuse(.invalidProviderToken, error)
        }
    }

    /// After `token-signature`. Exactly the lifetime is still good.
    static func age(_ it: inout Inspection, _ connection: ProviderConnection, _ context: CheckContext) -> Reason? {
        let issuedAt: Int64
        if let verified = it.verified {
            issuedAt = verified.issuedAt
        } else if it.isKnownToken {
            issuedAt = connection.issuedAt
        } else {
            return nil
        }
        let age = it.now.seconds.saturating(minus: issuedAt)
        let lifetime = context.settings.providerTokenLifetime.wholeSeconds
        if -lifetime...lifetime ~= age { return nil }
        if age < 0 {
            switch context.settings.futureIssuedAt {
            case .accept: return nil
            case .invalid: return it.refuse(.invalidProviderToken, cause(ofAhead: issuedAt))
            case .expired: break
            }
        }
        if context.settings.wedgesAfterExpiredToken { connection.wedged = true }
        return it.refuse(.expiredProviderToken, age < 0 ? cause(ofAhead: issuedAt) : .expired)
    }

    private static func cause(ofAhead issuedAt: Int64) -> CredentialCause {
        issuedAt >= DateForm.millisecondsFrom ? .issuedInMilliseconds : .issuedAhead
    }

    /// One connection serves one team (§8: the second gets InvalidProviderToken).
    static func team(_ it: inout Inspection, _ connection: ProviderConnection) -> Reason? {
        guard let key = it.verified?.key, let first = connection.firstKey else { return nil }
        if key.record.teamID == first.record.teamID { return nil }
        return it.refuse(.invalidProviderToken, .connectionOfOtherTeam)
    }

    static func environment(_ it: inout Inspection, _ context: CheckContext) -> Reason? {
        guard let environment = it.verified?.key.record.scope.environment else { return nil }
        if environment == context.settings.environment { return nil }
        return it.refuse(.badEnvironmentKeyInToken, .keyOfOtherEnvironment)
    }

    static func relation(_ it: inout Inspection, _ connection: ProviderConnection) -> Reason? {
        guard let key = it.verified?.key, let first = connection.firstKey else { return nil }
        return key.isRelated(to: first) ? nil : it.refuse(.unrelatedKeyIdInToken, .keyUnrelated)
    }

    /// Refuses nothing: from here on the credential is good, and the connection remembers it.
    static func bind(
        _ it: inout Inspection, _ head: HeaderBlock, _ connection: ProviderConnection, _ context: CheckContext
    ) -> Reason? {
        guard let verified = it.verified else { return nil }
        let value = head.value(at: it.fields.authorization)
        connection.accept(
            value.extracting(it.tokenStart..<value.count), key: verified.key, issuedAt: verified.issuedAt,
            generation: it.keysGeneration, binding: context.settings.topicBinding)
        return nil
    }

    private static func hashToken(_ it: inout Inspection, _ head: HeaderBlock) -> Hash128 {
        if let known = it.jwtHash { return known }
        let value = head.value(at: it.fields.authorization)
        let fresh = Hash128(hashing: value.extracting(it.tokenStart..<value.count))
        it.jwtHash = fresh
        return fresh
    }
}
