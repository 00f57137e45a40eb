// What rules may look at in a push or a connection: numbers and borrowed bytes, no heap.

package import APNs
package import Basics
package import Pushes

/// A connection before the rules.
package struct FaultCaller: Sendable {
    /// The mock's connections are numbered from 1 as they are accepted.
    package var number: UInt64
    package var acceptedAt: Instant
    package var environment: PushEnvironment

    package init(number: UInt64, acceptedAt: Instant, environment: PushEnvironment) {
        self.number = number
        self.acceptedAt = acceptedAt
        self.environment = environment
    }
}

/// A push or a broadcast before the rules. Lives as long as the topic's bytes.
package struct FaultSubject: ~Escapable {
    package let target: FaultTarget
    package let tokenHash: Hash128
    /// With suffix; empty when there is none.
    package let topic: Span<UInt8>
    package let pushType: PushType?
    package let event: ActivityEvent?
    package let priority: UInt8
    /// What chance depends on: the client's apns-id, else the token and the push's number among the token's pushes. So
    /// the same pushes are met in a replay, whatever the order in which tokens take turns.
    package let pushIdentity: UInt64
    /// From 1; see `DeviceFleet.pushCount`.
    package let nthOfToken: UInt32
    /// From 1.
    package let nthOfConnection: UInt32
    package let caller: FaultCaller
    /// Stands for the provider token; the same one, the same number.
    package let credential: UInt64

    @_lifetime(copy topic)
    package init(
        facts: PushFacts, topic: Span<UInt8>, nthOfToken: UInt32, nthOfConnection: UInt32 = 1,
        caller: FaultCaller = FaultCaller(number: 1, acceptedAt: Instant(nanoseconds: 0), environment: .production),
        credential: UInt64 = 0
    ) {
        target = .push
        tokenHash = facts.tokenHash
        self.topic = topic
        pushType = facts.pushType
        event = facts.activity?.event
        priority = facts.priority
        self.nthOfToken = nthOfToken
        self.nthOfConnection = nthOfConnection
        self.caller = caller
        self.credential = credential
        if facts.apnsIDGiven {
            pushIdentity = facts.apnsID.high ^ (facts.apnsID.low << 23 | facts.apnsID.low >> 41)
        } else {
            pushIdentity = Seed(facts.tokenHash.low).child(UInt64(nthOfToken)).value
        }
    }

    /// A broadcast or an operation on channels. Chance depends on its request id, given or made from the seed.
    @_lifetime(copy bundle)
    package init(
        broadcast facts: BroadcastFacts, bundle: Span<UInt8>, nthOfConnection: UInt32, caller: FaultCaller,
        credential: UInt64
    ) {
        target = .broadcast
        tokenHash = Hash128(high: 0, low: 0)
        topic = bundle
        pushType = nil
        event = facts.activity.event
        priority = facts.priority
        nthOfToken = 0
        self.nthOfConnection = nthOfConnection
        self.caller = caller
        self.credential = credential
        pushIdentity = facts.requestID.high ^ (facts.requestID.low << 23 | facts.requestID.low >> 41)
    }
}

/// A rule that met a push or a connection.
package struct Firing: Sendable, Equatable {
    /// The rule's number within its script, from 1; see `FaultScript.id(of:)`.
    package var ruleID: UInt32
    package var action: FaultAction
    /// Drawn for this push when the action is `delay`, else zero.
    package var delay: Interval
}
