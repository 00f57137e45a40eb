// Chapter F: what FCM asks of providers. What Google documents is a must; what was only observed is a should.

extension Claim {
    private static let codes = "Google, FCM ErrorCode"
    private static let scale = "Google, Best practices when sending FCM messages at scale"
    private static let message = "Google, FCM v1 REST reference: Message"
    private static let registrations = "Google, Best practices for registration token management"
    private static let quotas = "Google, FCM throttling and quotas"
    private static let observed = "Seen in several relays, documented nowhere"


    static let fcm: [Claim] = [
        Claim(
            "F1", .must, "After 404 UNREGISTERED the token is deleted and never sent to again.",
            norm: "\(codes); \(registrations)", rules: ["dead-registration-dropped"],
            defects: ["keeps-gone-registrations"]),
        Claim(
            "F2", .should, "A 404 without UNREGISTERED deletes no token.", norm: observed,
            rules: ["other-not-found-kept"],
            defects: ["forgets-for-any-404", "forgets-registrations"]),
        Claim(
            "F3", .must, "400 INVALID_ARGUMENT deletes a token only where the answer names the token.",
            norm: "\(registrations): only if the message is known to be right", rules: ["living-registration-kept"],
            defects: ["forgets-registrations"]),
        Claim(
            "F4", .should, "400 with the text that the APNs device token is disabled is taken for a dead token.",
            norm: observed, rules: ["disabled-token-dropped"], defects: ["keeps-disabled-tokens"]),
        Claim(
            "F5", .must, "THIRD_PARTY_AUTH_ERROR neither deletes tokens nor sets off a storm of OAuth requests.",
            norm: "\(codes): it tells of the project's APNs key", rules: ["living-registration-kept", "access-token-kept"],
            unseen: "Requests for access tokens that no message bears.",
            defects: ["forgets-registrations", "renews-for-any-401"]),
        Claim(
            "F6", .must, "403 is not tried again; only SENDER_ID_MISMATCH speaks of the token.",
            norm: "\(codes); \(scale)", rules: ["refused-message-not-repeated", "living-registration-kept", "pushes-accepted"],
            defects: ["repeats-refused-messages", "rebuilds-refused-messages", "forgets-registrations"]),
        Claim(
            "F7", .must, "After 429 the next try waits for Retry-After, or a minute, and each wait is longer.",
            norm: scale, rules: ["quota-obeyed"],
            unseen: "That each wait is longer.",
            defects: ["ignores-quota"]),
        Claim(
            "F8", .should,
            "After 5xx the first try waits 10 seconds or more, and tries end within the hour or the message's life.",
            norm: scale, rules: ["failure-awaited"],
            unseen: "When tries end: a run is shorter.",
            defects: ["hurries-after-failure"]),
        Claim(
            "F9", .should,
            "An answer in HTML, an empty one, or one without details crashes nothing and is tried again.",
            norm: observed, rules: ["relay-serves", "states-delivered", "last-state-delivered", "failure-awaited"],
            defects: ["gives-up-on-pages"]),
        Claim(
            "F10", .should,
            "A process asks for one OAuth token an hour, before the old one ends, and once more if told it has.",
            norm: "Google, Using OAuth 2.0: an hour of life; one for a process is practice",
            rules: ["access-token-reused", "access-token-renewed"],
            unseen: "Requests for access tokens that no message uses.",
            defects: ["access-token-per-message", "keeps-expired-access"]),
        Claim(
            "F11", .must, "All values of data are texts, without nesting and without null.",
            norm: message, rules: ["messages-well-formed"],
            defects: ["numbers-in-data"]),
        Claim(
            "F12", .must, "data has none of the reserved keys: from, message_type, google.*, gcm.notification.*.",
            norm: message, rules: ["messages-well-formed"],
            defects: ["reserved-data-key"]),
        Claim(
            "F13", .must, "A payload is measured before it is sent, and one above 4,096 bytes is given up for good.",
            norm: codes, rules: ["messages-well-formed", "bad-requests-refused", "refused-message-not-repeated"],
            defects: ["measures-no-messages"]),
        Claim(
            "F14", .should, "A Live Update is data only: no notification block, neither for all nor for Android.",
            norm: "Follows from Google's page on message types: with a block the app does not run in the background",
            on: [.fcmLiveUpdates], rules: ["live-update-data-only"],
            defects: ["notifies-live-updates"]),
        Claim(
            "F15", .should, "A Live Update goes at priority high, and only for a change that the user sees.",
            norm:
                "Google, Set and manage message priority: what shows nothing is downgraded; a should for want of a figure",
            on: [.fcmLiveUpdates], rules: ["live-update-high"],
            unseen: "Whether the user sees the change.",
            defects: ["normal-live-updates"]),
        Claim(
            "F16", .must,
            "Nothing of the legacy API is used: no to, registration_ids or time_to_live, no /batch or /fcm/send.",
            norm: "Google, Migrate from legacy FCM APIs", rules: ["messages-well-formed"],
            unseen: "Paths of the legacy API: what is sent there is on record as no message.",
            defects: ["legacy-fields"]),
        Claim(
            "F17", .must, "ttl is a number of seconds with an s, from 0 to four weeks, and short for a Live Update.",
            norm: message, rules: ["messages-well-formed"],
            unseen: "That it is short for a Live Update: no page gives a figure.",
            defects: ["bare-ttl"]),
        Claim(
            "F18", .must, "A message has exactly one target, and a topic stands without /topics/.",
            norm: message, rules: ["messages-well-formed"], defects: ["two-targets"]),
        Claim(
            "F19", .must,
            "Connections are kept, streams stay within the limit, and what was not processed is sent again.",
            norm: "RFC 9113, sections 5.1.2, 6.8 and 8.7",
            rules: ["message-connections-reused", "stream-limit-obeyed", "goaway-obeyed"],
            defects: ["connection-per-message"]),
        Claim(
            "F20", .should, "A message sent again after a timeout or 503 does not show twice on the device.",
            norm: "\(observed); Google acknowledged it",
            rules: ["repeats-shown-once", "collapse-keys-apart"],
            unseen: "Data of apps that no device of the mock plays: `liveUpdateKey` names what one goes by.",
            defects: ["names-each-attempt", "shares-collapse-key"]),
        Claim(
            "F21", .must, "A token gets at most 240 messages a minute, and updates are merged before they are sent.",
            norm: quotas, rules: ["token-rate-kept", "collapse-keys-apart"],
            unseen: "That updates are merged.",
            defects: ["floods-registrations"]),
        Claim(
            "F22", .must,
            "A Live Activity has live_activity_token beside the registration, a rising timestamp and the right event.",
            norm: "Google, Live Activities with FCM", on: [.fcmLiveActivities], rules: ["live-activity-messages-fit"],
            unseen: "Whether that token is of the same iPhone as the registration.",
            defects: ["leaves-out-activity-tokens"]),
        Claim(
            "F23", .must,
            "Load rises to its peak within a minute or longer, and does not crowd the start of a minute.",
            norm: scale, rules: ["messages-ramp-up"],
            unseen: "A rise as steep as that of our own calls, and a crowd at the start of a minute: no page gives a figure.",
            defects: ["saves-messages-up"]),
        Claim(
            "F24", .must, "A request is given 10 seconds or longer to be answered.",
            norm: scale, rules: ["message-answer-awaited"], defects: ["impatient-messages"]),
        Claim(
            "F25", .must, "validate_only is false or absent in production.",
            norm: "Google, FCM v1 REST reference: such a message is delivered to nobody", rules: ["messages-are-meant"],
            defects: ["dry-runs"]),
    ]
}
