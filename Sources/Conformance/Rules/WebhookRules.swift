// Rules about what a relay calls back. What we were slow to take, or to answer, is late or comes again by our doing:
// they rest on instants.

import Basics
import Metrics
import Pushes

enum WebhookRules {
    static let all = [told, signed, inOrder, once, forCause, triedAgain]

    /// A webhook that something of an account owes, and the deliveries of it.
    private struct Debt {
        var owed: RunContext.OwedHook
        var since: Instant
        var session: UInt32?
        var step: UInt32?
        var cause: String
        var hooks: [Hook]
        /// Of a call to a session whose activity had ended by then, with its token (R3.19).
        var isOfEnded = false
    }

    private static func debts(_ joined: JoinedAccount, _ run: RunContext) -> [Debt] {
        let account = joined.account
        guard !run.callHooks.isEmpty || !run.refusalHooks.isEmpty else { return [] }
        var debts: [Debt] = []
        let deaths = account.pushes.filter { push in
            push.isMarked && push.reason >= 0 && !push.flags.contains(.isAnswerUndelivered)
                && run.refusalHooks[run.word(push)]?.contains(where: \.endsActivity) ?? false
                && !joined.tokens.speaksOfThePast(push, run.circumstances)
        }
        for call in account.calls where call.wasTaken && !call.wasRefusedAsItMay {
            for owed in run.callHooks[call.kind] ?? [] {
                debts.append(
                    Debt(
                        owed: owed, since: call.answeredAt, session: call.session, step: call.step,
                        cause: "the call `\(run.kind(call.kind))`",
                        hooks: account.hooks.filter { $0.event == owed.event && speaks($0, of: call, account, run) },
                        isOfEnded: deaths.contains { death in
                            death.session == call.session && death.arrivedAt < call.answeredAt
                                && !joined.wasToldToken(session: call.session, after: death.arrivedAt, until: call.answeredAt)
                        }))
            }
        }
        var seen: Set<TokenHash> = []
        for push in account.pushes where push.reason >= 0 && !push.flags.contains(.isAnswerUndelivered) {
            // It kills nothing (P10), nor what was registered anew while it was on its way (G4): there is nothing to tell.
            if joined.tokens.speaksOfThePast(push, run.circumstances)
                || joined.tokens.wasRegistered(push.token, after: push.arrivedAt, until: push.answeredAt)
            { continue }
            for owed in run.refusalHooks[run.word(push)] ?? [] where seen.insert(push.token).inserted {
                debts.append(
                    Debt(
                        owed: owed, since: push.answeredAt, session: push.isMarked ? push.session : nil,
                        step: push.isMarked ? push.step : nil,
                        cause: (push.provider == .apns ? "APNs' " : "FCM's ") + run.reason(push),
                        hooks: account.hooks.filter { $0.event == owed.event && $0.token == push.token }))
            }
        }
        return debts
    }

    /// What a call without room for a marker causes has none either, or that of an older call: it is the session's, by that
    /// marker or by the token that it names.
    private static func speaks(_ hook: Hook, of call: SeenCall, _ account: Account, _ run: RunContext) -> Bool {
        guard run.unmarkedKinds.contains(call.kind) else { return hook.place == call.place }
        if let place = hook.place { return UInt32(place >> 32) == call.session }
        return account.tokenCalls.contains { $0.token == hook.token && UInt32($0.place >> 32) == call.session }
    }

