// Chapter R0: OpenCode's relay, which sends alerts and keeps one Live Activity a coding session.

extension Claim {
    // What the Live Activity half promises is written in a plan; the alert half stands in source.
    private static let plan = "OpenCode's Live Activity plan"
    private static let built = "OpenCode's relay as built (apn-relay)"
    private static let follows = "Follows from OpenCode's Live Activity plan"

    static let openCode = openCodeStates + openCodeTokens + openCodeService

    // R0.1 to R0.17: which push an event causes, and what is in it.
    private static let openCodeStates: [Claim] = [
        Claim(
            "R0.1", .must,
            "A progress event of a session with a registered activity yields one Live Activity push, no more and no less.",
            norm: plan,
            rules: [
                "states-delivered", "no-duplicate-push", "nothing-unexpected", "accepted-is-pushed", "relay-serves",
            ],
            defects: [
                "sends-twice", "drops-every-tenth", "updates-unknown-token", "asks-sandbox-only", "asks-production-only",
                "accepts-then-silent", "dies-under-load", "rising-late", "loses-cut-pushes", "tries-once",
                "wakes-without-waiting", "pushes-nothing", "repeats-accepted",
            ]),
        Claim(
            "R0.2", .must,
            "For complete, permission and error the device still gets its ordinary alert, before the Live Activity push.",
            norm: plan, rules: ["alert-goes-first", "states-delivered", "pushes-as-declared"],
            defects: ["activity-before-alert", "alerts-at-5", "mutes-alerts"]),
        Claim(
            "R0.3", .must, "The events progress and start raise no ordinary alert.",
            norm: "\(follows): its activity code is added to the path that sends alerts",
            rules: ["alerts-only-where-due", "progress-is-quiet"], defects: ["alerts-on-progress", "loud-progress"]),
        Claim(
            "R0.4", .must, "Progress is sent as event update; complete and error are sent as event end.",
            norm: plan, rules: ["activity-event-fits"], defects: ["ends-with-update"]),
        Claim(
            "R0.5", .must,
            "The content-state has the contract's four keys and types, and retryInfo is null unless the status is retry.",
            norm: plan, rules: ["content-fits-contract"], defects: ["adds-state-key"]),
        Claim(
            "R0.6", .must,
            "lastMessage is cut at about 120 characters, and no payload passes 4,096 bytes whatever the title.",
            norm: "\(plan); Apple, Generating a remote notification: at most 4,096 bytes",
            rules: ["payload-fits", "content-fits-contract"], defects: ["oversized-payloads"]),
        Claim(
            "R0.7", .must, "A session gets at most one progress push in each window of 10 seconds.",
            norm: plan, rules: ["throttle-respected"], defects: ["ignores-throttle"]),
        Claim(
            "R0.8", .must,
            "After a burst the last state arrives within one window, and permission, complete and error do not wait at all.",
            norm: "\(follows): without a trailing edge the card keeps a state that is over",
            rules: ["last-state-delivered", "states-in-time", "urgent-states-not-held"],
            defects: [
                "drops-trailing-edge", "swaps-order", "rising-late", "throttles-questions", "sends-stale-progress",
                "resends-behind-newer", "gives-up-soon",
                "loses-pending-at-rotation", "question-kills-timer",
            ]),
        Claim(
            "R0.9", .should,
            "Each session has a throttle of its own, so that two busy sessions do not starve each other.",
            norm: "\(follows): the window is meant for one card", rules: ["throttle-per-session"],
            defects: ["shares-throttle"]),
        Claim(
            "R0.10", .must,
            "A throttled state that is still waiting when the activity ends is never sent after the end.",
            norm: "\(follows); Apple, Starting and updating Live Activities: an ended activity takes no pushes",
            rules: ["nothing-after-end"], defects: ["update-after-end", "update-after-error", "tells-ended"]),
        Claim(
            "R0.11", .must,
            "A session that retries is shown with status retry and the text of the retry in retryInfo.",
            norm: plan, rules: ["content-unchanged", "last-state-delivered"], defects: ["loses-retry-info", "drops-retries"]),
        Claim(
            "R0.12", .must,
            "A session that asks for permission is shown with status permission, and should be at priority 10.",
            norm: "\(plan); the priority is only a warning", rules: ["content-unchanged", "urgent-states-at-10"],
            defects: ["hides-questions", "permission-at-5"]),
        Claim(
            "R0.13", .must,
            "The first busy state of a session starts its activity once; all that follow are progress.",
            norm: plan, rules: ["one-start", "states-delivered"],
            defects: ["starts-again", "ends-for-good", "ends-unseen-for-good", "ended-for-good-after-restart"]),
        Claim(
            "R0.14", .must,
            "A start goes to the push-to-start token, with attributes-type, attributes, the first state and an alert.",
            norm: "\(plan); Apple, Starting and updating Live Activities",
            rules: [
                "start-is-complete", "start-is-shown", "stale-start-dropped", "states-delivered", "content-unchanged",
                "pushes-as-declared",
            ],
            defects: [
                "start-without-alert", "start-without-attributes", "never-starts", "starts-asking", "starts-on-start-only",
                "crosses-start-tokens", "keeps-starts",
            ]),
        Claim(
            "R0.15", .must,
            "Until the new activity's token is registered there is no second start, and the newest state waits for it.",
            norm: "\(follows); Home Assistant showed one activity twice",
            rules: ["one-start", "stale-start-dropped", "last-state-delivered"],
            defects: ["starts-again", "starts-again-late", "repeats-stale-start", "wakes-without-starts", "forgets-held"]),
        Claim(
            "R0.16", .must, "The timestamp of a start counts seconds since 1970, never milliseconds.",
            norm: "\(plan); Apple, Starting and updating Live Activities", rules: ["timestamp-seconds-rising"],
            defects: ["millisecond-timestamps"]),
        Claim(
            "R0.17", .should, "A start carries input-push-token 1, which asks the phone for the activity's token.",
            norm: "Apple, Starting and updating Live Activities (iOS 18)", rules: ["start-asks-for-token"],
            defects: ["start-without-input-token"]),
    ]

