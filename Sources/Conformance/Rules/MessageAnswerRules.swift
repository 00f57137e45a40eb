// Rules about what FCM answers: which registrations die, which live on, and when a message may come again (docs/fcm.md §7).

import Basics
import Metrics
import Pushes

enum MessageAnswerRules {
    static let all = [
        deadDropped, disabledDropped, livingKept, otherNotFoundKept, notRepeated, quotaObeyed, failureAwaited, answerAwaited,
    ]

    static let deadDropped = Rule(
        "dead-registration-dropped", ["F1", "R3.17"], .must, on: .fcm, of: .relay,
        requirement: "After 404 UNREGISTERED no further message goes to that registration.",
        norm: "Google, FCM ErrorCode: the instance was unregistered, remove the token",
        advice: "delete every row of that registration on UNREGISTERED"
    ) { joined, run, tally in TokenRules.judgeDead(joined, run, &tally, by: { $0.status == 404 }) { _ in true } }

    static let disabledDropped = Rule(
        "disabled-token-dropped", ["F4"], .should, on: .fcm, of: .relay,
        requirement: "After 400 with APNs' word that the token is disabled no further message goes there.",
        norm: "Seen in several relays, documented nowhere: such tokens pile up",
        advice: "look for an ApnsError in the details, and delete the token where its status is 410"
    ) { joined, run, tally in TokenRules.judgeDead(joined, run, &tally, by: { $0.status == 400 }) { _ in true } }

    static let livingKept = Rule(
        "living-registration-kept", ["F3", "F5", "F6", "R3.18"], .must, basis: .absence, on: .fcm,
        requirement: "An answer that speaks of the sender, the message or of FCM never makes the relay forget a registration.",
        norm: "Google, Best practices for registration token management: UNREGISTERED, and what names the token",
        advice: "delete a registration for UNREGISTERED, and for INVALID_ARGUMENT that names message.token; for nothing else"
    ) { joined, run, tally in
        TokenRules.judgeLiving(joined, run, &tally) { $0.status != 404 }
    }

    /// Google's own library for Node takes each 404 for a registration that is gone: whoever uses it is warned, not failed.
    static let otherNotFoundKept = Rule(
        "other-not-found-kept", ["F2"], .should, basis: .absence, on: .fcm,
        requirement: "A 404 without UNREGISTERED makes the relay forget no registration.",
        norm: "Seen in several relays: a wrong path or project answers 404 as well, and says nothing of the registration",
        advice: "look for FcmError's UNREGISTERED in the details, and keep the registration without it"
    ) { joined, run, tally in
        TokenRules.judgeLiving(joined, run, &tally) { $0.status == 404 }
    }

    /// Not 401, after which another access token makes it another request, nor the death of its registration.
    private static func isForGood(_ push: SeenPush, _ run: RunContext) -> Bool {
        [400, 403, 404].contains(push.status) && !run.tellsOfDeathForGood(push)
    }

    static let notRepeated = Rule(
        "refused-message-not-repeated", ["F6"], .must, on: .fcm,
        requirement: "A message that was answered 400, 403 or 404 is not sent again as it was.",
        norm: "Google, Best practices when sending FCM messages at scale: never retry these",
        advice: "send again after 429, 5xx and no answer, or with another access token after 401; report every other refusal"
    ) { joined, run, tally in
        RetryRules.judgeRepeated(
            joined, run, &tally, "a message", expected: "with the same content, even where its times differ"
        ) {
            isForGood($0, run)
        }
    }

    /// The same message again, sooner than it may come; after 429 any that goes to that registration (F7). Elsewhere what has
    /// changed meanwhile is another message: that it waits as well is good, and that it does not is nobody's word.
    private static func judgePauses(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, _ usual: Interval, ofTarget: Bool = false,
        where isMeant: (SeenPush) -> Bool
    ) {
        func pause(after push: SeenPush) -> Interval { run.circumstances.retryAfter(push) ?? usual }
        // An answer right before we ended the relay may be lost to it.
        func isAsking(_ push: SeenPush) -> Bool {
            isMeant(push) && run.circumstances.isAnswerKnown(of: push) && !push.flags.contains(.isAnswerUndelivered)
                && !run.mayHaveLost(push)
        }
        // A tenth is for clocks and for what we were late ourselves.
        func isTooSoon(_ passed: Interval, after push: SeenPush) -> Bool {
            passed + run.jitter < pause(after: push) * Tolerances.kept
        }
        // Another process need not know, nor whoever drives a mock alone, test by test.
        let isOfTarget = ofTarget && run.circumstances.relayProcesses == 1 && !joined.account.calls.isEmpty
        guard joined.account.pushes.contains(where: isAsking) else { return }
        var refused: [PushIdentity: SeenPush] = [:]
        var last: [TokenHash: SeenPush] = [:]
        for push in joined.account.pushes {
            // What the relay was told twice it may send twice, and the second one is no other attempt of the first.
            let timesTold = push.isMarked ? joined.account.call(at: push.place)?.attempts ?? 1 : 1
            let first = timesTold < 2 ? refused[push.identity] : nil
            if let asked = last[push.token], first == nil {
                let passed = push.arrivedAt - asked.answeredAt
                let isEarly = isTooSoon(passed, after: asked)
                if !isEarly { tally.test() }
                // What was on its way may come yet, and a rest need not outlive the process that was asked for it.
                if isOfTarget, isEarly, passed > run.circumstances.inFlightGrace,
                    !run.circumstances.wasDown(between: asked.answeredAt, and: push.arrivedAt)
                {
                    tally.find(
                        "a message went to a registration that FCM had asked to be left alone by \(run.reason(asked))",
                        expected: "none for \(pause(after: asked))", seen: "one after \(passed)",
                        of: push, asked.id, push.id)
                    // Once for each time that it was asked.
                    last[push.token] = nil
                } else if !isEarly {
                    last[push.token] = nil
                }
            }
            // What gets through meanwhile, having been on its way, ends no rest.
            if isAsking(push) { last[push.token] = push }
            // One that left before the answer was there knew nothing of it.
            if let first, push.arrivedAt >= first.answeredAt {
                tally.test()
                let passed = push.arrivedAt - first.answeredAt
                if isTooSoon(passed, after: first) {
                    tally.find(
                        "a message was sent again too soon after \(run.reason(first))",
                        expected: "not before \(pause(after: first))",
                        seen: "after \(passed)", of: push, first.id, push.id)
                }
            }
            refused[push.identity] = isAsking(push) ? push : nil
        }
    }

