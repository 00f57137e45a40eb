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
            norm: page, rules: ["states-delivered", "no-duplicate-push", "each-phone-served"],
            unseen: "The broadcast: the rig joins no Realtime channel."),
        Claim(
            "R1.2", .must, "The broadcast arrives on the device's own channel, within half a second of the commit.",
            norm: page, missing: "The rig joins no Realtime channel, so no record holds a broadcast of the relay's."),
        Claim(
            "R1.3", .must,
            "The push has the type and topic of a Live Activity, is no alert, and does not wake the app.",
            norm: "\(page); \(apple)", rules: ["topic-fits-type", "alerts-only-where-due"],
            unseen: "content-available: a profile cannot say which keys `aps` may hold."),
        Claim(
            "R1.4", .must, "The content-state has mode, requestsPerSec and note, and nothing else.",
            norm: page, rules: ["content-fits-contract"]),
        Claim(
            "R1.5", .must,
            "mode tells the device's state at the write: vpn or pac while it is online with one, else off.",
            norm: page,
            missing: "A profile cannot derive the value it expects from an earlier call, here the device's status."),
        Claim(
            "R1.6", .must, "An empty message becomes a note of null, and the text that was shown goes away.",
            norm: page, missing: "A push is told by the marker in its text, and an empty text has no room for one."),
        Claim(
            "R1.7", .must, "A write reaches every activity token of the device, each in its own environment.",
            norm: page, rules: ["each-phone-served"],
            unseen: "The environment of each token: a profile cannot state it token by token."),
        Claim(
            "R1.8", .must, "A bad token keeps no other one from its push, and tokens of another kind get none.",
            norm: follows, rules: ["states-delivered", "other-token-kept"]),
        Claim(
            "R1.9", .must, "Whatever the app draws by itself, after a switch of its VPN too, shows the last message.",
            norm: page, missing: "What the app draws by itself is in no record; only calls and pushes are."),
        Claim(
            "R1.10", .must, "A push does not overwrite what only the device knows, such as the rate of requests.",
            norm: "\(follows): the pushed rate is always 0",
            missing: "The values that an app sets itself are in no record."),
        Claim(
            "R1.11", .must,
            "A message written while nothing runs is stored, and shown as soon as the app starts its capture.",
            norm: page, missing: "The app's own reading of the row is part of no run."),
        Claim(
            "R1.12", .must, "An app that starts or comes to the front reads the row again and blanks no message.",
            norm: page, missing: "The app's own reading of the row is part of no run."),
        Claim(
            "R1.13", .must, "A device may read its own row and no other, and may write none.",
            norm: page,
            missing: "A profile has one identity for all calls, and the journal no bodies of expected answers."),
        Claim(
            "R1.14", .must, "People may read and write any row.",
            norm: page,
            missing: "A profile has one identity for all calls, and the journal no bodies of expected answers."),
        Claim(
            "R1.15", .must, "Setting the message through the MCP tool does what the REST call does.",
            norm: page, missing: "A call is one request: the rig speaks no MCP, which keeps a session of its own."),
        Claim(
            "R1.16", .must, "Two dashboards and the device agree on the message without polling.",
            norm: page, missing: "The rig joins no Realtime channel, so no record tells what a dashboard shows."),
        Claim(
            "R1.17", .must, "Of ten writes within a second the card shows the last.",
            norm: "\(follows); pg_net sends without order, and \(apple): older timestamps are ignored",
            rules: ["last-state-delivered", "state-order", "timestamp-seconds-rising"]),
        Claim(
            "R1.18", .must, "A transaction that is rolled back pushes nothing.",
            norm: "PostgreSQL and pg_net: a request leaves after the commit only",
            missing: "A call over REST is a transaction of its own; none can be rolled back from outside."),
        Claim(
            "R1.19", .should,
            "While the push function is down a write still succeeds, and what it promised is sent again.",
            norm: "\(follows); pg_net tries once",
            missing: "Faults act at the provider; none reaches the relay's own function."),
        Claim(
            "R1.20", .must, "Before the push function has run for the first time a write does not fail.",
            norm: "\(follows): its configuration is empty until then",
            missing: "Nothing sets or reads the relay's configuration row, so that state cannot be brought about."),
        Claim(
            "R1.21", .must, "Only the service role can read the service key.",
            norm: page,
            missing: "A profile has one identity for all calls, and the journal no bodies of expected answers."),
        Claim(
            "R1.22", .should, "Writing the same message again either pushes it each time or never.",
            norm: follows,
            missing: "Each call carries a marker of its own in its text, so no two writes are the same."),
        Claim(
            "R1.23", .must, "A token that APNs calls dead is deleted, and no other row with it.",
            norm: "\(follows); Apple, Handling notification responses",
            rules: ["dead-token-dropped", "other-token-kept"]),
        Claim(
            "R1.24", .should, "A message too long for a push is cut or refused with 4xx, not accepted and lost.",
            norm: "\(follows); Apple, Generating a remote notification: at most 4,096 bytes",
            rules: ["payload-fits", "accepted-is-pushed"]),
        Claim(
            "R1.25", .should, "A statement that writes many rows pushes to each device, and lets none starve.",
            norm: follows,
            missing: "An event belongs to one session; a call that writes many sessions' rows cannot be planned."),
        Claim(
            "R1.26", .should, "A push that waited does not bring back a mode that the device has left since.",
            norm: "\(follows); \(apple): older timestamps are ignored",
            missing: "The states that a device gives itself are in no record."),
    ]
}
