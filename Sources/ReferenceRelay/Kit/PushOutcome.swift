// What APNs made of one attempt, and what that means for the token and for the push.

import Pushes

extension PushEnvironment {
    var other: PushEnvironment { self == .production ? .sandbox : .production }
}

/// What came of one attempt.
enum PushOutcome: Equatable, Sendable {
    /// `reason` and `timestamp` (milliseconds since 1970) from the body, where there is one.
    case answered(status: Int, reason: String?, timestamp: Int64?)
    /// No answer. `isSafeToResend`: APNs did not process it (REFUSED_STREAM, beyond GOAWAY's last stream, never
    /// sent).
    case failed(isSafeToResend: Bool, words: String)

    static let accepted = PushOutcome.answered(status: 200, reason: nil, timestamp: nil)

    var isAnswer: Bool { if case .answered = self { true } else { false } }

    var words: String {
        switch self {
        case .answered(let status, let reason, _): reason.map { "\(status) \($0)" } ?? "\(status)"
        case .failed(_, let words): words
        }
    }
}

/// What an outcome means for the token and for the push (docs/apns.md §6, docs/reference-relay.md).
enum PushVerdict: Equatable {
    case accepted
    /// The token is dead since then (milliseconds), or since nobody says when.
    case dead(since: Int64?)
    /// Perhaps the token lives on the other host; if not, and `condemns`, it is dead.
    case wrongHost(condemns: Bool)
    /// The provider token is at fault, not this push.
    case badCredentials
    /// Passing trouble. `isToken`: with this one device token, which wants rest.
    case busy(isToken: Bool)
    /// Never processed: to be sent again at once.
    case unprocessed
    /// Our mistake or the operator's; another attempt would end the same way, and the token is not to blame (G1).
    case refused

    init(_ outcome: PushOutcome) {
        guard case .answered(let status, let reason, let timestamp) = outcome else {
            if case .failed(true, _) = outcome { self = .unprocessed } else { self = .busy(isToken: false) }
            return
        }
        switch (status, reason) {
        case (200, _): self = .accepted
        case (400, "BadDeviceToken"): self = .wrongHost(condemns: true)
        case (400, "DeviceTokenNotForTopic"): self = .dead(since: nil)
        // Apple's page spells it one way, its servers the other (P12).
        case (403, "BadEnvironmentKeyInToken"), (403, "BadEnvironmentKeyIdInToken"): self = .wrongHost(condemns: false)
        case (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"): self = .badCredentials
        // Unregistered and ExpiredToken (G2).
        case (410, _): self = .dead(since: timestamp)
        // TooManyProviderTokenUpdates is a 429 too, but no fault of the device token (P14).
        case (429, _): self = .busy(isToken: reason == "TooManyRequests")
        case (500..., _): self = .busy(isToken: false)
        default: self = .refused
        }
    }
}
