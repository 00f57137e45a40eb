// Rules about the tokens that a relay holds, as its own tables say.

import Basics
import Metrics
import Pushes

enum StateRules {
    static let all = [deadForgotten, livingHeld]

    /// What leaves no doubt: 410 of APNs, UNREGISTERED of FCM.
    private static func isWord(_ push: SeenPush, _ run: RunContext) -> Bool {
        run.tellsOfDeathForGood(push) && [404, 410].contains(push.status)
    }

    static let deadForgotten = Rule(
        "dead-token-forgotten", ["R0.22", "R1.23"], .must, on: .both,
        requirement: "A token that APNs or FCM has called dead is gone from the relay's tables.",
        norm: "Apple, Handling notification responses from APNs: stop sending to it",
        advice: "delete the token's row in the table that it stands in, and look whether a row was deleted"
    ) { joined, run, tally in
        guard let held = run.held, let last = held.looks.indices.last else { return }
        for (token, deaths) in joined.tokens.deaths.sorted(by: { $0.key.bits < $1.key.bits }) {
            guard let role = joined.tokens.lanes[token]?.role, held.roles.contains(role),
                let death = deaths.last(where: { !$0.isDoubtful && isWord(joined.account.pushes[$0.push], run) })
            else { continue }
            let look = held.looks[last]
            let limit = death.answeredAt + run.circumstances.real(Tolerances.reaction) + run.circumstances.inFlightGrace
            guard let known = run.due(death.answeredAt, by: limit, told: death.answeredAt), look.began >= known,
                // Whoever registers it again, before or after, makes it a row of its own.
                !joined.tokens.wasRegistered(token, after: death.arrivedAt - Tolerances.tick, until: look.ended)
            else { continue }
            tally.test()
            guard held.holds(token, as: role, at: last) else { continue }
            let push = joined.account.pushes[death.push]
            tally.find(
                "the relay still holds a dead token", expected: "no row behind \(run.reason(push))",
                seen: "one \(look.began - death.answeredAt) after that answer", of: push, push.id, look.id)
        }
    }

    static let livingHeld = Rule(
        "living-token-held", ["R0.23", "R0.24"], .must, on: .both,
        requirement: "A token that was registered is in the relay's tables until it is dead or taken back.",
        norm: "Apple: only 410 and BadDeviceToken speak of the token; Google: only UNREGISTERED, and what names it",
        advice: "delete a row for the answers that say so alone, and only the row of the token that was answered"
    ) { joined, run, tally in
        guard let held = run.held else { return }
        for (token, registrations) in joined.tokens.registrations.sorted(by: { $0.key.bits < $1.key.bits }) {
            guard let lane = joined.tokens.lanes[token], held.roles.contains(lane.role),
                let registration = registrations.first(where: \.wasTaken)
            else { continue }
            let from = registration.answeredAt + run.circumstances.real(Tolerances.reaction)
            let until = end(of: token, lane, registration, joined, run)
            guard let number = held.looks.lastIndex(where: { $0.began >= from && $0.ended < until }),
                !run.circumstances.mayBeForgotten(from: registration.sentAt, told: registration.answeredAt),
                !run.hasDied(by: held.looks[number].ended)
            else { continue }
            tally.test()
            guard !held.holds(token, as: lane.role, at: number) else { continue }
            tally.find(
                "the relay does not hold a living token", expected: "a row for it",
                seen: "none \(held.looks[number].began - registration.answeredAt) after its registration was answered",
                session: UInt32(registration.place >> 32), step: EventNumber.step(atPlace: registration.place),
                held.looks[number].id)
        }
    }

    /// From then on nobody can say that it must be held.
    private static func end(
        of token: TokenHash, _ lane: Lane, _ registration: TokenLife.Registration, _ joined: JoinedAccount, _ run: RunContext
    ) -> Instant {
        var until = Instant.distantFuture
        /// A start token is the app's, as are those of widgets and controls: one row may hold them all, and go with the app.
        func isOfItsApp(_ other: Lane?) -> Bool { lane.role.isOfDevicesRow && other == Lane(role: .device, phone: lane.phone) }
        for call in joined.account.tokenCalls where isOfItsApp(call.lane) && !call.isRegistration {
            guard let made = joined.account.call(at: call.place), made.sentAt > registration.sentAt else { continue }
            until = min(until, made.sentAt)
        }
        for call in joined.account.tokenCalls where call.lane == lane {
            guard !call.isRegistration || call.token != token, let made = joined.account.call(at: call.place) else { continue }
            // What took the token's place before is over.
            if made.sentAt > registration.sentAt { until = min(until, made.sentAt) }
        }
        for call in joined.account.calls where run.circumstances.finalKinds.contains(call.kind) {
            if call.sentAt > registration.sentAt { until = min(until, call.sentAt) }
        }
        for push in joined.account.pushes
        where push.token == token || push.activityToken == token || isOfItsApp(joined.tokens.lanes[push.token]) {
            if run.tellsOfDeath(push) || push.event == .end { until = min(until, push.arrivedAt) }
        }
        return until
    }
}
