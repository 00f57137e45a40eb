// What the judge has to say of each defect: the claim that it breaks first and the rules that it turns red.

extension Defect {
    /// The claim that this defect breaks first (spec/relays.md §1.5 and §7.3, spec/apns.md §14).
    package var claim: String { row.claim }

    /// The rules that this defect turns red where its cause occurs, the primary one first, then its side effects.
    package var declared: [String] { row.declared }

    /// The rules that it may turn red besides, by chance; no other may turn red for it.
    package var possible: [String] {
        switch self {
        // Where the token lives at the other host in truth.
        case .neverTriesOtherEnvironment: Self.lost
        // What is taken at last has come late, and what waited behind it may be lost.
        case .repeatsRefused: ["states-in-time", "states-delivered", "last-state-delivered"]
        // The new token is not told what the old one was.
        case .retriesOldToken: Self.lost
        // Where nothing was shown between the two starts.
        case .restartsDismissed: ["one-start"]
        // Whether the next turn's states are taken for the new activity's.
        case .keepsEndedRow: ["nothing-unexpected"]
        // Whether a turn that it does not begin has a question that nothing follows.
        case .endsForGood, .endedForGoodAfterRestart: ["last-state-delivered"]
        // What goes with a token that is none at that host looks like another one's death, or a goodbye that was obeyed.
        case .asksSandboxOnly: ["other-token-kept", "newer-registration-kept", "answers-named"]
        // Or one of a user's two phones lives there.
        case .asksProductionOnly: ["each-phone-served", "last-state-delivered", "answers-named"]
        // What it sends late goes to a token that was replaced meanwhile, or is the last of a session.
        case .risingLate: ["new-token-used", "states-in-time"]
        // Who is answered so what no profile names.
        case .servesAnyTier, .obeysPublicKeys, .wakesWithoutActivities: ["answers-named"]
        // A token that died with the relay gets nothing.
        case .storesLate: Self.lost
        // What was kept back came very late; or a single state went astray, and a newer one did not make up for it.
        case .swapsOrder: ["states-in-time"]
        // It leaves with the window, and not behind it.
        case .sendsStaleProgress: ["throttle-respected"]
        // A topic that APNs refuses for it keeps every push from its phone.
        case .topicWithoutSuffix: Self.lost
        // Where nothing follows an event that begins no session or whose text no payload holds, or what is said behind it.
        case .startsOnStartOnly, .uncutNotes, .tellsHeldToOnePhone, .wakesWithoutStarts: ["last-state-delivered"]
        // What two sessions of a user have left may stand a window apart by chance.
        case .dropsTrailingEdge: ["throttle-per-session"]
        // Whether a nudge falls into the time in which nobody shows anything.
        case .restartsOnce, .givesUpRestart: ["states-delivered"]
        // Or is shown only when the next activity is adopted.
        case .endsBeforeAdoption: ["states-delivered", "states-in-time"]
        // Or a push into those in which the phone has ended the card for its age.
        case .sendsRestartNeeded: ["states-delivered", "dead-token-dropped"]
        case .obeysLateRegistration: ["dead-token-dropped", "restart-in-time"]
        // The beginning that it loses is set anew by the relay's clock.
        case .losesStateAtRestart: ["seconds-run-with-clock"]
        case .startsStale, .unixStartTime: Self.lost
        // Whether the window opens right behind the event that takes the file away.
        case .keepsFileWhileThrottled: ["content-unchanged"]
        case .crossesSessions, .mixesTeams, .sharesThrottle: ["last-state-delivered"]
        // What waits behind it is due half a minute later, when the run may be over.
        case .waitsForEver: ["states-delivered", "last-state-delivered", "states-in-time"]
        // The registration is none of APNs', and what is said behind its death reaches nobody.
        case .routesAllToAPNs: ["webhooks-told", "webhooks-for-cause"]
        // So does a topic that APNs does not take for the token.
        case .leavesTopicToCallers: ["webhooks-told", "webhooks-for-cause", "answers-hold-values"]
        // Whether an alert is what bears the marker.
        case .dropsUpdateAlerts: ["nothing-unexpected", "states-delivered"]
        // Any answer may be the one that it forgets for.
        case .forgetsRegistrations: ["other-not-found-kept"]
        // A registration whose card is gone by APNs' word is one of them.
        case .keepsGoneRegistrations: ["disabled-token-dropped"]
        // The marker of the call before comes with what it said.
        case .mergesStates: ["webhooks-once", "nothing-unexpected", "webhooks-told", "pushes-as-declared"]
        // A phone that is started again tells nothing of the card that it has.
        case .startsByPush: ["states-delivered", "last-state-delivered", "start-asks-for-token"]
        // The number that it leaves out may be the last of a session.
        case .keepsFirstOfSecond, .refusesBeyondBudget: ["last-state-delivered", "answers-named"]
        case .givesUpOnPages: ["states-delivered"]
        case .measuresNoMessages: ["refused-message-not-repeated"]
        // Eighty times the work takes time.
        case .floodsRegistrations: ["states-in-time", "webhooks-told"]
        // One of two phones loses what the other still has.
        case .ignores410Timestamp, .stopsAtFailure: ["each-phone-served"]
        // What was forgotten before may look as if it was lost with a connection.
        case .prunesAllTokens, .prunesOnAnyRefusal, .prunesOnCredentials, .prunesWhenBusy:
            ["each-phone-served", "goaway-obeyed", "last-state-delivered"]
        // Where APNs takes nothing for the old token any more.
        case .startsByFirstToken: ["states-delivered"]
        // And where its other token dies besides, it looks as if that had taken this one with it.
        case .prunesOnTokenUpdates: ["each-phone-served", "other-token-kept", "living-token-kept", "goaway-obeyed"]
        // What is cut off between two states is not the last one.
        case .losesCutPushes, .triesOnce: ["last-state-delivered", "goaway-obeyed", "each-phone-served"]
        // A second attempt that is wasted makes the third wait twice as long, and the states behind it.
        case .retriesAtOnce, .losesRefusedStreams: Self.lost
        case .retriesAfter410:
            ["states-delivered", "last-state-delivered", "refusal-not-repeated", "new-token-used", "states-in-time"]
        // What the pipeline passes over is not broadcast either; who listens is half of the users.
        case .pushesInsertsOnly, .pushesNoToolCalls: ["broadcasts-told", "observers-agree"]
        // What is taken back has been broadcast by then.
        case .pushesBeforeCommit: ["broadcasts-own"]
        // A handshake takes now more, now less time, so pushes that leave a window apart arrive closer, or too late.
        case .connectionPerPush: ["throttle-respected", "last-state-delivered", "states-in-time"]
        default: []
        }
    }

