// Chapter R4: Epilogue, which restarts an activity before the system ends it: on the phone, or from a server by push-to-start.

extension Claim {
    private static let guide = "Epilogue's guide to restarting activities"
    private static let follows = "Follows from Epilogue's guide"
    private static let relatives = "Seen in relatives that restart from a server (Luka, LoopFollow)"
    private static let apple = "Apple, Starting and updating Live Activities"
    private static let life = "Apple, Displaying live data: eight hours active, four more on the Lock Screen"

    // Inputs that several claims lack.
    private static let local = "The restart happens on the phone, which makes no request, so no record holds it."

    static let epilogue: [Claim] = [
        Claim(
            "R4.1", .must, "No activity lives for eight hours: its replacement begins at seven, within a minute.",
            norm: "\(guide); \(life)", rules: ["restart-in-time"], unseen: "A restart that the phone makes by itself.",
            defects: ["restarts-late"]),
        Claim(
            "R4.2", .must, "A session is restarted once in seven hours, however long it lasts.",
            norm: guide, rules: ["restart-in-time", "restart-by-own-age"], defects: ["restarts-once"]),
        Claim(
            "R4.3", .must, "Title, captures, transcript and total time live through a restart.",
            norm: guide, rules: ["restart-keeps-state", "numbers-run-on", "hand-over-catches-up"],
            defects: ["loses-state-at-restart", "loses-what-came-between"]),
        Claim(
            "R4.4", .must, "Whether it listens, and a nudge that waits, live through a restart too.",
            norm: "\(follows): its source loses both", rules: ["restart-keeps-state"],
            defects: ["drops-nudge-at-restart"]),
        Claim(
            "R4.5", .must, "The session's time runs on over a restart and never falls.",
            norm: guide, rules: ["numbers-run-on", "values-never-fall", "seconds-run-with-clock"],
            defects: ["restarts-duration", "freezes-duration", "counts-from-first-life"]),
        Claim(
            "R4.6", .must,
            "Between two activities there is at most a second without one, and never two for longer than that.",
            norm: guide,
            rules: [
                "replaced-card-ended", "replaced-card-goes", "one-card-at-a-time", "start-is-shown", "late-card-ended",
                "old-kept-until-adopted",
            ], unseen: "The very second: a push is given its deadline.",
            defects: ["keeps-replaced-card", "keeps-rival-card", "leaves-replaced-card", "leaves-late-card", "starts-stale"]),
        Claim(
            "R4.7", .must, "The old activity is ended only when the new one exists.",
            norm: "\(follows): its source ends first", rules: ["old-kept-until-adopted"],
            defects: ["ends-before-adoption"]),
        Claim(
            "R4.8", .must, "A restart that falls into the background is done by push-to-start.",
            norm: "Apple, ActivityKit: an app in the background cannot request an activity", missing: local),
        Claim(
            "R4.9", .must, "A start that fails is tried again after 2, 4 and 8 seconds, and then given up.",
            norm: guide, missing: local),
        Claim(
            "R4.10", .must, "After giving up there are no timers and no updates, and the session is not active.",
            norm: guide, missing: local),
        Claim(
            "R4.11", .must, "A relaunch takes up the activity that runs, and restarts it at once if it is too old.",
            norm: guide, missing: local),
        Claim(
            "R4.12", .must, "What counts is the age of that activity, not of the session.",
            norm: "\(follows): its source copies the session's beginning", rules: ["restart-by-own-age"],
            unseen: "What a relaunched app makes of it: the adoption is a call within the phone.",
            defects: ["counts-session-age"]),
        Claim(
            "R4.13", .must, "Starting while active does nothing.", norm: guide, rules: ["one-start", "restart-by-own-age"],
            defects: ["starts-running-sessions"]),
        Claim(
            "R4.14", .must,
            "Where Live Activities are switched off nothing crashes, repeats, or claims to be active.",
            norm: guide, missing: local),
        Claim(
            "R4.15", .must, "A state takes less than 4,096 bytes, and a long transcript is cut.",
            norm: "\(guide); Apple, Generating a remote notification", rules: ["payload-fits", "content-fits-contract"],
            defects: ["uncut-transcripts"]),
        Claim(
            "R4.16", .must,
            "At the end the card shows the last figures, no longer listens, and goes after five seconds.",
            norm: guide, rules: ["omitted-values-kept", "content-unchanged", "seconds-run-with-clock", "ended-card-goes"],
            defects: ["leaves-final-card"]),
        Claim("R4.17", .should, "Coming to the front checks the age at once.", norm: guide, missing: local),
        Claim(
            "R4.18", .must, "An activity that is kept on the phone causes no request at all.",
            norm: guide, missing: "A run needs a relay to drive; with none, the silence of the mock says nothing."),
        Claim(
            "R4.19", .must, "A restart from a server uses the events start, update and end, and no other.",
            norm: apple, rules: ["activity-event-fits"], defects: ["sends-restart-needed"]),
        Claim(
            "R4.20", .must, "The old token gets its end only after the replacement has registered its own.",
            norm: "\(follows): a start accepted by APNs need not appear",
            rules: ["old-kept-until-adopted", "restart-by-current-token", "restart-tried-again"],
            defects: ["ends-before-adoption", "restarts-by-old-token"]),
        Claim(
            "R4.21", .must,
            "A registration of the ended activity that comes late does not displace the new one's token.",
            norm: relatives, rules: ["late-registration-ignored", "newer-registration-kept"],
            defects: ["obeys-late-registration"]),
        Claim(
            "R4.22", .must, "A push-to-start token that is silently stale is noticed by starts that nobody adopts.",
            norm: relatives, rules: ["restart-tried-again", "old-kept-until-adopted"],
            unseen: "The alarm at four starts: nothing reads what the relay tells its operator.",
            defects: ["gives-up-restart"]),
        Claim(
            "R4.23", .must, "A registration without a push-to-start token does not erase the one that is stored.",
            norm: relatives, rules: ["restart-by-current-token", "restart-in-time", "start-token-kept"],
            defects: ["restarts-by-old-token", "forgets-start-token"]),
        Claim(
            "R4.24", .should,
            "A start met by 429 is tried after five minutes, doubled up to an hour; a dead token is cleared.",
            norm: relatives, rules: ["restart-backs-off", "retry-backs-off", "dead-token-dropped"],
            defects: ["hammers-starts"]),
        Claim(
            "R4.25", .should, "An end that the app asked for is not taken for the user's dismissal.",
            norm: relatives, missing: "No record tells what the relay takes an end for."),
        Claim(
            "R4.26", .should, "Restarts are counted, with success, age, length of the session and tries.",
            norm: guide, missing: "Nothing reads the counters of the app or the relay."),
        Claim(
            "R4.27", .must, "Dates in the attributes of a start stay seconds since 2001 when a server repeats them.",
            norm: "\(follows); Apple, ActivityKit: default JSON decoding",
            rules: ["content-decodes", "content-fits-contract"], defects: ["unix-start-time"]),
        Claim(
            "R4.28", .should,
            "Restarts of many sessions go out at their time, spread over a minute and not all at once.",
            norm: guide, rules: ["restart-in-window", "restarts-spread"], defects: ["restarts-all-at-once"]),
    ]
}