    // R0.18 to R0.30: tokens, environments, phones and secrets.
    private static let openCodeTokens: [Claim] = [
        Claim(
            "R0.18", .must, "A new activity token replaces the old one, and the next push uses the new one only.",
            norm: "\(plan); Apple, Starting and updating Live Activities: replace a changed token at once",
            rules: ["new-token-used", "nothing-unexpected", "last-state-delivered"],
            defects: ["keeps-old-token", "quiet-after-rotation", "stores-late", "retries-old-token", "buries-tokens"]),
        Claim(
            "R0.19", .must, "After an activity is unregistered its session gets alerts, but no Live Activity push.",
            norm: plan, rules: ["unregister-respected"], defects: ["ignores-unregister", "retries-after-goodbye"]),
        Claim(
            "R0.20", .must,
            "An unregister that comes late and means an older activity leaves the newer registration alone.",
            norm: "\(follows): the request names no token; seen in a near relative",
            rules: ["newer-registration-kept"], defects: ["obeys-late-unregister", "obeys-former-unregister"]),
        Claim(
            "R0.21", .must, "Two phones that share a secret and watch one session both get its Live Activity pushes.",
            norm: "\(follows): its table keeps one row a session, and the second phone displaces the first",
            rules: ["each-phone-served"],
            defects: ["displaces-second-phone", "progress-to-one-phone", "flushes-to-one-phone", "tells-held-to-one-phone"]),
        Claim(
            "R0.22", .must, "An activity token that APNs calls dead is dropped, and nothing more is sent to it.",
            norm: "\(plan), with the reasons that APNs has: 410 Unregistered and ExpiredToken, 400 BadDeviceToken",
            rules: ["dead-token-dropped", "dead-token-forgotten"],
            defects: [
                "keeps-dead-tokens", "keeps-dead-start-tokens", "retries-after-410", "knows-only-unregistered",
                "keeps-bad-device-tokens", "leaves-dead-rows",
            ]),
        Claim(
            "R0.23", .must, "An answer of 403, 429 or 5xx costs no token its registration.",
            norm: "\(follows); Apple, Handling notification responses: these speak of the sender or of APNs",
            rules: ["living-token-kept", "living-token-held", "states-delivered"],
            unseen: "Whether a token rests or is forgotten in the 15 minutes behind 429 or 5xx: that is counted as lost.",
            defects: [
                "prunes-on-any-refusal", "prunes-on-token-updates", "prunes-when-busy", "prunes-on-credentials",
                "prunes-in-doubt",
            ]),
        Claim(
            "R0.24", .must, "A dead activity token leaves the device token registered, and the other way round.",
            norm: "\(follows); Apple, Handling notification responses: the answer speaks of the token in the path",
            rules: ["other-token-kept", "living-token-held"], defects: ["prunes-all-tokens", "drops-living-rows"]),
        Claim(
            "R0.25", .must, "A device token that APNs calls dead is dropped as well.",
            norm: "\(follows); Apple, Handling notification responses (P9): 410 and BadDeviceToken are never tried again. "
                + "The relay as built keeps such tokens for ever", rules: ["dead-device-token-dropped"],
            defects: ["keeps-dead-device-tokens", "keeps-dead-tokens"]),
        Claim(
            "R0.26", .must,
            "BadEnvironmentKeyInToken is followed by one try at the other environment, which is remembered if it succeeds.",
            norm: built, rules: ["other-environment-once"], defects: ["ignores-environment-hint"]),
        Claim(
            "R0.27", .should, "BadDeviceToken, too, is followed by one try at the other environment.",
            norm: "\(follows): the app always claims production, and this is APNs' usual answer to a wrong host",
            rules: ["bad-token-other-environment"], defects: ["never-tries-other-environment"]),
        Claim(
            "R0.28", .must, "Two reports within 5 seconds that a session is complete raise one alert.",
            norm: "OpenCode's server, which holds the second report back",
            missing: "The rig stands in for the server that holds the second report back, so none is under test."),
        Claim(
            "R0.29", .must,
            "An event goes to every device of its secret, and one that fails does not stop the others.",
            norm: built,
            rules: ["each-phone-served", "answers-hold-values", "answers-named", "states-delivered", "unregister-respected"],
            unseen: "Whether the counts in the relay's answer are right: the journal keeps no body of an answer that was "
                + "expected, only what a profile captures of it.",
            defects: [
                "displaces-second-phone", "leaves-out-counts", "stops-at-failure", "drops-activities-with-phone",
                "keeps-start-of-signed-out", "moves-devices", "needs-server-id",
                "refuses-late-goodbyes",
            ]),
        Claim(
            "R0.30", .must, "An unknown secret causes no push, and nothing crosses from one secret to another.",
            norm: built, rules: ["unknown-secret-silent", "sessions-kept-apart"],
            defects: ["serves-unknown-secrets", "crosses-sessions", "shares-sessions-of-users"]),
    ]

