// Refusals one after the other: whose pauses double waits behind each once more for as long as in all before, and for the
// first of them. (spec/fcm.md §4, F7, F8; Apple's words know of no growth, spec/apns.md §14, P13.)

package import Basics
package import Pushes

extension SeenPush {
    /// Whoever sent it has to come again later: it was refused for now, or a fault of ours left it without an answer.
    package var isToComeAgain: Bool { isRefusedForNow || status == 0 && metFault }
}

/// Fed with pushes in order of arrival.
package struct RefusalRows: Sendable {
    /// What waits behind a refusal: all that goes to its token, or the push itself, whatever else gets through there.
    package enum Waiting: Hashable, Sendable {
        case token(TokenHash)
        case push(PushIdentity)
    }

    /// The first answer of each row that goes on.
    private var since: [Waiting: Instant] = [:]

    package init() {}

    package static func waiting(behind push: SeenPush) -> [Waiting] {
        push.provider == .fcm ? [.token(push.token), .push(push.identity)] : [.token(push.token)]
    }

    /// From the first answer of its row to this push's own. `waits`: something has to wait behind it; else it ends the row.
    package mutating func pauses(before push: SeenPush, _ waiting: Waiting, waits: Bool) -> Interval {
        guard waits else {
            since[waiting] = nil
            return .zero
        }
        // One that was accepted, and whose answer is held back, begins anew.
        let first = push.isAccepted ? push.answeredAt : since[waiting] ?? push.answeredAt
        since[waiting] = first
        return max(.zero, push.answeredAt - first)
    }
}