    static let told = Rule(
        "webhooks-told", ["R3.2", "R3.17"], .must, basis: [.absence, .timing], on: .both,
        requirement: "What the profile says is called back comes, at least once and in time.",
        norm: "Relay contract: each change of an activity and each token that is dead has its webhook",
        advice: "queue the webhook in the transaction that makes the change, and send it from that queue"
    ) { joined, run, tally in
        for debt in debts(joined, run) {
            let due = debt.since + debt.owed.within + run.jitter
            guard !run.isAway(from: debt.since, until: due) else { continue }
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
                "a webhook came late", expected: expected, seen: "\(first.at - debt.since) later", session: debt.session,
                step: debt.step, restsOn: .timing, first.id)
        }
    }

    static let signed = Rule(
        "webhooks-signed", ["R3.25"], .must, on: .both,
        requirement: "Each webhook bears the signature that the relay declares, of what was sent and of that time.",
        norm: "Relay contract: whoever is called back checks the signature before anything else",
        advice: "sign the bytes that leave, with the key and the time that go with them"
    ) { joined, run, tally in
        for hook in joined.account.hooks {
            tally.test()
            guard let flaw = hook.flaw else { continue }
            tally.find("a webhook's signature does not hold", expected: "the declared signature", seen: flaw, hook.id)
        }
    }

    static let inOrder = Rule(
        "webhooks-in-order", ["R3.24"], .must, basis: .order, on: .both,
        requirement: "The webhooks of one session come in the order of what they tell.",
        norm: "Relay contract: changes of an activity are called back in order",
        advice: "send a session's webhooks one after the other, each when the one before was taken"
    ) { joined, run, tally in
        let debts = debts(joined, run).filter { $0.session != nil && $0.step != nil && !$0.hooks.isEmpty }
        for (_, own) in Dictionary(grouping: debts, by: \.session).sorted(by: { ($0.key ?? 0) < ($1.key ?? 0) }) {
            // Those of calls alone: when a refusal is told nobody says.
            let calls = own.filter { debt in debt.hooks[0].place != nil }.sorted { $0.since < $1.since }
            for (former, next) in zip(calls, calls.dropFirst()) where former.step != next.step {
                tally.test()
                guard next.hooks[0].at < former.hooks[0].at else { continue }
                tally.find(
                    "webhooks came in another order", expected: "`\(former.owed.event)` before `\(next.owed.event)`",
                    seen: "it came \(former.hooks[0].at - next.hooks[0].at) behind", session: next.session, step: next.step,
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
        for debt in debts(joined, run) where debt.owed.isOnce {
            guard let accepted = debt.hooks.firstIndex(where: \.wasAccepted) else { continue }
            tally.test()
            guard let again = debt.hooks[(accepted + 1)...].first else { continue }
            tally.find(
                "a webhook came again", expected: "`\(debt.owed.event)` once for \(debt.cause)",
                seen: "another \(again.at - debt.hooks[accepted].at) after it was accepted", session: debt.session,
                step: debt.step, debt.hooks[accepted].id, again.id)
        }
    }

    static let forCause = Rule(
        "webhooks-for-cause", ["R3.18", "R3.19"], .must, on: .both,
        requirement: "Nothing is called back that has not happened.",
        norm: "Relay contract: a webhook tells of a change; a call that was refused changes nothing, nor does a busy APNs",
        advice: "queue a webhook with the change that it tells, and only where there is one"
    ) { joined, run, tally in
        let events = Set(run.callHooks.values.joined().map(\.event))
        let deaths = Set(run.refusalHooks.values.joined().map(\.event))
        for hook in joined.account.hooks {
            if let place = hook.place, events.contains(hook.event), let call = joined.account.call(at: place) {
                tally.test()
                let isOwed = run.callHooks[call.kind]?.contains { $0.event == hook.event } ?? false
                    || isOfUnmarked(hook, joined.account, run)
                guard !isOwed || call.wasAnswered && !call.wasTaken && call.status >= 400 && call.status < 500 else { continue }
                tally.find(
                    "a webhook tells what has not happened", expected: "no `\(hook.event)` for `\(run.kind(call.kind))`",
                    seen: "one, though it was answered \(call.status)", session: call.session, step: call.step, hook.id)
            } else if let token = hook.token, hook.place == nil, deaths.contains(hook.event) {
                tally.test()
                let hasDied = joined.account.pushes.contains { push in
                    push.token == token && push.reason >= 0 && push.arrivedAt <= hook.at
                        && run.refusalHooks[run.word(push)]?.contains { $0.event == hook.event } ?? false
                }
                guard !hasDied else { continue }
                tally.find(
                    "a webhook calls a token dead that is not", expected: "a refusal of APNs that says so",
                    seen: "`\(hook.event)` without one", hook.id)
            }
        }
    }

    /// A call of its session that has no room for a marker owes it, and was taken.
    private static func isOfUnmarked(_ hook: Hook, _ account: Account, _ run: RunContext) -> Bool {
        account.calls.contains { call in
            run.unmarkedKinds.contains(call.kind) && call.wasTaken && speaks(hook, of: call, account, run)
                && run.callHooks[call.kind]?.contains { $0.event == hook.event } ?? false
        }
    }

    static let triedAgain = Rule(
        "webhooks-retried", ["R3.26"], .must, basis: [.absence, .timing], on: .both,
        requirement: "A webhook that met 5xx, 408, 429 or silence comes again with its id; one that met another 4xx does not.",
        norm: "Relay contract: what fails in passing is sent again",
        advice: "keep it queued until it was answered with 2xx or a lasting 4xx, and give each webhook one id"
    ) { joined, run, tally in
        guard let patience = run.hookRetries else { return }
        for debt in debts(joined, run) {
            for (index, hook) in debt.hooks.enumerated() where !hook.wasAccepted {
                let next = debt.hooks[safe: index + 1]
                let due = hook.at + patience + run.jitter
                guard hook.isPassing else {
                    tally.test()
                    guard let next else { continue }
                    tally.find(
                        "a webhook was sent again that was refused for good", expected: "no further delivery",
                        seen: "one after the answer \(hook.status)", session: debt.session, step: debt.step, hook.id, next.id)
                    continue
                }
                guard next != nil || due <= run.circumstances.end, !run.isAway(from: hook.at, until: due) else { continue }
                tally.test()
                let answer = hook.status == 0 ? "silence" : "the answer \(hook.status)"
                if let next {
                    guard next.delivery != hook.delivery else { continue }
                    tally.find(
                        "a webhook came again under another id", expected: "the same id behind \(answer)",
                        seen: "two ids", session: debt.session, step: debt.step, hook.id, next.id)
                } else {
                    tally.find(
                        "a webhook was not sent again", expected: "another delivery within \(patience) of \(answer)",
                        seen: "none", session: debt.session, step: debt.step, hook.id)
                }
            }
        }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
