// Known faults that a reference relay can be asked to have, so that each rule can be shown to catch one.

/// A named way to be wrong. The raw value is the id on the command line (`--defect ID`). Each is one switch at one
/// place; what the judge has to say of it stands in `declared`.
package enum Defect: String, CaseIterable, Hashable, Sendable {
    // MARK: What is sent, and when
    /// Drops a throttled state instead of sending the last one when the window closes. Breaks R0.8, G22.
    case dropsTrailingEdge = "drops-trailing-edge"
    /// Sends every progress event at once. Breaks R0.7.
    case ignoresThrottle = "ignores-throttle"
    /// One throttle window for all sessions of a secret. Breaks R0.9.
    case sharesThrottle = "shares-throttle"
    /// Lets a throttled update land after the end. Breaks R0.10 (G11).
    case updateAfterEnd = "update-after-end"
    /// The same where a session fails, and not where it is done. Breaks R0.10 (G11).
    case updateAfterError = "update-after-error"
    /// Sends the progress that a window still holds back behind the question that came meanwhile. Breaks R0.8 (R2.18).
    case sendsStaleProgress = "sends-stale-progress"
    /// Raises an ordinary alert for progress and start. Breaks R0.3.
    case alertsOnProgress = "alerts-on-progress"
    /// Puts an alert into each progress update. Breaks R0.3.
    case loudProgress = "loud-progress"
    case alertsAtFive = "alerts-at-5"  // Sends alerts at priority 5. Breaks R0.2.
    case mutesAlerts = "mutes-alerts"  // Leaves the sound out of alerts. Breaks R0.2.
    /// Sends the activity's push first and the alert behind it. Breaks R0.2.
    case activityBeforeAlert = "activity-before-alert"
    case sendsTwice = "sends-twice"  // Sends each update twice, under two ids. Breaks R0.1.
    /// Forgets every tenth push of an activity and counts it as sent. Breaks R0.1.
    case dropsEveryTenth = "drops-every-tenth"
    /// Keeps every third progress state back and sends it, with a fresh stamp, behind its successor. Breaks R0.8.
    case swapsOrder = "swaps-order"
    /// Lets a permission wait for the throttle's window like progress. Breaks R0.8.
    case throttlesQuestions = "throttles-questions"
    /// Forgets what is told while the model provider is asked again. Breaks R0.11.
    case dropsRetries = "drops-retries"
    /// Sends each state 20 s late. Breaks R0.1, R0.8.
    case risingLate = "rising-late"
    /// Three seconds after its first event it accepts everything and pushes nothing. Breaks R0.1.
    case acceptsThenSilent = "accepts-then-silent"
    /// Ends itself at its 100th event. Breaks what every relay promises: to be there.
    case diesUnderLoad = "dies-under-load"
    // MARK: The life of an activity
    /// Starts an activity again on each event until its token registers. Breaks R0.15 (G9).
    case startsAgain = "starts-again"
    /// Starts an activity again on an event that comes five seconds after a start whose token nobody knows. Breaks R0.15 (G9).
    case startsAgainLate = "starts-again-late"
    /// Sends a refused start again although its session is over or its activity has registered. Breaks R0.15 (R0.14, G11).
    case repeatsStaleStart = "repeats-stale-start"
    case neverStarts = "never-starts"  // Accepts start events and sends no start. Breaks R0.14.
    /// Sends the start of every phone to the start token of the user's first one. Breaks R0.14 (R0.21).
    case crossesStartTokens = "crosses-start-tokens"
    /// Keeps each start for twenty seconds. Breaks R0.14.
    case keepsStarts = "keeps-starts"
    /// Forgets what was said before the activity's token came. Breaks R0.15.
    case forgetsHeld = "forgets-held"
    /// Lets an activity grow too old, so that the phone ends it without a word. Breaks R0.38.
    case neverTimesOut = "never-times-out"
    /// Ends an activity that grows too old with the state that it shows already. Breaks R0.38.
    case timesOutUnsaid = "times-out-unsaid"
    /// Takes a session that was over once for over for ever: its next turn gets no activity. Breaks R0.13.
    case endsForGood = "ends-for-good"
    /// The same only for a session that was over before its activity had a token. Breaks R0.13 (R0.15).
    case endsUnseenForGood = "ends-unseen-for-good"
    /// Keeps an activity's row when its end was sent: the next turn's states go there. Breaks R0.40.
    case keepsEndedRow = "keeps-ended-row"
    /// Starts an activity for a `start` only, whatever the session begins with. Breaks R0.14.
    case startsOnStartOnly = "starts-on-start-only"
    /// Sends complete and error as updates, so that the card stays. Breaks R0.4, G20.
    case endsWithUpdate = "ends-with-update"
    /// Keeps one activity per session, so that a second phone displaces the first. Breaks R0.21.
    case displacesSecondPhone = "displaces-second-phone"
    /// Sends progress to the phone that registered first, and to no other. Breaks R0.21.
    case progressToOnePhone = "progress-to-one-phone"
    /// Sends what a window has held back to the phone that registered first, and to no other. Breaks R0.21.
    case flushesToOnePhone = "flushes-to-one-phone"
    /// Tells what was said before any token came to the phone that registers first, and to no other. Breaks R0.21 (R0.15).
    case tellsHeldToOnePhone = "tells-held-to-one-phone"
    /// Forgets what a window holds back when the activity's token rotates. Breaks R0.8 (R0.18).
    case losesPendingAtRotation = "loses-pending-at-rotation"
    /// Sends no progress any more to an activity whose token has rotated. Breaks R0.18.
    case quietAfterRotation = "quiet-after-rotation"
    /// Ignores a rotated activity token. Breaks R0.18.
    case keepsOldToken = "keeps-old-token"
    /// Answers a registration before it is stored, which is most of a second later. Breaks R0.18.
    case storesLate = "stores-late"
    /// Takes no token any more that APNs once called dead, whoever registers it again. Breaks R0.18 (P10).
    case buriesTokens = "buries-tokens"
    /// Answers every unregister and does nothing. Breaks R0.19.
    case ignoresUnregister = "ignores-unregister"
    /// Starts by the push-to-start token that a phone registered first, whatever it has registered since. Breaks R0.44 (R4.23).
    case startsByFirstToken = "starts-by-first-token"
    /// Starts an activity again on the next event when its user has dismissed it. Breaks G17 (R0.19).
    case restartsDismissed = "restarts-dismissed"
    /// Erases a phone's push-to-start token when its device registers again without one. Breaks R0.44.
    case forgetsStartToken = "forgets-start-token"
    /// Erases it when its device registers again with a null in its place. Breaks R0.44.
    case nullErasesStartToken = "null-erases-start-token"
    /// Deletes whatever a late unregister may have meant. Breaks R0.20.
    case obeysLateUnregister = "obeys-late-unregister"
    /// The same only where the older activity was that of the session's turn before. Breaks R0.20.
    case obeysFormerUnregister = "obeys-former-unregister"
    /// Lets a user's activities go with any phone that is signed out. Breaks R0.29 (R0.21).
    case dropsActivitiesWithPhone = "drops-activities-with-phone"
    // MARK: What a process remembers of the one before it
    /// Finds no push-to-start tokens when it is started again. Breaks R0.44 (R0.14).
    case wakesWithoutStartTokens = "wakes-without-start-tokens"
    /// Does not know any more what it had started when it is started again. Breaks R0.15.
    case wakesWithoutStarts = "wakes-without-starts"
    /// Knows no activity any more when it is started again. Breaks R2.8 (R0.1).
    case wakesWithoutActivities = "wakes-without-activities"
    /// Knows of its activities, but not what they show, when it is started again. Breaks R2.8.
    case wakesWithoutStates = "wakes-without-states"
    // MARK: What is in a payload
    /// Writes `aps.timestamp` in milliseconds. Breaks R0.16 (P16, G6).
    case millisecondTimestamps = "millisecond-timestamps"
    /// Puts a fifth key into the content-state. Breaks R0.5.
    case addsStateKey = "adds-state-key"
    /// Writes `sessiontitle` for `sessionTitle`. Breaks R0.5, R0.43 (P20).
    case wrongCaseKeys = "wrong-case-keys"
    /// Writes `retryInfo: null` always. Breaks R0.11.
    case losesRetryInfo = "loses-retry-info"
    /// Wraps the state as variant B does, under variant A's attributes-type: nothing decodes. Breaks R0.43.
    case wrapsState = "wraps-state"
    /// Cuts no text, and repeats a title of more than 200 characters until the payload is too large. Breaks R0.6.
    case oversizedPayloads = "oversized-payloads"
    /// Leaves `alert` out of a start. Breaks R0.14 (P21).
    case startWithoutAlert = "start-without-alert"
    /// Starts with the status `permission`. Breaks R0.14.
    case startsAsking = "starts-asking"
    /// Leaves `attributes-type` and `attributes` out of a start. Breaks R0.14 (P21).
    case startWithoutAttributes = "start-without-attributes"
    /// Leaves `input-push-token` out of a start. Breaks R0.17.
    case startWithoutInputToken = "start-without-input-token"
    // MARK: States that are merged (opencode-ios)
    /// Ends an activity with a dismissal date that has passed, so that its card goes at once. Breaks R2.2.
    case dismissesAtOnce = "dismisses-at-once"
    /// Takes an update or end of a session that it does not know, and says nothing of that. Breaks R2.4.
    case takesUnknownSessions = "takes-unknown-sessions"
    /// Takes events of a session whose only start APNs has refused. Breaks R2.7.
    case failedStartLingers = "failed-start-lingers"
    /// Of states that wait for the throttle it keeps what the last one says, and forgets the others'. Breaks R2.8.
    case losesCoalescedValues = "loses-coalesced-values"
    /// Forgets what was said before the activity's token came. Breaks R2.8.
    case losesHeldValues = "loses-held-values"
    /// Takes a file that is taken away for one that is left out. Breaks R2.8.
    case keepsClearedFile = "keeps-cleared-file"
    /// The same only while a window holds states back. Breaks R2.8.
    case keepsFileWhileThrottled = "keeps-file-while-throttled"
    /// The same only before the activity's token has come. Breaks R2.8.
    case keepsFileWhileHeld = "keeps-file-while-held"
    /// Forgets at the end what a window still held back, and ends with what was shown. Breaks R2.2 (R2.8).
    case losesPendingAtEnd = "loses-pending-at-end"
    /// Goes back to the status of before the background with the next update that says nothing of it. Breaks R2.8.
    case forgetsBackground = "forgets-background"
    /// Dates a start a year back. Breaks R2.14.
    case misdatesStart = "misdates-start"
    /// Takes the `startTime` of an event, in seconds since 2001, for one since 1970. Breaks R2.14.
    case redatesStart = "redates-start"
    /// Cuts a path so that the payload is one byte too large. Breaks R2.15.
    case cutsOneOver = "cuts-one-over"

    /// Begins a session that was over with the operations of before. Breaks R2.1.
    case countsOnInNextTurn = "counts-on-in-next-turn"
    /// Begins with status Active. Breaks R2.1.
    case startsActive = "starts-active"
    /// Sets the operations back to none at the end. Breaks R2.2.
    case resetsCountAtEnd = "resets-count-at-end"
    /// Starts a second activity of a session that has one. Breaks R2.6.
    case startsWhileActive = "starts-while-active"
    /// Takes a start that APNs has refused for one that runs, and never starts again. Breaks R2.7.
    case failedStartCounts = "failed-start-counts"
    /// Puts 0, 0 and no file in place of what an update leaves out. Breaks R2.8.
    case resetsOmitted = "resets-omitted"
    /// Lets progress fall. Breaks R2.9.
    case lowersProgress = "lowers-progress"
    /// Lets progress fall while a window holds states back. Breaks R2.9.
    case lowersThrottledProgress = "lowers-throttled-progress"
    /// Answers the news that the app went to the background, and sends nothing. Breaks R2.10.
    case ignoresBackground = "ignores-background"
    /// Ends a session that failed as completed. Breaks R2.12.
    case hidesError = "hides-error"
    /// Forgets what a session shows when its activity is registered again. Breaks R2.13.
    case forgetsAtRelaunch = "forgets-at-relaunch"
    /// Writes a date as text. Breaks R2.14 (P20).
    case isoStartTime = "iso-start-time"
    /// Reads the bytes of an emoji as Latin-1. Breaks R2.14.
    case manglesEmoji = "mangles-emoji"
    /// Cuts no path. Breaks R2.15 (R0.6).
    case uncutPaths = "uncut-paths"
    /// Pushes to the device token where no activity token is known, and says nothing. Breaks R2.16.
    case sendsToDeviceToken = "sends-to-device-token"
    // MARK: Activities that are replaced (epilogue)
    /// Replaces an activity at 7 h 5 min of its age. Breaks R4.1.
    case restartsLate = "restarts-late"
    /// Replaces the first activity of a session and lets the second grow too old. Breaks R4.2.
    case restartsOnce = "restarts-once"
    /// Counts the session's age for that of the activity. Breaks R4.12.
    case countsSessionAge = "counts-session-age"
    /// Begins the replacement with an empty state. Breaks R4.3.
    case losesStateAtRestart = "loses-state-at-restart"
    /// Begins the replacement as listening and without the nudge. Breaks R4.4.
    case dropsNudgeAtRestart = "drops-nudge-at-restart"
    /// Counts the session's time from the replacement on. Breaks R4.5.
    case restartsDuration = "restarts-duration"
    /// Leaves the old card beside the new one. Breaks R4.6.
    case keepsReplacedCard = "keeps-replaced-card"
    /// Leaves two cards where two starts for one successor are both adopted. Breaks R4.6.
    case keepsRivalCard = "keeps-rival-card"
    /// Ends the old card without a date at which it goes. Breaks R4.6.
    case leavesReplacedCard = "leaves-replaced-card"
    /// Lets a card stay that turns up when its session is over. Breaks R4.6.
    case leavesLateCard = "leaves-late-card"
    /// Begins the replacement with a stale-date that is over. Breaks R4.6.
    case startsStale = "starts-stale"
    /// Does not tell the new card what was said before it was adopted. Breaks R4.3.
    case losesWhatCameBetween = "loses-what-came-between"
    /// Lets the session's time stand still on the new card. Breaks R4.5.
    case freezesDuration = "freezes-duration"
    /// Counts the time of a session from when its id was first used, though that session is over. Breaks R4.5.
    case countsFromFirstLife = "counts-from-first-life"
    /// Ends a session without a date at which its card goes. Breaks R4.16.
    case leavesFinalCard = "leaves-final-card"
    /// Ends the old card when APNs has accepted the start. Breaks R4.20 (R4.7, R4.22).
    case endsBeforeAdoption = "ends-before-adoption"
    /// Sends an event `restart-needed`, which Apple does not know, and starts nothing. Breaks R4.19.
    case sendsRestartNeeded = "sends-restart-needed"
    /// Starts by the start token that the phone registered first. Breaks R4.20, R4.23.
    case restartsByOldToken = "restarts-by-old-token"
    /// Lets a late registration of the replaced activity take the new one's place. Breaks R4.21.
    case obeysLateRegistration = "obeys-late-registration"
    /// Does not try again where nobody adopts a start. Breaks R4.22.
    case givesUpRestart = "gives-up-restart"
    /// Tries again each minute. Breaks R4.24.
    case hammersStarts = "hammers-starts"
    /// Writes the date of a start in seconds since 1970. Breaks R4.27.
    case unixStartTime = "unix-start-time"
    /// Replaces what began together in the same second. Breaks R4.28.
    case restartsAllAtOnce = "restarts-all-at-once"
    // MARK: Rows that are pushed when they are written (busymate)
    /// Pushes what is inserted, and not what is changed by PATCH. Breaks R1.1.
    case pushesInsertsOnly = "pushes-inserts-only"
    /// Sends an alert to the device besides. Breaks R1.3.
    case alertsOnMessage = "alerts-on-message"
    case loudMessages = "loud-messages"  // Puts an alert into the update of a card. Breaks R1.3.
    /// Puts the writer's name into the content-state. Breaks R1.4.
    case tellsWhoWrote = "tells-who-wrote"
    /// Shows the source of a device that is not online. Breaks R1.5.
    case ignoresPresence = "ignores-presence"
    /// Shows an empty message as an empty note. Breaks R1.6.
    case pushesEmptyNote = "pushes-empty-note"
    /// Pushes nothing for an empty message. Breaks R1.6.
    case ignoresClears = "ignores-clears"
    /// Pushes the note of before for an empty message. Breaks R1.6.
    case keepsClearedNote = "keeps-cleared-note"
    /// Sends to the card of a device that registered first, and to no other. Breaks R1.7.
    case pushesToFirstCard = "pushes-to-first-card"
    /// Broadcasts to the first who listens on a channel. Breaks R1.2.
    case tellsFirstListener = "tells-first-listener"
    /// Broadcasts each message on another device's channel as well. Breaks R1.2.
    case broadcastsAstray = "broadcasts-astray"
    case broadcastsInBinary = "broadcasts-in-binary"  // Broadcasts in binary messages. Breaks R1.2.
    /// Tells the second who listens the message before this one once more. Breaks R1.16.
    case retellsOldBroadcast = "retells-old-broadcast"
    /// Sends to tokens of other kinds, too. Breaks R1.8.
    case pushesToEveryKind = "pushes-to-every-kind"
    /// Tells a rate of requests that it cannot know. Breaks R1.4 (R1.10).
    case guessesRate = "guesses-rate"
    /// Takes what a device writes into its own row. Breaks R1.13.
    case letsDevicesWrite = "lets-devices-write"
    /// Shows each device the rows of all. Breaks R1.13.
    case showsAllRows = "shows-all-rows"
    /// Shows people no row. Breaks R1.14.
    case hidesRowsFromPeople = "hides-rows-from-people"
    /// Pushes nothing for a message that the tool sets. Breaks R1.15.
    case pushesNoToolCalls = "pushes-no-tool-calls"
    /// Posts what came within a quarter of a second in reverse. Breaks R1.17.
    case postsWithoutOrder = "posts-without-order"
    /// Commits each row by itself, so that what stands before a bad one is pushed. Breaks R1.18.
    case pushesBeforeCommit = "pushes-before-commit"
    /// Posts once: what comes while the function is out of reach is lost. Breaks R1.19.
    case losesFailedPosts = "loses-failed-posts"
    /// Fails a write while the function has never run. Breaks R1.20.
    case failsWhenCold = "fails-when-cold"
    /// Loses what is written while the function has never run. Breaks R1.20 (R1.1).
    case losesColdWrites = "loses-cold-writes"
    /// Shows everybody the key of the push function. Breaks R1.21.
    case showsServiceKey = "shows-service-key"
    /// Lets everybody change where the trigger posts to. Breaks R1.21.
    case opensConfig = "opens-config"
    /// Deletes all tokens of a device with a dead one. Breaks R1.23.
    case prunesWholeDevice = "prunes-whole-device"
    /// Cuts no note. Breaks R1.24 (R0.6).
    case uncutNotes = "uncut-notes"
    // MARK: What is in a header
    /// Sends a permission state at priority 5. Breaks R0.12.
    case permissionAtFive = "permission-at-5"
    /// Sends every push of an activity at priority 10. Breaks P19 (G7).
    case everythingAtTen = "everything-at-10"
    /// Leaves the suffix out of an activity's topic. Breaks P18.
    case topicWithoutSuffix = "topic-without-suffix"
    /// Writes `apns-expiration` with a fraction. Breaks P17.
    case fractionalExpiration = "fractional-expiration"
    /// Sends `apns-collapse-id` with nothing in it. Breaks P23.
    case emptyCollapseID = "empty-collapse-id"
    /// Takes a new `apns-id` for each attempt. Breaks P15.
    case newIDPerTry = "new-id-per-try"
    /// Gives two pushes one `apns-id`. Breaks P15.
    case sharesID = "shares-apns-id"
    // MARK: Whom it reaches
    /// Sends every tenth update to an activity of another secret. Breaks R0.39 (R0.30).
    case crossesSessions = "crosses-sessions"
    /// Sends updates to a token that nobody has. Breaks R0.1.
    case updatesUnknownToken = "updates-unknown-token"
    /// Takes an event with an unknown secret for one of the account that it saw last. Breaks R0.30.
    case servesUnknownSecrets = "serves-unknown-secrets"
    /// Answers 200 to what is malformed. Breaks R0.31.
    case acceptsBadRequests = "accepts-bad-requests"
    /// Answers 200 to an event with an empty title. Breaks R0.31.
    case acceptsEmptyTitles = "accepts-empty-titles"
    /// Answers 500 to an id that is longer than its columns. Breaks R0.41.
    case failsOnLongIDs = "fails-on-long-ids"
    /// Answers an event without saying how many pushes came of it. Breaks R0.29 (R3.3).
    case leavesOutCounts = "leaves-out-counts"
    // MARK: What it makes of an answer
    /// Keeps a token after APNs has declared it dead, and goes on pushing to it. Breaks R0.22, R0.25.
    case keepsDeadTokens = "keeps-dead-tokens"
    /// Forgets a dead activity token and leaves its row on disk. Breaks R0.22.
    case leavesDeadRows = "leaves-dead-rows"
    /// The same for device tokens only. Breaks R0.25.
    case keepsDeadDeviceTokens = "keeps-dead-device-tokens"
    /// Keeps a push-to-start token after APNs has called it dead. Breaks R0.22.
    case keepsDeadStartTokens = "keeps-dead-start-tokens"
    /// Does not know the reason ExpiredToken. Breaks R0.22 (G2).
    case knowsOnlyUnregistered = "knows-only-unregistered"
    /// Keeps an activity token that is no token at either of Apple's hosts. Breaks R0.22.
    case keepsBadDeviceTokens = "keeps-bad-device-tokens"
    /// Treats 410 as passing trouble and sends again. Breaks R0.22 (P9).
    case retriesAfter410 = "retries-after-410"
    /// Deletes a token that was registered again after the timestamp of the 410. Breaks P10 (G4).
    case ignores410Timestamp = "ignores-410-timestamp"
    /// Deletes an activity's row for the answer to a token that it does not hold any more, or held anew. Breaks G4.
    case prunesChangedRow = "prunes-changed-row"
    /// Deletes a token when APNs is busy or failing (429, 5xx). Breaks R0.23.
    case prunesWhenBusy = "prunes-when-busy"
    /// Deletes a token that the one host calls bad, and for which the other is busy. Breaks R0.23 (R0.27, G3).
    case prunesInDoubt = "prunes-in-doubt"
    /// Deletes a token when APNs refuses the relay's provider token. Breaks R0.23.
    case prunesOnCredentials = "prunes-on-credentials"
    case repeatsRefused = "repeats-refused"  // Sends what APNs has refused for good again as it was. Breaks P9.
    case prunesOnAnyRefusal = "prunes-on-any-refusal"  // Deletes a token for any 4xx. Breaks R0.23 (G1).
    /// Deletes a token when APNs says that the relay signs too often. Breaks R0.23 (G1).
    case prunesOnTokenUpdates = "prunes-on-token-updates"
    /// Lets an event be where a phone is dead: the activity is not told what the alert could not tell. Breaks R0.29.
    case stopsAtFailure = "stops-at-failure"
    /// Deletes the phone's device token with its dead activity token. Breaks R0.24 (G5).
    case prunesAllTokens = "prunes-all-tokens"
    /// Takes BadEnvironmentKeyInToken for a refusal like any other. Breaks R0.26.
    case ignoresEnvironmentHint = "ignores-environment-hint"
    /// Takes BadDeviceToken of the first host for the last word. Breaks R0.27 (G3).
    case neverTriesOtherEnvironment = "never-tries-other-environment"
    case losesRefusedStreams = "loses-refused-streams"  // Tries nothing again at all. Breaks P8, P4.
    /// Sends nothing again whose connection broke before the answer. Breaks R0.1 (G14).
    case losesCutPushes = "loses-cut-pushes"
    case triesOnce = "tries-once"  // The same, and nothing again that met 429 or 5xx. Breaks R0.1.
    case retriesAtOnce = "retries-at-once"  // Sends the second attempt at once. Breaks P13.
    case storms = "storms"  // Tries again every tenth of a second. Breaks P13.
    /// Sends what is an activity's to the sandbox and nowhere else, wherever its phone lives. Breaks R0.1.
    case asksSandboxOnly = "asks-sandbox-only"
    case asksProductionOnly = "asks-production-only"  // Sends everything to production alone. Breaks R0.1.
    case waitsForEver = "waits-for-ever"  // Waits for an answer of APNs as long as it takes. Breaks R0.36.

    case tellsNoDeadTokens = "tells-no-dead-tokens"  // Calls back no dead token. Breaks R3.17.
    case tellsLivingTokens = "tells-living-tokens"  // Calls each token dead whose push was refused. Breaks R3.18.
    case signsWithoutTime = "signs-without-time"  // Signs the body of a webhook and not its time. Breaks R3.25.
    case signsWithOldSecret = "signs-with-old-secret"  // Goes on signing by a secret that was replaced. Breaks R3.25.
    case givesUpWebhooks = "gives-up-webhooks"  // Tries no webhook again. Breaks R3.26.
    case repeatsWebhooks = "repeats-webhooks"  // Sends a webhook again that was accepted. Breaks R3.24.
    case swapsWebhooks = "swaps-webhooks"  // Calls back a permission three seconds later than all else. Breaks R3.24.
    // MARK: Provider tokens and connections
    case signsPerPush = "signs-per-push"  // Signs a provider token for each push. Breaks R0.33 (P1).
    case keepsExpiredProviderToken = "keeps-expired-provider-token"  // Goes on with an expired token. Breaks R0.34 (P2).
    case mixesTeams = "mixes-teams"  // Signs for two teams in turn, on the same connection. Breaks P3.
    case connectionPerPush = "connection-per-push"  // Opens a connection for each push. Breaks R0.35 (P6).
    // MARK: Rows that go to APNs or FCM (sendora)
    case keepsGoneRegistrations = "keeps-gone-registrations"  // Sends on after UNREGISTERED. Breaks F1.
    case forgetsRegistrations = "forgets-registrations"  // Deletes a registration whatever FCM refuses. Breaks F3 (R3.18).
    case ignoresQuota = "ignores-quota"  // Comes again a second after 429 of FCM. Breaks F7.
    case hurriesAfterFailure = "hurries-after-failure"  // Comes again a second after 5xx of FCM. Breaks F8.
    case accessTokenPerMessage = "access-token-per-message"  // Asks for an access token for each message. Breaks F10.
    case keepsExpiredAccess = "keeps-expired-access"  // Goes on with an access token that has ended. Breaks F10.
    case numbersInData = "numbers-in-data"  // Puts a number into data. Breaks F11.
    case reservedDataKey = "reserved-data-key"  // Puts `from` into data. Breaks F12.
    case dryRuns = "dry-runs"  // Leaves validate_only on. Breaks F25.
    case notifiesLiveUpdates = "notifies-live-updates"  // Adds a notification block. Breaks R3.7 (F14).
    case soundsQuietUpdates = "sounds-quiet-updates"  // Gives an update without an alert a sound. Breaks R3.8.
    case normalLiveUpdates = "normal-live-updates"  // Sends Live Updates at priority normal. Breaks F15.
    case floodsRegistrations = "floods-registrations"  // Sends each message to FCM eighty times over. Breaks F21.
    case makesSecondRow = "makes-second-row"  // Takes a changed token for another activity. Breaks R3.15 (R3.14).
    case servesAnyTier = "serves-any-tier"  // Asks nobody to pay. Breaks R3.1.
    case obeysPublicKeys = "obeys-public-keys"  // Lets apps update activities. Breaks R3.28.
    case opensForeignRows = "opens-foreign-rows"  // Updates rows of another organisation. Breaks R3.27.
}
