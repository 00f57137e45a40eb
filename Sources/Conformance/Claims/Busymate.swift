// Chapter R1: Busymate, where writing a row of a database broadcasts a message and pushes it to the activity.

extension Claim {
    // The documents say what is written and shown; how triggers and requests behave is Supabase's and PostgreSQL's.
    private static let page = "Busymate's page on the Live Activity message"
    private static let follows = "Follows from Busymate's page"
    private static let apple = "Apple, Starting and updating Live Activities"

    static let busymate: [Claim] = [
        Claim(
            "R1.1", .must,
            "One write of the row causes one broadcast and one push to each of the device's activity tokens.",
            norm: page, rules: ["states-delivered", "no-duplicate-push", "each-phone-served", "broadcasts-told"],
            defects: ["pushes-inserts-only"]),
        Claim(
            "R1.2", .must, "The broadcast arrives on the device's own channel, within half a second of the commit.",
            norm: page, rules: ["broadcasts-told", "broadcasts-own", "broadcasts-readable"],
            unseen: "The commit: what is declared counts from the answer to the write.",
            defects: ["tells-first-listener", "broadcasts-astray", "broadcasts-in-binary"]),
        Claim(
            "R1.3", .must,
            "The push has the type and topic of a Live Activity, is no alert, and does not wake the app.",
            norm: "\(page); \(apple)",
            rules: ["topic-fits-type", "alerts-only-where-due", "content-unchanged", "pushes-as-declared"],
            defects: ["alerts-on-message", "loud-messages"]),
        Claim(
            "R1.4", .must, "The content-state has mode, requestsPerSec and note, and nothing else.",
            norm: page, rules: ["content-fits-contract"], defects: ["tells-who-wrote"]),
        Claim(
            "R1.5", .must,
            "mode tells the device's state at the write: vpn or pac while it is online with one, else off.",
            norm: page, rules: ["omitted-values-kept"], defects: ["ignores-presence"]),
        Claim(
            "R1.6", .must, "An empty message becomes a note of null, and the text that was shown goes away.",
            norm: page, rules: ["content-unchanged", "states-delivered", "answers-hold-values"],
            defects: ["pushes-empty-note", "ignores-clears", "keeps-cleared-note"]),
        Claim(
            "R1.7", .must, "A write reaches every activity token of the device, each in its own environment.",
            norm: page, rules: ["each-phone-served", "bad-token-other-environment"],
            defects: ["pushes-to-first-card", "asks-production-only"]),
        Claim(
            "R1.8", .must, "A bad token keeps no other one from its push, and tokens of another kind get none.",
            norm: follows, rules: ["states-delivered", "token-of-its-kind"], defects: ["pushes-to-every-kind"]),
        Claim(
            "R1.9", .must, "Whatever the app draws by itself, after a switch of its VPN too, shows the last message.",
            norm: page,
            missing: "The state that an app builds on its phone goes to ActivityKit and over no wire, and virtual phones play "
                + "no update of an app's own: no record holds it. What a relay adds is judged: nothing is pushed for a "
                + "switch, and whoever reads the row is told the message."),
        Claim(
            "R1.10", .must, "A push does not overwrite what only the device knows, such as the rate of requests.",
            norm: "\(follows): the pushed rate is always 0", rules: ["content-fits-contract", "content-unchanged"],
            unseen: "The number that the app had counted: every push takes the place of the whole state, so a relay that must "
                + "send the key can only send 0, and whether it makes one up is what is judged.",
            defects: ["guesses-rate"]),
        Claim(
            "R1.11", .must,
            "A message written while nothing runs is stored, and shown as soon as the app starts its capture.",
            norm: page, rules: ["answers-hold-values", "relay-serves"],
            unseen: "What the app shows of it: its own reading of the row is part of no run.",
            defects: ["forgets-idle-messages"]),
        Claim(
            "R1.12", .must, "An app that starts or comes to the front reads the row again and blanks no message.",
            norm: page,
            missing: "When an app reads the row, and what it makes of the answer, is its own code, which no virtual phone "
                + "runs: no record holds it. That the row tells the message to whoever reads it is judged (R1.11, R1.13)."),
        Claim(
            "R1.13", .must, "A device may read its own row and no other, and may write none.",
            norm: page,
            rules: ["answers-hold-values", "answers-keep-secrets", "bad-requests-refused", "nothing-unexpected"],
            defects: ["lets-devices-write", "shows-all-rows"]),
        Claim(
            "R1.14", .must, "People may read and write any row.",
            norm: page, rules: ["answers-hold-values", "states-delivered"], defects: ["hides-rows-from-people"]),
        Claim(
            "R1.15", .must, "Setting the message through the MCP tool does what the REST call does.",
            norm: page, rules: ["states-delivered", "content-unchanged"],
            unseen: "The session that MCP keeps around its calls: for the rig each is one request.",
            defects: ["pushes-no-tool-calls"]),
        Claim(
            "R1.16", .must, "Two dashboards and the device agree on the message without polling.",
            norm: page, rules: ["observers-agree", "last-state-delivered"], defects: ["retells-old-broadcast"]),
        Claim(
            "R1.17", .must, "Of ten writes within a second the card shows the last.",
            norm: "\(follows); pg_net sends without order, and \(apple): older timestamps are ignored",
            rules: ["last-state-delivered", "state-order", "timestamp-seconds-rising"], defects: ["posts-without-order"]),
        Claim(
            "R1.18", .must, "A transaction that is rolled back pushes nothing.",
            norm: "PostgreSQL and pg_net: a request leaves after the commit only",
            rules: ["bad-requests-refused", "nothing-unexpected"],
            unseen: "A transaction of several requests: over REST each is one by itself.", defects: ["pushes-before-commit"]),
        Claim(
            "R1.19", .should,
            "While the push function is down a write still succeeds, and what it promised is sent again.",
            norm: "\(follows); pg_net tries once",
            rules: ["relay-serves", "states-delivered"],
            unseen: "A function that is slow: a call can only point the trigger to where none is.",
            defects: ["loses-failed-posts"]),
        Claim(
            "R1.20", .must, "Before the push function has run for the first time a write does not fail.",
            norm: "\(follows): its configuration is empty until then",
            rules: ["relay-serves", "states-delivered"], defects: ["fails-when-cold", "loses-cold-writes"]),
        Claim(
            "R1.21", .must, "Only the service role can read the service key.",
            norm: page, rules: ["answers-keep-secrets", "answers-hold-values", "bad-requests-refused"],
            defects: ["shows-service-key", "opens-config"]),
        Claim(
            "R1.22", .should, "Writing the same message again either pushes it each time or never.",
            norm: follows, rules: ["repeats-alike"],
            unseen: "Texts: each has a marker of its own, so only the empty message comes twice.",
            defects: ["alternates-repeats"]),
        Claim(
            "R1.23", .must, "A token that APNs calls dead is deleted, and no other row with it.",
            norm: "\(follows); Apple, Handling notification responses",
            rules: ["dead-token-dropped", "dead-token-forgotten", "states-delivered"],
            defects: ["prunes-whole-device", "knows-only-unregistered"]),
        Claim(
            "R1.24", .should, "A message too long for a push is cut or refused with 4xx, not accepted and lost.",
            norm: "\(follows); Apple, Generating a remote notification: at most 4,096 bytes",
            rules: ["payload-fits", "accepted-is-pushed"], defects: ["uncut-notes"]),
        Claim(
            "R1.25", .should, "A statement that writes many rows pushes to each device, and lets none starve.",
            norm: follows, rules: ["states-delivered", "last-state-delivered"],
            unseen: "More than 500 rows in one statement, which is the most that goes in one request.",
            defects: ["pushes-first-of-statement"]),
        Claim(
            "R1.26", .should, "A push that waited does not bring back a mode that the device has left since.",
            norm: "\(follows); \(apple): older timestamps are ignored",
            missing: "Which of the two wins is decided on the phone, by the push's timestamp and the instant of the app's own "
                + "update, which no record holds; and no document says whether a push that waited is stamped as its row "
                + "changes or as it leaves."),
    ]
}
