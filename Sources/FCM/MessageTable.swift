// The fields of `messages:send` (docs/fcm.md §2, from the discovery document of fcm:v1). One table for reading, for errors and
// for tests.

extension MessageType {
    /// The body of `projects.messages.send`.
    package static let request = MessageType(
        "SendMessageRequest",
        [
            FieldRow("validate_only", .flag, slot: .validateOnly),
            FieldRow("message", .message(message)),
        ])

    /// The body of `projects.registrations.topicSubscriptions.create` and `patch`.
    static let topicSubscription = MessageType(
        "TopicSubscription", [FieldRow("name", .text), FieldRow("topic_name", .text), FieldRow("create_time", .timestamp)])

    package static let message = MessageType(
        "Message",
        [
            FieldRow("name", .text),
            FieldRow("data", .map, slot: .data),
            FieldRow("notification", .message(notification), slot: .notification),
            FieldRow("android", .message(android), slot: .android),
            FieldRow("android_v2", .message(androidV2), slot: .androidV2),
            FieldRow("webpush", .message(webpush)),
            FieldRow("apns", .message(apns)),
            FieldRow("fcm_options", .message(options("FcmOptions"))),
            FieldRow("token", .text, slot: .token, isTarget: true),
            FieldRow("topic", .text, slot: .topic, isTarget: true),
            FieldRow("condition", .text, slot: .condition, isTarget: true),
            FieldRow("fid", .text, slot: .fid, isTarget: true),
        ])

    private static let notification = MessageType(
        "Notification", [FieldRow("title", .text), FieldRow("body", .text), FieldRow("image", .text)])

    private static func options(_ name: String, _ more: [FieldRow] = []) -> MessageType {
        MessageType(name, [FieldRow("analytics_label", .text)] + more)
    }

    /// What both forms of `android` have.
    private static let androidFields = [
        FieldRow("collapse_key", .text, slot: .collapseKey),
        FieldRow("ttl", .duration, slot: .timeToLive),
        FieldRow("restricted_package_name", .text, slot: .restrictedPackage),
        FieldRow("data", .map, slot: .androidData),
        FieldRow("direct_boot_ok", .flag),
        FieldRow("bandwidth_constrained_ok", .flag),
        FieldRow("restricted_satellite_ok", .flag),
        FieldRow("fcm_options", .message(options("AndroidFcmOptions"))),
    ]

    private static let android = MessageType(
        "AndroidConfig",
        androidFields + [
            FieldRow("priority", .word, words: WordType("AndroidMessagePriority", ["NORMAL", "HIGH"]), slot: .priority),
            FieldRow(
                "notification", .message(MessageType("AndroidNotification", androidNotification + [proxy])),
                slot: .androidNotification),
        ])

    private static let androidV2 = MessageType(
        "AndroidConfigV2",
        androidFields + [
            FieldRow("background_sync", .message(MessageType("BackgroundSync", []))),
            FieldRow(
                "remote_notification",
                .message(
                    MessageType(
                        "RemoteNotification",
                        [
                            FieldRow(
                                "notification",
                                .message(
                                    MessageType("AndroidNotificationV2", androidNotification + [FieldRow("id", .int32)])),
                                slot: .androidNotification),
                            FieldRow("mutable_content", .flag),
                            FieldRow("use_as_v1_data_message", .flag),
                        ])), slot: .remoteNotification),
        ])

    private static let proxy = FieldRow(
        "proxy", .word, words: WordType("Proxy", ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]))

    private static let androidNotification = [
        FieldRow("title", .text), FieldRow("body", .text), FieldRow("icon", .text), FieldRow("color", .text),
        FieldRow("sound", .text), FieldRow("tag", .text), FieldRow("click_action", .text), FieldRow("body_loc_key", .text),
        FieldRow("body_loc_args", .texts), FieldRow("title_loc_key", .text), FieldRow("title_loc_args", .texts),
        FieldRow("channel_id", .text), FieldRow("ticker", .text), FieldRow("sticky", .flag),
        FieldRow("event_time", .timestamp), FieldRow("local_only", .flag),
        FieldRow(
            "notification_priority", .word,
            words: WordType(
                "NotificationPriority",
                [
                    "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
                    "PRIORITY_MAX",
                ])),
        FieldRow("default_sound", .flag), FieldRow("default_vibrate_timings", .flag),
        FieldRow("default_light_settings", .flag),
        FieldRow("vibrate_timings", .durations),
        FieldRow(
            "visibility", .word, words: WordType("Visibility", ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"])),
        FieldRow("notification_count", .int32), FieldRow("light_settings", .message(light)), FieldRow("image", .text),
        FieldRow("bypass_proxy_notification", .flag),
    ]

    private static let light = MessageType(
        "LightSettings",
        [
            FieldRow(
                "color",
                .message(
                    MessageType(
                        "Color",
                        [
                            FieldRow("red", .float), FieldRow("green", .float), FieldRow("blue", .float),
                            FieldRow("alpha", .float),
                        ]))),
            FieldRow("light_on_duration", .duration), FieldRow("light_off_duration", .duration),
        ])

    private static let apns = MessageType(
        "ApnsConfig",
        [
            FieldRow("headers", .map, slot: .apnsHeaders), FieldRow("payload", .free, slot: .apnsPayload),
            FieldRow("live_activity_token", .text, slot: .liveActivityToken),
            FieldRow("fcm_options", .message(options("ApnsFcmOptions", [FieldRow("image", .text)]))),
        ])

    private static let webpush = MessageType(
        "WebpushConfig",
        [
            FieldRow("headers", .map, slot: .webpushHeaders), FieldRow("data", .map), FieldRow("notification", .free),
            FieldRow("fcm_options", .message(options("WebpushFcmOptions", [FieldRow("link", .text)]))),
        ])
}
