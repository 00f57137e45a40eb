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
        .number(
            "unavailableRetryAfter", \.unavailableRetryAfter, from: 10, none: "none",
            "seconds of retry-after with UNAVAILABLE and SERVICE_UNAVAILABLE, which rules answer"),
        .word("messageIDs", \.messageIDs, "how the names of messages to registrations end"),
        .word(
            "missingSubscription", \.missingSubscription,
            "what 404 says of a subscription to a topic that is not there: no details, or FcmError UNREGISTERED"),
        .interval(
            "registrationLife", \.registrationLife, none: "off",
            "after how long without a sign of life an Android registration is UNREGISTERED"),
        key("liveUpdateKey", \.liveUpdateKey, "the key of data that names the activity of a live update"),
        key(
            "liveUpdateStamp", \.liveUpdateStamp,
            "the key of data whose number says which state of a live update is newer; off: its app knows"),
        SettingRow(
            "liveUpdateEnd", "KEY=TEXT, each of 1 to 64 bytes, or off", "what stands in the data of a live update's end",
            read: { settings in settings.liveUpdateEnd.map { "\($0.key)=\($0.text)" } ?? "off" },
            write: { settings, text in
                let entry = DataEntry(text)
                guard text == "off" || entry != nil else { return false }
                settings.liveUpdateEnd = entry
                return true
            }),
        .flag("compressesAnswers", \.compressesAnswers, "whether answers of FCM are packed for clients that offer gzip"),
    ]

    private static func key(
        _ name: String, _ field: any SettingRow<FCMSettings>.Field<String?>, _ explanation: String
    ) -> SettingRow<FCMSettings> {
        SettingRow(
            name, "a key of 1 to 64 bytes, or off", explanation, read: { $0[keyPath: field] ?? "off" },
            write: { settings, text in
                guard 1...64 ~= text.utf8.count else { return false }
                settings[keyPath: field] = text == "off" ? nil : text
                return true
            })
    }
}
