// Provider tokens taken apart and verified (spec/apns.md §8). The slow path: once per new token, not per push.

import Basics

/// Reads JWTs. One per loop.
final class TokenReader {
    /// Longer ones are refused unread; real ones have about 200 bytes.
    private static let byteLimit = 4096

    private let scanner = JSONScanner(maxDepth: 8, maxNodes: 64)
    private var part: [UInt8] = []

    /// Nil for anything that APNs calls InvalidProviderToken: shape, alg, kid, iss, iat, signature.
    func verify(_ token: Span<UInt8>, keys: ProviderKeys) -> ProviderKeys.Verified? {
        guard token.count <= Self.byteLimit, let (first, second) = dots(token) else { return nil }
        guard let key = readHeader(token.extracting(0..<first), keys: keys),
            let issuedAt = readClaims(token.extracting(first + 1..<second), team: key.record.teamID),
            let signature = Base64URL.decode(token.extracting(second + 1..<token.count))
        else { return nil }
        guard key.verifier.verify(token.extracting(0..<second), signature: signature.span) else { return nil }
        return ProviderKeys.Verified(key: key, issuedAt: issuedAt)
    }

    /// Of the `iss` that a token claims, unverified; the same for all that claim none.
    func claimedTeam(_ token: Span<UInt8>) -> Hash128 {
        guard token.count <= Self.byteLimit, let (first, second) = dots(token),
            Base64URL.decode(token.extracting(first + 1..<second), into: &part)
        else { return Hash128(high: 0, low: 0) }
        let part = part
        guard scanner.scan(part.span) == nil, let issuer = scanner.member("iss", of: 0),
            let team = scanner.string(issuer)
        else { return Hash128(high: 0, low: 0) }
        return withBytes(of: team) { Hash128(hashing: $0) }
    }

    /// Exactly two dots.
    private func dots(_ token: Span<UInt8>) -> (Int, Int)? {
        var found: [Int] = []
        for index in token.indices where token[index] == 46 { found.append(index) }
        return found.count == 2 ? (found[0], found[1]) : nil
    }

    /// `alg` must be ES256 and `kid` a key we know; `typ` and others are harmless.
    private func readHeader(_ text: Span<UInt8>, keys: ProviderKeys) -> ProviderKey? {
        guard Base64URL.decode(text, into: &part) else { return nil }
        let part = part
        guard scanner.scan(part.span) == nil,
            let algorithm = scanner.member("alg", of: 0), scanner.isString(algorithm, "ES256"),
            let kid = scanner.member("kid", of: 0), let keyID = scanner.string(kid)
        else { return nil }
        return keys.key(id: keyID)
    }

    /// `iss` must be the key's team. `iat` is a number of seconds; a fraction, as Python's clock gives it, is dropped. A text
    /// of digits is as good: two clients sent it so for years (§8).
    private func readClaims(_ text: Span<UInt8>, team: String) -> Int64? {
        guard Base64URL.decode(text, into: &part) else { return nil }
        let part = part
        guard scanner.scan(part.span) == nil,
            let issuer = scanner.member("iss", of: 0), scanner.string(issuer) == team,
            let issuedAt = scanner.member("iat", of: 0)
        else { return nil }
        if let text = scanner.string(issuedAt) { return Self.digits(text) }
        return scanner.wholeNumber(issuedAt)
    }

    /// Nil for anything but 1 to 18 digits.
    private static func digits(_ text: String) -> Int64? {
        1...18 ~= text.utf8.count && text.utf8.allSatisfy { 48...57 ~= $0 } ? Int64(text) : nil
    }
}
