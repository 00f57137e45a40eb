// Unregistrations that a relay cannot tell from late ones: they name the session and no token, so that one which comes
// soon after the activity's token was replaced may be meant for the older activity (R0.20 against R0.19).

package import Basics
import Pushes

package struct UnregistrationDoubts: Sendable {
    /// So long after a registration an unregistration may be the older activity's.
    package static let span = Tolerances.patience

    private var places: Set<UInt64> = []
    /// By session and token.
    private var since: [Key: Instant] = [:]

    private struct Key: Hashable {
        var session: UInt32
        var token: TokenHash
    }

    init(_ account: Account) {
        for taken in account.tokenCalls where !taken.isRegistration && taken.lane.role == .activity {
            guard let call = account.call(at: taken.place), call.state == .sent,
                account.rows(at: taken.place, .liveactivity).isEmpty, account.rows(at: taken.place, .alert).isEmpty
            else { continue }
            let registrations = account.tokenCalls.filter {
                $0.isRegistration && $0.lane.role == .activity && $0.place >> 32 == taken.place >> 32
                    && $0.place < taken.place && account.call(at: $0.place)?.state == .sent
            }
            guard Set(registrations.map(\.token)).count > 1, let last = registrations.last,
                let registered = account.call(at: last.place), call.sentAt - registered.sentAt <= Self.span
            else { continue }
            places.insert(taken.place)
            since[Key(session: call.session, token: taken.token)] = call.sentAt
        }
    }

    /// Whether the unregistration at that place is one of them.
    package func contain(_ place: UInt64) -> Bool { places.contains(place) }

    /// A push to a token that one of them took back, or did not.
    func cover(_ push: SeenPush) -> Bool {
        guard let since = since[Key(session: push.session, token: push.token)] else { return false }
        return since <= push.arrivedAt
    }
}
