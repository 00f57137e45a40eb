// The vocabulary of faults in words: one row for each action, criterion and term of life, with a rule that shows it. The
// command line teaches from here, and a test reads every rule. What is said of an action stands in its own row.

/// One word of a rule.
package struct FaultWord: Sendable {
    package enum Kind: String, Sendable {
        case action, criterion, life
    }

    package let name: String
    package let kind: Kind
    /// One sentence.
    package let summary: String
    /// What else there is to say.
    package let details: String
    /// A whole rule as JSON.
    package let example: String
}

package enum FaultVocabulary {
    package static let words: [FaultWord] = actions + criteria + lives

    package static func word(named name: String) -> FaultWord? { words.first { $0.name == name } }

    private static let actions = ActionRow.all.map {
        FaultWord(name: $0.name, kind: .action, summary: $0.summary, details: $0.details, example: $0.rule)
    }

    private static let criteria: [FaultWord] = [
        FaultWord(
            criterion: "provider",
            "The service: apns or fcm. A rule that answers with a reason meets that reason's service only.", "",
            #"{"match": {"provider": "apns"}, "action": {"silence": true}}"#),
        FaultWord(
            criterion: "endpoint", "send (also if not said), token or topic: where FCM is asked.",
            """
            token is the token endpoint, and answers the errors of `pushrig list oauth-reasons`; topic are the two APIs of
            subscriptions, where `token` is the registration (of a batch: its only one) and `topic` the topic's name. There
            `nth` counts the endpoint's requests. All can be done to them that can be done to a push.
            """,
            #"{"match": {"endpoint": "token"}, "action": {"respond": {"reason": "invalid_grant"}}, "times": 3}"#),
        FaultWord(
            criterion: "environment", "production or sandbox: where the push was sent.", "Also of connections.",
            #"{"match": {"environment": "sandbox"}, "action": {"respond": {"reason": "BadDeviceToken"}}}"#),
        FaultWord(
            criterion: "token", "One device token, in hex digits of either case.", "",
            #"{"match": {"token": "00fc13adff785122"}, "action": {"respond": {"reason": "BadDeviceToken"}}}"#),
        FaultWord(
            criterion: "tokens", "A set of at most 100,000 device tokens.", "",
            #"{"match": {"tokens": ["00fc13ad", "ff785122"]}, "action": {"respond": {"reason": "Unregistered"}}}"#),
        FaultWord(
            criterion: "topic", "A topic, or a bare bundle ID for all topics of that app.", "",
            #"{"match": {"topic": "com.example.app"}, "action": {"respond": {"reason": "TopicDisallowed"}}}"#),
        FaultWord(
            criterion: "pushType", "The push type, as in apns-push-type.", "",
            #"{"match": {"pushType": "liveactivity"}, "action": {"delay": "200ms"}}"#),
        FaultWord(
            criterion: "event", "start, update or end, of a Live Activity.", "",
            #"{"match": {"event": "end"}, "action": {"respond": {"reason": "TooManyRequests"}}}"#),
        FaultWord(
            criterion: "priority", "1, 5 or 10.", "",
            #"{"match": {"priority": 10}, "action": {"respond": {"reason": "TooManyRequests"}}}"#),
        FaultWord(
            criterion: "nth", "The nth push of its token, from 1.",
            #"A number, a range {"from": 2, "to": 5}, or every kth {"every": 10}: the 10th, the 20th and so on."#,
            #"{"match": {"nth": {"from": 2, "to": 5}}, "action": {"respond": {"reason": "InternalServerError"}}}"#),
        FaultWord(
            criterion: "nthOfConnection", "The nth request of its connection, refused ones included.",
            "Written as `nth` is. Which push that is depends on how the client shares its pushes among its connections.",
            #"{"match": {"nthOfConnection": {"from": 100}}, "action": {"respond": {"reason": "InternalServerError"}}}"#),
        FaultWord(
            criterion: "connection", "The nth connection since the mock started.",
            "Written as `nth` is. Those of channel management count with the others; of several that come at once, which is "
                + "which is the kernel's choice.",
            #"{"meets": "connection", "match": {"connection": {"every": 2}}, "action": {"close": "fin"}}"#),
        FaultWord(
            criterion: "fraction", "A share of the pushes, each drawn by seed, rule and its own identity.",
            """
            The identity is the client's apns-id, else the token and the push's number among the token's. The same pushes
            are met in a replay, whatever the order of arrival.
            """,
            #"{"match": {"fraction": 0.1}, "action": {"respond": {"reason": "ServiceUnavailable"}}}"#),
        FaultWord(
            criterion: "tokenFraction", "All pushes of a share of the tokens: always the same ones.", "",
            #"{"match": {"tokenFraction": 0.03}, "action": {"respond": {"reason": "Unregistered"}}}"#),
        FaultWord(
            criterion: "connectionFraction", "A share of the connections, drawn by their number.",
            "Which pushes come on them is up to the client, so a replay may meet others.",
            #"{"match": {"connectionFraction": 0.5}, "action": {"delay": "1s"}}"#),
    ]

    private static let countedByArrival = """
        Counts matching pushes as they arrive, on all connections and loops together: how many are met is certain, which ones
        is a race where several are under way at once. With "per": "token" the same pushes are met in every replay.
        """

    private static let lives: [FaultWord] = [
        FaultWord(
            life: "meets", "push, connection or broadcast: what the rule is asked about.",
            """
            A rule is asked about each push that the rules of APNs accept, unless it meets connections: then about each
            one once, refuse-tls when it is accepted, all else after our first SETTINGS; connections of channel management
            are not asked about. refuse-tls need not say it. Or it meets broadcasts: then about each broadcast and each
            operation on channels that the rules accept. To these all can be done that can be done to a push; respond takes
            the reasons of `pushrig list broadcast-reasons`, and what is not processed changes no channel and reaches no
            activity.
            """,
            #"{"meets": "connection", "action": {"goaway": "BadCertificateEnvironment"}}"#),
        FaultWord(
            life: "times", "Fires at most so often.", countedByArrival, #"{"action": {"silence": true}, "times": 3}"#),
        FaultWord(
            life: "after", "Lets so many matching pushes pass first.", countedByArrival,
            #"{"action": {"silence": true}, "after": 100, "times": 1}"#),
        FaultWord(
            life: "per", "token or connection: times and after count for each by itself.",
            """
            So the first push of every token can be met: a replay meets the same pushes, whatever the loops and the order in
            which tokens take turns, as long as the pushes of each token come one after the other. `connection` is as
            certain as the client is about its connections. Over a million tokens pass.
            """,
            #"{"action": {"respond": {"reason": "TooManyRequests"}}, "times": 1, "per": "token"}"#),
        FaultWord(
            life: "renew", "times and after begin anew so often: a quota.",
            "Here each token is refused what it gets beyond 10 pushes in a second.",
            #"{"action": {"respond": {"reason": "TooManyRequests"}}, "after": 10, "renew": "1s", "per": "token"}"#),
        FaultWord(
            life: "at", "Takes effect so long after it was added; in a scenario, after the start of the load.", "",
            #"{"action": {"silence": true}, "at": "20s", "for": "5s"}"#),
        FaultWord(
            life: "for", "Is in force so long, from the moment it takes effect.", "",
            #"{"action": {"respond": {"reason": "ServiceUnavailable"}}, "for": "10s"}"#),
        FaultWord(
            life: "windows", "Outages: is in force now and then.",
            #"The first `for` of each `every`, or a list of pairs: [["20s", "30s"], ["1m", "70s"]]."#,
            #"{"action": {"respond": {"reason": "Shutdown"}}, "windows": {"every": "1m", "for": "5s"}}"#),
        FaultWord(
            life: "until-heals", "Fires until the peer does the right thing.",
            """
            new-connection: from the first firing on it meets only connections that were accepted before. new-provider-token:
            only pushes with the provider token of the first firing. {"quiet": "10s"}: each token that was met until it has
            been left alone for so long, then never again; a rule that meets connections or broadcasts, until none came for
            so long. All of them go by the clock and by arrival: a replay may meet other pushes.
            """,
            #"{"action": {"respond": {"reason": "ExpiredProviderToken"}}, "until-heals": "new-connection"}"#),
        FaultWord(
            life: "ttl", "Time to live: the rule is removed so long after it was added.", "",
            #"{"action": {"silence": true}, "ttl": "1m"}"#),
    ]
}

extension FaultWord {
    fileprivate init(criterion name: String, _ summary: String, _ details: String, _ example: String) {
        self.init(name: name, kind: .criterion, summary: summary, details: details, example: example)
    }

    fileprivate init(life name: String, _ summary: String, _ details: String, _ example: String) {
        self.init(name: name, kind: .life, summary: summary, details: details, example: example)
    }
}
