// Why APNs refuses a broadcast or an operation on channels: a list of its own, apart from the one of `/3/device`, in the
// order of the cases of `BroadcastReason`. Some words stand in both; MissingPushType and FeatureNotEnabled, for example, do
// not (docs/apns.md §6, §11).

extension ReasonList {
    static let broadcastRows: [ReasonRow] = [
        ReasonRow("FeatureNotEnabled", 400, "The broadcast capability is off for this App ID.", about: .sender),
        ReasonRow("MissingChannelId", 400, "The apns-channel-id is absent."),
        ReasonRow("BadChannelId", 400, "The apns-channel-id is not base64, or too long."),
        ReasonRow(
            "ChannelNotRegistered", 400,
            "The app has no such channel in this environment; it may have been deleted.", about: .token),
        ReasonRow(
            "BadRequestParams", 400,
            "The body has an attribute besides message-storage-policy and push-type."),
        ReasonRow("BadRequestPayload", 400, "The body is not a JSON object."),
        ReasonRow("PayloadEmpty", 400, "The request has no body."),
        ReasonRow(
            "BadMessageId", 400, "The apns-request-id (or apns-id) is not a UUID of 8-4-4-4-12 hex digits."
        ),
        ReasonRow(
            "MissingPushType", 400,
            "The apns-push-type of a broadcast, or the push-type of a new channel, is absent."),
        ReasonRow("InvalidPushType", 400, "The push type is not LiveActivity."),
        ReasonRow("CannotCreateChannelConfig", 400, "The app has as many channels as it may have.", about: .provider),
        ReasonRow(
            "MissingChannelQueueSize", 400,
            "The message-storage-policy is absent, or neither 0 nor 1."),
        ReasonRow(
            "BadExpirationDate", 400,
            "The apns-expiration is absent, no whole number, or not 0 on a channel that stores nothing."),
        ReasonRow("TopicDisallowed", 400, "The path names no plain bundle ID; it takes no push type's suffix."),
        ReasonRow("BadPriority", 400, "The apns-priority is absent or not 1, 5 or 10."),
        ReasonRow("BadCertificate", 403, "The client certificate is not one of a provider."),
        ReasonRow(
            "BadCertificateEnvironment", 403,
            "The client certificate is made for the other environment."),
        ReasonRow("TopicMismatch", 403, "The credential is not for the bundle ID in the path."),
        ReasonRow(
            "MissingProviderToken", 403,
            "There is neither an authorization header with a bearer token nor a client certificate.", about: .request),
        ReasonRow(
            "ExpiredProviderToken", 403,
            "The provider token's iat is more than one hour from now; a new token needs a new connection."),
        ReasonRow(
            "InvalidProviderToken", 403,
            "The provider token has a wrong alg, kid, iss, iat or signature, or its key does not fit the connection."),
        ReasonRow("BadPath", 404, "The path is none of this API, or its method belongs to another of its paths."),
        ReasonRow("MethodNotAllowed", 405, "The method is used nowhere in this API."),
        ReasonRow("PayloadTooLarge", 413, "The body is longer than 5120 bytes."),
        ReasonRow("TooManyRequests", 429, "Too many broadcasts went to this channel."),
        ReasonRow(
            "TooManyProviderTokenUpdates", 429,
            "The provider token changes more often than once in 20 minutes.", about: .sender),
        ReasonRow("InternalServerError", 500, "APNs failed; try again later."),
        ReasonRow(
            "ServiceUnavailable", 503, "APNs is unavailable; try again later.",
            alsoRead: "Service Unavailable"),
        ReasonRow("Shutdown", 503, "The server is shutting down; reconnect.", about: .connection),
    ]
}
