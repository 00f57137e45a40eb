// Provider tokens as a client makes them (docs/apns.md §8).

package import Basics

package enum ProviderToken {
    /// A JWT for `authorization: bearer`. `signer` makes the ES256 signature of the bytes it is given, raw or DER;
    /// `keyID` and `teamID` have 10 characters each.
    package static func sign(
        keyID: String, teamID: String, issuedAt: WallTime, signer: (Span<UInt8>) -> [UInt8]
    ) -> String {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID)]
        let claims: JSONValue = ["iss": .string(teamID), "iat": .integer(issuedAt.nanoseconds / 1_000_000_000)]
        let message = Base64URL.encode(header.encoded().span) + "." + Base64URL.encode(claims.encoded().span)
        let signature = withBytes(of: message) { signer($0) }
        return message + "." + Base64URL.encode(signature.span)
    }
}
