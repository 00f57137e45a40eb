// Rules about relays that keep no token: their callers do, name one in each call, and go by the answer when it is dead.

import Basics
import Metrics
import Pushes

enum CallerTokenRules {
    static let all = [deadOnesTold, livingNotTold, acceptedNotTold]

    static let deadOnesTold = Rule(
        "dead-token-told", ["G23"], .must, basis: .absence, on: .both, of: .callers,
        requirement: "A relay whose callers keep the tokens tells them in its answer which one is dead.",
        norm: "Relay contract: the profile names the answer (`means: pruned`); without it the caller goes on for ever",
        advice: "wait for the provider's answer, and say of 410 and 400 BadDeviceToken in the call's own answer what they mean"
    ) { joined, run, tally in
        for (token, deaths) in joined.tokens.deaths.sorted(by: { $0.value[0].push < $1.value[0].push }) {
            let grace = run.circumstances.inFlightGrace
            guard let death = deaths.first(where: { !$0.isDoubtful && run.tellsOfDeathForGood(joined.account.pushes[$0.push]) })
            else { continue }
            let answer = joined.account.pushes[death.push]
            let livesElsewhere = joined.account.pushes.contains {
                $0.token == token && $0.isAccepted && $0.arrivedAt > death.arrivedAt
            }
            let places = Set(joined.account.rows.lazy.filter { $0.token == token }.map(\.place))
            let calls = joined.account.calls.filter { call in
                places.contains(call.place) && run.tellingKinds.contains(call.kind) && call.answeredAt >= death.answeredAt
            }
            let fatal = Set(deaths.lazy.filter { !$0.isDoubtful }.map { joined.account.pushes[$0.push] }
                .filter { wasPrompt($0, run) }.map(\.place))
            // Who answers its caller first tells the next one.
            let asked = calls.first { call in
                guard call.wasAnswered, !call.wasToldDead else { return false }
                return call.wasTaken
                    ? joined.tokens.wasKnown(death, at: call.sentAt, grace: grace) : fatal.contains(call.place)
            }
            let wasTold = calls.contains(where: \.wasToldDead)
            guard wasTold || asked != nil && !livesElsewhere, !run.mayHaveLost(answer) else { continue }
            tally.test()
            guard !wasTold, let asked else { continue }
            tally.find(
                "`\(run.kind(asked.kind))` was not told that its token is dead",
                expected: "the answer that the profile names for it, after \(run.reason(answer))",
                seen: asked.wasTaken ? "status \(asked.status), as if it lived" : "status \(asked.status)",
                session: asked.session, step: asked.step, answer.id)
        }
    }

    /// The provider answered before any relay's patience was over.
    private static func wasPrompt(_ push: SeenPush, _ run: RunContext) -> Bool {
        push.answeredAt - push.arrivedAt <= run.circumstances.real(Tolerances.wire)
    }

    static let livingNotTold = Rule(
        "living-token-not-told-dead", ["G24"], .must, on: .both, of: .callers,
        requirement: "A relay tells its callers of no token that it is dead, unless the provider has said so.",
        norm: "Relay contract: whoever is told so forgets the token for good, and its phone hears nothing more",
        advice: "say so behind 410 and other refusals that speak of the token, never behind another answer or none"
    ) { joined, run, tally in
        for call in joined.account.calls where run.tellingKinds.contains(call.kind) && call.wasAnswered {
            let tokens = Set(joined.account.rows.lazy.filter { $0.place == call.place }.map(\.token))
            let answers = joined.account.pushes.filter { tokens.contains($0.token) && $0.arrivedAt <= call.answeredAt }
            guard !tokens.isEmpty, call.wasToldDead || answers.contains(where: { !$0.isAccepted }) else { continue }
            tally.test()
            guard call.wasToldDead, !answers.contains(where: { run.subject(of: $0) == .token }) else { continue }
            let message = "`\(run.kind(call.kind))` was told that its token is dead, and no provider has said so"
            let expected = "no such answer before a refusal that speaks of the token"
            if let last = answers.last {
                tally.find(
                    message, expected: expected, seen: "\(run.reason(last)) behind the last push to it", session: call.session,
                    step: call.step, last.id)
            } else {
                tally.find(
                    message, expected: expected, seen: "no push to it at all", session: call.session, step: call.step)
            }
        }
    }

    static let acceptedNotTold = Rule(
        "accepted-not-told-failed", ["G25"], .should, on: .both,
        requirement: "A call whose pushes the provider has accepted is not answered as one that failed.",
        norm: "Relay contract: whoever is told that it failed sends it again, and the phone has it twice",
        advice: "answer by what the provider said of the last attempt"
    ) { joined, run, tally in
        guard run.tellsNo else { return }
        let rows = Dictionary(grouping: joined.account.rows.indices, by: { joined.account.rows[$0].place })
        // A caller who came again was answered of another try.
        for call in joined.account.calls where call.wasAnswered && call.attempts == 1 && (call.wasTaken || call.wasToldNo) {
            guard let owed = rows[call.place] else { continue }
            let accepted = owed.compactMap { joined.deliveries[$0].accepted }.map { joined.account.pushes[$0] }
            guard accepted.count == owed.count, accepted.allSatisfy({
                $0.answeredAt <= call.answeredAt && wasPrompt($0, run) && !$0.flags.contains(.isAnswerUndelivered)
            }) else { continue }
            tally.test()
            guard call.wasToldNo else { continue }
            tally.find(
                "`\(run.kind(call.kind))` was told that it failed, though its push was accepted",
                expected: "an answer that it worked", seen: "status \(call.status)", session: call.session, step: call.step,
                accepted[0].id)
        }
    }
}
