// Which of two calls the relay heard first.

import Basics

extension Account {
    /// Whether the relay heard of the call at `first` before the one at `second`. One that we gave up it may have heard at any
    /// time. Where the profile sends in parallel, the one must have been answered when the other was sent.
    package func wasHeard(_ first: UInt64, before second: UInt64, _ circumstances: Circumstances) -> Bool {
        guard first != second, let earlier = call(at: first), let later = call(at: second) else {
            return first == second || circumstances.isOrdered
        }
        return earlier.wasAnswered && (circumstances.isOrdered || earlier.answeredAt <= later.sentAt)
    }
}
