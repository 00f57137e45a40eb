// Rules about sending the same push again.

import Basics
import Metrics
import Pushes

enum RetryRules {
    static let all = [backsOff, noStorm, notRepeated, acceptedNotRepeated, keepsID, idIsUnique]

    /// More attempts of one push than this within `SheetFigures.firstPause` of a refusal are a storm.
    private static let mostAttempts = 3
    /// With those that our faults cut off: a connection may be lost again at once, and its pushes go on to the next (G14).
    private static let mostCut = 10
    /// Attempts of one push within a minute. Pauses that double from a second on leave room for seven, and of those who come
    /// more than once a second none waits.
    private static let (manyAttempts, endlessAttempts) = (10, 60)

    static let backsOff = Rule(
        "retry-backs-off", ["P13"], .should, basis: .timing,
        requirement: "After 429 or 5xx a push is not sent again within half a second, nor for ever at the same pace.",
        norm: "Apple, Handling notification responses from APNs: retry with a delay; 15 minutes after 5xx",
        advice: "wait a second before the first retry, and longer before each next one", span: { _ in SheetFigures.leastPause }
    ) { joined, run, tally in
        guard joined.account.pushes.contains(where: \.isRefusedForNow) else { return }
        var refused: [PushIdentity: SeenPush] = [:]
        var minutes = Minutes()
        for push in joined.account.pushes {
            guard let identity = identity(push, joined), timesTold(push, joined) < 2 else { continue }
            if let first = minutes.first(push, identity, run, beyond: manyAttempts) {
                tally.find(
                    "a push was attempted more than \(manyAttempts) times within a minute",
                    expected: "pauses that grow", seen: "attempt \(manyAttempts + 1) \(push.arrivedAt - first.arrivedAt) "
                        + "after \(run.reason(first))", of: push, first.id, push.id)
            }
            // One that left before the answer was there knew nothing of it.
            if let first = refused[identity], !first.flags.contains(.isAnswerUndelivered), push.arrivedAt >= first.answeredAt,
                !wasForgotten(first, before: push, run)
            {
                tally.test()
                let pause = push.arrivedAt - first.answeredAt
                if pause < SheetFigures.leastPause {
                    tally.find(
                        "a push was sent again at once after \(run.reason(first))",
                        expected: "a pause of about \(SheetFigures.firstPause)", seen: "\(pause)",
                        of: push, first.id,
                        push.id)
                }
            }
            refused[identity] = push.isRefusedForNow ? push : nil
        }
    }

    /// What tells one push from another. Where nobody knows of calls, the same words without an apns-id may be another one.
    private static func identity(_ push: SeenPush, _ joined: JoinedAccount) -> PushIdentity? {
        joined.account.calls.isEmpty ? push.namedIdentity : push.identity
    }

    /// We ended the relay in between, and with it whoever knew of the pause.
    private static func wasForgotten(_ first: SeenPush, before push: SeenPush, _ run: RunContext) -> Bool {
        run.circumstances.wasDown(between: first.answeredAt, and: push.arrivedAt)
    }

    /// How often we posted what it is of: so many pushes may come of that.
    private static func timesTold(_ push: SeenPush, _ joined: JoinedAccount) -> Int {
        push.isMarked ? Int(joined.account.call(at: push.place)?.attempts ?? 1) : 1
    }

    /// The attempts of each push within the last minute that were refused so that another one may help: for now, or for the
    /// provider token.
    private struct Minutes {
        private var recent: [PushIdentity: [SeenPush]] = [:]

        /// The oldest of them where this one is beyond so many, and each further time that it is.
        mutating func first(_ push: SeenPush, _ identity: PushIdentity, _ run: RunContext, beyond most: Int) -> SeenPush? {
            var list = recent[identity] ?? []
            defer { recent[identity] = list.isEmpty ? nil : list }
            list.removeAll { push.arrivedAt - $0.arrivedAt > .minute }
            let first = list.count >= most ? list[0] : nil
            if first != nil { list.removeAll() }
            let asksAgain = push.isRefusedForNow || push.status == 403 && run.refusesProviderToken(push)
            if asksAgain, !push.flags.contains(.isAnswerUndelivered) { list.append(push) }
            return first
        }
    }