    /// What never reaches a phone is missed twice over: as a state, and as the last one.
    private static let lost = ["states-delivered", "last-state-delivered"]

    private var row: (claim: String, declared: [String]) {
        switch self {
        case .dropsTrailingEdge: ("R0.8", ["last-state-delivered"])
        case .ignoresThrottle: ("R0.7", ["throttle-respected"])
        case .sharesThrottle: ("R0.9", ["throttle-per-session"])
        case .updateAfterEnd: ("R0.10", ["nothing-after-end", "state-order", "timestamp-seconds-rising"])
        case .updateAfterError: ("R0.10", ["nothing-after-end", "state-order", "timestamp-seconds-rising"])
        case .sendsStaleProgress: ("R0.8", ["state-order", "timestamp-seconds-rising"])
        case .alertsOnProgress: ("R0.3", ["alerts-only-where-due", "nothing-unexpected"])
        case .loudProgress: ("R0.3", ["progress-is-quiet"])
        case .activityBeforeAlert: ("R0.2", ["alert-goes-first"])
        case .alertsAtFive, .mutesAlerts: ("R0.2", ["pushes-as-declared"])
        case .sendsTwice: ("R0.1", ["no-duplicate-push"])
        case .dropsEveryTenth: ("R0.1", Self.lost)
        // What was kept back leaves with a fresh stamp right behind its successor.
        case .swapsOrder:
            ("R0.8", ["state-order", "last-state-delivered", "timestamp-seconds-rising", "throttle-respected"])
        case .throttlesQuestions: ("R0.8", ["urgent-states-not-held", "states-delivered"])
        case .dropsRetries: ("R0.11", ["last-state-delivered"])
        case .questionKillsTimer: ("R0.8", ["last-state-delivered"])
        case .risingLate: ("R0.1", Self.lost)
        case .acceptsThenSilent: ("R0.1", Self.lost)
        case .diesUnderLoad: ("R0.1", ["relay-serves"] + Self.lost)

        case .startsAgain: ("R0.15", ["one-start", "nothing-unexpected"])
        case .startsAgainLate: ("R0.15", ["one-start", "nothing-unexpected"])
        case .neverStarts: ("R0.14", ["states-delivered"])
        case .crossesStartTokens:
            ("R0.14", ["states-delivered", "each-phone-served", "no-duplicate-push", "one-start"])
        case .keepsStarts: ("R0.14", ["states-in-time"])
        case .forgetsHeld: ("R0.15", ["states-delivered"])
        // What follows goes to a card that its phone has ended.
        case .neverTimesOut: ("R0.38", ["aged-activity-ended", "states-delivered"])
        case .timesOutUnsaid: ("R0.38", ["aged-activity-ended"])
        case .endsForGood: ("R0.13", ["states-delivered"])
        case .endsUnseenForGood: ("R0.13", Self.lost)
        case .keepsEndedRow: ("R0.40", ["nothing-after-end", "states-delivered"])
        case .startsOnStartOnly: ("R0.14", ["states-delivered", "start-token-kept"])
        case .endsWithUpdate: ("R0.4", ["activity-event-fits", "last-state-delivered"])
        case .displacesSecondPhone: ("R0.21", ["each-phone-served"] + Self.lost)
        case .progressToOnePhone: ("R0.21", ["each-phone-served", "last-state-delivered"])
        case .flushesToOnePhone: ("R0.21", ["each-phone-served", "last-state-delivered"])
        case .tellsHeldToOnePhone: ("R0.21", ["each-phone-served", "states-delivered"])
        case .losesPendingAtRotation: ("R0.8", ["last-state-delivered"])
        case .quietAfterRotation: ("R0.18", ["last-state-delivered"])
        case .keepsOldToken: ("R0.18", ["new-token-used", "each-phone-served"] + Self.lost)
        // What it had been told goes to the token of before, which whoever registered it does not use any more.
        case .storesLate: ("R0.18", ["new-token-used"])
        case .retriesOldToken: ("R0.18", ["new-token-used"])
        case .buriesTokens: ("R0.18", Self.lost)
        case .ignoresUnregister: ("R0.19", ["unregister-respected", "nothing-unexpected"])
        case .retriesAfterGoodbye: ("R0.19", ["unregister-respected"])
        case .keepsStartOfSignedOut: ("R0.29", ["unregister-respected", "nothing-unexpected"])
        case .startsByFirstToken: ("R0.44", ["start-token-kept"])
        case .restartsDismissed: ("G17", ["dismissal-respected", "nothing-unexpected"])
        case .forgetsStartToken: ("R0.44", ["start-token-kept", "states-delivered"])
        case .nullErasesStartToken: ("R0.44", ["start-token-kept", "states-delivered"])
        case .obeysLateUnregister: ("R0.20", ["newer-registration-kept"] + Self.lost)
        case .obeysFormerUnregister: ("R0.20", ["newer-registration-kept"] + Self.lost)
        case .dropsActivitiesWithPhone: ("R0.29", Self.lost)

        case .wakesWithoutStartTokens: ("R0.44", ["states-delivered"])
        case .wakesWithoutStarts: ("R0.15", ["one-start", "nothing-unexpected"])
        case .endedForGoodAfterRestart: ("R0.13", ["states-delivered"])
        case .wakesWithoutActivities: ("R2.8", ["states-delivered", "last-state-delivered"])
        case .wakesWithoutStates: ("R2.8", ["omitted-values-kept", "values-never-fall"])

        case .millisecondTimestamps: ("R0.16", ["timestamp-seconds-rising"] + Self.lost)
        case .addsStateKey: ("R0.5", ["content-fits-contract", "content-unchanged"] + Self.lost)
        case .wrongCaseKeys: ("R0.43", ["content-decodes", "content-fits-contract", "content-unchanged"] + Self.lost)
        case .losesRetryInfo: ("R0.11", ["content-unchanged", "content-fits-contract", "last-state-delivered"])
        case .wrapsState: ("R0.43", ["content-decodes", "content-fits-contract", "content-unchanged"] + Self.lost)
        case .oversizedPayloads: ("R0.6", ["payload-fits", "requests-well-formed"] + Self.lost)
        case .startWithoutAlert: ("R0.14", ["start-is-complete", "content-decodes", "states-delivered", "pushes-as-declared"])
        case .startsAsking: ("R0.14", ["content-unchanged", "states-delivered"])
        case .startWithoutAttributes:
            ("R0.14", ["start-is-complete", "content-decodes", "content-unchanged", "states-delivered"])
        case .startWithoutInputToken: ("R0.17", ["start-asks-for-token"])

        case .countsOnInNextTurn: ("R2.1", ["content-unchanged", "omitted-values-kept", "states-delivered"])
        case .startsActive: ("R2.1", ["content-unchanged", "omitted-values-kept", "states-delivered"])
        case .dismissesAtOnce: ("R2.2", ["pushes-as-declared"])
        case .takesUnknownSessions: ("R2.4", ["bad-requests-refused"])
        // What it took for the state of a running session keeps the next start away, and is shown by the activity after all.
        case .failedStartLingers:
            ("R2.7", [
                "bad-requests-refused", "states-delivered", "living-token-kept", "nothing-unexpected", "content-unchanged",
                "omitted-values-kept",
            ])
        case .losesCoalescedValues: ("R2.8", ["omitted-values-kept"])
        case .losesHeldValues: ("R2.8", ["omitted-values-kept"])
        case .keepsClearedFile: ("R2.8", ["content-unchanged", "omitted-values-kept"])
        case .keepsFileWhileThrottled: ("R2.8", ["omitted-values-kept"])
        case .keepsFileWhileHeld: ("R2.8", ["omitted-values-kept", "content-unchanged"])
        case .losesPendingAtEnd: ("R2.2", ["omitted-values-kept"])
        case .forgetsBackground: ("R2.8", ["omitted-values-kept"])
        case .misdatesStart: ("R2.14", ["content-unchanged", "states-delivered"])
        case .redatesStart: ("R2.14", ["content-unchanged", "states-delivered"])
        case .cutsOneOver: ("R2.15", ["payload-fits", "requests-well-formed"])
        case .resetsCountAtEnd: ("R2.2", ["omitted-values-kept", "values-never-fall"])
        case .startsWhileActive: ("R2.6", ["one-start", "nothing-unexpected", "omitted-values-kept"])
        // To whoever sees no further start, its token looks forgotten.
        case .failedStartCounts: ("R2.7", ["states-delivered", "living-token-kept"])
        case .resetsOmitted: ("R2.8", ["omitted-values-kept", "values-never-fall"])
        case .lowersProgress: ("R2.9", ["values-never-fall", "omitted-values-kept"])
        case .lowersThrottledProgress: ("R2.9", ["values-never-fall", "omitted-values-kept"])
        case .ignoresBackground: ("R2.10", ["states-delivered", "omitted-values-kept"])
        case .hidesError: ("R2.12", ["content-unchanged", "omitted-values-kept", "last-state-delivered"])
        case .forgetsAtRelaunch: ("R2.13", ["omitted-values-kept", "values-never-fall"])
        case .isoStartTime: ("R2.14", ["content-decodes", "content-unchanged", "states-delivered"])
        case .manglesEmoji:
            ("R2.14", ["content-fits-contract", "content-unchanged", "omitted-values-kept"] + Self.lost)
        case .uncutPaths: ("R2.15", ["payload-fits", "requests-well-formed"])
        // A phone's device token takes no push of an activity, so that nothing is shown.
        case .sendsToDeviceToken: ("R2.16", ["bad-requests-refused", "token-of-its-kind"])

        case .restartsLate: ("R4.1", ["restart-in-time", "restart-in-window"])
        // An activity that grew too old is ended by its phone, which shows nothing of what follows.
        case .restartsOnce: ("R4.2", ["restart-in-time", "last-state-delivered"])
        case .countsSessionAge: ("R4.12", ["restart-by-own-age", "restart-in-window"])
        case .losesStateAtRestart:
            ("R4.3", ["restart-keeps-state", "omitted-values-kept", "content-unchanged", "numbers-run-on", "values-never-fall"])
        case .dropsNudgeAtRestart: ("R4.4", ["restart-keeps-state", "omitted-values-kept"])
        case .restartsDuration: ("R4.5", ["numbers-run-on", "values-never-fall", "seconds-run-with-clock"])
        case .keepsReplacedCard: ("R4.6", ["replaced-card-ended", "one-card-at-a-time"])
        case .keepsRivalCard: ("R4.6", ["one-card-at-a-time"])
        case .leavesReplacedCard: ("R4.6", ["replaced-card-goes"])
        case .leavesLateCard: ("R4.6", ["late-card-ended"])
        case .startsStale: ("R4.6", ["start-is-shown"])
        case .losesWhatCameBetween: ("R4.3", ["hand-over-catches-up"])
        case .freezesDuration: ("R4.5", ["seconds-run-with-clock"])
        case .countsFromFirstLife: ("R4.5", ["seconds-run-with-clock"])
        case .leavesFinalCard: ("R4.16", ["ended-card-goes"])
        case .endsBeforeAdoption:
            ("R4.20", ["old-kept-until-adopted", "restart-tried-again", "last-state-delivered", "late-card-ended"])
        case .sendsRestartNeeded:
            ("R4.19", ["activity-event-fits", "restart-in-time", "content-decodes", "last-state-delivered"])
        case .restartsByOldToken: ("R4.20", ["restart-by-current-token"])
        case .obeysLateRegistration: ("R4.21", ["late-registration-ignored", "new-token-used", "nothing-after-end"] + Self.lost)
        case .givesUpRestart: ("R4.22", ["restart-tried-again", "last-state-delivered"])
        case .hammersStarts: ("R4.24", ["restart-backs-off"])
        case .unixStartTime: ("R4.27", ["content-fits-contract", "content-unchanged", "restart-keeps-state"])
        case .restartsAllAtOnce: ("R4.28", ["restarts-spread"])

        case .pushesInsertsOnly: ("R1.1", ["states-delivered"])
        case .loudMessages: ("R1.3", ["pushes-as-declared"])
        case .alertsOnMessage: ("R1.3", ["alerts-only-where-due", "nothing-unexpected"])
        case .tellsWhoWrote: ("R1.4", ["content-fits-contract"])
        case .ignoresPresence: ("R1.5", ["omitted-values-kept"])
        case .pushesEmptyNote: ("R1.6", ["content-unchanged", "content-fits-contract", "states-delivered"])
        case .ignoresClears: ("R1.6", ["states-delivered"])
        case .keepsClearedNote: ("R1.6", ["states-delivered", "no-duplicate-push"])
        case .pushesToFirstCard: ("R1.7", ["each-phone-served"] + Self.lost)
        case .tellsNoDeadTokens: ("R3.17", ["webhooks-told"])
        case .tellsLivingTokens: ("R3.18", ["webhooks-for-cause"])
        case .signsWithoutTime: ("R3.25", ["webhooks-signed"])
        case .signsWithOldSecret: ("R3.25", ["webhooks-signed"])
        case .givesUpWebhooks: ("R3.26", ["webhooks-retried"])
        case .repeatsWebhooks: ("R3.24", ["webhooks-once"])
        case .swapsWebhooks: ("R3.24", ["webhooks-in-order"])
        case .tellsFirstListener: ("R1.2", ["broadcasts-told"])
        case .broadcastsAstray: ("R1.2", ["broadcasts-own"])
        case .broadcastsInBinary: ("R1.2", ["broadcasts-readable"])
        case .retellsOldBroadcast: ("R1.16", ["observers-agree"])
        case .pushesToEveryKind: ("R1.8", ["token-of-its-kind"])
        case .guessesRate: ("R1.4", ["content-fits-contract", "content-unchanged"] + Self.lost)
        case .alternatesRepeats: ("R1.22", ["repeats-alike"])
        case .pushesFirstOfStatement: ("R1.25", ["states-delivered", "broadcasts-told"])
        case .letsDevicesWrite: ("R1.13", ["bad-requests-refused", "nothing-unexpected"])
        case .showsAllRows: ("R1.13", ["answers-keep-secrets"])
        case .hidesRowsFromPeople: ("R1.14", ["answers-hold-values"])
        case .pushesNoToolCalls: ("R1.15", ["states-delivered"])
        case .postsWithoutOrder: ("R1.17", ["state-order", "timestamp-seconds-rising"])
        case .pushesBeforeCommit: ("R1.18", ["bad-requests-refused", "nothing-unexpected"])
        case .losesFailedPosts: ("R1.19", ["states-delivered"])
        case .failsWhenCold: ("R1.20", ["relay-serves", "states-delivered"])
        case .losesColdWrites: ("R1.20", ["states-delivered"])
        case .showsServiceKey: ("R1.21", ["answers-keep-secrets"])
        case .opensConfig: ("R1.21", ["bad-requests-refused"])
        case .prunesWholeDevice: ("R1.23", Self.lost)
        case .uncutNotes: ("R1.24", ["payload-fits", "requests-well-formed", "states-delivered"])

        case .permissionAtFive: ("R0.12", ["urgent-states-at-10"])
        case .everythingAtTen: ("P19", ["activity-priorities-mixed"])
        case .topicWithoutSuffix: ("P18", ["topic-fits-type"])
        case .fractionalExpiration: ("P17", ["requests-well-formed"] + Self.lost)
        case .emptyCollapseID: ("P23", ["requests-well-formed"] + Self.lost)
        case .newIDPerTry: ("P15", ["retry-keeps-apns-id"])
        case .sharesID: ("P15", ["apns-id-unique"])

        case .crossesSessions: ("R0.39", ["sessions-kept-apart", "nothing-unexpected", "states-delivered"])
        case .sharesSessionsOfUsers: ("R0.30", ["sessions-kept-apart", "nothing-unexpected"] + Self.lost)
        case .movesDevices: ("R0.29", ["states-delivered"])
        case .updatesUnknownToken: ("R0.1", ["nothing-unexpected"] + Self.lost)
        case .servesUnknownSecrets: ("R0.30", ["unknown-secret-silent", "sessions-kept-apart", "nothing-unexpected"])
        case .acceptsBadRequests: ("R0.31", ["bad-requests-refused", "oversized-refused"])
        case .needsServerID: ("R0.29", ["states-delivered"])
        case .failsOnMalformed: ("R0.31", ["bad-requests-refused", "relay-serves"])
        case .acceptsEmptyTitles: ("R0.31", ["bad-requests-refused"])
        case .failsOnLongIDs: ("R0.41", ["oversized-refused"])
        case .leavesOutCounts: ("R0.29", ["answers-hold-values"])

        case .repeatsStaleStart: ("R0.15", ["stale-start-dropped"])
        case .keepsDeadTokens: ("R0.22", ["dead-token-dropped", "dead-device-token-dropped"])
        case .leavesDeadRows: ("R0.22", ["dead-token-forgotten"])
        case .keepsDeadDeviceTokens: ("R0.25", ["dead-device-token-dropped"])
        case .keepsDeadStartTokens: ("R0.22", ["dead-token-dropped"])
        case .knowsOnlyUnregistered: ("R0.22", ["dead-token-dropped"])
        case .keepsBadDeviceTokens: ("R0.22", ["dead-token-dropped"])
        case .retriesAfter410: ("R0.22", ["dead-token-dropped", "dead-device-token-dropped"])
        case .ignores410Timestamp: ("P10", ["old-410-ignored"] + Self.lost)
        case .prunesChangedRow: ("G4", ["changed-row-kept"] + Self.lost)
        case .prunesWhenBusy: ("R0.23", ["living-token-kept"] + Self.lost)
        case .prunesInDoubt: ("R0.23", Self.lost)
        case .prunesOnCredentials: ("R0.23", ["living-token-kept", "states-delivered"])
        case .repeatsRefused: ("P9", ["refusal-not-repeated"])
        case .prunesOnAnyRefusal: ("R0.23", ["living-token-kept"] + Self.lost)
        case .prunesOnTokenUpdates: ("R0.23", Self.lost)
        case .stopsAtFailure: ("R0.29", ["states-delivered"])
        case .prunesAllTokens: ("R0.24", ["other-token-kept", "states-delivered"])
        case .ignoresEnvironmentHint: ("R0.26", ["other-environment-once"])
        case .neverTriesOtherEnvironment: ("R0.27", ["bad-token-other-environment"])
        case .asksSandboxOnly, .asksProductionOnly:
            ("R0.1", ["states-delivered", "last-state-delivered", "bad-token-other-environment"])
        case .losesRefusedStreams: ("P8", ["goaway-obeyed"])
        case .losesCutPushes: ("R0.1", ["states-delivered"])
        case .triesOnce: ("R0.1", ["states-delivered"])
        case .retriesAtOnce: ("P13", ["retry-backs-off"])
        case .storms: ("P13", ["retry-storm", "retry-backs-off"])
        case .waitsForEver: ("R0.36", ["answers-in-time", "relay-serves"])

        case .signsPerPush: ("R0.33", ["provider-token-reused"] + Self.lost)
        case .signsWhenTold: ("R0.33", ["provider-token-fresh"])
        case .keepsExpiredProviderToken: ("R0.34", ["provider-token-renewed"])
        case .mixesTeams: ("P3", ["one-team-per-connection", "states-delivered"])
        case .connectionPerPush: ("R0.35", ["connections-reused"])

        case .keepsGoneRegistrations: ("F1", ["dead-registration-dropped"])
        case .forgetsRegistrations: ("F3", ["living-registration-kept"] + Self.lost)
        case .ignoresQuota: ("F7", ["quota-obeyed"])
        case .hurriesAfterFailure: ("F8", ["failure-awaited"])
        case .accessTokenPerMessage: ("F10", ["access-token-reused"])
        case .keepsExpiredAccess: ("F10", ["access-token-renewed"])
        case .numbersInData: ("F11", ["messages-well-formed"] + Self.lost)
        case .reservedDataKey: ("F12", ["messages-well-formed"] + Self.lost)
        case .dryRuns: ("F25", ["messages-are-meant"] + Self.lost)
        case .notifiesLiveUpdates: ("R3.7", ["live-update-data-only", "content-unchanged"] + Self.lost)
        case .soundsQuietUpdates: ("R3.8", ["pushes-as-declared"])
        case .normalLiveUpdates: ("F15", ["live-update-high", "content-unchanged"] + Self.lost)
        case .floodsRegistrations: ("F21", ["token-rate-kept", "no-duplicate-push"])
        case .makesSecondRow: ("R3.15", ["new-token-used", "webhooks-for-cause"])
        case .servesAnyTier: ("R3.1", ["bad-requests-refused", "webhooks-for-cause"] + Self.lost)
        case .obeysPublicKeys: ("R3.28", ["bad-requests-refused", "webhooks-for-cause"] + Self.lost)
        case .opensForeignRows: ("R3.27", ["bad-requests-refused", "nothing-unexpected", "webhooks-for-cause"])
        case .tellsNoStarts: ("R3.2", ["webhooks-told"])
        case .answersWithoutID: ("R3.3", ["answers-hold-values"])
        case .routesAllToAPNs: ("R3.4", ["states-delivered", "last-state-delivered", "token-of-its-kind"])
        case .leavesTopicToCallers: ("R3.5", ["topic-fits-type"] + Self.lost)
        case .dropsUpdateAlerts: ("R3.8", ["pushes-as-declared"])
        case .stampsByTheHour: ("R3.9", ["timestamp-seconds-rising"])
        case .keepsFirstOfSecond: ("R3.10", ["states-delivered"])
        case .endsAgain: ("R3.12", ["bad-requests-refused", "webhooks-once", "webhooks-for-cause"])
        case .tellsNoEnds: ("R3.12", ["webhooks-told"])
        case .refusesBeyondBudget: ("R3.22", ["states-delivered"])
        case .servesWithoutKeys: ("R3.29", ["bad-requests-refused", "nothing-unexpected", "webhooks-for-cause"])
        case .writesNumbersAsTexts: ("R3.30", ["content-unchanged", "content-decodes"] + Self.lost)
        case .mergesStates: ("R3.31", ["content-unchanged", "states-delivered"])
        case .measuresNoPayloads:
            ("R3.32", ["payload-fits", "bad-requests-refused", "requests-well-formed", "webhooks-for-cause"])
        case .startsByPush: ("R3.33", ["nothing-unexpected", "token-of-its-kind"])
        case .keepsDisabledTokens: ("F4", ["disabled-token-dropped"])
        case .repeatsRefusedMessages: ("F6", ["refused-message-not-repeated"])
        case .givesUpOnPages: ("F9", ["last-state-delivered"])
        case .measuresNoMessages: ("F13", ["messages-well-formed", "bad-requests-refused", "webhooks-for-cause"])
        case .legacyFields: ("F16", ["messages-well-formed"] + Self.lost)
        case .bareTTL: ("F17", ["messages-well-formed"] + Self.lost)
        case .twoTargets: ("F18", ["messages-well-formed"] + Self.lost)
        case .connectionPerMessage: ("F19", ["message-connections-reused"])
        case .renewsForAny401: ("F5", ["access-token-kept"])
        case .savesMessagesUp: ("F23", ["messages-ramp-up"])
        case .leavesOutActivityTokens: ("F22", ["live-activity-messages-fit"])
        case .endsDeadRows: ("R3.19", ["webhooks-for-cause"])
        case .impatientMessages: ("F24", ["message-answer-awaited"])
        case .stampsByTheClock: ("R3.11", ["timestamp-seconds-rising", "states-delivered"])
        case .hidesRetryTime: ("R3.38", ["throttled-says-when"])
        case .namesEachAttempt: ("F20", ["repeats-shown-once"])
        case .leavesOutCollapseKeys: ("R3.36", ["late-states-in-order"])
        }
    }
}
