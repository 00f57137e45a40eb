// Why APNs refuses a broadcast or an operation on channels: a list of its own, apart from the one of `/3/device`. Some
// words stand in both; MissingPushType and FeatureNotEnabled, for example, do not (docs/apns.md §6, §11).

package import Pushes

/// A reason of the channel and broadcast API as it stands in the answer's body.
package enum BroadcastReason: UInt8, ProviderReason {
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

    package static var list: ReasonList { .apnsBroadcasts }

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
