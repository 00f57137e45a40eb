// Chapter R2: opencode-ios, a plan for activities that an app keeps itself; pushed, they go by OpenCode's relay.

extension Claim {
    // The plan has no contract on the wire. Where a push could break a claim, the rule for it stands in the row.
    private static let plan = "opencode-ios's Live Activity plan"
    private static let follows = "Follows from opencode-ios's Live Activity plan"
    private static let bridge =
        "The app's bridge between JavaScript and Swift makes no request, so no record holds its calls."

    static let openCodeIOS: [Claim] = [
        Claim(
            "R2.1", .must, "A start shows status Initializing, progress 0, no operations, no file, and the rocket.",
            norm: plan, rules: ["content-unchanged"], defects: ["starts-active", "counts-on-in-next-turn"]),
        Claim(
            "R2.2", .must,
            "An end shows status Completed, progress 1, no file, the operations as they were, and the check mark.",
            norm: plan, rules: ["pushes-as-declared", "content-unchanged", "omitted-values-kept"],
            defects: ["resets-count-at-end", "dismisses-at-once", "loses-pending-at-end"]),
        Claim(
            "R2.3", .must,
            "Where Live Activities are switched off the call is rejected, and the app goes on working.",
            norm: plan, missing: bridge),
        Claim(
            "R2.4", .must, "An update or end of an unknown session is rejected as not found.",
            norm: plan, rules: ["bad-requests-refused"],
            unseen: "What the app's bridge itself rejects: it makes no request.", defects: ["takes-unknown-sessions"]),
        Claim("R2.5", .must, "On other systems than iOS every call does nothing.", norm: plan, missing: bridge),
        Claim(
            "R2.6", .must, "A session has one activity; starting it again while it is active does nothing.",
            norm: plan, rules: ["one-start", "nothing-unexpected"], defects: ["starts-while-active"]),
        Claim(
            "R2.7", .must, "A start that failed does not leave the session marked as active.",
            norm: "\(follows): its wrapper hides the failure", rules: ["states-delivered", "bad-requests-refused"],
            defects: ["failed-start-counts", "failed-start-lingers"]),
        Claim(
            "R2.8", .must, "An update that leaves values out keeps the ones that are shown.",
            norm: "\(follows): its wrapper puts 0 and null in their place", rules: ["omitted-values-kept"],
            defects: [
                "resets-omitted", "loses-coalesced-values", "loses-held-values", "keeps-cleared-file",
                "keeps-file-while-throttled", "keeps-file-while-held", "forgets-background",
                "wakes-without-states", "wakes-without-activities",
            ]),
        Claim(
            "R2.9", .should, "progress stays between 0 and 1 and never falls, and the emoji fits the status.",
            norm: follows, rules: ["values-never-fall", "content-fits-contract", "content-unchanged"],
            defects: ["lowers-progress", "lowers-throttled-progress"]),
        Claim(
            "R2.10", .must,
            "Going to the background sends one update with status Running in background, progress unchanged.",
            norm: plan, rules: ["states-delivered", "content-unchanged", "omitted-values-kept"],
            defects: ["ignores-background"]),
        Claim(
            "R2.11", .must,
            "Leaving the view ends the activity once where autoEnd is set, and otherwise lets it live.",
            norm: plan, missing: bridge),
        Claim(
            "R2.12", .should, "A session that failed ends with status Error, not with Completed.",
            norm: "\(follows): its end knows one status only", rules: ["content-unchanged"],
            defects: ["hides-error"]),
        Claim(
            "R2.13", .should, "After a relaunch the app takes up the activities that still run.",
            norm: "\(follows): its map lives in memory", rules: ["omitted-values-kept", "states-delivered"],
            unseen: "What the app itself remembers: only what it registers anew reaches the relay.",
            defects: ["forgets-at-relaunch"]),
        Claim(
            "R2.14", .must, "startTime travels as seconds since 2001, and an emoji as UTF-8.",
            norm: "Apple, ActivityKit: default JSON decoding, where a Date counts from 2001",
            rules: ["content-decodes", "content-fits-contract", "content-unchanged"],
            defects: ["iso-start-time", "misdates-start", "redates-start", "mangles-emoji"]),
        Claim(
            "R2.15", .must,
            "A state with a path of 3,000 characters is cut or refused, and no payload passes 4,096 bytes.",
            norm: "Apple, Generating a remote notification: at most 4,096 bytes", rules: ["payload-fits"],
            defects: ["uncut-paths", "cuts-one-over"]),
        Claim(
            "R2.16", .should, "Without a push token nothing is sent.",
            norm: "\(follows): it asks for no token", rules: ["bad-requests-refused", "nothing-unexpected"],
            defects: ["sends-to-device-token"]),
        Claim(
            "R2.17", .should,
            "On a system too old, or without the key in Info.plist, nothing happens and nobody notices.",
            norm: plan, missing: bridge),
        Claim(
            "R2.18", .should, "Updates of the same second are shown in the order of their calls.",
            norm: "\(follows): each update is a task of its own", rules: ["state-order", "last-state-delivered"],
            defects: ["swaps-order", "sends-stale-progress", "resends-behind-newer"]),
    ]
}
