// A fault as a test writes it. Its words and numbers are checked by `MockServer.fault`, which throws for a wrong one.

/// A fault: what the mock does wrong on purpose, to which requests, and how often. A criterion that is nil matches all; all
/// that are given must hold.
///
/// ```swift
/// try mock.fault(Fault(.respond("Unregistered"), token: token, times: 1))
/// try mock.fault(Fault(.delay(.milliseconds(200)), pushType: "liveactivity", fraction: 0.1))
/// try mock.fault(Fault(.goAway(reason: "Shutdown"), nthOfConnection: .every(100)))
/// try mock.fault(Fault(.refuseTLS(.alert), times: 3))
/// try mock.fault(Fault(.respond("invalid_grant"), at: .token))
/// ```
///
/// `docs/scenarios.md` tells the whole vocabulary; what has no property here can be written as JSON and given to
/// `MockServer.fault(json:)`.
public struct Fault: Hashable, Sendable {
    /// The kind of thing that a fault meets.
    public enum Target: String, Hashable, Sendable {
        /// A push, or another request to `endpoint`.
        case push
        /// A connection, once: before TLS for `refuseTLS`, else after the mock's first SETTINGS.
        case connection
        /// A broadcast or an operation on channels.
        case broadcast
    }

    /// The thing for which `times` and `after` are counted: all that match together, each token, or each connection.
    public enum Scope: String, Hashable, Sendable {
        case all, token, connection
    }

    /// The endpoint that a request is for. All but `send` are FCM's.
    public enum Endpoint: String, Hashable, Sendable {
        /// Pushes of APNs and FCM.
        case send
        /// Access tokens.
        case token
        /// Subscriptions to topics.
        case topic
    }

    /// The places in a row that are met, counted from 1 to 10⁹.
    public enum Nth: Hashable, Sendable, ExpressibleByIntegerLiteral {
        /// That place alone.
        case only(Int)
        /// The places from the first to the last, both included.
        case range(ClosedRange<Int>)
        /// That place and all after it.
        case from(Int)
        /// Every kth place: the kth, the one k later, and so on.
        case every(Int)

        /// That place alone.
        public init(integerLiteral number: Int) { self = .only(number) }
    }

    /// The cure: what a relay does right so that a fault leaves it alone.
    public enum Cure: Hashable, Sendable {
        /// Another connection: those accepted after the first firing are spared.
        case newConnection
        /// Another provider token than that of the first firing: pushes with it are spared.
        case newProviderToken
        /// Rest: a token (a fault of connections: the mock) that was left alone for so long is spared for good.
        case quiet(Duration)
    }

    /// The action: what the fault does.
    public var action: Action
    /// The target; nil: pushes, or for `refuseTLS` connections.
    public var target: Target?
    /// The endpoint; nil: `send`.
    public var endpoint: Endpoint?
    /// The token that is met, in hex digits, or a registration of FCM.
    public var token: String?
    /// The tokens of which any is met, 1 to 100,000.
    public var tokens: [String]?
    /// The topic that is met, or a bundle ID for all topics of that app.
    public var topic: String?
    /// The push type that is met, such as `alert` or `liveactivity`.
    public var pushType: String?
    /// The event of a Live Activity that is met: `start`, `update` or `end`.
    public var event: String?
    /// The priority that is met: 1, 5 or 10.
    public var priority: Int?
    /// The place among the pushes to its token.
    public var nth: Nth?
    /// The place among the requests on its connection.
    public var nthOfConnection: Nth?
    /// The place of its connection among those that the mock accepted.
    public var connection: Nth?
    /// The share of pushes that are met, by chance, above 0 and at most 1.
    public var fraction: Double?
    /// The share of tokens that are met, above 0 and at most 1; the same ones each time.
    public var tokenFraction: Double?
    /// The share of connections that are met, above 0 and at most 1.
    public var connectionFraction: Double?
    /// The number of matches that pass first, 0 to 10⁹.
    public var after: Int?
    /// The number of matches that are met at most, 1 to 10⁹; nil: all.
    public var times: Int?
    /// The thing for which `times` and `after` are counted.
    public var per: Scope = .all
    /// The time after which `times` and `after` begin anew, above 0 and at most a year.
    public var renew: Duration?
    /// The time for which the fault is in force, above 0 and at most a year; nil: until it is removed.
    public var duration: Duration?
    /// The cure; nil: none.
    public var cure: Cure?
    /// The time after which the fault is removed, above 0 and at most a year; nil: never.
    public var timeToLive: Duration?

    /// A fault; `untilHeals` is its `cure`. Nothing is checked before a mock gets it.
    public init(
        _ action: Action, meets target: Target? = nil, at endpoint: Endpoint? = nil, token: String? = nil,
        tokens: [String]? = nil, topic: String? = nil, pushType: String? = nil, event: String? = nil,
        priority: Int? = nil, nth: Nth? = nil,
        nthOfConnection: Nth? = nil, connection: Nth? = nil, fraction: Double? = nil, tokenFraction: Double? = nil,
        connectionFraction: Double? = nil, after: Int? = nil, times: Int? = nil, per: Scope = .all,
        renew: Duration? = nil, duration: Duration? = nil, untilHeals cure: Cure? = nil, timeToLive: Duration? = nil
    ) {
        self.action = action
        self.target = target
        self.endpoint = endpoint
        self.token = token
        self.tokens = tokens
        self.topic = topic
        self.pushType = pushType
        self.event = event
        self.priority = priority
        self.nth = nth
        self.nthOfConnection = nthOfConnection
        self.connection = connection
        self.fraction = fraction
        self.tokenFraction = tokenFraction
        self.connectionFraction = connectionFraction
        self.after = after
        self.times = times
        self.per = per
        self.renew = renew
        self.duration = duration
        self.cure = cure
        self.timeToLive = timeToLive
    }
}
