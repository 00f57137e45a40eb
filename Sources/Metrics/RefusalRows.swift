// Refusals one after the other: whose pauses double waits behind each once more for as long as in all before, and for the
// first of them. (docs/fcm.md §4, F7, F8; Apple's words know of no growth, P13.)

package import Basics
package import Pushes

extension SeenPush {
    /// Whoever sent it has to come again later: it was refused for now, or a fault of ours left it without an answer.
    package var isToComeAgain: Bool { isRefusedForNow || status == 0 && metFault }
}

/// Fed with pushes in order of arrival.
package struct RefusalRows: Sendable {
    /// What waits behind a refusal: all that goes to its token, all that its card or device is told by whichever token, and the
    /// push itself, whatever else gets through there.
    package enum Waiting: Hashable, Sendable {
        case token(TokenHash)
        case way(Way)
        case state(Way, PushType, place: UInt64)
        case push(PushIdentity)
    }

    /// What had been answered so before.
    package struct Before: Hashable, Sendable {
        /// From the first answer of the longest row that it belongs to, to its own.
        package var lasted = Interval.zero
        /// The longest from the answer before in such a row to its own.
        package var pause = Interval.zero
        /// The push itself had been tried before at its token.
        package var isAgain = false

        package init() {}
    }

    /// The first and the last answer of each row that goes on.
    private var rows: [Waiting: (first: Instant, last: Instant, token: TokenHash)] = [:]

    package init() {}

    package var isEmpty: Bool { rows.isEmpty }

    /// `lane`: of its token; nil: nobody has told of it.
    package static func waiting(behind push: SeenPush, _ lane: Lane?) -> [Waiting] {
        guard let way = lane.map({ Way($0, of: push) }) else { return [.token(push.token), .push(push.identity)] }
        return [.token(push.token), .way(way), push.isMarked ? .state(way, push.type, place: push.place) : .push(push.identity)]
    }

    /// Takes a push into its rows, or lets it end them.
    package mutating func see(_ push: SeenPush, _ lane: Lane?) -> Before {
        var before = Before()
        // Most accounts have none.
        if rows.isEmpty, !push.isToComeAgain { return before }
        for waiting in Self.waiting(behind: push, lane) {
            guard push.isToComeAgain else {
                rows[waiting] = nil
                continue
            }
            let row = rows[waiting]
            rows[waiting] = (row?.first ?? push.answeredAt, push.answeredAt, push.token)
            guard let row else { continue }
            before.lasted = max(before.lasted, push.answeredAt - row.first)
            before.pause = max(before.pause, push.answeredAt - row.last)
            switch waiting {
            case .state, .push: before.isAgain = row.token == push.token
            case .token, .way: break
            }
        }
        return before
    }
}