    static let noStorm = Rule(
        "retry-storm", ["P13"], .must,
        requirement: "One push is not attempted more than 3 times within a second of a refusal, nor every second for a minute.",
        norm: "Apple, Sending notification requests to APNs: repeated requests in quick succession count as an attack",
        advice: "bound the attempts of a push, and let the pauses between them grow", span: { _ in SheetFigures.firstPause }
    ) { joined, run, tally in
        guard joined.account.pushes.contains(where: { $0.status >= 400 || $0.status == 0 }) else { return }
        // The attempts before that still lie within a second of their refusal, or were cut off.
        var recent: [PushIdentity: [SeenPush]] = [:]
        var minutes = Minutes()
        for push in joined.account.pushes {
            guard let identity = identity(push, joined) else { continue }
            let times = max(1, timesTold(push, joined))
            if let first = minutes.first(push, identity, run, beyond: endlessAttempts * times) {
                tally.find(
                    "a push was attempted more than \(endlessAttempts) times within a minute",
                    expected: "an end of it, or pauses",
                    seen: "another \(push.arrivedAt - first.arrivedAt) after \(run.reason(first))", of: push, first.id, push.id)
            }
            var list = recent[identity] ?? []
            list.removeAll { push.arrivedAt - $0.answeredAt > SheetFigures.firstPause || wasForgotten($0, before: push, run) }
            let isStorm = list.count { $0.status >= 400 } >= mostAttempts * times || list.count >= mostCut * times
            if isStorm {
                tally.find(
                    "a push was attempted \(list.count + 1) times within a second",
                    expected: "at most \(mostAttempts) after a refusal",
                    seen: "attempt \(list.count + 1) \(push.arrivedAt - list[0].answeredAt) after \(run.reason(list[0]))",
                    of: push, list[0].id, push.id)
            }
            let isRefusal = push.status >= 400 && !push.flags.contains(.isAnswerUndelivered)
            if isRefusal { tally.test() }
            if isRefusal || push.status == 0 { list.append(push) }
            recent[identity] = list.isEmpty ? nil : list
        }
    }

    /// Whether a push is what was refused, made anew or not: what its refusal may have spoken of was not mended.
    private static func isAsItWas(_ push: SeenPush, _ first: SeenPush, _ run: RunContext) -> Bool {
        let fields: SeenPush.Flags = [.gavePriority, .gaveExpiration, .gaveCollapseID]
        guard push.environment == first.environment, push.topic == first.topic, push.event == first.event,
            push.priority == first.priority, push.flags.intersection(fields) == first.flags.intersection(fields),
            !run.refusesHeader("apns-id", first) || push.apnsID == first.apnsID
        else { return false }
        let isSame = push.payloadHash == first.payloadHash && push.payloadCount == first.payloadCount
        return isSame || push.saying != 0 && push.saying == first.saying
    }

    static let notRepeated = Rule(
        "refusal-not-repeated", ["P9"], .must,
        requirement: "A push that APNs has refused for what it is or asks for is not sent again as it was.",
        norm: "Apple, Handling notification responses from APNs: some forbid a retry, others want the cause mended first",
        advice: "try again after 429, 5xx and no answer only; report every other refusal, and keep the token"
    ) { joined, run, tally in
        judgeRepeated(joined, run, &tally, "a push", expected: "with the same state or alert, whatever its time or apns-id") {
            run.refusesForGood($0)
        }
    }

    /// `name` and `expected`: for what is found.
    static func judgeRepeated(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, _ name: String, expected: String,
        where isForGood: (SeenPush) -> Bool
    ) {
        var refused: [PushIdentity: SeenPush] = [:]
        for push in joined.account.pushes {
            // Without marker and apns-id the same words may be another push.
            guard let identity = push.namedIdentity else { continue }
            // What the relay was told twice it may send twice, and what left before the answer was there knew nothing of it.
            if let first = refused[identity], push.arrivedAt >= first.answeredAt, isAsItWas(push, first, run),
                timesTold(push, joined) < 2,
                !joined.tokens.wasRegistered(push.token, after: first.arrivedAt, until: push.arrivedAt)
            {
                tally.find(
                    "\(name) was sent again as it was after \(run.reason(first))", expected: "no other attempt \(expected)",
                    seen: "one \((push.arrivedAt - first.answeredAt).laterWords)", of: push, first.id, push.id)
            }
            guard isForGood(push), !push.flags.contains(.isAnswerUndelivered), !run.mayHaveLost(push) else { continue }
            tally.test()
            refused[identity] = push
        }
    }

    static let acceptedNotRepeated = Rule(
        "accepted-not-repeated", ["P15"], .should,
        requirement: "A push that APNs has accepted is not sent again under its apns-id.",
        norm: "Apple, Handling notification responses from APNs: 200 is final; that an answer was lost shows in no journal",
        advice: "mark a push as done with its first 200; give what says the same again an apns-id of its own"
    ) { joined, run, tally in
        // Where calls are known they say what was owed, and no-duplicate-push judges.
        guard joined.account.calls.isEmpty else { return }
        var accepted: [PushIdentity: SeenPush] = [:]
        for push in joined.account.pushes where !push.isMarked {
            guard let identity = push.namedIdentity else { continue }
            if let first = accepted[identity], push.arrivedAt > first.answeredAt, push.environment == first.environment,
                push.payloadHash == first.payloadHash, push.payloadCount == first.payloadCount
            {
                tally.find(
                    "a push was sent again after it had been accepted", expected: "one 200 for each apns-id",
                    seen: "the same \((push.arrivedAt - first.answeredAt).laterWords)", first.id, push.id)
            }
            // A late answer may find nobody who waits, and one that a fault cut off reaches nobody.
            guard push.isAccepted, !push.metFault, !push.flags.contains(.isAnswerUndelivered),
                push.answeredAt - push.arrivedAt <= run.circumstances.real(Tolerances.journey)
            else { continue }
            tally.test()
            accepted[identity] = push
        }
    }

