// Rules about what a relay calls back. What we were slow to take, or to answer, is late or comes again by our doing:
// they rest on instants.

import Basics
import Metrics
import Pushes

enum WebhookRules {
    static let all = [told, signed, inOrder, once, forCause, triedAgain]

    static let told = Rule(
        "webhooks-told", ["R3.2", "R3.17"], .must, basis: .absence, on: .both,
        requirement: "What the profile says is called back comes, at least once and in time.",
        norm: "Relay contract: each change of an activity and each token that is dead has its webhook",
        advice: "queue the webhook in the transaction that makes the change, and send it from that queue"
    ) { joined, run, tally in
        for debt in WebhookDebt.all(joined, run) {
            let limit = debt.since + debt.owed.within + run.jitter
            guard let due = run.due(debt.since, by: limit, told: debt.since) else { continue }
            let first = debt.hooks.first
            if first == nil, debt.isOfEnded { continue }
            guard due <= run.circumstances.end || first != nil else { continue }
            tally.test()
            let expected = "`\(debt.owed.event)` within \(debt.owed.within) of \(debt.cause)"
            guard let first else {
                tally.find(
                    "a webhook never came", expected: expected, seen: "none", session: debt.session, step: debt.step)
                continue
            }
            guard first.at > due else { continue }
            tally.find(
                "a webhook came late", expected: expected, seen: "\((first.at - debt.since).laterWords)", session: debt.session,
                step: debt.step, restsOn: .timing, first.id)
        }
    }

    static let signed = Rule(
        "webhooks-signed", ["R3.25"], .must, on: .both,
        requirement: "Each webhook bears the signature that the relay declares, of what was sent and of that time.",
        norm: "Relay contract: whoever is called back checks the signature before anything else",
        advice: "sign the bytes that leave, with the key and the time that go with them",
        make: { AreSigned() })

    private struct AreSigned: RuleMachine {
        var tally = Tally()

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for hook in joined.account.hooks {
                tally.test()
                if let flaw = hook.flaw { Self.find(flaw, of: hook.id, &tally) }
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = tally
            for stray in run.unsignedStrays { Self.find(stray.flaw, of: stray.id, &tally) }
            return tally.verdict
        }

        private static func find(_ flaw: String, of id: UInt64, _ tally: inout Tally) {
            tally.find("a webhook's signature does not hold", expected: "the declared signature", seen: flaw, id)
        }
    }

    static let inOrder = Rule(
        "webhooks-in-order", ["R3.24"], .must, basis: .order, on: .both,
        requirement: "The webhooks of one session come in the order of what they tell.",
        norm: "Relay contract: changes of an activity are called back in order",
        advice: "send a session's webhooks one after the other, each when the one before was taken"
    ) { joined, run, tally in
        let debts = WebhookDebt.all(joined, run).filter { $0.call != nil && $0.hooks.first?.place != nil }
        // An activity is its session, and its token where the webhook names that: a session may have two.
        let activities = Dictionary(grouping: debts) { "\($0.session ?? 0) \($0.hooks[0].token?.bits ?? 0)" }
        for (_, own) in activities.sorted(by: { $0.key < $1.key }) {
            let calls = own.sorted { $0.call!.place < $1.call!.place }
            for (former, next) in zip(calls, calls.dropFirst()) where former.step != next.step {
                // Which of two the relay heard first nobody knows, where they were under way together.
                guard let one = former.call, let other = next.call, one.attempts < 2 || one.answeredAt <= other.sentAt,
                    run.wasHeard(one.place, before: other.place, in: joined.account)
                else { continue }
                tally.test()
                guard next.hooks[0].at < former.hooks[0].at else { continue }
                tally.find(
                    "webhooks came in another order", expected: "`\(former.owed.event)` before `\(next.owed.event)`",
                    seen: "`\(former.owed.event)` came \((former.hooks[0].at - next.hooks[0].at).laterWords)",
                    session: next.session, step: next.step,
                    former.hooks[0].id, next.hooks[0].id)
            }
        }
    }

