// Live Activities by way of FCM: a message goes to a registration, and names the activity's token beside it. Each dies apart.

import Basics
package import Pushes

extension JoinedAccount {
    /// What a message owed for a Live Activity has to name, by what the relay had taken when it was owed: the start token of
    /// its phone, or the activity's token of its session. Nil where none was registered.
    package func tokenBeside(_ row: Expectation) -> TokenHash? {
        guard row.provider == .fcm, let event = row.event else { return nil }
        let isStart = event == .start
        let known = account.tokenCalls.compactMap { made -> (at: Instant, token: TokenHash)? in
            guard made.isRegistration, made.lane == Lane(role: isStart ? .start : .activity, phone: row.lane.phone),
                isStart || made.place >> 32 == UInt64(row.session) && made.place <= row.place,
                let call = account.call(at: made.place), call.wasTaken, call.plannedAt <= row.plannedAt
            else { return nil }
            return (call.sentAt, made.token)
        }
        return known.max { $0.at < $1.at }?.token
    }

    /// The answer by which the activity's token was dead that a message had to name, in words.
    func deadBeside(
        _ row: Expectation, plannedAt: Instant, by due: Instant, _ circumstances: Circumstances
    ) -> String? {
        guard let token = tokenBeside(row), let death = tokens.death(of: token, plannedAt: plannedAt, by: due),
            account.pushes[death.push].provider == .fcm
        else { return nil }
        let fault = circumstances.fault(account.pushes[death.push].faultRule)
        return "dead token of its activity" + (fault.map { " (\($0.label))" } ?? "")
    }
}
