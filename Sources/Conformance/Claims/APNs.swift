// Chapter P: what APNs asks of providers. What Apple or an RFC states is a must; what was only observed is a should.

extension Claim {
    private static let sending = "Apple, Sending notification requests to APNs"
    private static let answers = "Apple, Handling notification responses"
    private static let tokens = "Apple, Establishing a token-based connection to APNs"
    private static let activities = "Apple, Starting and updating Live Activities"

    static let apns = apnsConnections + apnsPushes

    // P1 to P15: credentials, connections, answers, tries.
    private static let apnsConnections: [Claim] = [
        Claim(
            "P1", .must,
            "A provider token is signed once in 20 to 60 minutes and shared, not signed for each request.",
            norm: tokens, rules: ["provider-token-reused", "provider-token-fresh", "expired-token-replaced", "pushes-accepted"],
            defects: ["signs-per-push", "signs-when-told", "signs-once"]),
        Claim(
            "P2", .should, "ExpiredProviderToken calls for a new token on a new connection, and for no endless loop.",
            norm: "\(tokens); that the old connection stays unusable was observed only. Whoever is told so of a token that is "
                + "younger than 20 minutes may sign no other by P1: a should. One that is an hour old is P1's, a must",
            rules: ["provider-token-renewed", "expired-token-replaced", "expired-connection-left"],
            defects: ["keeps-expired-provider-token", "signs-once", "stays-wedged"]),
        Claim(
            "P3", .must, "A connection serves one team.", norm: tokens, rules: ["one-team-per-connection"],
            defects: ["mixes-teams"]),
        Claim(
            "P4", .must,
            "After a GOAWAY no stream is opened there; those up to its last are finished, the rest is sent anew.",
            norm: "RFC 9113, section 6.8", rules: ["goaway-obeyed"], defects: ["loses-refused-streams"]),
        Claim(
            "P5", .must, "A GOAWAY is read for its reason, and a refused certificate causes no storm of connections.",
            norm: "\(sending): a GOAWAY tells its reason; the archived guide: quick reconnecting counts as an attack",
            on: [.certificates],
            missing: "`launch` hands a relay a good certificate, and no bad one."),
        Claim(
            "P6", .must, "Connections are kept for hours, not opened for each push or closed after seconds.",
            norm: sending, rules: ["connections-reused"], defects: ["connection-per-push"]),
        Claim(
            "P7", .must, "The limit of streams is obeyed whenever it changes, and at 1 nothing stands still.",
            norm: "RFC 9113, section 5.1.2; \(sending)", rules: ["stream-limit-obeyed", "states-delivered"]),
        Claim(
            "P8", .must, "A stream refused with REFUSED_STREAM is sent again, and not counted as failed.",
            norm: "RFC 9113, section 8.7: it was not processed", rules: ["goaway-obeyed", "states-delivered"],
            defects: ["loses-refused-streams"]),
        Claim(
            "P9", .must, "A push met by 410 or BadDeviceToken is never sent again, and its token is dropped.",
            norm: answers, rules: ["dead-token-dropped", "dead-device-token-dropped", "refusal-not-repeated"],
            defects: ["retries-after-410", "keeps-dead-tokens", "keeps-dead-device-tokens", "repeats-refused"]),
        Claim(
            "P10", .must,
            "The timestamp of a 410, in milliseconds, is held against the registration before a token is deleted.",
            norm: answers, rules: ["old-410-ignored"], defects: ["ignores-410-timestamp"]),
        Claim(
            "P11", .should, "Many BadDeviceToken after a deployment mean the wrong environment, and wipe no table.",
            norm: "Seen in several relays; \(answers) names the wrong environment as one cause",
            rules: ["pushes-accepted"],
            unseen: "That no table is wiped: one answer does not tell a dead token from a wrong host."),
        Claim(
            "P12", .should,
            "BadEnvironmentKeyInToken is known in both spellings, and an unknown reason breaks nothing.",
            norm: "The wire and Apple's page differ in the spelling",
            rules: ["other-environment-once", "relay-serves"],
            unseen:
                "The other spelling and unknown reasons: of answers that APNs never gives the journal has the status only.",
            defects: ["ignores-environment-hint"]),
        Claim(
            "P13", .must, "429 and 5xx make the sender wait, and longer each time.",
            norm: "\(answers): 15 minutes after 5xx; too soon is a warning, a storm of tries a break",
            rules: ["retry-backs-off", "retry-storm", "refused-comes-again"], defects: ["retries-at-once", "storms"]),
        Claim(
            "P14", .must,
            "TooManyProviderTokenUpdates comes with 429, and asks for fewer signatures, not for a new one.",
            norm: answers, rules: ["provider-token-reused", "living-token-kept"], defects: ["signs-for-429"]),
        Claim(
            "P15", .should, "Each push has an apns-id of its own, which it keeps when it is sent again.",
            norm: "\(sending): the id names the notification; keeping it is practice",
            rules: ["retry-keeps-apns-id", "apns-id-unique", "accepted-not-repeated"],
            defects: ["new-id-per-try", "shares-apns-id", "repeats-accepted"]),
    ]

