// Chapter R3: Sendora Cloud, which keeps a row for each activity and routes its updates to APNs or FCM.

extension Claim {
    private static let page = "Sendora Cloud's page on Live Activities"
    private static let source = "Sendora Cloud's SDKs and API documents"
    private static let follows = "Follows from Sendora Cloud's page"
    private static let apple = "Apple, Starting and updating Live Activities"
    private static let answers = "Apple, Handling notification responses"

    static let sendora = sendoraPushes + sendoraSurroundings

    // R3.1 to R3.19: rows, pushes, tokens.
    private static let sendoraPushes: [Claim] = [
        Claim(
            "R3.1", .must,
            "A key below the Growth tier gets 402 on all four routes, and nothing is stored, sent or called back.",
            norm: page,
            rules: ["bad-requests-refused", "nothing-unexpected"], unseen: "That nothing is stored: nothing reads its rows.",
            defects: ["serves-any-tier"]),
        Claim(
            "R3.2", .must, "Registering an activity's token makes one row and calls back once that it started.",
            norm: page, rules: ["webhooks-told", "webhooks-once"], unseen: "The row: nothing reads the relay's tables.",
            defects: ["tells-no-starts"]),
        Claim(
            "R3.3", .must,
            "The answer to that registration carries the id by which the activity is updated and ended.",
            norm: source, rules: ["answers-hold-values"], defects: ["answers-without-id"]),
        Claim(
            "R3.4", .must, "An update yields one push to that activity's token, through APNs or FCM as its row says.",
            norm: page, rules: ["states-delivered", "no-duplicate-push", "nothing-unexpected"],
            defects: ["routes-all-to-apns"]),
        Claim(
            "R3.5", .must,
            "A push to iOS has the type of a Live Activity, and its topic is the bundle ID with the suffix.",
            norm: "\(page); \(apple)", rules: ["topic-fits-type"], defects: ["leaves-topic-to-callers"]),
        Claim(
            "R3.6", .must,
            "A push to Android is data only, HIGH, with three text values, one of them the state as JSON.",
            norm: page, rules: ["pushes-as-declared", "content-unchanged"],
            defects: ["normal-live-updates", "adds-data-key"]),
        Claim(
            "R3.7", .must, "A message to FCM has no notification block.", norm: page,
            rules: ["pushes-as-declared", "live-update-data-only"],
            defects: ["notifies-live-updates"]),
        Claim(
            "R3.8", .must, "An alert in the update is shown with its title and body; without one nothing sounds.",
            norm: "\(page); \(apple)", rules: ["pushes-as-declared", "content-unchanged"],
            defects: ["sounds-quiet-updates", "drops-update-alerts"]),
        Claim(
            "R3.9", .must,
            "aps.timestamp is the second of the sending, and greater for each new state of an activity.",
            norm: "\(page); \(apple)", rules: ["timestamp-seconds-rising"],
            unseen: "Equal stamps of two states within one second: phones take both.",
            defects: ["stamps-by-the-hour"]),
        Claim(
            "R3.10", .must, "Of two updates within a second the card shows the second.",
            norm: "\(follows): stamps of whole seconds tie", rules: ["states-delivered", "last-state-delivered", "state-order"],
            defects: ["keeps-first-of-second"]),
        Claim(
            "R3.11", .should, "Stamps do not go back when the server's clock is set back.",
            norm: follows, rules: ["timestamp-seconds-rising"],
            unseen: "Relays that take no part in the run's clock, which a scenario sets back by `clockSteps`.",
            defects: ["stamps-by-the-clock"]),
        Claim(
            "R3.12", .must,
            "Deleting ends the activity with one push and frees its row; later calls get 404 or 409 and push nothing.",
            norm: page,
            rules: ["activity-event-fits", "no-duplicate-push", "nothing-after-end", "bad-requests-refused", "webhooks-told"],
            defects: ["ends-again", "tells-no-ends"]),
        Claim(
            "R3.13", .should,
            "The end carries a last state and a dismissal-date, so that the card does not stay for hours.",
            norm: "\(follows); \(apple): without a date a card stays for up to four hours",
            rules: ["pushes-as-declared"],
            unseen: "Sendora's own profile declares no such date, for a broken declaration is a MUST."),
        Claim(
            "R3.14", .must, "After a token has changed, an update of the same id goes to the new token only.",
            norm: "\(page); \(apple)", rules: ["new-token-used"],
            defects: ["makes-second-row"]),
        Claim(
            "R3.15", .must, "A changed token without a business id does not make a second row beside the first.",
            norm: "\(follows): its iOS request names no activity", rules: ["new-token-used", "no-duplicate-push"],
            defects: ["makes-second-row"]),
        Claim(
            "R3.16", .should, "A change of token that the SDK held back after failures is sent in the end.",
            norm: source,
            missing: "What an app's breaker drops reaches no relay, and no relay can mend it: the load has no breaker."),
        Claim(
            "R3.17", .must,
            "A token that APNs or FCM calls dead invalidates the row, is called back once, and gets no more pushes.",
            norm: "\(page); \(answers)", rules: ["dead-token-dropped", "dead-registration-dropped", "webhooks-told"],
            defects: ["tells-no-dead-tokens", "keeps-gone-registrations"]),
        Claim(
            "R3.18", .must, "Refused credentials, 429 and 5xx invalidate no row.",
            norm: "\(follows); \(answers): these speak of the sender or of the service",
            rules: ["living-token-kept", "living-registration-kept", "webhooks-for-cause"],
            defects: ["tells-living-tokens", "forgets-registrations"]),
        Claim(
            "R3.19", .should, "A dead token is called back as invalidated, and not as ended as well.",
            norm: source, rules: ["webhooks-for-cause"], defects: ["ends-dead-rows"]),
    ]

