// Rules about the relay as a server: it stays up, answers what it is asked, in time, and pushes what it takes.

import Basics
import Journal
import Metrics
import Pushes

enum ServingRules {
    static let all = [
        serves, answersNamed, acceptedIsPushed, answersInTime, badRequestsRefused, oversizedRefused, answersHoldValues,
        answersKeepSecrets, throttledSaysWhen,
    ]

    private struct Serves: RuleMachine {
        var tally = Tally()

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for call in joined.account.calls where call.state == .sent {
                guard let last = run.end(of: call) else { continue }
                let failure = EventFailure(rawValue: call.failure) ?? .none
                tally.test()
                if !call.wasAnswered {
                    tally.find(
                        "the relay did not answer `\(run.kind(call.kind))`", expected: "an answer",
                        seen: "\(failure)", session: call.session, step: call.step,
                        restsOn: failure == .timeout ? .running : [])
                } else if call.status >= 500, failure == .unexpectedStatus, !run.oversizedKinds.contains(call.kind),
                    !run.hasTrouble(between: call.sentAt, and: last)
                {
                    tally.find(
                        "the relay answered `\(run.kind(call.kind))` with a failure of its own",
                        expected: "an answer that the profile names", seen: "status \(call.status)",
                        session: call.session, step: call.step)
                }
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            // What explains the calls without an answer stands before them.
            var tally = Tally()
            for death in run.deaths {
                let last = run.lastWords(before: death)
                let behind = last.map { " while it was asked `\(run.kind($0.kind))`" } ?? ""
                tally.find(
                    death.message + behind, expected: "a relay that serves until it is told to stop", seen: death.seen,
                    session: last?.session, step: last?.step)
            }
            if let muteness = run.muteness {
                tally.find(muteness.message, expected: "answers to calls", seen: muteness.seen)
            }
            tally.add(self.tally)
            if let back = run.isComingBack, back.dueBy <= run.circumstances.end {
                tally.find(
                    "the relay did not come up again behind a restart",
                    expected: "an answer to its ready probe within \(back.dueBy - back.startedAt) of its start", seen: "none",
                    restsOn: .running)
            }
            return tally.verdict
        }
    }

