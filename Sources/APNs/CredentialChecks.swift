// Checks of the provider token (spec/apns.md §7, §8). A token that equals the connection's last accepted one passes all
// of them but its age without being looked into.

import Basics
import HTTP

enum CredentialChecks {
    /// No field, another scheme than bearer, or nothing after it: there is no credential. Finds the JWT's place.
    static func presence(_ inspection: inout Inspection) -> Reason? {
        let head = inspection.head
        guard inspection.fields.authorization >= 0 else { return .missingProviderToken }
        let value = head.value(at: inspection.fields.authorization)
        guard let start = tokenStart(value) else { return .missingProviderToken }
        inspection.tokenStart = start
        inspection.keysGeneration = inspection.court.keys.generation
        inspection.isKnownToken = inspection.connection.knows(
            value.extracting(start..<value.count), generation: inspection.keysGeneration)
        return nil
    }

    /// After `credential`. Counts tokens by their bytes, before anything is known of them.
    static func updateRate(_ inspection: inout Inspection) -> Reason? {
        let court = inspection.court
        let connection = inspection.connection
        guard court.settings.enforceTokenUpdateRate else { return nil }
        if inspection.now < connection.blockedUntil { return .tooManyProviderTokenUpdates }
        if inspection.isKnownToken || inspection.tokenStart == 0 { return nil }
        let hash = hashToken(&inspection)
        if connection.admit(hash, now: inspection.now, interval: court.settings.tokenUpdateInterval) { return nil }
        if court.settings.updateRateBlocksConnection,
            let healed = connection.admission(after: court.settings.tokenUpdateInterval)
        {
            connection.blockedUntil = healed
        }
        return .tooManyProviderTokenUpdates
    }

    static func wedge(_ inspection: inout Inspection) -> Reason? {
        inspection.connection.wedged ? .expiredProviderToken : nil
    }

    /// After `credential`. Looks among the verified ones first, then verifies.
    static func signature(_ inspection: inout Inspection) -> Reason? {
        if inspection.isKnownToken || inspection.tokenStart == 0 { return nil }
        let hash = hashToken(&inspection)
        let head = inspection.head
        let value = head.value(at: inspection.fields.authorization)
        let token = value.extracting(inspection.tokenStart..<value.count)
        let keys = inspection.court.keys
        if let verified = keys.verified(token, hash: hash) {
            inspection.verified = verified
            return nil
        }
        guard let verified = inspection.court.reader.verify(token, keys: keys) else { return .invalidProviderToken }
        keys.remember(token, hash: hash, as: verified)
        inspection.verified = verified
        return nil
    }

    /// After `token-signature`. Exactly the lifetime is still good.
    static func age(_ inspection: inout Inspection) -> Reason? {
        let court = inspection.court
        let issuedAt: Int64
        if let verified = inspection.verified {
            issuedAt = verified.issuedAt
        } else if inspection.isKnownToken {
            issuedAt = inspection.connection.issuedAt
        } else {
            return nil
        }
        let (age, tooLarge) = (inspection.now.nanoseconds / 1_000_000_000).subtractingReportingOverflow(issuedAt)
        let lifetime = court.settings.providerTokenLifetime.nanoseconds / 1_000_000_000
        if !tooLarge, -lifetime...lifetime ~= age { return nil }
        if tooLarge ? issuedAt > 0 : age < 0 {
            switch court.settings.futureIssuedAt {
            case .accept: return nil
            case .invalid: return .invalidProviderToken
            case .expired: break
            }
        }
        if court.settings.wedgesAfterExpiredToken { inspection.connection.wedged = true }
        return .expiredProviderToken
    }

    /// One connection serves one team (§8: the second gets InvalidProviderToken).
    static func team(_ inspection: inout Inspection) -> Reason? {
        guard let key = inspection.verified?.key, let first = inspection.connection.firstKey else { return nil }
        return key.teamID == first.teamID ? nil : .invalidProviderToken
    }

    static func environment(_ inspection: inout Inspection) -> Reason? {
        guard let environment = inspection.verified?.key.environment else { return nil }
        return environment == inspection.court.settings.environment ? nil : .badEnvironmentKeyInToken
    }

    static func relation(_ inspection: inout Inspection) -> Reason? {
        guard let key = inspection.verified?.key, let first = inspection.connection.firstKey else { return nil }
        return key.isRelated(to: first) ? nil : .unrelatedKeyIdInToken
    }

    /// Refuses nothing: from here on the credential is good, and the connection remembers it.
    static func bind(_ inspection: inout Inspection) -> Reason? {
        guard let verified = inspection.verified else { return nil }
        let head = inspection.head
        let value = head.value(at: inspection.fields.authorization)
        inspection.connection.accept(
            value.extracting(inspection.tokenStart..<value.count), key: verified.key, issuedAt: verified.issuedAt,
            generation: inspection.keysGeneration)
        return nil
    }

    /// `bearer` in any case (§3: both spellings are in use), then blanks.
    private static func tokenStart(_ value: Span<UInt8>) -> Int? {
        guard value.count > 7, value[6] == 32 else { return nil }
        let scheme: StaticString = "bearer"
        for index in 0..<6 where value[index] | 0x20 != scheme.utf8Start[index] { return nil }
        var start = 7
        while start < value.count, value[start] == 32 { start += 1 }
        return start < value.count ? start : nil
    }

    private static func hashToken(_ inspection: inout Inspection) -> TokenHash {
        if let known = inspection.jwtHash { return known }
        let head = inspection.head
        let value = head.value(at: inspection.fields.authorization)
        let fresh = hash(of: value.extracting(inspection.tokenStart..<value.count))
        inspection.jwtHash = fresh
        return fresh
    }
}
