// The settings of FCM's rules by name.

package import Basics

extension FCMSettings: NamedSettings {
    package static let table: [SettingRow<FCMSettings>] = [
        .number("messageSize", \.sizeLimit, none: "off", "bytes of a message's keys and values, beyond which it is refused"),
        .number(
            "topicMessageSize", \.topicSizeLimit, none: "as-messages",
            "the same of a message to a topic or a condition; Google's page says 2048 and nobody has seen it enforced"),
        .flag("demandsAccessToken", \.demandsAccessToken, "whether FCM refuses a request without a good access token"),
        .number(
            "messagesPerMinuteAndProject", \.messagesPerMinuteAndProject, none: "off",
            "messages of a project in a minute, beyond which they are RATE_LIMIT_EXCEEDED"),
        .number(
            "messagesPerMinuteAndDevice", \.messagesPerMinuteAndDevice, none: "off",
            "messages to one Android registration in a minute, beyond which they are QUOTA_EXCEEDED"),
        .number("messagesPerHourAndDevice", \.messagesPerHourAndDevice, none: "off", "the same in an hour"),
        .number(
            "topicSubscriptionsPerSecond", \.topicSubscriptionsPerSecond, none: "off",
            "subscriptions to topics of a project in a second, beyond which they are TOPIC_QUOTA_EXCEEDED"),
        .number("quotaRetryAfter", \.quotaRetryAfter, none: "none", "seconds of retry-after in answers about those quotas"),
        .interval(
            "registrationLife", \.registrationLife, none: "off",
            "after how long without a sign of life an Android registration is UNREGISTERED"),
        SettingRow(
            "liveUpdateKey", "a key of 1 to 64 bytes, or off", "the key of data that names the activity of a live update",
            read: { $0.liveUpdateKey ?? "off" },
            write: { settings, text in
                guard 1...64 ~= text.utf8.count else { return false }
                settings.liveUpdateKey = text == "off" ? nil : text
                return true
            }),
        .flag("compressesAnswers", \.compressesAnswers, "whether answers of FCM are packed for clients that offer gzip"),
    ]
}
