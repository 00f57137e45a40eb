// The ways that an account's pushes go, each kept in order of arrival, so that who asks what went a row's way next, or what was
// refused there, need not read all pushes for each row.

import Basics
import Pushes

/// Made once, and of nothing where no fault of ours met a push.
struct Ways: Sendable {
    /// A card is its session's own; of whose card a push without a marker is nobody knows.
    private struct Card: Hashable {
        var lane: Lane
        var session: UInt32?
    }

    private let pushes: [SeenPush]
    /// Indices of pushes, in order of arrival.
    private var byToken: [TokenHash: [Int]] = [:]
    private var byCard: [Card: [Int]] = [:]
    private var refusedByToken: [TokenHash: [Int]] = [:]
    private var refusedBySession: [UInt32: [Int]] = [:]
    /// By the push's id, of FCM only: how long the row of refusals had lasted before its own.
    private var lasted: [UInt64: Interval] = [:]

    init(_ account: Account, _ lanes: [TokenHash: Lane]) {
        guard account.pushes.contains(where: \.metFault) else {
            pushes = []
            return
        }
        pushes = account.pushes
        var rows = RefusalRows()
        for (index, push) in pushes.enumerated() {
            if push.provider == .fcm {
                let pauses = RefusalRows.waiting(behind: push).map { waiting in
                    rows.pauses(before: push, waiting, waits: push.isToComeAgain)
                }.max()
                if let pauses, pauses > .zero { lasted[push.id] = pauses }
            }
            byToken[push.token, default: []].append(index)
            if let lane = lanes[push.token] {
                let isOwn = lane.role == .activity && push.isMarked
                byCard[Card(lane: lane, session: isOwn ? push.session : nil), default: []].append(index)
            }
            guard push.isRefusedForNowByUs || push.wasCutAtFCM else { continue }
            refusedByToken[push.token, default: []].append(index)
            if push.isMarked { refusedBySession[push.session, default: []].append(index) }
        }
    }

    /// The first push behind that instant which goes where the row goes (`JoinedAccount.isOnItsWay`).
    func next(_ row: Expectation, behind instant: Instant) -> SeenPush? {
        var found: Int?
        func look(_ way: [Int]?) {
            guard let way else { return }
            let place = Account.firstIndex(in: way.count) { pushes[way[$0]].arrivedAt > instant }
            if place < way.count { found = min(found ?? .max, way[place]) }
        }
        look(byToken[row.token])
        look(byCard[Card(lane: row.lane, session: nil)])
        if row.lane.role == .activity { look(byCard[Card(lane: row.lane, session: row.session)]) }
        return found.map { pushes[$0] }
    }

    /// The first push to that token behind that instant for which it holds.
    func first(to token: TokenHash, behind instant: Instant, where isMeant: (SeenPush) -> Bool) -> SeenPush? {
        guard let way = byToken[token] else { return nil }
        let start = Account.firstIndex(in: way.count) { pushes[way[$0]].arrivedAt > instant }
        return way[start...].lazy.map { pushes[$0] }.first(where: isMeant)
    }

    /// So long FCM had refused for now what went to its token, or the push itself, one answer behind the other.
    func pauses(before push: SeenPush) -> Interval { lasted[push.id] ?? .zero }

    /// The last push by then that a fault of ours refused for now, at that token or in that session, for which it holds.
    func lastRefused(
        at token: TokenHash, of session: UInt32? = nil, by due: Instant, where isMeant: (SeenPush) -> Bool
    ) -> SeenPush? {
        func last(_ way: [Int]?) -> Int? {
            guard let way else { return nil }
            let end = Account.firstIndex(in: way.count) { pushes[way[$0]].arrivedAt > due }
            return way[..<end].last { isMeant(pushes[$0]) }
        }
        let found = [last(refusedByToken[token]), session.flatMap { last(refusedBySession[$0]) }]
        return found.compactMap(\.self).max().map { pushes[$0] }
    }
}

extension SeenPush {
    /// A fault of ours told it to come again later.
    var isRefusedForNowByUs: Bool { metFault && isRefusedForNow }

    /// A fault of ours left a message without an answer.
    var wasCutAtFCM: Bool { metFault && provider == .fcm && status == 0 }
}
