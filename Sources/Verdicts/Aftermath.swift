// What accounts leave behind when they are over. The horizon that is set for an account is ours: what was owed by then and
// comes later is late, not a push that nothing called for; and a card whose end the relay never heard of it goes on with.
// Nothing else that comes for a session which has long been over has a cause.

import Basics
import Metrics
import Pushes

/// Bounded: what is beyond that is forgotten, and its push a stray.
struct Aftermath {
    private static let most = 100_000

    private struct Owed: Hashable {
        var place: UInt64
        var type: PushType
        var token: TokenHash
    }

    /// A session's card on a phone, where there is more than one of its kind.
    private struct Card: Hashable {
        var lane: Lane
        var session: UInt32?
    }

    private struct Told: Hashable {
        var token: TokenHash
        var event: ActivityEvent
    }

    /// By where it may come: the number of what is owed, which is owed once.
    private var owed: [Owed: Int] = [:]
    private var unsettled: Set<Int> = []
    private var count = 0
    /// Sessions whose end the relay has not heard of, and tokens to which it goes on by itself.
    private var restless: Set<UInt32> = []
    private var living: [TokenHash: Lane.Role] = [:]
    private var refreshes: Refreshes?
    private var restartPause: Interval?
    private var told: Set<Told> = []
    private var lastStarts: [Owed: Instant] = [:]

    /// Of an account that is over, as it was judged.
    mutating func remember(_ joined: JoinedAccount, _ circumstances: Circumstances) {
        let rows = joined.account.rows.indices.filter { Self.isOwed($0, joined) }
        if !rows.isEmpty, owed.count < Self.most { rememberOwed(rows, joined) }
        guard circumstances.refresh != nil || circumstances.restart != nil, living.count < Self.most else { return }
        if refreshes == nil { refreshes = Refreshes(circumstances) }
        restartPause = circumstances.restart.map { min($0.pause, $0.after - $0.within) * Tolerances.kept }
        rememberLiving(joined, circumstances)
    }

    /// Where the phone of a session that goes on tells of another token.
    mutating func learn(_ token: TokenHash, of session: UInt32) {
        if restless.contains(session), living.count < Self.most { living[token] = .activity }
    }

    /// Whether a push that belongs to no open account is what was still owed, or a card's that goes on.
    mutating func explains(_ push: SeenPush) -> Bool {
        guard push.isAccepted else { return false }
        if push.isMarked, let number = owed[Owed(place: push.place, type: push.type, token: push.token)],
            unsettled.contains(number)
        {
            // It may not hear of it where a fault met the answer.
            if !push.metFault { unsettled.remove(number) }
            return true
        }
        return goesOn(push)
    }

    // MARK: Owed

    /// It has not come, and nothing newer took its place; or it has, and the relay may not know.
    private static func isOwed(_ index: Int, _ joined: JoinedAccount) -> Bool {
        let delivery = joined.deliveries[index]
        if delivery.accepted == nil { return [.lost, .excused, .unsent, .undecided].contains(delivery.outcome) }
        return joined.attempts(of: index).allSatisfy { push in
            !push.isAccepted || push.flags.contains(.isAnswerUndelivered) || push.metFault && push.answeredAt > push.arrivedAt
        }
    }

    private mutating func rememberOwed(_ rows: [Int], _ joined: JoinedAccount) {
        let account = joined.account
        func card(_ lane: Lane, _ session: UInt32) -> Card { Card(lane: lane, session: lane.role == .activity ? session : nil) }
        var tokens: [Card: Set<TokenHash>] = [:]
        for call in account.tokenCalls where call.isRegistration {
            tokens[card(call.lane, UInt32(call.place >> 32)), default: []].insert(call.token)
        }
        for row in rows.lazy.map({ account.rows[$0] }) where owed.count < Self.most {
            count += 1
            unsettled.insert(count)
            // Also under the token that its phone had before or after.
            for token in tokens[card(row.lane, row.session), default: []].union([row.token]) {
                owed[Owed(place: row.place, type: row.type, token: token)] = count
            }
        }
    }

    // MARK: Cards that go on

    private static func isOver(_ session: UInt32, _ account: Account, _ circumstances: Circumstances) -> Bool {
        let end = account.calls(of: session, through: .max).last { circumstances.finalKinds.contains($0.kind) }
        guard let end, end.wasTaken, !end.wasRefusedAsItMay else { return false }
        return !account.rows.contains { $0.session == session && $0.event == .start && $0.place > end.place }
    }

    private mutating func rememberLiving(_ joined: JoinedAccount, _ circumstances: Circumstances) {
        let account = joined.account
        let open = Set(account.calls.map(\.session)).filter { !Self.isOver($0, account, circumstances) }
        guard !open.isEmpty else { return }
        if restless.count < Self.most { restless.formUnion(open) }
        let ended = Set(account.pushes.lazy.filter { $0.isAccepted && $0.event == .end }.map(\.token))
        var held: [TokenHash: TokenCall] = [:]
        for call in account.tokenCalls where account.call(at: call.place)?.wasTaken ?? false { held[call.token] = call }
        for (token, call) in held where call.isRegistration && joined.tokens.deaths[token] == nil && !ended.contains(token) {
            let isOfOpen = open.contains(UInt32(call.place >> 32))
            if call.lane.role == .start && circumstances.restart != nil || call.lane.role == .activity && isOfOpen {
                living[token] = call.lane.role
            }
        }
    }

    /// A state told again no sooner than declared; the start of a successor, behind a pause, and for each card one end and one
    /// state.
    private mutating func goesOn(_ push: SeenPush) -> Bool {
        guard push.isLiveActivity, let event = push.event, let role = living[push.token],
            !push.isMarked || restless.contains(push.session)
        else { return false }
        if refreshes?.take(push, lane: Lane(role: role)) ?? false { return true }
        guard let restartPause else { return false }
        guard event == .start else {
            return role == .activity && told.count < Self.most && told.insert(Told(token: push.token, event: event)).inserted
        }
        let card = Owed(place: push.isMarked ? UInt64(push.session) : .max, type: push.type, token: push.token)
        let before = lastStarts.updateValue(push.arrivedAt, forKey: card)
        return role == .start && (!push.isMarked || before.map { push.arrivedAt - $0 >= restartPause } ?? true)
    }
}
