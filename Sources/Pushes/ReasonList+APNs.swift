// Why APNs refuses a push on `/3/device`: one row per reason, spelled as on the wire, in the order of the cases of `Reason`.
// The broadcast API has a list of its own and is not part of this one (docs/apns.md §6, §11).

extension ReasonList {
    static let deviceRows: [ReasonRow] = [
        ReasonRow("BadCollapseId", 400, "The apns-collapse-id is empty or longer than 64 bytes.", of: "apns-collapse-id"),
        ReasonRow(
            "BadDeviceToken", 400,
            "The device token is malformed, was never issued, or belongs to the other environment.", about: .token,
            death: .atThisHost),
        ReasonRow(
            "BadExpirationDate", 400,
            "The apns-expiration is not a whole number of Unix seconds.", of: "apns-expiration"),
        ReasonRow("BadMessageId", 400, "The apns-id is not a UUID of 8-4-4-4-12 hex digits.", of: "apns-id"),
        ReasonRow(
            "BadPriority", 400,
            "The apns-priority is not 1, 5 or 10, or is 10 on a background push.", of: "apns-priority"),
        ReasonRow(
            "BadTopic", 400, "The apns-topic is not a bundle ID, with or without a push type's suffix.", of: "apns-topic"),
        ReasonRow(
            "DeviceTokenNotForTopic", 400,
            "The device token belongs to another topic, often because the push type's suffix is missing.", about: .token,
            death: .asAddressed),
        ReasonRow("DuplicateHeaders", 400, "A header that APNs reads is given more than once."),
        ReasonRow("IdleTimeout", 400, "The connection was idle for too long.", about: .connection),
        ReasonRow(
            "InvalidPushType", 400,
            "The apns-push-type is unknown or contradicts the topic's suffix.", of: "apns-push-type"),
        ReasonRow("MissingDeviceToken", 400, "The path ends before the device token."),
        ReasonRow(
            "MissingTopic", 400,
            "The apns-topic is absent, and a provider token does not say which app is meant.", of: "apns-topic"),
        ReasonRow("PayloadEmpty", 400, "The request has no body."),
        ReasonRow("TopicDisallowed", 400, "The credential may not push to this topic."),
        ReasonRow("BadCertificate", 403, "The client certificate is not one of a provider.", credential: .certificate),
        ReasonRow(
            "BadCertificateEnvironment", 403,
            "The client certificate is made for the other environment.", credential: .certificate),
        ReasonRow(
            "ExpiredProviderToken", 403,
            "The provider token's iat is more than one hour from now; a new token needs a new connection.",
            credential: .expired),
        ReasonRow("Forbidden", 403, "The action is not allowed."),
        ReasonRow(
            "InvalidProviderToken", 403,
            "The provider token has a wrong alg, kid, iss, iat or signature, or is not of the connection's team.",
            credential: .token),
        ReasonRow(
            "MissingProviderToken", 403,
            "There is neither an authorization header with a bearer token nor a client certificate.", about: .request,
            credential: .token),
        ReasonRow(
            "UnrelatedKeyIdInToken", 403,
            "The provider token's key is not related to the key of the connection's first push.",
            credential: .key),
        ReasonRow(
            "BadEnvironmentKeyInToken", 403,
            "The provider token's key is restricted to the other environment.", credential: .environment,
            alsoRead: "BadEnvironmentKeyIdInToken"),
        ReasonRow("BadPath", 404, "The path is not /3/device/ and a device token."),
        ReasonRow("MethodNotAllowed", 405, "The method is not POST."),
        ReasonRow("ExpiredToken", 410, "The device token has expired, as tokens of Live Activities do."),
        ReasonRow("Unregistered", 410, "The device token is no longer active for the topic."),
        ReasonRow("PayloadTooLarge", 413, "The body is longer than 4096 bytes, or 5120 for VoIP."),
        ReasonRow(
            "TooManyProviderTokenUpdates", 429,
            "The provider token changes more often than once in 20 minutes.", about: .sender, credential: .tooNew),
        ReasonRow("TooManyRequests", 429, "Too many pushes in a row went to this device token."),
        ReasonRow("InternalServerError", 500, "APNs failed; try again later."),
        ReasonRow("ServiceUnavailable", 503, "APNs is unavailable; try again later."),
        ReasonRow("Shutdown", 503, "The server is shutting down; reconnect.", about: .connection),
    ]
}
