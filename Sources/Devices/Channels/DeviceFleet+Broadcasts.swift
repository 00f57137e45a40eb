// Broadcasts as devices meet them: without a token of their own in the request, and never as the start of an activity
// (spec/apns.md §10, §11).

package import APNs
package import Basics
import Synchronization

extension DeviceFleet {
    /// What the activity with that token does with a message of the channel it listens to.
    package func deliver(broadcast: ActivityFacts, to hash: TokenHash, now: WallTime) -> Outcome {
        shard(hash).state.withLock { state in
            guard let place = state.table.find(hash) else { return .unknownActivity }
            guard state.table[place].state == .active else { return .notDelivered }
            if broadcast.event == .start {
                state.table[place].ignored &+= 1
                return .unknownActivity
            }
            return state.table[place].apply(broadcast, now: now, settings: settings)
        }
    }
}
