// A fault as a test writes it. Words are checked when it is given to a mock.

/// What the mock treats badly, how, and how often. Criteria that are nil match all; all that are given must hold.
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
    /// What a fault meets.
    public enum Target: String, Hashable, Sendable {
        case push
        /// Connections, once each: before TLS for `refuseTLS`, else after the mock's first SETTINGS.
        case connection
        /// Broadcasts and operations on channels.
        case broadcast
    }

    /// What `times` and `after` are counted by.
    public enum Scope: String, Hashable, Sendable {
        case all, token, connection
    }

    /// Where a mock FCM is asked.
    public enum Endpoint: String, Hashable, Sendable {
        /// Pushes; of every provider.
        case send
        /// Access tokens.
        case token
        /// Subscriptions to topics.
        case topic
    }

    /// The nth of something, from 1.
    public enum Nth: Hashable, Sendable, ExpressibleByIntegerLiteral {
        case only(Int)
        case range(ClosedRange<Int>)
        /// That one and all after it.
        case from(Int)
        /// Every kth: the kth, the one k later, and so on.
        case every(Int)

        public init(integerLiteral number: Int) { self = .only(number) }
    }

    /// The right thing that a relay may do so that a fault leaves it alone.
    public enum Cure: Hashable, Sendable {
        /// Connections accepted after the first firing are spared.
        case newConnection
        /// Pushes with another provider token than that of the first firing are spared.
        case newProviderToken
        /// A token (a fault of connections: the mock) that was left alone for so long is spared for good.
        case quiet(Duration)
    }

    public var action: Action
    /// Nil: pushes, or for `refuseTLS` connections.
    public var target: Target?
    /// Nil: where pushes go.
    public var endpoint: Endpoint?
    /// Hex digits, or a registration of FCM.
    public var token: String?
    /// Any of these.
    public var tokens: [String]?
    /// A topic, or a bundle ID for all topics of that app.
    public var topic: String?
    /// Such as `alert` or `liveactivity`.
    public var pushType: String?
    /// Of a Live Activity: `start`, `update` or `end`.
    public var event: String?
    /// 1, 5 or 10.
    public var priority: Int?
    /// The nth push of its token.
    public var nth: Nth?
    /// The nth request of its connection.
    public var nthOfConnection: Nth?
    /// The nth connection that the mock accepted.
    public var connection: Nth?
    /// This share of the pushes, above 0 and at most 1.
    public var fraction: Double?
    /// This share of the tokens, above 0 and at most 1; the same ones each time.
    public var tokenFraction: Double?
    /// This share of the connections.
    public var connectionFraction: Double?
    /// Lets that many that match pass first.
    public var after: Int?
    /// Acts at most that often.
    public var times: Int?
    public var per: Scope = .all
    /// `times` and `after` begin anew so often.
    public var renew: Duration?
    /// In force for so long.
    public var duration: Duration?
    public var cure: Cure?
    /// Removed after so long.
    public var timeToLive: Duration?

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
