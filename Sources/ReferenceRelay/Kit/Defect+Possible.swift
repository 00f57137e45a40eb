// What chance adds to what a defect declares: a rule that is broken only where a run has the right moment.

extension Defect {
    /// The rules that it may turn red besides, by chance; no other may turn red for it.
    package var possible: [String] {
        switch self {
        // Where the token lives at the other host in truth.
        case .neverTriesOtherEnvironment: Self.lost
        // Where it is asked what is malformed.
        case .failsOnMalformed: ["malformed-answered"]
        // What it takes with it.
        case .diesOfMalformed: Self.lost
        // What is taken at last has come late, and what waited behind it may be lost.
        case .repeatsRefused: ["states-in-time", "states-delivered", "last-state-delivered"]
        // Whether the last of a session is among them.
        case .givesUpSoon: ["last-state-delivered"]
        // Whether what is refused so is told by nothing newer.
        case .keepsExpiredProviderToken: Self.lost + ["expired-connection-left"]
        // The new token is not told what the old one was.
        case .retriesOldToken: Self.lost
        // Where nothing was shown between the two starts.
        case .restartsDismissed: ["one-start"]
        // Whether the next turn's states are taken for the new activity's.
        case .keepsEndedRow: ["nothing-unexpected"]
        // Whether nothing follows a question.
        case .hidesQuestions: ["last-state-delivered"]
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
        // It leaves as soon as it has rested, whatever the window lets pass.
        case .resendsBehindNewer: ["throttle-respected"]
        // Where nothing is said any more; and the new token is refused as expired there, and used on.
        case .staysWedged: ["states-delivered", "last-state-delivered", "provider-token-renewed"]
        // Each push has another token, or the next one in its time, whatever was said of the last one.
        case .signsPerPush: ["expired-connection-left"]
        // It leaves with the window, and not behind it.
        case .sendsStaleProgress: ["throttle-respected"]
        // A topic that APNs refuses for it keeps every push from its phone.
        case .topicWithoutSuffix: Self.lost
        // Where nothing follows an event that begins no session or whose text no payload holds, or what is said behind it.
        case .startsOnStartOnly, .uncutNotes, .uncutTranscripts, .tellsHeldToOnePhone, .wakesWithoutStarts:
            ["last-state-delivered"]
        // What two sessions of a user have left may stand a window apart by chance.
        case .dropsTrailingEdge: ["throttle-per-session"]
        // Whether a nudge falls into the time in which nobody shows anything.
        case .restartsOnce, .givesUpRestart: ["states-delivered"]
        // Or is shown only when the next activity is adopted.
        case .endsBeforeAdoption: ["states-delivered", "states-in-time", "nothing-unexpected"]
        // Or a push into those in which the phone has ended the card for its age.
        case .sendsRestartNeeded: ["states-delivered", "dead-token-dropped"]
        case .obeysLateRegistration: ["dead-token-dropped", "restart-in-time"]
        // The beginning that it loses is set anew by the relay's clock.
        case .losesStateAtRestart: ["seconds-run-with-clock"]
        case .startsStale, .unixStartTime: Self.lost
        // Whether the window opens right behind the event that takes the file away.
        case .keepsFileWhileThrottled: ["content-unchanged"]
        case .crossesSessions, .sharesThrottle: ["last-state-delivered"]
        case .mixesTeams: ["last-state-delivered", "expired-connection-left"]
        // What waits behind it is due half a minute later, when the run may be over.
        case .waitsForEver: ["states-delivered", "last-state-delivered", "states-in-time"]
        // The registration is none of APNs', and what is said behind its death reaches nobody.
        case .routesAllToAPNs: ["webhooks-told", "webhooks-for-cause"]
        // So does a topic that APNs does not take for the token.
        case .leavesTopicToCallers: ["webhooks-told", "webhooks-for-cause", "answers-hold-values"]
        // Whether an alert is what bears the marker.
        case .dropsUpdateAlerts: ["nothing-unexpected", "states-delivered"]
        // What is forgotten ends, and that is called back as a death.
        case .forgetsForAny404: ["webhooks-told", "webhooks-for-cause"]
        // Any answer may be the one that it forgets for.
        case .forgetsRegistrations: ["other-not-found-kept", "webhooks-for-cause", "webhooks-told"]
        // A registration whose card is gone by APNs' word is one of them, and nobody is told of what goes on.
        case .keepsGoneRegistrations: ["disabled-token-dropped", "webhooks-told"]
        // The marker of the call before comes with what it said.
        case .mergesStates: ["webhooks-once", "nothing-unexpected", "webhooks-told", "pushes-as-declared"]
        // An alert may be the last of a session.
        case .sendsLongIDs: ["last-state-delivered"]
        // What cannot be told any more when its time has come.
        case .signsOnce: ["aged-activity-ended"]
        // A phone that is started again tells nothing of the card that it has.
        case .startsByPush: ["states-delivered", "last-state-delivered", "start-asks-for-token"]
        // The number that it leaves out may be the last of a session.
        case .keepsFirstOfSecond: ["last-state-delivered", "answers-named"]
        case .refusesBeyondBudget: ["last-state-delivered", "answers-named", "throttled-says-when"]
        // What it replaces when it should not may be replaced once more when all is over.
        case .countsSessionAge: ["nothing-unexpected"]
        // A caller who is not told for how long gives up too soon.
        case .hidesRetryTime: ["states-delivered", "last-state-delivered"]
        // Who does not know that a token is dead tells nobody so.
        case .keepsDisabledTokens: ["webhooks-told"]
        // Where the token endpoint is away, it asks in vain once for each message.
        case .accessTokenPerMessage: ["access-token-kept"]
        // A receiver that checks signatures takes none of its webhooks.
        case .signsWithoutTime: ["webhooks-told"]
        // Whether the second end is told as the first was.
        case .endsAgain: ["webhooks-once"]
        case .givesUpOnPages: ["states-delivered"]
        case .measuresNoMessages: ["refused-message-not-repeated"]
        // Eighty times the work takes time, and each copy meets an answer that the others know nothing of.
        case .floodsRegistrations:
            [
                "states-in-time", "webhooks-told", "dead-registration-dropped", "disabled-token-dropped",
                "refused-message-not-repeated", "failure-awaited", "message-answer-awaited", "access-token-renewed",
            ]
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
}
