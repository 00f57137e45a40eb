// Reads who signed a provider token and when, without verifying it: the mock has done that.

import Basics
import Metrics
import Pushes

/// The issuer, key and time of a provider token.
package struct ProviderTokenClaims: Hashable, Sendable {
    package var team: String
    package var key: String
    /// `iat`, Unix seconds; nil when it is no number.
    package var issuedAt: Int64?

    /// Nil unless the text is `bearer <JWT>` with a readable header and claims.
    package init?(authorization: String) {
        let words = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        let parts = words[1].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let team = claims["iss"]?.string
        else { return nil }
        self.team = team
        key = header["kid"]?.string ?? ""
        issuedAt = claims["iat"]?.double.flatMap { abs($0) < 1e15 ? Int64($0) : nil }
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = withBytes(of: String(part), { Base64URL.decode($0) }) else { return nil }
        return try? JSONValue(parsing: bytes.span)
    }
}

extension RunContext {
    /// The mock called its provider token expired by its own clock, which nobody had set: no difference of clocks made it old.
    func callsExpired(_ push: SeenPush) -> Bool {
        credential(in: push) == .expired && !push.metFault
            && circumstances.clockSkew == .zero && !circumstances.isWallTimeSet
    }
}
