// Pushes by which a relay tells a card's state again, with no call that asks for it: so that a duration runs on, say.

import Basics
import Pushes

package struct Refreshes: Sendable {
    private let period: Interval?
    private var last: [TokenHash: Instant] = [:]

    package init(_ circumstances: Circumstances) { period = circumstances.refresh }

    /// Whether it is one, or may be: an update of an activity, no sooner behind the push before it than the profile says.
    package mutating func take(_ push: SeenPush, lane: Lane?) -> Bool {
        guard let period, push.isAccepted, push.isLiveActivity, lane?.role == .activity else { return false }
        let before = last.updateValue(push.arrivedAt, forKey: push.token)
        guard push.event == .update else { return false }
        // On a new card it may be the first that there is.
        return before.map { push.arrivedAt - $0 >= period * Tolerances.kept } ?? true
    }
}
