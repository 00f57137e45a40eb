// Why FCM refuses a message: the cases of the list in `Pushes/ReasonList+FCM.swift`, and what each answers.

package import Pushes

package enum FCMReason: UInt8, ProviderReason {
    case invalidArgument, invalidJSON, recipientNotSet, invalidRegistrationToken, invalidTopic, invalidCondition
    case invalidDataKey, messageTooBig, androidMessageTooBig, invalidTTL, invalidWebpushTTL, apnsTokenDisabled
    case apnsBadDeviceToken, credentialsMissing, invalidCredentials, accessTokenExpired, thirdPartyAuthError
    case senderIDMismatch, iamPermissionDenied, scopeInsufficient, serviceDisabled, unregistered, apnsUnregistered
    case notFound, quotaExceeded, topicQuotaExceeded, rateLimitExceeded, `internal`, badGateway, unavailable
    case serviceUnavailable, payloadTooLarge, apnsDeviceTokenNotForTopic, apnsAuthError

    package static var list: ReasonList { .fcm }

    /// What the answer's envelope says (docs/fcm.md §3); nil: a page of HTML, without an envelope.
    var reply: ErrorReply? {
        switch self {
        case .invalidArgument: ErrorReply(.invalidArgument, Text.argument, [.fcm("INVALID_ARGUMENT")])
        case .invalidJSON: ErrorReply(.invalidArgument, Text.argument, [.badRequest(field: nil)])
        case .recipientNotSet:
            ErrorReply(
                .invalidArgument, "Recipient of the message is not set.",
                [.badRequest(field: "message"), .fcm("INVALID_ARGUMENT")])
        case .invalidRegistrationToken:
            ErrorReply(
                .invalidArgument, "The registration token is not a valid FCM registration token",
                [.fcm("INVALID_ARGUMENT"), .badRequest(field: "message.token")])
        case .invalidTopic:
            ErrorReply(
                .invalidArgument, "Topic name contains invalid characters.",
                [.badRequest(field: "message"), .fcm("INVALID_ARGUMENT")])
        case .invalidCondition: ErrorReply(.invalidArgument, Text.argument, [])
        case .invalidDataKey: ErrorReply(.invalidArgument, "Invalid data payload key", [.fcm("INVALID_ARGUMENT")])
        case .messageTooBig:
            ErrorReply(
                .invalidArgument, "Message is too large. The maximum is 4K (4096 bytes).",
                [.emptyBadRequest, .fcm("INVALID_ARGUMENT")])
        case .androidMessageTooBig:
            ErrorReply(.invalidArgument, "Android message is too big", [.emptyBadRequest, .fcm("INVALID_ARGUMENT")])
        case .invalidTTL:
            ErrorReply(
                .invalidArgument, Text.argument, [.badRequest(field: "message.android.ttl"), .fcm("INVALID_ARGUMENT")])
        case .invalidWebpushTTL:
            ErrorReply(
                .invalidArgument, "TTL must be a non-negative integer.",
                [.badRequest(field: "message.webpush.headers.TTL"), .fcm("INVALID_ARGUMENT")])
        case .apnsTokenDisabled:
            ErrorReply(
                .invalidArgument, "APNs device token is disabled.",
                [.fcm("INVALID_ARGUMENT"), .apns(status: 410, reason: "Unregistered")])
        case .apnsBadDeviceToken:
            ErrorReply(
                .invalidArgument, Text.argument,
                [.fcm("INVALID_ARGUMENT"), .apns(status: 400, reason: "BadDeviceToken")])
        case .apnsDeviceTokenNotForTopic:
            ErrorReply(
                .invalidArgument, Text.argument,
                [.fcm("INVALID_ARGUMENT"), .apns(status: 400, reason: "DeviceTokenNotForTopic")])
        case .credentialsMissing: ErrorReply(.unauthenticated, Text.missing, [.info("CREDENTIALS_MISSING")])
        case .invalidCredentials: ErrorReply(.unauthenticated, Text.invalid, [])
        case .accessTokenExpired: ErrorReply(.unauthenticated, Text.invalid, [.info("ACCESS_TOKEN_EXPIRED")])
        case .thirdPartyAuthError:
            ErrorReply(
                .unauthenticated, Text.auth,
                [.fcm("THIRD_PARTY_AUTH_ERROR"), .apns(status: 403, reason: "InvalidProviderToken")])
        case .apnsAuthError: ErrorReply(.unauthenticated, Text.auth, [.fcm("APNS_AUTH_ERROR")])
        case .senderIDMismatch: ErrorReply(.permissionDenied, "SenderId mismatch", [.fcm("SENDER_ID_MISMATCH")])
        case .iamPermissionDenied:
            ErrorReply(
                .permissionDenied,
                "Permission 'cloudmessaging.messages.create' denied on resource "
                    + "'//cloudresourcemanager.googleapis.com/projects/{project}' (or it may not exist).",
                [.info("IAM_PERMISSION_DENIED")])
        case .scopeInsufficient:
            ErrorReply(
                .permissionDenied, "Request had insufficient authentication scopes.",
                [.info("ACCESS_TOKEN_SCOPE_INSUFFICIENT")])
        case .serviceDisabled:
            ErrorReply(
                .permissionDenied,
                "Firebase Cloud Messaging API has not been used in project {project} before or it is disabled. "
                    + "Enable it by visiting \(Text.console) then retry. If you enabled this API recently, wait a few "
                    + "minutes for the action to propagate to our systems and retry.",
                [
                    .info("SERVICE_DISABLED"),
                    .help(description: "Google developers console API activation", url: Text.console),
                ])
        case .unregistered: ErrorReply(.notFound, Text.gone, [.fcm("UNREGISTERED")])
        case .apnsUnregistered:
            ErrorReply(.notFound, Text.gone, [.fcm("UNREGISTERED"), .apns(status: 410, reason: "Unregistered")])
        case .notFound, .badGateway: nil
        case .quotaExceeded:
            ErrorReply(
                .resourceExhausted, "Quota exceeded.",
                [.fcm("QUOTA_EXCEEDED"), .quota(subject: "device", description: "Quota exceeded.")])
        case .topicQuotaExceeded:
            ErrorReply(.resourceExhausted, "Topic quota exceeded.", [.fcm("QUOTA_EXCEEDED")])
        case .rateLimitExceeded:
            ErrorReply(
                .resourceExhausted,
                "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service "
                    + "'fcm.googleapis.com' for consumer 'project_number:{project}'.",
                [.info("RATE_LIMIT_EXCEEDED")])
        case .internal: ErrorReply(.internal, "Internal error encountered.", [.fcm("INTERNAL")])
        case .unavailable: ErrorReply(.unavailable, Text.unavailable, [.fcm("UNAVAILABLE")])
        case .serviceUnavailable: ErrorReply(.unavailable, Text.unavailable, [])
        case .payloadTooLarge:
            ErrorReply(
                .invalidArgument, "Request payload size exceeds the limit: \(FCMValidator.largestBody) bytes.", [])
        }
    }

    /// FCM's own code in the answer, which clients go by; nil: the answer has none.
    package var errorCode: StaticString? {
        guard let reply else { return nil }
        for case .fcm(let code) in reply.details { return code }
        return nil
    }

    private enum Text {
        static let argument = "Request contains an invalid argument."
        static let gone = "Requested entity was not found."
        static let auth = "Auth error from APNS or Web Push Service"
        static let console = "https://console.developers.google.com/apis/api/fcm.googleapis.com/overview?project={project}"
        static let unavailable = "The service is currently unavailable."
        static let missing = "Request is missing required authentication credential. " + expected
        static let invalid = "Request had invalid authentication credentials. " + expected
        private static let expected =
            "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
            + "See https://developers.google.com/identity/sign-in/web/devconsole-project."
    }
}
