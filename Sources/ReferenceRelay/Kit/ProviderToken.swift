// The provider token (JWT) that all pushes share: one signature in 50 minutes (R0.33, P1).

import Basics

/// Made on the loop and used by it alone, so that no two pushes can sign at the same time.
struct ProviderToken {
    /// A renewal that APNs asks for is granted once in this time: a clock or key that is wrong would have us sign
    /// for each push, which APNs punishes with TooManyProviderTokenUpdates (P2, docs/apns.md §8).
    static let leastRenewal = Interval.seconds(60)

    private let header: String
    private let teamID: String
    private let lifetime: Interval
    private let signsAlways: Bool
    private let sign: (Span<UInt8>) -> [UInt8]
    /// Where the token is kept for other processes and for the next one. Given the one that APNs has rejected, if any,
    /// the oldest moment of signature that will do, and how to make one; returns what holds from now on.
    var keep: ((_ rejected: String?, _ oldest: WallTime, _ now: WallTime, _ make: () -> String) -> SignedToken)?
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
        if serial == 0 || age >= lifetime || age < .zero || signsAlways { mint(at: now, rejected: nil) }
        return authorization
    }

    /// APNs refused the token of that serial. True when a newer one is there to be tried.
    mutating func renew(rejected: Int, at now: WallTime) -> Bool {
        guard rejected == serial else { return true }
        guard now - renewedAt >= Self.leastRenewal else { return false }
        renewedAt = now
        mint(at: now, rejected: authorization)
        return true
    }

    private mutating func mint(at now: WallTime, rejected: String?) {
        let make = { [header, teamID, sign] in
            let claims = Self.encode(JSONValue.object(["iss": .string(teamID), "iat": .integer(now.seconds)]))
            let message = header + "." + claims
            let signature = withBytes(of: message) { sign($0) }
            return "bearer " + message + "." + Base64URL.encode(signature.span)
        }
        if let keep, !signsAlways {
            let token = keep(rejected, now - lifetime, now, make)
            (authorization, signedAt) = (token.authorization, token.signedAt)
        } else {
            (authorization, signedAt) = (make(), now)
        }
        serial += 1
    }

    private static func encode(_ value: JSONValue) -> String { Base64URL.encode(value.encoded().span) }
}

/// A provider token and when it was signed.
struct SignedToken: Equatable {
    var authorization: String
    var signedAt: WallTime
}