    static let once = Rule(
        "webhooks-once", ["R3.2", "R3.24"], .must, basis: .timing, on: .both,
        requirement: "A webhook that was accepted does not come again, where the relay declares that.",
        norm: "Relay contract: exactly once, as far as answers arrive",
        advice: "strike a webhook from the queue when it was answered with 2xx"
    ) { joined, run, tally in
        let debts = WebhookDebt.all(joined, run).filter(\.owed.isOnce)
        for debt in debts {
            let accepted = debt.hooks.indices.filter { debt.hooks[$0].wasAccepted }
            guard !accepted.isEmpty else { continue }
            tally.test()
            for index in accepted {
                let hook = debt.hooks[index]
                // Ended between our answer and its note of it, a relay cannot know.
                guard let again = debt.again(behind: index), !run.isAway(from: hook.at, until: again.at) else { continue }
                tally.find(
                    "a webhook came again", expected: "`\(debt.owed.event)` once for \(debt.cause)",
                    seen: "another \(again.at - hook.at) after it was accepted", session: debt.session, step: debt.step,
                    hook.id, again.id)
                break
            }
        }
        if !debts.isEmpty { findSharedIDs(joined.account, run, &tally) }
    }

    /// Who is called back takes the second of two webhooks with one id for a repetition.
    private static func findSharedIDs(_ account: Account, _ run: RunContext, _ tally: inout Tally) {
        var first: [String: Hook] = [:]
        for hook in account.hooks {
            guard let id = hook.delivery else { continue }
            guard let former = first[id] else {
                first[id] = hook
                continue
            }
            guard former.event != hook.event || former.place != hook.place, !run.isAway(from: former.at, until: hook.at)
            else { continue }
            tally.find(
                "two webhooks have one id", expected: "an id for each", seen: "`\(former.event)` and `\(hook.event)`",
                session: hook.place.map { UInt32($0 >> 32) }, step: hook.place.map { EventNumber.step(atPlace: $0) },
                former.id, hook.id)
        }
    }

    static let forCause = Rule(
        "webhooks-for-cause", ["R3.18", "R3.19"], .must, on: .both,
        requirement: "Nothing is called back that has not happened.",
        norm: "Relay contract: a webhook tells of a change; a call that was refused changes nothing, nor does a busy APNs",
        advice: "queue a webhook with the change that it tells, and only where there is one"
    ) { joined, run, tally in
        guard !joined.account.hooks.isEmpty else { return }
        let events = Set(run.callHooks.values.joined().map(\.event))
        let index = HookIndex(joined.account)
        let deaths = deaths(joined.account, run)
        for hook in joined.account.hooks {
            let call = hook.place.flatMap { joined.account.call(at: $0) }
            let isOfItsCall = call.map { owes(hook, $0, run) } ?? false
            let isOfAnother =
                WebhookDebt.owesUnmarked(hook, joined.account, index, run) || isOfAge(hook, joined, run)
            if let token = hook.token, let died = deaths[hook.event], !isOfItsCall, !isOfAnother {
                tally.test()
                guard died[token].map({ $0 > hook.at }) ?? true else { continue }
                tally.find(
                    "a webhook calls a token dead that is not", expected: "a refusal of APNs or FCM that says so",
                    seen: "`\(hook.event)` without one", session: call?.session, step: call?.step, hook.id)
            } else if let call, events.contains(hook.event) {
                tally.test()
                let wasRefused = call.wasAnswered && !call.wasTaken && 400..<500 ~= call.status || call.wasRefusedAsItMay
                guard !isOfAnother, wasRefused || !isOfItsCall && !mayOwe(hook, call, joined.account, run) else { continue }
                tally.find(
                    "a webhook tells what has not happened", expected: "no `\(hook.event)` for `\(run.kind(call.kind))`",
                    seen: "one; that call was answered \(call.status), and no other tells of it",
                    session: call.session, step: call.step, hook.id)
            }
        }
    }

    private static func owes(_ hook: Hook, _ call: SeenCall, _ run: RunContext) -> Bool {
        run.callHooks[call.kind]?.contains { $0.event == hook.event } ?? false
    }

