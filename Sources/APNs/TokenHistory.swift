// The 20-minute rule (docs/apns.md §8): a first provider token and one update of it; a third different one within the
// interval is one too many. Counted by the tokens' bytes, before anything is known of them.

import Basics
import Synchronization

/// The last two different tokens of whoever is counted: a connection, or a peer with a team.
struct TokenHistory: Sendable {
    enum Admission: Equatable {
        case known, fresh
        /// Not counted, so that the history heals when its older token is an interval old: then.
        case refused(until: WallTime)
    }

    private var newest: (hash: Hash128, since: WallTime)?
    private var older: (hash: Hash128, since: WallTime)?

    mutating func admit(_ hash: Hash128, now: WallTime, interval: Interval) -> Admission {
        if newest?.hash == hash || older?.hash == hash { return .known }
        if let older, now < older.since + interval { return .refused(until: older.since + interval) }
        older = newest
        newest = (hash, now)
        return .fresh
    }

    func isForgettable(now: WallTime, interval: Interval) -> Bool { newest.map { now >= $0.since + interval } ?? true }
}

/// Histories across the connections of one environment, by peer address and team: an engineer's word is that changing
/// the address cures it and that the keys of one team are not told apart. Shared by all loops.
package final class TokenLedger: Sendable {
    private struct Sender: Hashable {
        var peer: Hash128
        var team: Hash128
    }

    /// Senders kept; when there are more, those that would be admitted anyway are forgotten, or else all.
    private static let limit = 4096

    private let histories = Mutex<[Sender: TokenHistory]>([:])

    package init() {}

    func admit(
        _ hash: Hash128, peer: Hash128, team: Hash128, now: WallTime, interval: Interval
    ) -> TokenHistory.Admission {
        histories.withLock { histories in
            let sender = Sender(peer: peer, team: team)
            if histories.count >= Self.limit, histories[sender] == nil {
                histories = histories.filter { !$0.value.isForgettable(now: now, interval: interval) }
                if histories.count >= Self.limit { histories.removeAll() }
            }
            return histories[sender, default: TokenHistory()].admit(hash, now: now, interval: interval)
        }
    }

    package func reset() { histories.withLock { $0.removeAll() } }
}
