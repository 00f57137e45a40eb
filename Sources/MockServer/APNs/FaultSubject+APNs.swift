// What fault rules see of a request of APNs.

package import APNs
import Basics
package import Faults

extension FaultSubject {
    /// `topic` as in `apns-topic`.
    @_lifetime(copy topic)
    package init(
        push facts: PushFacts, topic: Span<UInt8>, nthOfToken: UInt32, nthOfConnection: UInt32 = 1,
        caller: FaultCaller = FaultCaller(number: 1, acceptedAt: Instant(nanoseconds: 0)), credential: UInt64 = 0
    ) {
        let parts = TopicParts(topic)
        self.init(
            tokenHash: facts.tokenHash, topic: topic, appBytes: parts.bundleCount, pushType: parts.type(given: facts.pushType),
            event: facts.activity?.event, priority: facts.priority, id: facts.apnsIDGiven ? facts.apnsID : nil,
            nthOfToken: nthOfToken, nthOfConnection: nthOfConnection, caller: caller, credential: credential)
    }

    /// A broadcast or an operation on channels of the app of that bundle ID.
    @_lifetime(copy bundle)
    init(
        broadcast facts: BroadcastFacts, bundle: Span<UInt8>, nthOfConnection: UInt32, caller: FaultCaller,
        credential: UInt64
    ) {
        self.init(
            target: .broadcast, topic: bundle, pushType: nil, event: facts.activity.event, priority: facts.priority,
            id: facts.requestID, nthOfConnection: nthOfConnection, caller: caller, credential: credential)
    }
}
