// Broadcasts as devices meet them: without a token of their own in the request, and never as the start of an activity
// (docs/apns.md §10, §11).

import APNs
package import Basics
package import Pushes
import Synchronization

extension DeviceFleet {
    /// What the activity with that token does with a message of the channel it listens to. A device that is away is not
    /// given it: `.stored` when the channel holds it for later, else `.discarded`.
    package func deliver(_ broadcast: BroadcastRecord, to hash: Hash128, now: WallTime) -> Outcome {
        let (facts, now) = (facts(of: broadcast, hash), time.at(now))
        let outcome: Outcome? = shard(hash).state.withLock { state in
            guard let place = state.table.find(hash) else { return .unknownActivity }
            guard state.table[place].state == .active else { return .notDelivered }
            if broadcast.activity.event == .start {
                state.table[place].ignored &+= 1
                return .unknownActivity
            }
            if state.table[place].asksDevice || allAskDevice { return nil }
            return react(&state.table[place], to: facts, now: now)
        }
        if let outcome { return outcome }
        let late = deliverByBook(facts, now: now)
        return late == .discarded && broadcast.isHeld(at: now) ? .stored : late
    }

    /// As a push to the activity would be, but for the storing, which is the channel's.
    private func facts(of broadcast: BroadcastRecord, _ hash: Hash128) -> PushFacts {
        var facts = PushFacts(apnsID: broadcast.requestID)
        facts.tokenHash = hash
        facts.hasTokenHash = true
        facts.pushType = .liveactivity
        facts.priority = broadcast.priority
        facts.expiration = 0
        facts.activity = broadcast.activity
        return facts
    }
}