    // P16 to P27: what is pushed, and what surrounds it.
    private static let apnsPushes: [Claim] = [
        Claim(
            "P16", .must, "aps.timestamp counts seconds and rises; it is never constant.",
            norm: activities, on: [.liveActivities], rules: ["timestamp-seconds-rising"],
            defects: ["millisecond-timestamps"]),
        Claim(
            "P17", .must, "apns-expiration is a whole number of seconds since 1970.",
            norm: sending, rules: ["requests-well-formed"], defects: ["fractional-expiration"]),
        Claim(
            "P18", .must, "The suffix of the topic and apns-push-type agree.",
            norm: "\(sending): the table of push types; it only recommends to say the type, so that is a should",
            rules: ["topic-fits-type", "requests-well-formed", "push-type-given"],
            defects: ["topic-without-suffix", "leaves-out-push-type"]),
        Claim(
            "P19", .should, "A background push goes at priority 5, and not every update of a Live Activity at 10.",
            norm: "\(sending) fixes 5 for background; \(activities) tells of a budget without a figure: a should",
            rules: ["activity-priorities-mixed"],
            unseen: "Background pushes: a profile cannot state the priority that one owes.",
            defects: ["everything-at-10"]),
        Claim(
            "P20", .must, "A content-state decodes into the app's Swift type, its dates as seconds since 2001.",
            norm: "\(activities): default decoding", on: [.liveActivities], rules: ["content-decodes"],
            defects: ["wraps-state", "wrong-case-keys"]),
        Claim(
            "P21", .must, "Keys have their right names, and a start carries attributes and an alert.",
            norm: activities, on: [.liveActivities], rules: ["start-is-complete", "content-decodes"],
            defects: ["start-without-alert", "start-without-attributes", "wrong-case-keys"]),
        Claim(
            "P22", .must,
            "A broadcast names its channel in a header, goes to the right host, and always has an expiration.",
            norm: "Apple, Sending broadcast push notification requests to APNs", on: [.broadcasts],
            rules: ["requests-well-formed", "states-delivered"],
            unseen: "The host shows nowhere: the mock has one address."),
        Claim(
            "P23", .must, "A collapse id has 1 to 64 bytes, or is left out.",
            norm: sending, rules: ["requests-well-formed", "long-ids-apart"],
            defects: ["empty-collapse-id", "cuts-long-ids", "sends-long-ids"]),
        Claim(
            "P24", .should, "An idle connection that is half dead is noticed, by PING and by a limit on waiting.",
            norm: "\(sending) advises a PING after an hour; limits on waiting are practice",
            rules: ["answers-in-time"], unseen: "The PING: the journal has none, and no run is idle for an hour.",
            defects: ["waits-for-ever"]),
        Claim(
            "P25", .environment, "A 200 is not delivery, and the state of an activity outlives its token.",
            norm: "Apple, Viewing the status of push notifications: what the phone does never comes back",
            on: [.liveActivities], missing: "What a relay keeps is in no record: nothing reads its own tables."),
        Claim(
            "P26", .environment, "A wrong clock is ruled out before a key is blamed.",
            norm: "\(tokens): the time of signing is within an hour; which clock is wrong is the machine's affair",
            missing: "What an operator blames is in no record, and nothing reads the relay's clock."),
        Claim(
            "P27", .must, "Names of fields in an answer are read in lower case.",
            norm: "RFC 9113, section 8.2",
            missing: "No field of an answer of APNs calls for an act that could be seen to fail."),
    ]
}