    private struct HoldsValues: RuleMachine {
        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            tally.test(run.capturedCount + run.missedCount)
            for note in run.missed {
                tally.find(
                    "an answer did not hold `\(note.name)`",
                    expected: "JSON with a text, a number, true or false there, of at most 256 bytes",
                    seen: note.failure ?? "nothing", session: note.session, step: note.step)
            }
            return tally.verdict
        }
    }

    static let answersHoldValues = Rule(
        "answers-hold-values", ["R3.3", "R0.29"], .must, on: .both,
        requirement: "An answer of the status that the profile expects holds the values that later calls need.",
        norm: "Relay contract: the caller goes on with what the answer tells, such as the activity's id",
        advice: "answer with the JSON that the contract has; or mend the profile's `captures` where they are wrong",
        make: { HoldsValues() })

    private struct KeepsSecrets: RuleMachine {
        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            tally.test(run.lackCount)
            for note in run.revealed {
                tally.find(
                    "an answer held `\(note.name)`", expected: "nothing there, for who asked may not see it",
                    seen: "a value of \(note.value?.utf8.count ?? 0) bytes", session: note.session, step: note.step)
            }
            return tally.verdict
        }
    }

    static let answersKeepSecrets = Rule(
        "answers-keep-secrets", ["R1.13", "R1.21"], .must, on: .both,
        requirement: "An answer does not hold what its caller may not see.",
        norm: "Relay contract: each role has rows of its own to read, and a key is read by services only",
        advice: "filter what is read by who reads it, in the database and not in the page that shows it",
        make: { KeepsSecrets() })

    private struct SaysWhen: RuleMachine {
        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            tally.test(run.throttledCount)
            for note in run.unsaid {
                tally.find(
                    "a caller was told that it is too much, and not for how long", expected: "a number of seconds",
                    seen: "status \(note.status) without one", session: note.session, step: note.step)
            }
            return tally.verdict
        }
    }

    static let throttledSaysWhen = Rule(
        "throttled-says-when", ["R3.38"], .should, on: .both,
        requirement: "An answer that it is too much says after how many seconds to come back, where the contract has it so.",
        norm: "Relay contract: the profile names the place (`wait` of `answers`)",
        advice: "put the seconds until the next call is taken where the contract has them, or into `retry-after`",
        make: { SaysWhen() })

    static let serves = Rule(
        "relay-serves", ["R0.36", "G27"], .must, on: .both,
        requirement: "A relay that was ready once goes on answering its callers.",
        norm: "Whoever posts an event relies on an answer; what is lost here nobody sends again",
        advice: "look at the relay's log around the first finding; bound queues and connections instead of ending",
        make: { Serves() })

    /// 404, 409 or 410 for a session one of whose tokens is dead, or was told the end: nothing leads to a card any more.
    private static func mayHaveNoCard(_ call: SeenCall, _ joined: JoinedAccount) -> Bool {
        guard [404, 409, 410].contains(call.status) else { return false }
        let own = Set(joined.account.tokenCalls.filter { UInt32($0.place >> 32) == call.session }.map(\.token))
        return joined.account.pushes.contains { push in
            guard own.contains(push.token), push.arrivedAt <= call.answeredAt else { return false }
            let isOver = !joined.wasToldToken(session: call.session, after: push.arrivedAt, until: call.answeredAt)
            let deaths = joined.tokens.deaths[push.refusedToken]
            let isDeath = deaths?.contains { joined.account.pushes[$0.push].id == push.id } ?? false
            return isOver && (isDeath || push.event == .end && push.isAccepted)
        }
    }

    static let answersNamed = Rule(
        "answers-named", ["R0.29"], .should, on: .both,
        requirement: "What the relay takes it answers as its profile says.",
        norm: "Relay contract: callers go by the status, and take what it does not name for a failure",
        advice: "answer with a status that the contract has; or name this one in the call's `expect`, where it is right"
    ) { joined, run, tally in
        for call in joined.account.calls where call.wasAnswered && call.state == .sent {
            guard !run.refusedKinds.contains(call.kind), !run.oversizedKinds.contains(call.kind) else { continue }
            // 5xx is for `relay-serves`; one that is refused may be of a session that is over, which the relay was never told.
            let isNamed = EventFailure(rawValue: call.failure) != .unexpectedStatus
            guard isNamed || !run.hasTrouble(between: call.sentAt, and: call.answeredAt), call.status < 500,
                !joined.lacksEnd(before: call, run.circumstances), isNamed || !mayHaveNoCard(call, joined)
            else { continue }
            tally.test()
            guard !isNamed else { continue }
            tally.find(
                "an answer to `\(run.kind(call.kind))` is none that the profile names", expected: "a status of its `expect`",
                seen: "status \(call.status)", session: call.session, step: call.step)
        }
    }

    private struct Accepted: RuleMachine {
        var owed = 0
        var example: (session: UInt32, step: UInt32)?

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for (index, delivery) in joined.deliveries.enumerated() {
                switch delivery.outcome {
                case .delivered, .late, .superseded, .lost: break
                case .excused, .unsent, .undecided, .duplicated, .reordered, .unexpected, .misdirected, .altered: continue
                }
                let row = joined.account.rows[index]
                guard joined.account.call(at: row.place)?.wasTaken == true else { continue }
                owed += 1
                example = example ?? (row.session, row.step)
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            tally.test(owed)
            if owed > 0, run.pushCount == 0 {
                tally.find(
                    "\(owed) pushes were owed for calls that the relay took, and none reached the mock",
                    expected: "pushes",
                    seen: "none: is the relay pointed at this mock, and what does its log say (relay.log)?",
                    session: example?.session, step: example?.step)
            }
            return tally.verdict
        }
    }

    static let acceptedIsPushed = Rule(
        "accepted-is-pushed", ["R0.1"], .must, basis: .absence, on: .both,
        requirement: "What the relay takes it pushes.",
        norm: "Relay contract: a 2xx says that the event is taken on",
        advice: "check the provider's address, credentials and certificate authority that the relay was given",
        make: { Accepted() })

    static let answersInTime = Rule(
        "answers-in-time", ["R0.36"], .must, basis: .timing, on: .both,
        requirement: "A provider that never answers does not keep the relay's own callers waiting for ever.",
        norm: "Relay contract: a hung stream must not hang the event call",
        advice: "give connecting, sending and waiting for the provider's answer a time-out each"
    ) { joined, run, tally in
        for push in joined.account.pushes where push.status == 0 && push.metFault && push.isMarked {
            let place = push.place
            guard let call = joined.account.call(at: place), call.state == .sent else { continue }
            tally.test()
            if !call.wasAnswered, EventFailure(rawValue: call.failure) == .timeout {
                tally.find(
                    "`\(run.kind(call.kind))` waited for a push that the provider never answered",
                    expected: "an answer within the caller's time-out", seen: "none in \(run.requestTimeout)",
                    session: call.session, step: call.step, push.id)
            }
        }
    }

    static let oversizedRefused = Rule(
        "oversized-refused", ["R0.41"], .should, on: .both,
        requirement: "A request with an id that is longer than the relay has room for is refused, and nothing fails by it.",
        norm: "Relay contract: its columns hold 255 characters, and what does not fit is the caller's mistake",
        advice: "check the length of tokens and ids before anything is stored, and answer with a 4xx"
    ) { joined, run, tally in
        for call in joined.account.calls where run.oversizedKinds.contains(call.kind) && call.wasAnswered {
            tally.test()
            guard !call.wasTaken, !(call.status >= 500 && run.hasTrouble(between: call.sentAt, and: call.answeredAt)) else {
                continue
            }
            tally.find(
                "`\(run.kind(call.kind))` was not refused", expected: "a refusal with a 4xx", seen: "status \(call.status)",
                session: call.session, step: call.step)
        }
    }

    static let badRequestsRefused = Rule(
        "bad-requests-refused", ["R0.31"], .must, on: .both,
        requirement: "A request that the contract forbids is refused, and nothing is pushed for it.",
        norm: "Relay contract: what is malformed, not allowed, or leads to nobody gets the status that the profile names",
        advice: "check form, rights and whom it reaches before anything is stored, sent or answered with success"
    ) { joined, run, tally in
        for call in joined.account.calls where run.refusedKinds.contains(call.kind) && call.wasAnswered {
            // It may be refused because its session is over, which the relay was never told.
            if joined.lacksEnd(before: call, run.circumstances) { continue }
            tally.test()
            guard !call.wasTaken else { continue }
            tally.find(
                "`\(run.kind(call.kind))` was not refused as the contract says", expected: "a refusal",
                seen: "status \(call.status)", session: call.session, step: call.step)
        }
        for push in joined.account.pushes where push.isMarked && push.isAccepted {
            let place = push.place
            guard let call = joined.account.call(at: place), run.refusedKinds.contains(call.kind),
                !joined.lacksEnd(before: call, run.circumstances)
            else { continue }
            tally.find(
                "`\(run.kind(call.kind))` caused a push", expected: "none", seen: "a push of type \(push.type.word)",
                session: call.session, step: call.step, push.id)
        }
    }
}