    // R0.31 to R0.45: requests, credentials, connections, and the app beside the relay.
    private static let openCodeService: [Claim] = [
        Claim(
            "R0.31", .must,
            "Malformed JSON, empty texts and unknown event types are answered with 400 and cause no push.",
            norm: built, rules: ["bad-requests-refused"],
            unseen: "The body of that answer: the journal keeps no body of an answer that was expected.",
            defects: ["accepts-bad-requests", "accepts-empty-titles", "fails-on-malformed"]),
        Claim(
            "R0.32", .must, "Each device that was tried has a row in the relay's log, with status and error.",
            norm: built, missing: "Nothing reads the relay's own tables."),
        Claim(
            "R0.33", .must,
            "A provider token is used for up to 50 minutes, and pushes that meet its end share the new one.",
            norm: "\(built); Apple, Establishing a token-based connection to APNs: at most one in 20 minutes",
            rules: ["provider-token-reused", "provider-token-fresh"], defects: ["signs-per-push", "signs-when-told"]),
        Claim(
            "R0.34", .should, "ExpiredProviderToken makes the relay sign a new token and send that push once more.",
            norm: "\(follows); the relay as built goes on with the token it has. A must only for one that is an hour old (P1)",
            rules: ["provider-token-renewed"],
            defects: ["keeps-expired-provider-token"]),
        Claim(
            "R0.35", .must, "Connections to APNs are kept for many pushes.",
            norm: "Apple, Sending notification requests to APNs; quick opening and closing counts as an attack",
            rules: ["connections-reused"], defects: ["connection-per-push"]),
        Claim(
            "R0.36", .must, "A stream of APNs that hangs does not keep the caller of the relay waiting for ever.",
            norm: "\(follows); the relay as built has no timeouts", rules: ["answers-in-time", "relay-serves"],
            defects: ["waits-for-ever"]),
        Claim(
            "R0.37", .must,
            "In the foreground the app follows the server itself, and in the background pushes take over.",
            norm: plan,
            missing: "The app's screen and its event stream are part of no run; only calls and pushes are."),
        Claim(
            "R0.38", .should, "After eight hours an activity is ended with a last state that says so.",
            norm: "\(plan); the age and what such an end shows are the profile's (`activities.end`)",
            rules: ["aged-activity-ended"], defects: ["never-times-out", "times-out-unsaid"]),
        Claim(
            "R0.39", .must,
            "With several sessions and servers at once no token and no state reaches another session.",
            norm: plan, rules: ["sessions-kept-apart"], defects: ["crosses-sessions"]),
        Claim(
            "R0.40", .should,
            "The end of a session that the app no longer shows does no harm, and its row goes away.",
            norm: plan, rules: ["nothing-after-end", "states-delivered"],
            unseen: "Whether the row has gone where the session has no other turn: nothing reads the relay's own tables.",
            defects: ["keeps-ended-row"]),
        Claim(
            "R0.41", .should, "A token or session id of more than 255 characters is answered with 4xx, not with 500.",
            norm: "\(follows): its columns hold 255 characters", rules: ["oversized-refused"],
            defects: ["fails-on-long-ids", "accepts-bad-requests"]),
        Claim(
            "R0.42", .must, "An event sent again after a 500 neither ends an activity twice nor brings one back.",
            norm: "\(follows): the relay as built writes its log after it has pushed, and may fail there",
            missing: "No fault reaches the relay's database, so the 500 that follows a push cannot be caused."),
        Claim(
            "R0.43", .must, "What is pushed decodes into the types that the app's widget has.",
            norm: "The source of the widget library; Apple, Starting and updating Live Activities",
            rules: ["content-decodes"], defects: ["wraps-state", "wrong-case-keys"]),
        Claim(
            "R0.44", .must,
            "A push-to-start token counts for the app, follows its changes, and survives a registration without it.",
            norm: plan, rules: ["start-token-kept", "states-delivered"],
            defects: [
                "forgets-start-token", "null-erases-start-token", "wakes-without-start-tokens", "starts-by-first-token",
                "loses-start-at-renewal",
            ]),
        Claim(
            "R0.45", .should,
            "After a run the relay's health page counts as many devices and deliveries as there were.",
            norm: built, missing: "The rig asks the health page only for its status; no record holds the counts."),
    ]
}
