// The settings of FCM's rules by name.

package import Basics

extension FCMSettings: NamedSettings {
    package static let table: [SettingRow<FCMSettings>] = [
        .number("messageSize", \.sizeLimit, none: "off", "bytes of a message's keys and values, beyond which it is refused"),
        .number(
            "topicMessageSize", \.topicSizeLimit, none: "as-messages",
            "the same of a message to a topic or a condition; Google's page says 2048 and nobody has seen it enforced"),
        .flag("demandsAccessToken", \.demandsAccessToken, "whether FCM refuses a request without a good access token"),
        .flag("compressesAnswers", \.compressesAnswers, "whether answers of FCM are packed for clients that offer gzip"),
    ]
}
