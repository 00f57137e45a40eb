// Chapter G: lessons of many relays. Those that a page of Apple's or an RFC states are musts, the others shoulds.

extension Claim {
    private static let answers = "Apple, Handling notification responses"
    private static let apple = "Apple, Starting and updating Live Activities"
    /// The reason of a should.
    private static let custom = "Good practice, stated by no page of Apple's"

    static let shared: [Claim] = [
        Claim(
            "G1", .must, "An answer of 400 that does not speak of the token, such as BadTopic, deletes no token.",
            norm: "\(answers): BadTopic and PayloadEmpty tell of the request", on: [.apns],
            rules: ["living-token-kept"], defects: ["prunes-on-any-refusal"]),
        Claim(
            "G2", .must, "410 ExpiredToken is treated like 410 Unregistered.",
            norm: "\(answers): neither is to be tried again", on: [.apns], rules: ["dead-token-dropped"],
            defects: ["knows-only-unregistered"]),
        Claim(
            "G3", .should,
            "BadDeviceToken leads to one try at the other environment, remembered, before the token is dropped.",
            norm: "\(custom); seen in Crit Alarm and others", on: [.apns],
            rules: ["other-environment-once", "bad-token-other-environment"],
            defects: ["never-tries-other-environment"]),
        Claim(
            "G4", .must, "A token that was registered again since it was read is not deleted.",
            norm: "\(answers): stop, unless the token was registered after the 410's timestamp", on: [.apns],
            rules: ["old-410-ignored", "changed-row-kept"], defects: ["ignores-410-timestamp", "prunes-changed-row"]),
        Claim(
            "G5", .must, "A dead token is deleted where tokens of its kind are kept, and no other is.",
            norm: "\(answers): the answer speaks of the token in the path", on: [.apns], rules: ["other-token-kept"],
            defects: ["prunes-all-tokens"]),
        Claim(
            "G6", .must, "aps.timestamp counts seconds; milliseconds make every right push after them look old.",
            norm: apple, on: [.liveActivities], rules: ["timestamp-seconds-rising"],
            defects: ["millisecond-timestamps"]),
        Claim(
            "G7", .should,
            "Priorities are mixed: 10 throughout spends the budget, and 5 may wait until the phone wakes.",
            norm: "\(apple) tells of the budget, and gives no figure", on: [.liveActivities],
            rules: ["activity-priorities-mixed"], defects: ["everything-at-10"]),
        Claim(
            "G8", .environment,
            "iOS draws a card about every 15 seconds at most; faster updates are waste, not loss.",
            norm: "Home Assistant's documents; no relay can change it", on: [.liveActivities],
            missing: "The modelled phone shows each state it accepts; no record tells when iOS would draw it."),
        Claim(
            "G9", .should, "A start that is under way is the only one, and the newest state waits for it.",
            norm: "\(custom); seen in Home Assistant", on: [.liveActivities],
            rules: ["one-start", "last-state-delivered"], defects: ["starts-again"]),
        Claim(
            "G10", .should, "A slow request with an older token does not overwrite a newer one.",
            norm: "\(custom); tested by PocketDesk", rules: ["newer-registration-kept"],
            defects: ["obeys-late-unregister"]),
        Claim(
            "G11", .must,
            "An end is final: what was throttled is discarded, and updates that come after it are not sent.",
            norm: "\(apple): pushes after the end are ignored", on: [.liveActivities],
            rules: ["nothing-after-end", "stale-start-dropped"],
            defects: ["update-after-end", "tells-ended", "repeats-stale-start"]),
        Claim(
            "G12", .should, "Whole tokens are neither logged nor sent back, not in texts of errors either.",
            norm: custom,
            missing: "The journal holds the last lines of the relay's output only, and no expected answers."),
        Claim(
            "G13", .must, "Each key has one provider token at a time, shared by all that push with it.",
            norm: "Apple, Establishing a token-based connection to APNs: at most one in 20 minutes", on: [.apns],
            rules: ["provider-token-reused"], defects: ["signs-per-push"]),
        Claim(
            "G14", .must,
            "After a GOAWAY, a reset or a dead connection what has no answer is sent once more, on a new one.",
            norm: "RFC 9113, sections 6.8 and 8.7", on: [.apns], rules: ["goaway-obeyed", "connections-reused"],
            defects: ["loses-refused-streams"]),
        Claim(
            "G15", .should,
            "Nothing that cannot be undone rests on a 200: a start counts once its token is registered.",
            norm:
                "Apple, Viewing the status of push notifications: 200 is acceptance; what follows from it is practice",
            on: [.liveActivities],
            missing:
                "A planned session registers its token whatever the phone did: a start never adopted cannot be had."),
        Claim(
            "G16", .environment, "What no relay can influence is reported, and never held against one.",
            norm: "PushRig's own promise", on: [.rig],
            missing: "It binds the judge; nothing that a relay sends speaks of it."),
        Claim(
            "G17", .should,
            "After the user has dismissed an activity its session starts no other until the app asks.",
            norm: "\(custom); seen in Home Assistant", on: [.liveActivities], rules: ["dismissal-respected"],
            unseen: "A dismissal of which the app tells the relay nothing: then no relay can know of it.",
            defects: ["restarts-dismissed"]),
        Claim(
            "G18", .should, "If the token of a started activity never comes there is still no second start.",
            norm: "\(custom); seen in Kilo", on: [.liveActivities], rules: ["one-start"], defects: ["starts-again"]),
        Claim(
            "G19", .must,
            "A state keeps the keys that older versions of the app require, and adds no required one to running cards.",
            norm: "\(apple): the state has to decode in the app that runs", on: [.liveActivities],
            missing: "A profile names one schema a type: it cannot state versions of an app side by side."),
        Claim(
            "G20", .should, "The card of a session that is over is ended, not left at its last state.",
            norm: "\(custom); seen in t3code", on: [.liveActivities],
            rules: ["activity-event-fits", "states-delivered", "late-card-ended"],
            defects: ["ends-with-update", "leaves-late-card"]),
        Claim(
            "G21", .should, "Deployments that share a key keep the 20 minutes together.",
            norm: "Apple, Establishing a token-based connection to APNs: the scope of its limit is not stated",
            on: [.apns],
            missing: "A run has one deployment; the provider tokens of another one reach no record of it."),
        Claim(
            "G22", .should, "The state that trails a throttle arrives within its window.",
            norm: "\(custom); seen in t3code", on: [.liveActivities],
            rules: ["last-state-delivered", "states-in-time"],
            defects: ["drops-trailing-edge"]),
        Claim(
            "G23", .must, "Where the callers keep the tokens, the relay tells them in its answer which one is dead.",
            norm: "\(answers): whoever has the token stops; Sygnal says `rejected`, Mattermost REMOVE", on: [.callers],
            rules: ["dead-token-told"]),
        Claim(
            "G24", .must, "A relay tells its callers of no token that it is dead, unless the provider has said so.",
            norm: "\(answers): few speak of the token", on: [.callers],
            rules: ["living-token-not-told-dead"]),
        Claim(
            "G25", .should, "A call whose pushes the provider has accepted is not answered as one that failed.",
            norm: "\(custom): its caller sends it again, and the phone has it twice", rules: ["accepted-not-told-failed"]),
        Claim(
            "G26", .should, "A malformed request is answered, and not as if the relay had failed.",
            norm: "RFC 9110, 15.5 and 15.6: the client seems to have erred, not the server", rules: ["malformed-answered"]),
        Claim(
            "G27", .must, "A request with a value that it cannot mean ends nothing and reaches nobody else.",
            norm: "RFC 9110, 15.5.1: a request that is no good is refused",
            rules: ["malformed-reaches-nobody-else", "relay-serves"], defects: ["takes-any-secret", "dies-of-malformed"]),
        Claim(
            "G28", .should, "A request that leaves something out reaches nobody else.",
            norm: "\(custom); some relays take the lack of a name for everybody", rules: ["omission-reaches-nobody-else"],
            defects: ["takes-any-secret"]),
    ]
}