    static let quotaObeyed = Rule(
        "quota-obeyed", ["F7"], .must, on: .fcm,
        requirement: "After 429 nothing goes to that registration before Retry-After, or a minute, is over.",
        norm: "Google, Best practices when sending FCM messages at scale: obey retry-after, or wait a minute",
        advice: "send nothing to that registration until then; a newer state may take the place of what waits",
        span: { _ in SheetFigures.quotaPause }
    ) { joined, run, tally in judgePauses(joined, run, &tally, SheetFigures.quotaPause, ofTarget: true) { $0.status == 429 } }

    /// Google's own libraries come again sooner, so that whoever uses one is warned and not failed.
    static let failureAwaited = Rule(
        "failure-awaited", ["F8"], .should, on: .fcm,
        requirement: "After 5xx the same message is not sent again within ten seconds.",
        norm: "Google, Best practices when sending FCM messages at scale: at least 10 seconds before the first retry",
        advice: "wait ten seconds or longer before the first retry, and longer before each next one",
        span: { _ in SheetFigures.messagePause }
    ) { joined, run, tally in judgePauses(joined, run, &tally, SheetFigures.messagePause) { $0.status >= 500 } }

    /// The same message, while the first had no answer yet: whoever gives up need not tell FCM so.
    private static func sentBeforeAnswer(_ index: Int, _ joined: JoinedAccount, _ run: RunContext) -> SeenPush? {
        let push = joined.account.pushes[index]
        guard push.status != 0 || run.circumstances.fault(push.faultRule)?.isSilence == true else { return nil }
        // What was told twice may be sent twice.
        guard let name = push.namedIdentity, push.status == 0 || push.answeredAt > push.arrivedAt,
            joined.account.call(at: push.place)?.attempts ?? 1 < 2
        else { return nil }
        return joined.account.pushes[(index + 1)...].prefix { push.status == 0 || $0.arrivedAt < push.answeredAt }
            .first { $0.namedIdentity == name && push.arrivedAt < $0.arrivedAt }
    }

    private static func wasCut(_ run: RunContext, between first: Instant, and last: Instant) -> Bool {
        run.isAway(from: first, until: last)
            || run.circumstances.connectionFirings.contains { first <= $0.at && $0.at <= last }
    }

    /// On the host's clock, by which networks work.
    static let answerAwaited = Rule(
        "message-answer-awaited", ["F24"], .must, on: .fcm,
        requirement: "A message is given ten seconds or longer to be answered.",
        norm: "Google, Best practices when sending FCM messages at scale: time-outs of ten seconds and more",
        advice: "set the time-out of a send to ten seconds at least"
    ) { joined, run, tally in
        let patience = run.circumstances.real(SheetFigures.messagePause)
        for (index, push) in joined.account.pushes.enumerated() where push.metFault {
            if let again = sentBeforeAnswer(index, joined, run), !wasCut(run, between: push.arrivedAt, and: again.arrivedAt) {
                tally.test()
                let gap = again.arrivedAt - push.arrivedAt
                guard gap + run.jitter < patience else { continue }
                tally.find(
                    "a message was sent again before the first had an answer", expected: "ten seconds or longer for its answer",
                    seen: "the same after \(gap * (1 / run.circumstances.pace))",
                    of: push, push.id, again.id)
                continue
            }
            let wait = push.answeredAt - push.arrivedAt
            // Who waited for that long and no longer than this was asked for.
            guard push.status != 0, wait >= run.circumstances.real(Tolerances.journey), wait + run.jitter < patience,
                push.answeredAt < run.circumstances.end, !wasCut(run, between: push.arrivedAt, and: push.answeredAt)
            else { continue }
            tally.test()
            guard push.flags.contains(.isAnswerUndelivered) else { continue }
            tally.find(
                "the relay stopped waiting for an answer too soon",
                expected: "ten seconds or longer for the answer to a message",
                seen: "that PushRig answered after \(wait * (1 / run.circumstances.pace)), and the relay had gone",
                of: push,
                // Nobody is kept from a processor for seconds.
                restsOn: wait + run.circumstances.real(Tolerances.reaction) < patience ? [] : .timing,
                push.id)
        }
    }
}
