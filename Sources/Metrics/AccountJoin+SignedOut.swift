// Activities of phones that have signed out.

import Basics
import Pushes

extension JoinedAccount {
    /// All devices of its user have signed out, or had since its token was registered: an activity that lives on may be told
    /// or not.
    func isOfNobody(_ row: Expectation) -> Bool {
        guard let (registered, leftAt) = registeredPhones(row) else { return false }
        let told = tokens.registrations[row.token]?.last { $0.place <= row.place }?.sentAt
        return registered.isEmpty || told.flatMap { told in leftAt.map { told < $0 } } ?? false
    }

    /// Sessions of a user who signed out with all devices, and in again while they went on: what the relay has kept of
    /// their activities is its own affair.
    static func sessionsLeftByAll(_ account: Account) -> Set<UInt32> {
        let calls = deviceCalls(account).filter(\.call.wasTaken)
        var known: Set<UInt8> = []
        var leftAt: Instant?
        var sessions: Set<UInt32> = []
        for (made, call) in calls {
            guard made.isRegistration else {
                known.remove(made.lane.phone)
                if known.isEmpty { leftAt = call.sentAt }
                continue
            }
            known.insert(made.lane.phone)
            guard let left = leftAt else { continue }
            leftAt = nil
            let living = account.tokenCalls.filter { $0.lane.role == .activity && $0.isRegistration }
                .compactMap { account.call(at: $0.place) }.filter { $0.sentAt < left }.map(\.session)
            sessions.formUnion(living)
        }
        return sessions
    }

    /// Its phone has signed out, and another phone has since registered an activity of that session: a call that names no
    /// phone may take the place of all that are stored (R0.18), and what it takes from a phone that is gone is nobody's.
    func isOfFormerPhone(_ row: Expectation) -> Bool {
        guard let (registered, _) = registeredPhones(row), !registered.contains(row.lane.phone),
            let gone = account.tokenCalls.last(where: { made in
                made.lane == Lane(role: .device, phone: row.lane.phone) && !made.isRegistration && made.place <= row.place
            })
        else { return false }
        return account.tokenCalls.contains { made in
            made.isRegistration && made.lane.role == .activity && made.lane.phone != row.lane.phone
                && made.place >> 32 == row.place >> 32 && gone.place < made.place && made.place <= row.place
        }
    }

    /// Whose devices the relay had been told of when this state was said to it, and when last there were none; nil where it
    /// never was, or where one of those calls was not taken.
    private func registeredPhones(_ row: Expectation) -> (phones: Set<UInt8>, leftAt: Instant?)? {
        guard row.lane.role == .activity, let said = account.call(at: row.place) else { return nil }
        let calls = Self.deviceCalls(account).filter { $0.call.sentAt < said.sentAt }
        var known: Set<UInt8> = []
        var leftAt: Instant?
        for (made, call) in calls {
            guard call.wasTaken else { return nil }
            if made.isRegistration { known.insert(made.lane.phone) } else { known.remove(made.lane.phone) }
            if known.isEmpty { leftAt = call.sentAt }
        }
        return calls.isEmpty ? nil : (known, leftAt)
    }

    /// Calls that make a device known or take it back, in the order in which they were sent.
    private static func deviceCalls(_ account: Account) -> [(made: TokenCall, call: SeenCall)] {
        account.tokenCalls.filter { $0.lane.role == .device }
            .compactMap { made in account.call(at: made.place).map { (made: made, call: $0) } }
            .sorted { $0.call.sentAt < $1.call.sentAt }
    }
}
