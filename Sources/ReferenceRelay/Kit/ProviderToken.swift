// The provider token (JWT) that all pushes share: one signature in 50 minutes (R0.33, P1).

import Basics

/// Made on the loop and used by it alone, so that no two pushes can sign at the same time.
struct ProviderToken {
    /// A renewal that APNs asks for is granted once in this time: a clock or key that is wrong would have us sign
    /// for each push, which APNs punishes with TooManyProviderTokenUpdates (P2, spec/apns.md §8).
    static let leastRenewal = Interval.seconds(60)

    private let header: String
    private let teamID: String
    private let lifetime: Interval
    private let signsAlways: Bool
    private let sign: (Span<UInt8>) -> [UInt8]
    private var authorization = ""
    private var signedAt = WallTime(nanoseconds: .min / 2)
    private var renewedAt = WallTime(nanoseconds: .min / 2)
    private(set) var serial = 0

    /// `sign` is ES256 over its argument: 64 bytes.
    init(
        keyID: String, teamID: String, lifetime: Interval, signsAlways: Bool = false,
        sign: @escaping (Span<UInt8>) -> [UInt8]
    ) {
        header = Self.encode(JSONValue.object(["alg": "ES256", "kid": .string(keyID)]))
        self.teamID = teamID
        self.lifetime = lifetime
        self.signsAlways = signsAlways
        self.sign = sign
    }

    /// The value of the `authorization` field. `serial` tells which token it holds.
    mutating func value(at now: WallTime) -> String {
        let age = now - signedAt
        if serial == 0 || age >= lifetime || age < .zero || signsAlways { mint(at: now) }
        return authorization
    }

    /// APNs refused the token of that serial. True when a newer one is there to be tried.
    mutating func renew(rejected: Int, at now: WallTime) -> Bool {
        guard rejected == serial else { return true }
        guard now - renewedAt >= Self.leastRenewal else { return false }
        renewedAt = now
        mint(at: now)
        return true
    }

    private mutating func mint(at now: WallTime) {
        let claims = Self.encode(JSONValue.object(["iss": .string(teamID), "iat": .integer(now.seconds)]))
        let message = header + "." + claims
        let signature = withBytes(of: message) { sign($0) }
        authorization = "bearer " + message + "." + Base64URL.encode(signature.span)
        signedAt = now
        serial += 1
    }

    private static func encode(_ value: JSONValue) -> String { Base64URL.encode(value.encoded().span) }
}