    /// The profile says nothing of the webhooks of a call that owes pushes: what it changes may have one that others of its
    /// kind have, an end's or another.
    private static func mayOwe(_ hook: Hook, _ call: SeenCall, _ account: Account, _ run: RunContext) -> Bool {
        let finals = run.circumstances.finalKinds
        guard run.callHooks[call.kind] == nil, account.rows.contains(where: { $0.place == call.place }) else { return false }
        return run.callHooks.contains { kind, owed in
            finals.contains(kind) == finals.contains(call.kind) && owed.contains { $0.event == hook.event }
        }
    }

    /// By the webhook that tells of it: when a token was called dead first.
    private static func deaths(_ account: Account, _ run: RunContext) -> [String: [TokenHash: Instant]] {
        var deaths: [String: [TokenHash: Instant]] = [:]
        for owed in run.refusalHooks.values.joined() { deaths[owed.event] = [:] }
        for push in account.pushes where push.reason >= 0 {
            for owed in run.refusalHooks[run.word(push)] ?? [] where deaths[owed.event]?[push.token] == nil {
                deaths[owed.event]?[push.token] = push.arrivedAt
            }
        }
        return deaths
    }

    /// It tells an end, and an activity of its session has been ended for its age (R3.23).
    private static func isOfAge(_ hook: Hook, _ joined: JoinedAccount, _ run: RunContext) -> Bool {
        guard let terms = run.circumstances.ageing, let aged = joined.aged,
            run.circumstances.finalKinds.contains(where: { run.callHooks[$0]?.contains { $0.event == hook.event } ?? false })
        else { return false }
        return aged.activities.contains { activity in
            let isIts = hook.place.map { UInt32($0 >> 32) == activity.session }
                ?? hook.token.map { activity.tokens.contains($0) } ?? false
            return isIts && !activity.ends.isEmpty && activity.born.lowerBound + terms.after - terms.within <= hook.at
        }
    }

    static let triedAgain = Rule(
        "webhooks-retried", ["R3.26"], .must, basis: [.absence, .timing], on: .both,
        requirement: "A webhook that met 5xx, 408, 429 or silence comes again with its id; one that met another 4xx does not.",
        norm: "Relay contract: a webhook that failed for a time is sent again",
        advice: "keep it queued until it is answered 2xx, or a 4xx other than 408 and 429; give each webhook one id"
    ) { joined, run, tally in
        guard let patience = run.hookRetries else { return }
        for debt in WebhookDebt.all(joined, run) {
            for (index, hook) in debt.hooks.enumerated() where !hook.wasAccepted {
                guard hook.isPassing else {
                    tally.test()
                    guard let next = debt.again(behind: index), !run.isAway(from: hook.at, until: next.at) else { continue }
                    tally.find(
                        "a webhook was sent again that was refused for good", expected: "no further delivery",
                        seen: "one after the answer \(hook.status)", session: debt.session, step: debt.step, hook.id, next.id)
                    continue
                }
                let next = debt.retry(of: index)
                guard let due = run.due(hook.at, by: hook.at + patience + run.jitter, told: hook.at),
                    next != nil || due <= run.circumstances.end
                else { continue }
                tally.test()
                let answer = hook.status == 0 ? "silence" : "the answer \(hook.status)"
                guard let next else {
                    tally.find(
                        "a webhook was not sent again", expected: "another delivery within \(patience) of \(answer)",
                        seen: "none", session: debt.session, step: debt.step, hook.id)
                    continue
                }
                let hasID = next.delivery != nil || !run.hooksBearIDs
                guard next.delivery == hook.delivery, hasID else {
                    tally.find(
                        "a webhook came again under another id", expected: "the same id behind \(answer)",
                        seen: hasID ? "two ids" : "none", session: debt.session, step: debt.step, hook.id, next.id)
                    continue
                }
                guard next.at > due else { continue }
                tally.find(
                    "a webhook was sent again late", expected: "another delivery within \(patience) of \(answer)",
                    seen: "one \((next.at - hook.at).laterWords)", session: debt.session, step: debt.step, restsOn: .timing,
                    hook.id, next.id)
            }
        }
    }
}
