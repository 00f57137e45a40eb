// Why FCM refuses a message on `messages:send`: one row per case of the facts (docs/fcm.md §3), in the order of the cases of
// `FCMReason`. FCM's own codes are few and stand for several cases each, so a row is named by its code where one case has it,
// and by what is wrong where several share one.

extension ReasonList {
    static let messageRows: [ReasonRow] = [
        ReasonRow(
            "INVALID_ARGUMENT", 400, "Something in the message is not allowed; the answer does not say what.",
            topics: "INVALID_ARGUMENT"),
        ReasonRow("INVALID_JSON", 400, "The body is no JSON, or a field is unknown or of the wrong type: the answer names it."),
        ReasonRow("RECIPIENT_NOT_SET", 400, "The message has no token, fid, topic or condition."),
        ReasonRow(
            "INVALID_REGISTRATION_TOKEN", 400, "The registration token is malformed.", about: .token, death: .asAddressed,
            topics: "INVALID_ARGUMENT"),
        ReasonRow(
            "INVALID_TOPIC", 400, "The topic's name has characters that topics do not have, or a prefix.",
            topics: "INVALID_ARGUMENT"),
        ReasonRow("INVALID_CONDITION", 400, "The condition cannot be read, or names more than five topics."),
        ReasonRow("INVALID_DATA_KEY", 400, "A key of data is reserved: from, message_type, or one with a prefix of Google's."),
        ReasonRow("MESSAGE_TOO_BIG", 400, "Keys and values are longer than 4096 bytes together."),
        ReasonRow("ANDROID_MESSAGE_TOO_BIG", 400, "The same of a message to one Android app."),
        ReasonRow("INVALID_TTL", 400, "android.ttl lies outside of 0 to 2419200 seconds."),
        ReasonRow("INVALID_WEBPUSH_TTL", 400, "The header TTL of webpush is no whole number of seconds."),
        ReasonRow(
            "APNS_TOKEN_DISABLED", 400,
            "APNs answered 410: the token of the iPhone or its Live Activity is dead, or has expired.",
            about: .token, death: .forGood),
        ReasonRow("APNS_BAD_DEVICE_TOKEN", 400, "APNs answered 400 BadDeviceToken.", about: .token, death: .asAddressed),
        ReasonRow(
            "CREDENTIALS_MISSING", 401, "There is no authorization header with a bearer token.",
            topics: "UNAUTHENTICATED"),
        ReasonRow(
            "INVALID_CREDENTIALS", 401, "The bearer token is no access token of this token endpoint.",
            topics: "UNAUTHENTICATED"),
        ReasonRow(
            "ACCESS_TOKEN_EXPIRED", 401, "The access token is older than its hour: get another, and send again.",
            credential: .expired, topics: "UNAUTHENTICATED"),
        ReasonRow("THIRD_PARTY_AUTH_ERROR", 401, "APNs refuses the project's own key: tell its operator, keep the tokens.",
            credential: .key),
        ReasonRow(
            "SENDER_ID_MISMATCH", 403, "The token belongs to another project.", about: .token, death: .asAddressed,
            topics: "PERMISSION_DENIED"),
        ReasonRow(
            "IAM_PERMISSION_DENIED", 403, "The account may not send for this project, or there is none of that name.",
            topics: "PERMISSION_DENIED"),
        ReasonRow(
            "SCOPE_INSUFFICIENT", 403, "The access token was asked for without the scope of messaging.",
            topics: "PERMISSION_DENIED"),
        ReasonRow("SERVICE_DISABLED", 403, "The project has not switched the messaging API on.", topics: "PERMISSION_DENIED"),
        ReasonRow(
            "UNREGISTERED", 404, "The token or FID is gone: delete it.", about: .token, death: .forGood, topics: "NOT_FOUND"),
        ReasonRow("APNS_UNREGISTERED", 404, "The same, learnt from APNs.", about: .token, death: .forGood),
        ReasonRow("NOT_FOUND", 404, "There is nothing at that path; no token is meant.", topics: "NOT_FOUND"),
        ReasonRow("QUOTA_EXCEEDED", 429, "Too many messages to this device, or of this project.", topics: "RESOURCE_EXHAUSTED"),
        ReasonRow("TOPIC_QUOTA_EXCEEDED", 429, "Too many messages to this topic.", topics: "TOO_MANY_TOPICS"),
        ReasonRow("RATE_LIMIT_EXCEEDED", 429, "The project's minute is used up.", topics: "RESOURCE_EXHAUSTED"),
        ReasonRow("INTERNAL", 500, "FCM failed; try again, not before ten seconds.", topics: "INTERNAL"),
        ReasonRow("BAD_GATEWAY", 502, "The front end failed: a page of HTML, no JSON.", topics: "INTERNAL"),
        ReasonRow("UNAVAILABLE", 503, "FCM is overloaded; obey Retry-After.", topics: "UNAVAILABLE"),
        ReasonRow("SERVICE_UNAVAILABLE", 503, "The same, from the front end: without details.", topics: "UNAVAILABLE"),
        ReasonRow("PAYLOAD_TOO_LARGE", 400, "The body is longer than 64 KiB, or unpacks to more than that."),
        ReasonRow(
            "APNS_DEVICE_TOKEN_NOT_FOR_TOPIC", 400,
            "APNs answered 400 DeviceTokenNotForTopic: the token is another app's, or of another kind.", about: .token,
            death: .asAddressed),
        ReasonRow("APNS_AUTH_ERROR", 401, "THIRD_PARTY_AUTH_ERROR by its name of before 2019, which libraries still know.",
            credential: .key),
    ]
}
