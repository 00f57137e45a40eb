// Known faults that a reference relay can be asked to have, so that each rule can be shown to catch one.

/// A named way to be wrong. The raw value is the id on the command line (`--defect ID`). Each is one switch at one
/// place; what the judge has to say of it stands in `declared`.
package enum Defect: String, CaseIterable, Hashable, Sendable {
    // MARK: What is sent, and when
    /// Drops a throttled state instead of sending the last one when the window closes. Breaks R0.8, G22.
    case dropsTrailingEdge = "drops-trailing-edge"
    case ignoresThrottle = "ignores-throttle"  // Sends every progress event at once. Breaks R0.7.
    case sharesThrottle = "shares-throttle"  // One throttle window for all sessions of a secret. Breaks R0.9.
    case updateAfterEnd = "update-after-end"  // Lets a throttled update land after the end. Breaks R0.10 (G11).
    /// The same where a session fails, and not where it is done. Breaks R0.10 (G11).
    case updateAfterError = "update-after-error"
    /// Sends what is told behind a session's end to the activity that has ended. Breaks R0.10 (G11).
    case tellsEnded = "tells-ended"
    /// Sends the progress that a window still holds back behind the question that came meanwhile. Breaks R0.8 (R2.18).
    case sendsStaleProgress = "sends-stale-progress"
    case alertsOnProgress = "alerts-on-progress"  // Raises an ordinary alert for progress and start. Breaks R0.3.
    case loudProgress = "loud-progress"  // Puts an alert into each progress update. Breaks R0.3.
    case activityBeforeAlert = "activity-before-alert"  // Sends the activity's push first and the alert behind it. Breaks R0.2.
    case sendsTwice = "sends-twice"  // Sends each update twice, under two ids. Breaks R0.1.
    case dropsEveryTenth = "drops-every-tenth"  // Forgets every tenth push of an activity and counts it as sent. Breaks R0.1.
    case alertsAtFive = "alerts-at-5"  // Sends alerts at priority 5. Breaks R0.2.
    case mutesAlerts = "mutes-alerts"  // Leaves the sound out of alerts. Breaks R0.2.
    /// Keeps every third progress state back and sends it, with a fresh stamp, behind its successor. Breaks R0.8.
    case swapsOrder = "swaps-order"
    /// Sends a newer state while one waits to be sent again, and that one behind it. Breaks R0.8 (R2.18).
    case resendsBehindNewer = "resends-behind-newer"
    /// Lets a permission wait for the throttle's window like progress. Breaks R0.8.
    case throttlesQuestions = "throttles-questions"
    /// Stops the window's timer for a question: what comes behind it into the same window never leaves. Breaks R0.8.
    case questionKillsTimer = "question-kills-timer"
    case dropsRetries = "drops-retries"  // Forgets what is told while the model provider is asked again. Breaks R0.11.
    case risingLate = "rising-late"  // Sends each state 20 s late. Breaks R0.1, R0.8.
    /// Three seconds after its first event it accepts everything and pushes nothing. Breaks R0.1.
    case acceptsThenSilent = "accepts-then-silent"
    case pushesNothing = "pushes-nothing"  // Accepts everything and pushes nothing, ever. Breaks R0.1.
    case diesUnderLoad = "dies-under-load"  // Ends itself at its 100th event. Breaks what every relay promises: to be there.
    // MARK: The life of an activity
    case startsAgain = "starts-again"  // Starts an activity again on each event until its token registers. Breaks R0.15 (G9).
    /// Starts an activity again on an event that comes five seconds after a start whose token nobody knows. Breaks R0.15 (G9).
    case startsAgainLate = "starts-again-late"
    /// Sends a refused start again although its session is over or its activity has registered. Breaks R0.15 (R0.14, G11).
    case repeatsStaleStart = "repeats-stale-start"
    case neverStarts = "never-starts"  // Accepts start events and sends no start. Breaks R0.14.
    /// Sends the start of every phone to the start token of the user's first one. Breaks R0.14 (R0.21).
    case crossesStartTokens = "crosses-start-tokens"
    case keepsStarts = "keeps-starts"  // Keeps each start for twenty seconds. Breaks R0.14.
    case forgetsHeld = "forgets-held"  // Forgets what was said before the activity's token came. Breaks R0.15.
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
    case endsWithUpdate = "ends-with-update"  // Sends complete and error as updates, so that the card stays. Breaks R0.4, G20.
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
    case keepsOldToken = "keeps-old-token"  // Ignores a rotated activity token. Breaks R0.18.
    /// Sends a push again to the token that it had at first, though another has taken its place. Breaks R0.18.
    case retriesOldToken = "retries-old-token"
    /// Answers a registration before it is stored, which is most of a second later. Breaks R0.18.
    case storesLate = "stores-late"
    /// Takes no token any more that APNs once called dead, whoever registers it again. Breaks R0.18 (P10).
    case buriesTokens = "buries-tokens"
    case ignoresUnregister = "ignores-unregister"  // Answers every unregister and does nothing. Breaks R0.19.
    /// Sends again what waits for that, though its activity was unregistered meanwhile. Breaks R0.19.
    case retriesAfterGoodbye = "retries-after-goodbye"
    /// Starts activities on a phone that was signed out. Breaks R0.29 (R0.44).
    case keepsStartOfSignedOut = "keeps-start-of-signed-out"
    /// Starts by the push-to-start token that a phone registered first, whatever it has registered since. Breaks R0.44 (R4.23).
    case startsByFirstToken = "starts-by-first-token"
    /// Drops a start that waits to be sent again when its phone's push-to-start token changes meanwhile. Breaks R0.44.
    case losesStartAtRenewal = "loses-start-at-renewal"
    /// Starts an activity again on the next event when its user has dismissed it. Breaks G17 (R0.19).
    case restartsDismissed = "restarts-dismissed"
    /// Erases a phone's push-to-start token when its device registers again without one. Breaks R0.44.
    case forgetsStartToken = "forgets-start-token"
    /// Erases it when its device registers again with a null in its place. Breaks R0.44.
    case nullErasesStartToken = "null-erases-start-token"
    case obeysLateUnregister = "obeys-late-unregister"  // Deletes whatever a late unregister may have meant. Breaks R0.20.
    /// The same only where the older activity was that of the session's turn before. Breaks R0.20.
    case obeysFormerUnregister = "obeys-former-unregister"
    /// Lets a user's activities go with any phone that is signed out. Breaks R0.29 (R0.21).
    case dropsActivitiesWithPhone = "drops-activities-with-phone"
    // MARK: What a process remembers of the one before it
    /// Finds no push-to-start tokens when it is started again. Breaks R0.44 (R0.14).
    case wakesWithoutStartTokens = "wakes-without-start-tokens"
    /// Does not know any more what it had started when it is started again. Breaks R0.15.
    case wakesWithoutStarts = "wakes-without-starts"
    /// Takes a session that was over before it was started again for over for ever. Breaks R0.13 (R0.14).
    case endedForGoodAfterRestart = "ended-for-good-after-restart"
    /// Knows no activity any more when it is started again. Breaks R2.8 (R0.1).
    case wakesWithoutActivities = "wakes-without-activities"
    /// Knows of its activities, but not what they show, when it is started again. Breaks R2.8.
    case wakesWithoutStates = "wakes-without-states"
    /// Has no alert and no start behind a restart that waited to be sent again before it. Breaks R0.1.
    case wakesWithoutWaiting = "wakes-without-waiting"
    // MARK: What is in a payload
    case millisecondTimestamps = "millisecond-timestamps"  // Writes `aps.timestamp` in milliseconds. Breaks R0.16 (P16, G6).
    case addsStateKey = "adds-state-key"  // Puts a fifth key into the content-state. Breaks R0.5.
    case wrongCaseKeys = "wrong-case-keys"  // Writes `sessiontitle` for `sessionTitle`. Breaks R0.5, R0.43 (P20).
    case hidesQuestions = "hides-questions"  // Shows the status `working` for a question. Breaks R0.12.
    case losesRetryInfo = "loses-retry-info"  // Writes `retryInfo: null` always. Breaks R0.11.
    /// Wraps the state as variant B does, under variant A's attributes-type: nothing decodes. Breaks R0.43.
    case wrapsState = "wraps-state"
    /// Cuts no text, and repeats a title of more than 200 characters until the payload is too large. Breaks R0.6.
    case oversizedPayloads = "oversized-payloads"
    case startWithoutAlert = "start-without-alert"  // Leaves `alert` out of a start. Breaks R0.14 (P21).
    case startsAsking = "starts-asking"  // Starts with the status `permission`. Breaks R0.14.
    /// Leaves `attributes-type` and `attributes` out of a start. Breaks R0.14 (P21).
    case startWithoutAttributes = "start-without-attributes"
    case startWithoutInputToken = "start-without-input-token"  // Leaves `input-push-token` out of a start. Breaks R0.17.
    // MARK: States that are merged (opencode-ios)
    /// Ends an activity with a dismissal date that has passed, so that its card goes at once. Breaks R2.2.
    case dismissesAtOnce = "dismisses-at-once"
    /// Takes an update or end of a session that it does not know, and says nothing of that. Breaks R2.4.
    case takesUnknownSessions = "takes-unknown-sessions"
    /// Takes events of a session whose only start APNs has refused. Breaks R2.7.
    case failedStartLingers = "failed-start-lingers"
    /// Of states that wait for the throttle it keeps what the last one says, and forgets the others'. Breaks R2.8.
    case losesCoalescedValues = "loses-coalesced-values"
    case losesHeldValues = "loses-held-values"  // Forgets what was said before the activity's token came. Breaks R2.8.
    case keepsClearedFile = "keeps-cleared-file"  // Takes a file that is taken away for one that is left out. Breaks R2.8.
    case keepsFileWhileThrottled = "keeps-file-while-throttled"  // The same only while a window holds states back. Breaks R2.8.
    case keepsFileWhileHeld = "keeps-file-while-held"  // The same only before the activity's token has come. Breaks R2.8.
    /// Forgets at the end what a window still held back, and ends with what was shown. Breaks R2.2 (R2.8).
    case losesPendingAtEnd = "loses-pending-at-end"
    /// Goes back to the status of before the background with the next update that says nothing of it. Breaks R2.8.
    case forgetsBackground = "forgets-background"
    case misdatesStart = "misdates-start"  // Dates a start a year back. Breaks R2.14.
    /// Takes the `startTime` of an event, in seconds since 2001, for one since 1970. Breaks R2.14.
    case redatesStart = "redates-start"
    case cutsOneOver = "cuts-one-over"  // Cuts a path so that the payload is one byte too large. Breaks R2.15.

    /// Begins a session that was over with the operations of before. Breaks R2.1.
    case countsOnInNextTurn = "counts-on-in-next-turn"
    case startsActive = "starts-active"  // Begins with status Active. Breaks R2.1.
    case resetsCountAtEnd = "resets-count-at-end"  // Sets the operations back to none at the end. Breaks R2.2.
    case startsWhileActive = "starts-while-active"  // Starts a second activity of a session that has one. Breaks R2.6.
    /// Takes a start that APNs has refused for one that runs, and never starts again. Breaks R2.7.
    case failedStartCounts = "failed-start-counts"
    case resetsOmitted = "resets-omitted"  // Puts 0, 0 and no file in place of what an update leaves out. Breaks R2.8.
    case lowersProgress = "lowers-progress"  // Lets progress fall. Breaks R2.9.
    /// Lets progress fall while a window holds states back. Breaks R2.9.
    case lowersThrottledProgress = "lowers-throttled-progress"
    /// Answers the news that the app went to the background, and sends nothing. Breaks R2.10.
    case ignoresBackground = "ignores-background"
    case hidesError = "hides-error"  // Ends a session that failed as completed. Breaks R2.12.
    /// Forgets what a session shows when its activity is registered again. Breaks R2.13.
    case forgetsAtRelaunch = "forgets-at-relaunch"
    case isoStartTime = "iso-start-time"  // Writes a date as text. Breaks R2.14 (P20).
    case manglesEmoji = "mangles-emoji"  // Reads the bytes of an emoji as Latin-1. Breaks R2.14.
    case uncutPaths = "uncut-paths"  // Cuts no path. Breaks R2.15 (R0.6).
    /// Pushes to the device token where no activity token is known, and says nothing. Breaks R2.16.
    case sendsToDeviceToken = "sends-to-device-token"
    // MARK: Activities that are replaced (epilogue)
    case restartsLate = "restarts-late"  // Replaces an activity at 7 h 5 min of its age. Breaks R4.1.
    /// Replaces the first activity of a session and lets the second grow too old. Breaks R4.2.
    case restartsOnce = "restarts-once"
    case countsSessionAge = "counts-session-age"  // Counts the session's age for that of the activity. Breaks R4.12.
    case losesStateAtRestart = "loses-state-at-restart"  // Begins the replacement with an empty state. Breaks R4.3.
    /// Begins the replacement as listening and without the nudge. Breaks R4.4.
    case dropsNudgeAtRestart = "drops-nudge-at-restart"
    case restartsDuration = "restarts-duration"  // Counts the session's time from the replacement on. Breaks R4.5.
    case keepsReplacedCard = "keeps-replaced-card"  // Leaves the old card beside the new one. Breaks R4.6.
    /// Leaves two cards where two starts for one successor are both adopted. Breaks R4.6.
    case keepsRivalCard = "keeps-rival-card"
    case leavesReplacedCard = "leaves-replaced-card"  // Ends the old card without a date at which it goes. Breaks R4.6.
    case leavesLateCard = "leaves-late-card"  // Lets a card stay that turns up when its session is over. Breaks R4.6.
    case startsStale = "starts-stale"  // Begins the replacement with a stale-date that is over. Breaks R4.6.
    /// Does not tell the new card what was said before it was adopted. Breaks R4.3.
    case losesWhatCameBetween = "loses-what-came-between"
    case freezesDuration = "freezes-duration"  // Lets the session's time stand still on the new card. Breaks R4.5.
    /// Counts the time of a session from when its id was first used, though that session is over. Breaks R4.5.
    case countsFromFirstLife = "counts-from-first-life"
    case leavesFinalCard = "leaves-final-card"  // Ends a session without a date at which its card goes. Breaks R4.16.
    /// Ends the old card when APNs has accepted the start. Breaks R4.20 (R4.7, R4.22).
    case endsBeforeAdoption = "ends-before-adoption"
    /// Sends an event `restart-needed`, which Apple does not know, and starts nothing. Breaks R4.19.
    case sendsRestartNeeded = "sends-restart-needed"
    /// Starts by the start token that the phone registered first. Breaks R4.20, R4.23.
    case restartsByOldToken = "restarts-by-old-token"
    /// Lets a late registration of the replaced activity take the new one's place. Breaks R4.21.
    case obeysLateRegistration = "obeys-late-registration"
    case givesUpRestart = "gives-up-restart"  // Does not try again where nobody adopts a start. Breaks R4.22.
    case hammersStarts = "hammers-starts"  // Tries again each minute. Breaks R4.24.
    case unixStartTime = "unix-start-time"  // Writes the date of a start in seconds since 1970. Breaks R4.27.
    case restartsAllAtOnce = "restarts-all-at-once"  // Replaces what began together in the same second. Breaks R4.28.
    case startsRunningSessions = "starts-running-sessions"  // Starts a second card of a session that runs. Breaks R4.13.
    case uncutTranscripts = "uncut-transcripts"  // Cuts no transcript. Breaks R4.15.
    // MARK: Rows that are pushed when they are written (busymate)
    case pushesInsertsOnly = "pushes-inserts-only"  // Pushes what is inserted, and not what is changed by PATCH. Breaks R1.1.
    case alertsOnMessage = "alerts-on-message"  // Sends an alert to the device besides. Breaks R1.3.
    case tellsWhoWrote = "tells-who-wrote"  // Puts the writer's name into the content-state. Breaks R1.4.
    case ignoresPresence = "ignores-presence"  // Shows the source of a device that is not online. Breaks R1.5.
    case pushesEmptyNote = "pushes-empty-note"  // Shows an empty message as an empty note. Breaks R1.6.
    case ignoresClears = "ignores-clears"  // Pushes nothing for an empty message. Breaks R1.6.
    case keepsClearedNote = "keeps-cleared-note"  // Pushes the note of before for an empty message. Breaks R1.6.
    /// Sends to the card of a device that registered first, and to no other. Breaks R1.7.
    case pushesToFirstCard = "pushes-to-first-card"
    case tellsFirstListener = "tells-first-listener"  // Broadcasts to the first who listens on a channel. Breaks R1.2.
    case broadcastsAstray = "broadcasts-astray"  // Broadcasts each message on another device's channel as well. Breaks R1.2.
    case loudMessages = "loud-messages"  // Puts an alert into the update of a card. Breaks R1.3.
    case broadcastsInBinary = "broadcasts-in-binary"  // Broadcasts in binary messages. Breaks R1.2.
    /// Tells the second who listens the message before this one once more. Breaks R1.16.
    case retellsOldBroadcast = "retells-old-broadcast"
    case pushesToEveryKind = "pushes-to-every-kind"  // Sends to tokens of other kinds, too. Breaks R1.8.
    case guessesRate = "guesses-rate"  // Tells a rate of requests that it cannot know. Breaks R1.10.
    /// Pushes a message that is written again unchanged each second time. Breaks R1.22.
    case alternatesRepeats = "alternates-repeats"
    /// Pushes to the device of a statement's first row alone. Breaks R1.25.
    case pushesFirstOfStatement = "pushes-first-of-statement"
    case letsDevicesWrite = "lets-devices-write"  // Takes what a device writes into its own row. Breaks R1.13.
    case showsAllRows = "shows-all-rows"  // Shows each device the rows of all. Breaks R1.13.
    case hidesRowsFromPeople = "hides-rows-from-people"  // Shows people no row. Breaks R1.14.
    /// Stores no message of a device that has no card. Breaks R1.11.
    case forgetsIdleMessages = "forgets-idle-messages"
    case pushesNoToolCalls = "pushes-no-tool-calls"  // Pushes nothing for a message that the tool sets. Breaks R1.15.
    case postsWithoutOrder = "posts-without-order"  // Posts what came within a quarter of a second in reverse. Breaks R1.17.
    /// Commits each row by itself, so that what stands before a bad one is pushed. Breaks R1.18.
    case pushesBeforeCommit = "pushes-before-commit"
    /// Posts once: what comes while the function is out of reach is lost. Breaks R1.19.
    case losesFailedPosts = "loses-failed-posts"
    case failsWhenCold = "fails-when-cold"  // Fails a write while the function has never run. Breaks R1.20.
    case losesColdWrites = "loses-cold-writes"  // Loses what is written while the function has never run. Breaks R1.20 (R1.1).
    case showsServiceKey = "shows-service-key"  // Shows everybody the key of the push function. Breaks R1.21.
    case opensConfig = "opens-config"  // Lets everybody change where the trigger posts to. Breaks R1.21.
    case prunesWholeDevice = "prunes-whole-device"  // Deletes all tokens of a device with a dead one. Breaks R1.23.
    case uncutNotes = "uncut-notes"  // Cuts no note. Breaks R1.24 (R0.6).
    // MARK: What is in a header
    case permissionAtFive = "permission-at-5"  // Sends a permission state at priority 5. Breaks R0.12.
    case everythingAtTen = "everything-at-10"  // Sends every push of an activity at priority 10. Breaks P19 (G7).
    case topicWithoutSuffix = "topic-without-suffix"  // Leaves the suffix out of an activity's topic. Breaks P18.
    case fractionalExpiration = "fractional-expiration"  // Writes `apns-expiration` with a fraction. Breaks P17.
    case emptyCollapseID = "empty-collapse-id"  // Sends `apns-collapse-id` with nothing in it. Breaks P23.
    case cutsLongIDs = "cuts-long-ids"  // Cuts an id that `apns-collapse-id` has no room for. Breaks P23.
    case sendsLongIDs = "sends-long-ids"  // Sends it there as it is. Breaks P23.
    case newIDPerTry = "new-id-per-try"  // Takes a new `apns-id` for each attempt. Breaks P15.
    case repeatsAccepted = "repeats-accepted"  // Sends what APNs has accepted again under its id. Breaks R0.1 (P15).
    case leavesOutPushType = "leaves-out-push-type"  // Leaves `apns-push-type` out of alerts. Breaks P18.
    case sharesID = "shares-apns-id"  // Gives two pushes one `apns-id`. Breaks P15.
    // MARK: Whom it reaches
    /// Sends every tenth update to an activity of another secret. Breaks R0.39 (R0.30).
    case crossesSessions = "crosses-sessions"
    /// Takes sessions of two users for one where their ids are alike. Breaks R0.30 (R0.39).
    case sharesSessionsOfUsers = "shares-sessions-of-users"
    /// Takes a phone from a user when another registers it as well. Breaks R0.29.
    case movesDevices = "moves-devices"
    case updatesUnknownToken = "updates-unknown-token"  // Sends updates to a token that nobody has. Breaks R0.1.
    /// Takes an event with an unknown secret for one of the account that it saw last. Breaks R0.30.
    case servesUnknownSecrets = "serves-unknown-secrets"
    case acceptsBadRequests = "accepts-bad-requests"  // Answers 200 to what is malformed. Breaks R0.31.
    case failsOnMalformed = "fails-on-malformed"  // Answers 500 to what is no JSON. Breaks R0.31.
    case takesAnySecret = "takes-any-secret"  // Takes an event whose secret is no text for another account's. Breaks G27 (G28).
    case diesOfMalformed = "dies-of-malformed"  // Ends at what is no JSON object. Breaks G27.
    /// Answers 404 to the goodbye of an activity that is over or replaced. Breaks R0.29 (R0.20).
    case refusesLateGoodbyes = "refuses-late-goodbyes"
    case needsServerID = "needs-server-id"  // Refuses an event that leaves out its optional serverID. Breaks R0.29.
    case acceptsEmptyTitles = "accepts-empty-titles"  // Answers 200 to an event with an empty title. Breaks R0.31.
    case failsOnLongIDs = "fails-on-long-ids"  // Answers 500 to an id that is longer than its columns. Breaks R0.41.
    /// Answers an event without saying how many pushes came of it. Breaks R0.29 (R3.3).
    case leavesOutCounts = "leaves-out-counts"
    // MARK: What it makes of an answer
    /// Keeps a token after APNs has declared it dead, and goes on pushing to it. Breaks R0.22, R0.25.
    case keepsDeadTokens = "keeps-dead-tokens"
    /// Deletes a phone's row on disk with that of its dead activity, and knows it as long as it runs. Breaks R0.24.
    case dropsLivingRows = "drops-living-rows"
    case leavesDeadRows = "leaves-dead-rows"  // Forgets a dead activity token and leaves its row on disk. Breaks R0.22.
    case keepsDeadDeviceTokens = "keeps-dead-device-tokens"  // The same for device tokens only. Breaks R0.25.
    /// Keeps a push-to-start token after APNs has called it dead. Breaks R0.22.
    case keepsDeadStartTokens = "keeps-dead-start-tokens"
    case knowsOnlyUnregistered = "knows-only-unregistered"  // Does not know the reason ExpiredToken. Breaks R0.22 (G2).
    /// Keeps an activity token that is no token at either of Apple's hosts. Breaks R0.22.
    case keepsBadDeviceTokens = "keeps-bad-device-tokens"
    case retriesAfter410 = "retries-after-410"  // Treats 410 as passing trouble and sends again. Breaks R0.22 (P9).
    /// Deletes a token that was registered again after the timestamp of the 410. Breaks P10 (G4).
    case ignores410Timestamp = "ignores-410-timestamp"
    /// Deletes an activity's row for the answer to a token that it does not hold any more, or held anew. Breaks G4.
    case prunesChangedRow = "prunes-changed-row"
    case prunesWhenBusy = "prunes-when-busy"  // Deletes a token when APNs is busy or failing (429, 5xx). Breaks R0.23.
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
    case givesUpSoon = "gives-up-soon"  // Tries three times and no more. Breaks R0.8.
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
    case signsOnce = "signs-once"  // Signs one provider token for good, whatever APNs says of it. Breaks P1 (P2).
    case signsWhenTold = "signs-when-told"  // Signs when APNs calls the token expired, and not before. Breaks R0.33 (P1).
    case keepsExpiredProviderToken = "keeps-expired-provider-token"  // Goes on with an expired token. Breaks R0.34 (P2).
    case staysWedged = "stays-wedged"  // Signs anew when told, and stays on the connection that was told so. Breaks P2.
    case signsFor429 = "signs-for-429"  // Signs anew when APNs says that it signs too often. Breaks P14.
    case mixesTeams = "mixes-teams"  // Signs for two teams in turn, on the same connection. Breaks P3.
    case connectionPerPush = "connection-per-push"  // Opens a connection for each push. Breaks R0.35 (P6).
    // MARK: Rows that go to APNs or FCM (sendora)
    case keepsGoneRegistrations = "keeps-gone-registrations"  // Sends on after UNREGISTERED. Breaks F1.
    case forgetsRegistrations = "forgets-registrations"  // Deletes a registration whatever FCM refuses. Breaks F3 (R3.18).
    case forgetsForAny404 = "forgets-for-any-404"  // Takes each 404 for a registration that is gone. Breaks F2.
    case ignoresQuota = "ignores-quota"  // Comes again a second after 429 of FCM. Breaks F7.
    case hurriesAfterFailure = "hurries-after-failure"  // Comes again a second after 5xx of FCM. Breaks F8.
    case accessTokenPerMessage = "access-token-per-message"  // Asks for an access token for each message. Breaks F10.
    case keepsExpiredAccess = "keeps-expired-access"  // Goes on with an access token that has ended. Breaks F10.
    case numbersInData = "numbers-in-data"  // Puts a number into data. Breaks F11.
    case reservedDataKey = "reserved-data-key"  // Puts `from` into data. Breaks F12.
    case addsDataKey = "adds-data-key"  // Puts a fourth text into data. Breaks R3.6.
    case dryRuns = "dry-runs"  // Leaves validate_only on. Breaks F25.
    case notifiesLiveUpdates = "notifies-live-updates"  // Adds a notification block. Breaks R3.7 (F14).
    case soundsQuietUpdates = "sounds-quiet-updates"  // Gives an update without an alert a sound. Breaks R3.8.
    case normalLiveUpdates = "normal-live-updates"  // Sends Live Updates at priority normal. Breaks R3.6 (F15).
    case floodsRegistrations = "floods-registrations"  // Sends each message to FCM eighty times over. Breaks F21.
    case makesSecondRow = "makes-second-row"  // Takes a changed token for another activity. Breaks R3.15 (R3.14).
    case servesAnyTier = "serves-any-tier"  // Asks nobody to pay. Breaks R3.1.
    case obeysPublicKeys = "obeys-public-keys"  // Lets apps update activities. Breaks R3.28.
    case opensForeignRows = "opens-foreign-rows"  // Updates rows of another organisation. Breaks R3.27.
    case tellsNoStarts = "tells-no-starts"  // Calls back no activity that has begun. Breaks R3.2.
    case answersWithoutID = "answers-without-id"  // Answers a registration without the activity's id. Breaks R3.3.
    case routesAllToAPNs = "routes-all-to-apns"  // Takes every row for an iPhone's. Breaks R3.4.
    case leavesTopicToCallers = "leaves-topic-to-callers"  // Takes the bundle ID for the topic, as it came. Breaks R3.5.
    case dropsUpdateAlerts = "drops-update-alerts"  // Leaves an update's alert out. Breaks R3.8.
    case stampsByTheHour = "stamps-by-the-hour"  // Stamps with the hour that it is. Breaks R3.9.
    case keepsFirstOfSecond = "keeps-first-of-second"  // Forgets an update in the second of another. Breaks R3.10.
    case endsAgain = "ends-again"  // Ends an activity once more whose end is over. Breaks R3.12.
    case tellsNoEnds = "tells-no-ends"  // Calls back no end. Breaks R3.12.
    case refusesBeyondBudget = "refuses-beyond-budget"  // Answers 429 from the 30th update within an hour on. Breaks R3.22.
    case servesWithoutKeys = "serves-without-keys"  // Serves callers without a key as the row's own. Breaks R3.29.
    case writesNumbersAsTexts = "writes-numbers-as-texts"  // Writes a state's numbers as texts. Breaks R3.30.
    case mergesStates = "merges-states"  // Keeps what an update leaves out. Breaks R3.31.
    case measuresNoPayloads = "measures-no-payloads"  // Sends APNs what is too large. Breaks R3.32.
    case startsByPush = "starts-by-push"  // Greets a registration with a start push. Breaks R3.33.
    case keepsDisabledTokens = "keeps-disabled-tokens"  // Reads no word of APNs' in an answer of FCM. Breaks F4.
    case repeatsRefusedMessages = "repeats-refused-messages"  // Sends what FCM has refused for good again. Breaks F6.
    /// Sends what FCM has refused for good again with another time in it. Breaks F6.
    case rebuildsRefusedMessages = "rebuilds-refused-messages"
    case givesUpOnPages = "gives-up-on-pages"  // Takes an answer without details for a refusal. Breaks F9.
    case measuresNoMessages = "measures-no-messages"  // Sends FCM what is too large. Breaks F13 (R3.32).
    case legacyFields = "legacy-fields"  // Writes `to` and `time_to_live` beside the message. Breaks F16.
    case bareTTL = "bare-ttl"  // Writes a message's life without its unit. Breaks F17.
    case twoTargets = "two-targets"  // Addresses a message to a topic as well. Breaks F18.
    case connectionPerMessage = "connection-per-message"  // Opens a connection for each message. Breaks F19.
    case renewsForAny401 = "renews-for-any-401"  // Asks for another access token whatever a 401 says. Breaks F5.
    case savesMessagesUp = "saves-messages-up"  // Sends what is due at FCM each ten seconds, all at once. Breaks F23.
    /// Leaves an iPhone's token out of a message, beside its registration. Breaks F22.
    case leavesOutActivityTokens = "leaves-out-activity-tokens"
    case endsDeadRows = "ends-dead-rows"  // Calls back the end of an activity whose token is dead. Breaks R3.19.
    case stampsByTheClock = "stamps-by-the-clock"  // Stamps older when its clock is set back. Breaks R3.11.
    case hidesRetryTime = "hides-retry-time"  // Says "too many" and not for how long. Breaks R3.38.
    case namesEachAttempt = "names-each-attempt"  // Gives what it sends FCM again another activity. Breaks F20.
    /// Has every state of an activity wait for a device, so that they arrive in any order. Breaks R3.36.
    case leavesOutCollapseKeys = "leaves-out-collapse-keys"
    /// Has the activities of a device wait under one collapse key, where the newest takes the others' place. Breaks F20.
    case sharesCollapseKey = "shares-collapse-key"
    case impatientMessages = "impatient-messages"  // Waits two seconds for FCM's answer. Breaks F24.
}
