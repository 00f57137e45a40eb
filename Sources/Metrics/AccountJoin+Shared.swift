// Pushes that are right though no expectation of their own fits: seen once already, or to a phone that sessions share.

import Basics
import Pushes

extension JoinedAccount {
    /// It is sent again for want of an answer, and the device had it the first time.
    func wasShownBefore(_ push: SeenPush) -> Bool {
        account.pushes.contains { former in
            former.identity == push.identity && former.arrivedAt < push.arrivedAt && former.id != push.id
                && !former.isAccepted && [.ended, .updated, .started].contains(former.outcome)
        }
    }

    /// A device, its start token or an app's registration, that another session of the user has registered: who keeps devices
    /// by user pushes there for each of them, where calls of that kind owe devices anything.
    func isToDeviceOfAnother(_ push: SeenPush) -> Bool {
        guard let lane = tokens.lanes[push.token], ![.activity, .other].contains(lane.role),
            let kind = account.call(at: push.place)?.kind,
            account.tokenCalls.contains(where: {
                $0.isRegistration && $0.token == push.token && UInt32($0.place >> 32) != push.session
            })
        else { return false }
        return account.rows.contains { $0.kind == kind && $0.type == push.type && $0.lane.role == lane.role }
    }

    /// Another session of the user took the token back since this one registered it, or when it may not have left yet: the
    /// device has signed out, with whatever session said so.
    func wasSignedOutByAnother(_ row: Expectation, _ circumstances: Circumstances) -> Bool {
        guard row.lane.role != .activity, let said = account.call(at: row.place) else { return false }
        let session = row.place >> 32
        let own = account.tokenCalls.last {
            $0.isRegistration && $0.token == row.token && $0.place >> 32 == session && $0.place <= row.place
        }
        let registeredAt = own.flatMap { account.call(at: $0.place) }?.sentAt ?? Instant(nanoseconds: .min)
        let leftAt = max(said.sentAt, said.answeredAt) + circumstances.inFlightGrace * Tolerances.prompt
        return account.tokenCalls.contains { taken in
            guard !taken.isRegistration, taken.token == row.token, taken.place >> 32 != session,
                let call = account.call(at: taken.place), call.state == .sent
            else { return false }
            return max(call.sentAt, call.answeredAt) >= registeredAt && call.sentAt <= leftAt
        }
    }
}
