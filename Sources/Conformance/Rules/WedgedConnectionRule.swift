// A connection on which APNs has called a provider token expired: a new token alone does not help it.

import Basics
import Metrics
import Pushes

enum WedgedConnectionRule {
    private struct Left: PushMachine {
        /// What a connection was told, and what came by it with another token too long behind that.
        private struct Told {
            var push: SeenPush
            var breaches: [SeenPush] = []
        }

        private static let (mostConnections, mostBreaches) = (10_000, 100)
        private var told: [UInt64: Told] = [:]
        private var successions = Successions()
        /// Refusals that never reached the relay.
        private var unheard: Set<UInt64> = []

        mutating func see(_ push: SeenPush, _ run: RunContext) {
            successions.note(push)
            guard let before = told[push.connection] else {
                let isExpired = run.credential(in: push) == .expired
                guard isExpired, told.count < Self.mostConnections else { return }
                told[push.connection] = Told(push: push)
                successions.note(refused: push)
                return
            }
            let underWay = max(run.circumstances.inFlightGrace, run.circumstances.real(Tolerances.reaction))
            // Who goes on with the token that was refused breaks another rule.
            guard push.authorization != before.push.authorization, push.arrivedAt > before.push.answeredAt + underWay,
                before.breaches.count < Self.mostBreaches
            else { return }
            told[push.connection]?.breaches.append(push)
        }

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for push in joined.account.pushes where push.flags.contains(.isAnswerUndelivered) && push.status == 403 {
                unheard.insert(push.id)
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            let heard = told.filter { !unheard.contains($0.value.push.id) }
            for (connection, told) in heard.sorted(by: { $0.value.push.id < $1.value.push.id }) {
                // Without a new token there is none to send elsewhere.
                guard successions.isFollowed(told.push) else { continue }
                tally.test()
                for push in told.breaches {
                    tally.find(
                        "a connection that had been told ExpiredProviderToken was used again",
                        expected: "the new token on a new connection",
                        seen: "connection \(connection) once more, \((push.arrivedAt - told.push.answeredAt).laterWords)",
                        told.push.id, push.id)
                }
            }
            return tally.verdict
        }
    }

    static let left = Rule(
        "expired-connection-left", ["P2"], .should,
        requirement: "After 403 ExpiredProviderToken the new token is sent on a new connection.",
        norm: "pushy, its handling of ExpiredProviderToken since 2020: the connection that was told so refuses whatever comes",
        advice: "close the connection when APNs calls its token expired, and open another one for the new token",
        make: { Left() })
}
