// Which pushes, or which connections, a rule is about. What is nil matches all.

package import Pushes

/// The nth of something, from 1: one, a range, or every kth.
package struct Ordinals: Sendable, Equatable, ExpressibleByIntegerLiteral {
    package var from: Int
    /// Inclusive; nil: no end.
    package var to: Int?
    /// 1: each of the range. Counted from `from`.
    package var every: Int

    package init(from: Int, to: Int?, every: Int = 1) {
        self.from = from
        self.to = to
        self.every = every
    }

    package init(integerLiteral number: Int) { self.init(from: number, to: number) }

    package func contains(_ number: UInt64) -> Bool {
        guard number >= UInt64(from), to.map({ number <= UInt64($0) }) ?? true else { return false }
        return (number - UInt64(from)) % UInt64(every) == 0
    }
}

/// All that is given must hold. A rule that meets connections may ask for `provider`, `environment`, `connection` and
/// `connectionFraction` only; one that meets broadcasts, or what goes to another endpoint, for nothing that is about pushes.
package struct FaultMatch: Sendable, Equatable {
    package var provider: Provider?
    /// Nil: where pushes go.
    package var endpoint: FaultEndpoint?
    /// Hex digits, either case.
    package var token: String?
    /// Any of these tokens.
    package var tokens: [String]?
    /// As in `apns-topic`; a bare bundle ID means all topics of that app.
    package var topic: String?
    package var pushType: PushType?
    /// Of a Live Activity push.
    package var event: ActivityEvent?
    /// The nth push of its token; of another endpoint its nth request.
    package var nth: Ordinals?
    /// This share of pushes, above 0 and at most 1.
    package var fraction: Double?
    /// This share of tokens, above 0 and at most 1: the same ones each time.
    package var tokenFraction: Double?
    /// 1, 5 or 10.
    package var priority: UInt8?
    /// Where the push was sent.
    package var environment: PushEnvironment?
    /// The nth request of its connection, refused ones included.
    package var nthOfConnection: Ordinals?
    /// The nth connection that the mock accepted.
    package var connection: Ordinals?
    /// This share of connections, drawn by their number.
    package var connectionFraction: Double?

    package init(
        provider: Provider? = nil, token: String? = nil, tokens: [String]? = nil, topic: String? = nil,
        pushType: PushType? = nil, event: ActivityEvent? = nil, nth: Ordinals? = nil, fraction: Double? = nil,
        tokenFraction: Double? = nil, priority: UInt8? = nil, environment: PushEnvironment? = nil,
        endpoint: FaultEndpoint? = nil, nthOfConnection: Ordinals? = nil, connection: Ordinals? = nil,
        connectionFraction: Double? = nil
    ) {
        self.provider = provider
        self.endpoint = endpoint
        self.token = token
        self.tokens = tokens
        self.topic = topic
        self.pushType = pushType
        self.event = event
        self.nth = nth
        self.fraction = fraction
        self.tokenFraction = tokenFraction
        self.priority = priority
        self.environment = environment
        self.nthOfConnection = nthOfConnection
        self.connection = connection
        self.connectionFraction = connectionFraction
    }
}
