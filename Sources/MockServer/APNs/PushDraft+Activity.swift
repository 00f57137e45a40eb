// What the rules have read of a Live Activity push, for the journal.

import APNs
import Journal

extension PushDraft {
    /// Keeps event and timestamp, so that nobody reads the payload again for them.
    mutating func note(_ activity: ActivityFacts) {
        event = activity.event
        hasUnknownEvent = activity.hasUnknownEvent
        stamp = activity.timestamp
    }
}
