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
    /// What waits behind a refusal: all that goes to its token, and the push itself, whatever else gets through there.
    package enum Waiting: Hashable, Sendable {
        case token(TokenHash)
        case push(PushIdentity)
    }

    /// The first answer of each row that goes on.
    private var since: [Waiting: Instant] = [:]

    package init() {}

    package static func waiting(behind push: SeenPush) -> [Waiting] { [.token(push.token), .push(push.identity)] }

    /// From the first answer of the longest row that it belongs to, to this push's own; zero where it ends them.
    package mutating func lasted(before push: SeenPush) -> Interval {
        // Most accounts have none.
        if since.isEmpty, !push.isToComeAgain { return .zero }
        return Self.waiting(behind: push).map { waiting -> Interval in
            guard push.isToComeAgain else {
                since[waiting] = nil
                return .zero
            }
            let first = since[waiting] ?? push.answeredAt
            since[waiting] = first
            return max(.zero, push.answeredAt - first)
        }.max() ?? .zero
    }
}
