// What the process that sends a push can know of those that were sent before it.
//
// What it learned so soon before we ended it that it need not be on its disk is known to it, and not to the next process.

import Basics
import Pushes

extension JoinedAccount {
    struct LaneKey: Hashable {
        var session: UInt32
        var lane: Lane
    }

    struct Served: Hashable {
        var row: Int
        var token: TokenHash
    }

    struct Newest {
        var push: SeenPush
        var place: UInt64 { push.place }

        /// By a newer state, or by the same one where the relay was not told that it came, or of a successor.
        func mayBeFollowed(by next: SeenPush, ofSuccessor: Bool) -> Bool {
            let isTold = !push.flags.contains(.isAnswerUndelivered) && !(ofSuccessor && push.token != next.token)
            return place < next.place || place == next.place && !isTold
        }
    }

    /// What cards were told last. Behind what a later process may not know of stands what it knows.
    struct Told {
        private var newest: [LaneKey: [Newest]] = [:]

        /// The newest state that the process which sends that push knows to have been told.
        func last(_ key: LaneKey, before push: SeenPush, _ circumstances: Circumstances) -> Newest? {
            newest[key]?.last { !circumstances.mayBeForgotten($0.push, by: push) }
        }

        mutating func tell(_ key: LaneKey, _ push: SeenPush, _ circumstances: Circumstances) {
            let isKept = !circumstances.mayBeForgotten(from: push.arrivedAt, told: push.answeredAt)
            if isKept { newest[key] = nil }
            newest[key, default: []].append(Newest(push: push))
        }
    }

    /// What was accepted, by expectation and token, with an answer that the relay has, or had every reason to have. The token
    /// that a rotation replaced is another: its call may not say which phone's it was.
    struct Accepted {
        private var kept: [Served: Instant] = [:]
        /// What a later process may not know of.
        private var lately: [Served: [SeenPush]] = [:]

        /// Whether the process that sends that push knows that it was accepted before.
        func isKnown(_ served: Served, before push: SeenPush, _ circumstances: Circumstances) -> Bool {
            if let known = kept[served], known <= push.arrivedAt { return true }
            return lately[served]?.contains {
                known($0) <= push.arrivedAt && !circumstances.mayBeForgotten($0, by: push)
            } ?? false
        }

        mutating func note(_ served: Served, _ push: SeenPush, _ circumstances: Circumstances) {
            if circumstances.mayBeForgotten(from: push.arrivedAt, told: push.answeredAt) {
                lately[served, default: []].append(push)
            } else {
                kept[served] = min(kept[served] ?? known(push), known(push))
            }
        }

        /// Who gives up an answer that a fault holds back need not say so to its peer.
        private func known(_ push: SeenPush) -> Instant { push.metFault ? push.answeredAt : push.arrivedAt }
    }
}