    static let keepsID = Rule(
        "retry-keeps-apns-id", ["P15"], .should,
        requirement: "A retry after 429, 5xx or no answer that repeats a push as it was carries its apns-id.",
        norm: "Apple, Sending notification requests to APNs: apns-id is the notification's own identifier",
        advice: "make the apns-id when the push is made, not when it is sent"
    ) { joined, run, tally in
        func asksForAnother(_ push: SeenPush) -> Bool { push.isRefusedForNow || push.status == 0 }
        guard joined.account.pushes.contains(where: asksForAnother) else { return }
        var failed: [PushIdentity: SeenPush] = [:]
        for push in joined.account.pushes {
            defer { failed[push.identity] = asksForAnother(push) ? push : nil }
            guard let first = failed[push.identity] else { continue }
            // With another timestamp or another state in it, it is another push (P15). A new process need not know the old id,
            // nor does one that its caller told again.
            guard timesTold(push, joined) < 2, !run.circumstances.mayBeForgotten(first, by: push),
                push.payloadHash == first.payloadHash, push.payloadCount == first.payloadCount
            else { continue }
            tally.test()
            // Whoever gives none lets APNs make one for each attempt, and has none to keep.
            guard first.flags.contains(.gaveAPNsID), first.apnsID != push.apnsID else { continue }
            let given = push.flags.contains(.gaveAPNsID)
            tally.find(
                "a retry carries another apns-id than the push it repeats", expected: first.apnsID.text(),
                seen: given ? push.apnsID.text() : "none", of: push, first.id, push.id)
        }
    }

    private struct Unique: PushMachine {
        private struct Owner {
            var push: SeenPush
            /// By which APNs has accepted it, so that its id is spent.
            var accepted: SeenPush?

            /// Refused for now, or not answered, a push may come again to the token that took the first one's place, and
            /// without a marker in other words.
            func mayComeAs(_ next: SeenPush) -> Bool {
                guard push.provider == next.provider, push.type == next.type, push.isMarked == next.isMarked
                else { return false }
                return push.isMarked ? push.place == next.place : push.token == next.token
            }
        }

        /// Two pushes of one id, which are one push's attempts if the relay never heard that the first was accepted.
        private struct Doubt {
            var owner: UInt64
            var accepted: UInt64
            var push: SeenPush
        }

        /// Of the last pushes only, so that memory does not grow with the run.
        private static let (remembered, mostDoubts) = (8_192, 1_000)
        private var owners: [UUIDBytes: Owner] = [:]
        private var order: [UUIDBytes] = []
        private var next = 0
        private var doubts: [Doubt] = []
        private var unheard: Set<UInt64> = []
        private(set) var tally = Tally()

        mutating func see(_ push: SeenPush, _ run: RunContext) {
            tally.test()
            // Without one APNs makes it, and never the same twice.
            guard push.flags.contains(.gaveAPNsID) else { return }
            let accepted = push.isAccepted ? push : nil
            if let owner = owners[push.apnsID] {
                if owner.accepted == nil { owners[push.apnsID]?.accepted = accepted }
                guard owner.push.identity != push.identity else { return }
                if !owner.mayComeAs(push) { return Self.find(push, beside: owner.push.id, &tally) }
                // Who gives up an answer that a fault holds back need not say so.
                guard let accepted = owner.accepted, accepted.answeredAt <= push.arrivedAt,
                    !accepted.metFault || accepted.answeredAt == accepted.arrivedAt, doubts.count < Self.mostDoubts
                else { return }
                doubts.append(Doubt(owner: owner.push.id, accepted: accepted.id, push: push))
                return
            }
            if order.count < Self.remembered {
                order.append(push.apnsID)
            } else {
                owners[order[next]] = nil
                order[next] = push.apnsID
                next = (next + 1) % Self.remembered
            }
            owners[push.apnsID] = Owner(push: push, accepted: accepted)
        }

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for push in joined.account.pushes where push.flags.contains(.isAnswerUndelivered) && push.isAccepted {
                unheard.insert(push.id)
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = tally
            for doubt in doubts where !unheard.contains(doubt.accepted) {
                Self.find(doubt.push, beside: doubt.owner, &tally)
            }
            return tally.verdict
        }

        private static func find(_ push: SeenPush, beside owner: UInt64, _ tally: inout Tally) {
            tally.find(
                "two different pushes carry one apns-id", expected: "an apns-id of its own for each push",
                seen: push.apnsID.text(), of: push, owner, push.id)
        }
    }

    static let idIsUnique = Rule(
        "apns-id-unique", ["P15"], .must,
        requirement: "An apns-id belongs to one push.",
        norm: "Apple, Sending notification requests to APNs: apns-id is the notification's own identifier",
        advice: "draw a new UUID for each push, or send none and let APNs make it", make: { Unique() })
}
