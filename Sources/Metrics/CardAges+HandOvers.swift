// What a card shows once another activity has taken its place: what that one's start showed, and what it is told from then on.

import Basics
import Pushes

/// One activity takes the place of another. While both stand the user sees two cards; from the registration of the new one's
/// token on it is that which counts.
struct HandOver {
    /// When the token was registered.
    var at: Instant
    /// The newest state that a start for it has shown.
    var place: UInt64
    private var tokens: [TokenHash]
    private var older: Set<TokenHash>

    init?(_ old: RestartLife.Activity, _ next: RestartLife.Activity, older: Set<TokenHash>, _ account: Account) {
        // Of two that came of two starts either may be the one that stays.
        guard old.replacedAt == next.registeredAt, !old.hasRival else { return nil }
        let births = old.starts.map { account.pushes[$0] }.filter(\.isAccepted)
        // Without a marker nobody knows what a start showed.
        guard let newest = births.map(\.place).max(), births.allSatisfy(\.isMarked) else { return nil }
        (at, place, tokens, self.older) = (next.registeredAt, newest, next.tokens, older)
    }

    /// Whether the push went to a card that this one had replaced by then.
    func leaves(_ push: SeenPush) -> Bool { at <= push.arrivedAt && older.contains(push.token) }

    /// What the new card was told, in order.
    func told(_ joined: JoinedAccount) -> [SeenPush] {
        joined.account.pushes.indices.filter { index in
            let push = joined.account.pushes[index]
            return push.isAccepted && push.isMarked && tokens.contains(push.token) && at <= push.arrivedAt
                && joined.rowOfPush[index] != nil && (joined.fault[index] ?? .duplicated) == .duplicated
                && push.outcome != .ignoredOlder && push.outcome != .ignoredEnded
        }.map { joined.account.pushes[$0] }
    }
}

extension Expectation {
    /// Where activities take the place of the one that shows this state, in order.
    func handOvers(_ joined: JoinedAccount) -> [HandOver] {
        let own = joined.restarts?.activities.filter { $0.session == session && $0.phone == lane.phone } ?? []
        var older: Set<TokenHash> = []
        return zip(own, own.dropFirst()).compactMap { old, next in
            older.formUnion(old.tokens)
            return HandOver(old, next, older: older, joined.account)
        }
    }
}

extension JoinedAccount {
    /// The relay was never told the token of the activity that shows this state: its registration never reached it, or a phone
    /// did not tell the token.
    func lacksToken(_ row: Expectation, _ circumstances: Circumstances) -> Bool {
        row.lane.role == .activity && row.flags.contains(.waitsInVain) || lacksRegistration(row, circumstances)
    }
}