    // R3.20 to R3.38: budgets, callbacks, keys, content, Android.
    private static let sendoraSurroundings: [Claim] = [
        Claim(
            "R3.20", .should,
            "From 30 updates of an activity in an hour on, the backend notes a warning, until the hour is over.",
            norm: page, rules: ["answers-hold-values"],
            unseen: "That the count begins anew with the next hour: the list of one that has no warning is not asked."),
        Claim(
            "R3.21", .should, "Beyond some five updates in an hour an activity's updates go at priority 5.",
            norm: "\(page); \(apple): priority 10 counts towards a budget", rules: ["activity-priorities-mixed"],
            unseen: "The figure: Apple publishes none, and a profile states no budget."),
        Claim(
            "R3.22", .must, "Updates beyond the budget are accepted, with a warning.",
            norm: page, rules: ["states-delivered", "relay-serves", "answers-hold-values"],
            defects: ["refuses-beyond-budget"]),
        Claim(
            "R3.23", .should,
            "An activity that is idle for 8 hours or 12 hours old is ended, and nothing is pushed after that.",
            norm: page, rules: ["aged-activity-ended"],
            unseen: "Twelve hours of one that is kept busy, which no phone shows for so long, and activities on Android.",
            defects: ["never-times-out"]),
        Claim(
            "R3.24", .must, "Each change of an activity is called back once, and in order.",
            norm: page, rules: ["webhooks-in-order", "webhooks-once"], defects: ["swaps-webhooks", "repeats-webhooks"]),
        Claim(
            "R3.25", .must, "The signature of a callback verifies, and an altered or old one does not.",
            norm: source, rules: ["webhooks-signed"], unseen: "The day of grace of a key that was changed, to its end.",
            defects: ["signs-without-time", "signs-with-old-secret"]),
        Claim(
            "R3.26", .must,
            "A callback that meets 500 is sent again after some 2, 8 and 30 seconds; one that meets 400 is not.",
            norm: source, rules: ["webhooks-retried"],
            unseen: "The pauses: it is asked whether it comes again as quickly as the profile declares.",
            defects: ["gives-up-webhooks"]),
        Claim(
            "R3.27", .must, "Both shapes of the path do the same, and a key opens nothing of another organisation.",
            norm: source,
            rules: ["bad-requests-refused", "states-delivered"], defects: ["opens-foreign-rows"]),
        Claim(
            "R3.28", .must, "A public key may register tokens, and gets 401 or 403 where it would update or delete.",
            norm: source,
            rules: ["bad-requests-refused", "nothing-unexpected"], defects: ["obeys-public-keys"]),
        Claim(
            "R3.29", .must, "A wrong key gets 401, a malformed body 400 or 422, both in the usual envelope.",
            norm: page, rules: ["bad-requests-refused"],
            unseen: "The envelope: the journal keeps no body of an answer that was expected.",
            defects: ["serves-without-keys"]),
        Claim(
            "R3.30", .must, "The values of contentState reach the device as they were sent: types, nulls and names.",
            norm: page, rules: ["content-unchanged"], defects: ["writes-numbers-as-texts"]),
        Claim(
            "R3.31", .should, "An update replaces the state or merges into it, and always does the same.",
            norm: follows, rules: ["content-unchanged"],
            unseen: "That it is documented. Where an update merges, `carries` of the profile says so.",
            defects: ["merges-states"]),
        Claim(
            "R3.32", .should,
            "A state that makes a push larger than 4,096 bytes is answered with 4xx and not pushed.",
            norm: "\(follows); Apple, Generating a remote notification: at most 4,096 bytes",
            rules: ["payload-fits", "bad-requests-refused", "messages-well-formed"],
            defects: ["measures-no-payloads", "measures-no-messages"]),
        Claim(
            "R3.33", .must, "No push ever starts an activity.",
            norm: page, rules: ["nothing-unexpected"], defects: ["starts-by-push"]),
        Claim(
            "R3.34", .must,
            "The Android SDK passes over data it does not know, and an end clears the activity's slot.",
            norm: page,
            missing: "The SDK belongs to the app, and no relay can break it: the mock's Android devices do all of it."),
        Claim(
            "R3.35", .should,
            "Activities of one Android device share its token, and die with it, each with a callback.",
            norm: follows, rules: ["dead-registration-dropped", "webhooks-told"]),
        Claim(
            "R3.36", .should, "A message that a phone's maker holds back is put in order by its stamp when it comes.",
            norm: "\(page); Google promises no order", rules: ["late-states-in-order"],
            unseen: "How a real app orders them: a device of the mock does it by the key that `liveUpdateStamp` names.",
            defects: ["leaves-out-collapse-keys"]),
        Claim(
            "R3.37", .should, "Asking by business id finds every living row, of iOS and of Android.",
            norm: follows,
            rules: ["answers-hold-values"],
            unseen: "That it names no other row."),
        Claim(
            "R3.38", .should, "A 429 of the API says after how many seconds to come back.",
            norm: source,
            rules: ["throttled-says-when"], unseen: "Calls that are beyond no limit of the relay's.",
            defects: ["hides-retry-time"]),
    ]
}
