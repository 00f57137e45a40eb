// Why APNs refuses a push on `/3/device`: one row per reason, spelled as on the wire. The broadcast API has a list of
// its own and is not part of this one (spec/apns.md §6, §11).

package import Pushes

/// A reason of `/3/device` as it stands in the answer's body.
package enum Reason: UInt8, CaseIterable, Sendable {
    case badCollapseId
    case badDeviceToken
    case badExpirationDate
    case badMessageId
    case badPriority
    case badTopic
    case deviceTokenNotForTopic
    case duplicateHeaders
    case idleTimeout
    case invalidPushType
    case missingDeviceToken
    case missingTopic
    case payloadEmpty
    case topicDisallowed
    case badCertificate
    case badCertificateEnvironment
    case expiredProviderToken
    case forbidden
    case invalidProviderToken
    case missingProviderToken
    case unrelatedKeyIdInToken
    case badEnvironmentKeyInToken
    case badPath
    case methodNotAllowed
    case expiredToken
    case unregistered
    case payloadTooLarge
    case tooManyProviderTokenUpdates
    case tooManyRequests
    case internalServerError
    case serviceUnavailable
    case shutdown

    package typealias Row = ReasonRow<Reason>

    /// Every reason, in the order of the cases, so that a raw value is its row's index.
    package static let rows: [Row] = [
        Row(.badCollapseId, "BadCollapseId", 400, "The apns-collapse-id is empty or longer than 64 bytes."),
        Row(
            .badDeviceToken, "BadDeviceToken", 400,
            "The device token is malformed, was never issued, or belongs to the other environment."),
        Row(
            .badExpirationDate, "BadExpirationDate", 400,
            "The apns-expiration is not a whole number of Unix seconds."),
        Row(.badMessageId, "BadMessageId", 400, "The apns-id is not a UUID of 8-4-4-4-12 hex digits."),
        Row(
            .badPriority, "BadPriority", 400,
            "The apns-priority is not 1, 5 or 10, or is 10 on a background push."),
        Row(.badTopic, "BadTopic", 400, "The apns-topic is not a bundle ID, with or without a push type's suffix."),
        Row(
            .deviceTokenNotForTopic, "DeviceTokenNotForTopic", 400,
            "The device token belongs to another topic, often because the push type's suffix is missing."),
        Row(.duplicateHeaders, "DuplicateHeaders", 400, "A header that APNs reads is given more than once."),
        Row(.idleTimeout, "IdleTimeout", 400, "The connection was idle for too long."),
        Row(
            .invalidPushType, "InvalidPushType", 400,
            "The apns-push-type is unknown or contradicts the topic's suffix."),
        Row(.missingDeviceToken, "MissingDeviceToken", 400, "The path ends before the device token."),
        Row(
            .missingTopic, "MissingTopic", 400,
            "The apns-topic is absent, and a provider token does not say which app is meant."),
        Row(.payloadEmpty, "PayloadEmpty", 400, "The request has no body."),
        Row(.topicDisallowed, "TopicDisallowed", 400, "The credential may not push to this topic."),
        Row(.badCertificate, "BadCertificate", 403, "The client certificate is not one of a provider."),
        Row(
            .badCertificateEnvironment, "BadCertificateEnvironment", 403,
            "The client certificate is made for the other environment."),
        Row(
            .expiredProviderToken, "ExpiredProviderToken", 403,
            "The provider token's iat is more than one hour from now; a new token needs a new connection."),
        Row(.forbidden, "Forbidden", 403, "The action is not allowed."),
        Row(
            .invalidProviderToken, "InvalidProviderToken", 403,
            "The provider token has a wrong alg, kid, iss, iat or signature, or is not of the connection's team."
        ),
        Row(
            .missingProviderToken, "MissingProviderToken", 403,
            "There is neither an authorization header with a bearer token nor a client certificate."),
        Row(
            .unrelatedKeyIdInToken, "UnrelatedKeyIdInToken", 403,
            "The provider token's key is not related to the key of the connection's first push."),
        Row(
            .badEnvironmentKeyInToken, "BadEnvironmentKeyInToken", 403,
            "The provider token's key is restricted to the other environment."),
        Row(.badPath, "BadPath", 404, "The path is not /3/device/ and a device token."),
        Row(.methodNotAllowed, "MethodNotAllowed", 405, "The method is not POST."),
        Row(.expiredToken, "ExpiredToken", 410, "The device token has expired, as tokens of Live Activities do."),
        Row(.unregistered, "Unregistered", 410, "The device token is no longer active for the topic."),
        Row(.payloadTooLarge, "PayloadTooLarge", 413, "The body is longer than 4096 bytes, or 5120 for VoIP."),
        Row(
            .tooManyProviderTokenUpdates, "TooManyProviderTokenUpdates", 429,
            "The provider token changes more often than once in 20 minutes."),
        Row(.tooManyRequests, "TooManyRequests", 429, "Too many pushes in a row went to this device token."),
        Row(.internalServerError, "InternalServerError", 500, "APNs failed; try again later."),
        Row(.serviceUnavailable, "ServiceUnavailable", 503, "APNs is unavailable; try again later."),
        Row(.shutdown, "Shutdown", 503, "The server is shutting down; reconnect."),
    ]

    package var row: Row { Self.rows[Int(rawValue)] }
    package var word: StaticString { row.word }
    package var status: UInt16 { row.status }
    package var explanation: String { row.explanation }

    /// Whether the answer carries a `timestamp` (only 410 does).
    package var hasTimestamp: Bool { self == .unregistered || self == .expiredToken }

    /// Reads the word as spelled on the wire, and the one spelling Apple prints but does not send
    /// (`BadEnvironmentKeyIdInToken`).
    package init?(word: String) {
        if word == "BadEnvironmentKeyIdInToken" {
            self = .badEnvironmentKeyInToken
            return
        }
        guard let row = Self.rows.first(where: { $0.word.description == word }) else { return nil }
        self = row.reason
    }
}
