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

    /// A device, or an app's registration, that another session of the user has registered: who keeps devices by user pushes
    /// there for each of them, where calls of that kind owe devices anything.
    func isToDeviceOfAnother(_ push: SeenPush) -> Bool {
        guard let lane = tokens.lanes[push.token], [.device, .registration].contains(lane.role),
            let kind = account.call(at: push.place)?.kind,
            account.tokenCalls.contains(where: {
                $0.isRegistration && $0.token == push.token && UInt32($0.place >> 32) != push.session
            })
        else { return false }
        return account.rows.contains { $0.kind == kind && $0.type == push.type && $0.lane.role == lane.role }
    }
}
