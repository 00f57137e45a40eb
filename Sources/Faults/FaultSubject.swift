// What rules may look at in a push or a connection: numbers and borrowed bytes, no heap.

package import Basics
package import Pushes

/// A connection before the rules.
package struct FaultCaller: Sendable {
    /// The mock's connections are numbered from 1 as they are accepted.
    package var number: UInt64
    package var acceptedAt: Instant
    package var provider: Provider
    package var environment: PushEnvironment

    package init(
        number: UInt64, acceptedAt: Instant, provider: Provider = .apns, environment: PushEnvironment = .production
    ) {
        self.number = number
        self.acceptedAt = acceptedAt
        self.provider = provider
        self.environment = environment
    }
}

/// A push, a broadcast or a request to another endpoint before the rules. Lives as long as the topic's bytes.
package struct FaultSubject: ~Escapable {
    package let target: FaultTarget
    package let endpoint: FaultEndpoint
    package let tokenHash: Hash128
    /// With suffix; empty when there is none.
    package let topic: Span<UInt8>
    /// So many bytes of it name the app.
    package let appBytes: Int
    package let pushType: PushType?
    package let event: ActivityEvent?
    package let priority: UInt8
    /// What chance depends on: the client's own id of the request, else the token and the push's number among the token's
    /// pushes. So the same pushes are met in a replay, whatever the order in which tokens take turns.
    package let pushIdentity: UInt64
    /// From 1; see `DeviceFleet.pushCount`.
    package let nthOfToken: UInt32
    /// From 1.
    package let nthOfConnection: UInt32
    package let caller: FaultCaller
    /// Stands for the provider token; the same one, the same number.
    package let credential: UInt64

    /// `appBytes` nil: the whole topic. `id`: the client's of this request; of a broadcast also one made from the seed.
    @_lifetime(copy topic)
    package init(
        target: FaultTarget = .push, at endpoint: FaultEndpoint = .send, tokenHash: Hash128 = Hash128(high: 0, low: 0),
        topic: Span<UInt8>, appBytes: Int? = nil, pushType: PushType?, event: ActivityEvent?, priority: UInt8, id: UUIDBytes?,
        nthOfToken: UInt32 = 0, nthOfConnection: UInt32, caller: FaultCaller, credential: UInt64
    ) {
        self.target = target
        self.endpoint = endpoint
        self.tokenHash = tokenHash
        self.topic = topic
        self.appBytes = appBytes ?? topic.count
        self.pushType = pushType
        self.event = event
        self.priority = priority
        self.nthOfToken = nthOfToken
        self.nthOfConnection = nthOfConnection
        self.caller = caller
        self.credential = credential
        pushIdentity =
            id.map { $0.high ^ ($0.low << 23 | $0.low >> 41) } ?? Seed(tokenHash.low).child(UInt64(nthOfToken)).value
    }
}

/// A rule that met a push or a connection.
package struct Firing: Sendable, Equatable {
    /// The rule's number within its script, from 1; see `FaultScript.id(of:)`.
    package var ruleID: UInt32
    package var action: FaultAction
    /// Drawn for this push when the action is `delay`, or that of a `respond`; else zero.
    package var delay: Interval
    /// Only a new connection heals it.
    package var isOfConnection = false
}
