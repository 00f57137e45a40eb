// Provider tokens taken apart and verified (docs/apns.md §8). The slow path: once per new token, not per push.

import Basics
import Pushes

/// Reads JWTs. One per loop.
final class TokenReader {
    /// Longer ones are refused unread; real ones have about 200 bytes.
    private static let byteLimit = 4096

    private let scanner = JSONScanner(maxDepth: 8, maxNodes: 64)
    private var part: [UInt8] = []

    /// Fails for anything that APNs calls InvalidProviderToken: shape, alg, kid, iss, iat, signature.
    func verify(_ token: Span<UInt8>, keys: ProviderKeys) throws(CredentialCause) -> ProviderKeys.Verified {
        guard token.count <= Self.byteLimit else { throw .tooLong }
        guard let (first, second) = dots(token) else { throw .otherParts }
        let key = try readHeader(token.extracting(0..<first), keys: keys)
        let issuedAt = try readClaims(token.extracting(first + 1..<second), key: key, keys: keys)
        let signature = try decode(token.extracting(second + 1..<token.count))
        let message = token.extracting(0..<second)
        guard key.verifier.verify(message, signature: signature.span) else {
            let isDER = signature.first == 0x30 && signature.count > 8 && Int(signature[1]) == signature.count - 2
            guard signature.count == 64 || isDER else { throw .signatureLength }
            throw keys.isSigned(message, signature.span, butBy: key) ? .signatureOfOtherKey : .signatureOther
        }
        return ProviderKeys.Verified(key: key, issuedAt: issuedAt)
    }

    private func decode(_ text: Span<UInt8>) throws(CredentialCause) -> [UInt8] {
        if let bytes = Base64URL.decode(text) { return bytes }
        if text.contains(UInt8(ascii: "=")) { throw .padded }
        throw text.contains(UInt8(ascii: "+")) || text.contains(UInt8(ascii: "/")) ? .plainBase64 : .notBase64URL
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
    private func readHeader(_ text: Span<UInt8>, keys: ProviderKeys) throws(CredentialCause) -> ProviderKey {
        let part = try decode(text)
        guard isObject(part.span) else { throw .headerNotJSON }
        guard let algorithm = scanner.member("alg", of: 0), scanner.string(algorithm) != nil else { throw .algorithmMissing }
        guard scanner.isString(algorithm, "ES256") else { throw .algorithmOther }
        guard let kid = scanner.member("kid", of: 0), let keyID = scanner.string(kid) else { throw .keyMissing }
        guard let key = keys.key(id: keyID) else { throw keys.cause(ofKeyID: keyID) }
        return key
    }

    private func isObject(_ text: Span<UInt8>) -> Bool {
        guard scanner.scan(text) == nil, case .object = scanner.node(0).kind else { return false }
        return true
    }

    /// `iss` must be the key's team. `iat` is a number of seconds; a fraction, as Python's clock gives it, is dropped. A text
    /// of digits is as good: two clients sent it so for years (§8).
    private func readClaims(
        _ text: Span<UInt8>, key: ProviderKey, keys: ProviderKeys
    ) throws(CredentialCause) -> Int64 {
        let part = try decode(text)
        guard isObject(part.span) else { throw .claimsNotJSON }
        guard let issuer = scanner.member("iss", of: 0), let team = scanner.string(issuer) else { throw .teamMissing }
        guard team == key.record.teamID else { throw keys.cause(ofTeamID: team, key) }
        guard let issuedAt = scanner.member("iat", of: 0) else { throw .issuedMissing }
        guard let seconds = scanner.string(issuedAt).map(Self.digits) ?? scanner.wholeNumber(issuedAt) else {
            throw .issuedNotNumber
        }
        return seconds
    }

    /// Nil for anything but 1 to 18 digits.
    private static func digits(_ text: String) -> Int64? {
        1...18 ~= text.utf8.count && text.utf8.allSatisfy { 48...57 ~= $0 } ? Int64(text) : nil
    }
}
