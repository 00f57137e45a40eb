// What a provider does about each refusal (docs/fcm.md §3, §4; Google's pages on errors and on scaling).

extension FCMReason {
    /// In a sentence or two.
    package var advice: String {
        switch self {
        case .invalidArgument, .invalidJSON, .recipientNotSet, .invalidTopic, .invalidCondition, .invalidDataKey, .invalidTTL,
            .invalidWebpushTTL:
            "Do not send it again: it is refused each time. Mend the message and keep the token."
        case .invalidRegistrationToken:
            "Do not send it again. Delete the token, for the answer names message.token; it was never one."
        case .messageTooBig, .androidMessageTooBig, .payloadTooLarge:
            "Do not send it again: it is refused each time. Measure before sending, and leave out what the app can fetch."
        case .apnsTokenDisabled:
            "Delete what is dead: of a Live Activity its own token, while the app's registration lives on; else that."
        case .apnsBadDeviceToken:
            "Do not send it again. Delete the activity's token if there was one: it is malformed or of the other environment."
        case .apnsDeviceTokenNotForTopic:
            "Do not send it again. Delete the activity's token if the topic is right: it is another app's, or of another kind."
        case .credentialsMissing:
            "Ask the token endpoint for an access token and send again with it; keep the device's token."
        case .invalidCredentials, .accessTokenExpired:
            "Ask for a new access token, once, and send again; renew it before its hour is over. Keep the device's token."
        case .thirdPartyAuthError, .apnsAuthError:
            "Tell the operator: the project's key for APNs or web push is wrong. Keep the token, and the access token."
        case .senderIDMismatch: "Do not send it again with this project. Drop the token: it is another project's."
        case .iamPermissionDenied, .scopeInsufficient, .serviceDisabled:
            "Do not send it again until the project's rights are mended. Keep the token: nothing is wrong with it."
        case .unregistered, .apnsUnregistered: "Delete the token at once and never send to it again."
        case .notFound:
            "Mend the address. Keep the token: only a 404 with errorCode UNREGISTERED is about it."
        case .quotaExceeded, .topicQuotaExceeded, .rateLimitExceeded:
            "Wait as Retry-After says, or a minute without it, then send again with growing gaps and jitter. Keep the token."
        case .internal, .unavailable, .serviceUnavailable:
            "Wait as Retry-After says, else ten seconds or more, then send again with growing gaps and jitter, for an hour at "
                + "most. It may have been delivered all the same. Keep the token."
        case .badGateway:
            "The body is no JSON. Wait ten seconds or more, then send again with growing gaps and jitter. Keep the token."
        }
    }
}
