// Why APNs refuses a broadcast or an operation on channels: a list of its own, apart from the one of `/3/device`. Some
// words stand in both; MissingPushType and FeatureNotEnabled, for example, do not (spec/apns.md §6, §11).

package import Pushes

/// A reason of the channel and broadcast API as it stands in the answer's body.
package enum BroadcastReason: UInt8, CaseIterable, Sendable {
    case featureNotEnabled
    case missingChannelId
    case badChannelId
    case channelNotRegistered
    case badRequestParams
    case badRequestPayload
    case payloadEmpty
    case badMessageId
    case missingPushType
    case invalidPushType
    case cannotCreateChannelConfig
    case missingChannelQueueSize
    case badExpirationDate
    case topicDisallowed
    case badPriority
    case badCertificate
    case badCertificateEnvironment
    case topicMismatch
    case missingProviderToken
    case expiredProviderToken
    case invalidProviderToken
    case badPath
    case methodNotAllowed
    case payloadTooLarge
    case tooManyRequests
    case tooManyProviderTokenUpdates
    case internalServerError
    case serviceUnavailable
    case shutdown

    package typealias Row = ReasonRow<BroadcastReason>

    /// Every reason, in the order of the cases, so that a raw value is its row's index.
    package static let rows: [Row] = [
        Row(.featureNotEnabled, "FeatureNotEnabled", 400, "The broadcast capability is off for this App ID."),
        Row(.missingChannelId, "MissingChannelId", 400, "The apns-channel-id is absent."),
        Row(.badChannelId, "BadChannelId", 400, "The apns-channel-id is not base64, or too long."),
        Row(
            .channelNotRegistered, "ChannelNotRegistered", 400,
            "The app has no such channel in this environment; it may have been deleted."),
        Row(
            .badRequestParams, "BadRequestParams", 400,
            "The body has an attribute besides message-storage-policy and push-type."),
        Row(.badRequestPayload, "BadRequestPayload", 400, "The body is not a JSON object."),
        Row(.payloadEmpty, "PayloadEmpty", 400, "The request has no body."),
        Row(
            .badMessageId, "BadMessageId", 400, "The apns-request-id (or apns-id) is not a UUID of 8-4-4-4-12 hex digits."
        ),
        Row(
            .missingPushType, "MissingPushType", 400,
            "The apns-push-type of a broadcast, or the push-type of a new channel, is absent."),
        Row(.invalidPushType, "InvalidPushType", 400, "The push type is not LiveActivity."),
        Row(.cannotCreateChannelConfig, "CannotCreateChannelConfig", 400, "The app has as many channels as it may have."),
        Row(
            .missingChannelQueueSize, "MissingChannelQueueSize", 400,
            "The message-storage-policy is absent, or neither 0 nor 1."),
        Row(
            .badExpirationDate, "BadExpirationDate", 400,
            "The apns-expiration is absent, no whole number, or not 0 on a channel that stores nothing."),
        Row(.topicDisallowed, "TopicDisallowed", 400, "The path names no plain bundle ID; it takes no push type's suffix."),
        Row(.badPriority, "BadPriority", 400, "The apns-priority is absent or not 1, 5 or 10."),
        Row(.badCertificate, "BadCertificate", 403, "The client certificate is not one of a provider."),
        Row(
            .badCertificateEnvironment, "BadCertificateEnvironment", 403,
            "The client certificate is made for the other environment."),
        Row(.topicMismatch, "TopicMismatch", 403, "The credential is not for the bundle ID in the path."),
        Row(
            .missingProviderToken, "MissingProviderToken", 403,
            "There is neither an authorization header with a bearer token nor a client certificate."),
        Row(
            .expiredProviderToken, "ExpiredProviderToken", 403,
            "The provider token's iat is more than one hour from now; a new token needs a new connection."),
        Row(
            .invalidProviderToken, "InvalidProviderToken", 403,
            "The provider token has a wrong alg, kid, iss, iat or signature, or its key does not fit the connection."),
        Row(.badPath, "BadPath", 404, "The path is none of this API, or its method belongs to another of its paths."),
        Row(.methodNotAllowed, "MethodNotAllowed", 405, "The method is used nowhere in this API."),
        Row(.payloadTooLarge, "PayloadTooLarge", 413, "The body is longer than 5120 bytes."),
        Row(.tooManyRequests, "TooManyRequests", 429, "Too many broadcasts went to this channel."),
        Row(
            .tooManyProviderTokenUpdates, "TooManyProviderTokenUpdates", 429,
            "The provider token changes more often than once in 20 minutes."),
        Row(.internalServerError, "InternalServerError", 500, "APNs failed; try again later."),
        Row(.serviceUnavailable, "ServiceUnavailable", 503, "APNs is unavailable; try again later."),
        Row(.shutdown, "Shutdown", 503, "The server is shutting down; reconnect."),
    ]

    package var row: Row { Self.rows[Int(rawValue)] }
    package var word: StaticString { row.word }
    package var status: UInt16 { row.status }
    package var explanation: String { row.explanation }

    /// Reads the word as spelled on the wire. Apple prints one of them with a blank, "Service Unavailable"; how it looks
    /// on the wire is unsure, so it is read here and never sent.
    package init?(word: String) {
        let word = word == "Service Unavailable" ? "ServiceUnavailable" : word
        guard let row = Self.rows.first(where: { $0.word.description == word }) else { return nil }
        self = row.reason
    }

    /// The same refusal in this list's words. Two of `/3/device` are missing here although the same tokens are used:
    /// for a key of the other environment and for an unrelated key this list only has InvalidProviderToken.
    package init(_ reason: Reason) { self = Self.translations[Int(reason.rawValue)] }

    private static let translations = Reason.allCases.map { reason in
        BroadcastReason(word: reason.word.description) ?? .invalidProviderToken
    }

    /// `{"reason":"…"}`, compact as on `/3/device`.
    package var body: [UInt8] { Self.bodies[Int(rawValue)] }

    private static let bodies = rows.map { Array("{\"reason\":\"\($0.word)\"}".utf8) }
}
