// Pushes of APNs as rules see them.

import APNs
import Basics
import Faults
import Pushes

extension FaultSubject {
    @_lifetime(copy topic)
    init(
        push facts: PushFacts, topic: Span<UInt8>, nthOfToken: UInt32, nthOfConnection: UInt32 = 1,
        caller: FaultCaller = FaultCaller(number: 1, acceptedAt: Instant(nanoseconds: 0)), credential: UInt64 = 0
    ) {
        let parts = TopicParts(topic)
        self.init(
            tokenHash: facts.tokenHash, topic: topic, appBytes: parts.bundleCount, pushType: parts.type(given: facts.pushType),
            event: facts.activity?.event, priority: facts.priority, id: facts.apnsIDGiven ? facts.apnsID : nil,
            nthOfToken: nthOfToken, nthOfConnection: nthOfConnection, caller: caller, credential: credential)
    }
}
