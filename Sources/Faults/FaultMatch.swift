// Which pushes a rule is about. What is nil matches all.

package import APNs

/// All that is given must hold.
package struct FaultMatch: Sendable, Equatable {
    /// The only one so far is `apns`.
    package var provider: String?
    /// Hex digits, either case.
    package var token: String?
    /// As in `apns-topic`; a bare bundle ID means all topics of that app.
    package var topic: String?
    package var pushType: PushType?
    /// Of a Live Activity push.
    package var event: ActivityEvent?
    /// The nth push of its token, from 1.
    package var nth: Int?
    /// This share of pushes, above 0 and at most 1.
    package var fraction: Double?
    /// This share of tokens, above 0 and at most 1: the same ones each time.
    package var tokenFraction: Double?
    /// 1, 5 or 10.
    package var priority: UInt8?

    package init(
        provider: String? = nil, token: String? = nil, topic: String? = nil, pushType: PushType? = nil,
        event: ActivityEvent? = nil, nth: Int? = nil, fraction: Double? = nil, tokenFraction: Double? = nil,
        priority: UInt8? = nil
    ) {
        self.provider = provider
        self.token = token
        self.topic = topic
        self.pushType = pushType
        self.event = event
        self.nth = nth
        self.fraction = fraction
        self.tokenFraction = tokenFraction
        self.priority = priority
    }
}
