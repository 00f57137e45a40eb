// Until when anything could be told to a card: its last token died, or was taken back, and no other came.

import Basics
import Pushes

extension JoinedAccount {
    /// When a session's card on that phone could be reached no more; nil: it could to the end. What is owed by the very call
    /// that takes its token back may still come.
    func unreachableAt(session: UInt32, phone: UInt8) -> Instant? {
        let lane = Lane(role: .activity, phone: phone)
        let calls = account.tokenCalls.filter { $0.lane == lane && $0.place >> 32 == session }
        guard let last = calls.last(where: \.isRegistration), let registeredAt = account.call(at: last.place)?.sentAt else {
            return nil
        }
        let owing = Set(account.rows.filter { $0.session == session && $0.lane == lane }.map(\.place))
        let taken = calls.last { call in
            !call.isRegistration && call.token == last.token && call.place > last.place && !owing.contains(call.place)
        }
        let takenAt = taken.flatMap { account.call(at: $0.place) }.flatMap { $0.state == .sent ? $0.sentAt : nil }
        let diedAt = tokens.deaths[last.token]?.map(\.answeredAt).filter { $0 > registeredAt }.min()
        return [takenAt, diedAt].compactMap(\.self).min()
    }
}
