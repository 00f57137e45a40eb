// What is called back and what is not: of tokens that die, of rows that are over, and of what was told twice.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("What owes a webhook:")
struct WebhookDebtTests {
    /// The activity's token dies at 15.03, and nobody is told.
    private var untold: History { History.calledBack.with { $0.hooks.removeAll { $0.event == "dead" } } }

    private func death(_ history: History) -> Int { history.pushes.firstIndex { $0.status == 410 }! }

    @Test("a row that is over by then has nobody to tell")
    func over() {
        #expect(untold.findings("webhooks-told") == 1)
        let over = untold.with { history in
            let end = history.calls.firstIndex { $0.kind == Kind.complete.rawValue }!
            history.calls[end].sentAt = at(15)
        }
        #expect(over.findings("webhooks-told") == 0, "\(over.verdict(of: "webhooks-told"))")
    }

    @Test("nor has one that had another token by then, unless its registration was refused", arguments: [(200, 0), (400, 1)])
    func rotated(status: UInt16, findings: Int) {
        let rotated = untold.with { history in
            history.pushes[death(history)].answeredAt = at(15.33)
            history.call(9, .registerActivity, at: 15.1, status: status)
            history.registers(9, .rotated, .activity)
        }
        #expect(rotated.findings("webhooks-told") == findings)
    }

    @Test("nor one whose token the other host takes", arguments: [(PushEnvironment.sandbox, 0), (.production, 1)])
    func elsewhere(environment: PushEnvironment, findings: Int) {
        let bad = untold.with { history in
            history.run.refusalHooks["BadDeviceToken"] = history.run.refusalHooks["Unregistered"]
            let refused = death(history)
            (history.pushes[refused].status, history.pushes[refused].reason) = (400, history.text("BadDeviceToken"))
            history.pushes[refused].environment = .production
            history.push(4, at: 15.1) { $0.environment = environment }
        }
        #expect(bad.findings("webhooks-told") == findings)
    }

    @Test("nor one of which the other host, asked next, has not spoken yet", arguments: [
        (503, "ServiceUnavailable", 0), (429, "TooManyRequests", 0), (0, nil, 0), (400, "BadDeviceToken", 1), (400, "BadTopic", 1),
    ] as [(UInt16, String?, Int)])
    func busyElsewhere(status: UInt16, reason: String?, findings: Int) {
        let bad = untold.with { history in
            history.run.refusalHooks["BadDeviceToken"] = history.run.refusalHooks["Unregistered"]
            let refused = death(history)
            (history.pushes[refused].status, history.pushes[refused].reason) = (400, history.text("BadDeviceToken"))
            history.pushes[refused].environment = .production
            history.push(4, at: 15.1, status: status, reason: reason) { $0.environment = .sandbox }
        }
        #expect(bad.findings("webhooks-told") == findings)
    }

    @Test("a refusal owes each webhook that the profile names")
    func two() {
        let history = History.calledBack.with { history in
            history.run.refusalHooks["Unregistered"]!.append(.init(event: "gone", within: .seconds(5)))
        }
        #expect(history.findings("webhooks-told") == 1)
    }

    // MARK: One token of several rows, and one that dies twice

    /// Two sessions have one token, of which APNs says at 10 that it is dead; each row's end is told by its own webhook. Where
    /// `isRefused`, the first delivery of each meets 503.
    private static func shared(isRefused: Bool = false, endsActivity: Bool = true) -> History {
        var history = History()
        history.run.refusalHooks["Unregistered"] = [
            .init(event: "dead", within: .seconds(5), isOnce: true, endsActivity: endsActivity)
        ]
        history.run.hookRetries = .seconds(3)
        for session: UInt32 in [1, 2] {
            history.call(0, .registerActivity, at: Double(session), session: session)
            history.registers(0, .activity, .activity, session: session)
        }
        history.push(0, at: 10, status: 410, reason: "Unregistered")
        let deliveries: [(Double, UInt16)] = isRefused ? [(10.1, 503), (11.1, 200)] : [(10.1, 200)]
        for (seconds, status) in deliveries {
            for session: UInt32 in [1, 2] {
                history.hooks.append(
                    Hook(
                        id: UInt64(history.hooks.count + 1), at: at(seconds), event: "dead", delivery: "w\(session)",
                        place: EventNumber.place(session: session, step: 0), token: .activity, status: status))
            }
        }
        return history
    }

    @Test("each row of a dead token has its own webhook", arguments: [false, true])
    func each(isRefused: Bool) {
        let history = Self.shared(isRefused: isRefused)
        for rule in ["webhooks-told", "webhooks-once", "webhooks-retried", "webhooks-for-cause"] {
            #expect(history.findings(rule) ?? 0 == 0, "\(rule): \(history.verdict(of: rule))")
        }
        let one = history.with { $0.hooks.removeAll { $0.delivery == "w2" } }
        #expect(one.findings("webhooks-told") == 1)
        let again = history.with { history in
            var hook = history.hooks.last!
            (hook.delivery, hook.at) = ("w3", hook.at + .seconds(1))
            history.hooks.append(hook)
        }
        #expect(again.findings("webhooks-once") == 1)
    }

    @Test("who tells of the token alone tells once, and which of two webhooks is whose nobody knows")
    func ofToken() {
        let one = Self.shared(endsActivity: false).with { $0.hooks.removeLast() }
        #expect(one.findings("webhooks-told") == 0)
        let two = Self.shared(endsActivity: false).with { history in
            for index in history.hooks.indices { history.hooks[index].place = nil }
        }
        #expect(two.findings("webhooks-once") == 0)
    }

    @Test("a token that was registered anew dies a second time, and that is told as well")
    func twice() {
        let history = Self.shared().with { history in
            history.hooks.removeLast()
            history.tokenCalls.removeLast()
            history.call(3, .registerActivity, at: 20)
            history.registers(3, .activity, .activity)
            history.push(3, at: 30, status: 410, reason: "Unregistered")
            history.hooks.append(Hook(id: 9, at: at(30.1), event: "dead", delivery: "w9", token: .activity))
        }
        #expect(history.findings("webhooks-once") == 0 && history.findings("webhooks-told") == 0)
        #expect(history.with { $0.hooks.removeLast() }.findings("webhooks-told") == 1)
    }

    @Test("a call to a session whose token died by another's push has nothing to tell, but where it has another by then")
    func endedByAnother() {
        let later = Self.shared().with { history in
            history.run.callHooks[Kind.progress.rawValue] = [.init(event: "moved", within: .seconds(5))]
            history.call(1, .progress, at: 12, session: 2)
        }
        #expect(later.findings("webhooks-told") == 0)
        let rotated = later.with { history in
            history.call(5, .registerActivity, at: 11, session: 2)
            history.registers(5, .rotated, .activity, session: 2)
            history.calls.removeAll { $0.kind == Kind.progress.rawValue }
            history.call(6, .progress, at: 12, session: 2)
        }
        #expect(rotated.findings("webhooks-told") == 1)
        let early = later.with { history in
            history.call(4, .registerActivity, at: 5, session: 2)
            history.registers(4, .rotated, .activity, session: 2)
            history.hooks.removeAll { $0.delivery == "w2" }
        }
        #expect(early.findings("webhooks-told") == 1, "its token had been replaced before")
    }

    @Test("webhooks without ids of a session's two lives are no repetition of each other", arguments: [(30.1, 0), (10.3, 1)])
    func lives(second: Double, findings: Int) {
        var history = History()
        history.run.unmarkedKinds = [Kind.complete.rawValue]
        history.run.callHooks[Kind.complete.rawValue] = [.init(event: "done", within: .seconds(5), isOnce: true)]
        history.call(0, .registerActivity, at: 1)
        history.registers(0, .activity, .activity)
        history.call(1, .complete, at: 10)
        history.call(2, .complete, at: 30)
        for seconds in [10.1, second] {
            history.hooks.append(Hook(id: UInt64(seconds), at: at(seconds), event: "done", token: .activity))
        }
        #expect(history.findings("webhooks-once") == findings)
    }

    // MARK: Twice

    private func ofEnd(_ history: History) -> [Int] { history.hooks.indices.filter { history.hooks[$0].event == "done" } }

    /// The end's webhook comes again a second after it was accepted.
    private func repeated(as id: String? = nil) -> History {
        History.calledBack.with { history in
            var again = history.hooks.last { $0.event == "done" }!
            again.at = again.at + .seconds(1)
            again.delivery = id ?? again.delivery
            history.hooks.append(again)
        }
    }

    @Test("a relay that we ended before it could strike a webhook sends it again")
    func outage() {
        let history = repeated()
        #expect(history.findings("webhooks-once") == 1)
        let accepted = history.hooks.last!.at - .seconds(1)
        history.run.circumstances.outages = [.init(from: accepted + .milliseconds(1), until: accepted + .milliseconds(500))]
        #expect(history.findings("webhooks-once") == 0)
        let refused = repeated().with { history in
            for index in ofEnd(history) { history.hooks[index].status = 400 }
        }
        #expect((refused.findings("webhooks-retried") ?? 0) > 0)
        refused.run.circumstances.outages = [.init(from: at(0), until: at(100))]
        #expect(refused.findings("webhooks-retried") == 0)
    }

    @Test("what was told twice may be called back twice, under two ids")
    func toldTwice() {
        let history = repeated(as: "another")
        #expect(history.findings("webhooks-once") == 1)
        let told = history.with { history in
            let end = history.calls.firstIndex { $0.kind == Kind.complete.rawValue }!
            history.calls[end].attempts = 2
        }
        #expect(told.findings("webhooks-once") == 0)
    }

    @Test("a retry that comes too late is found, and one without its id")
    func retries() {
        let late = History.calledBack.with { history in
            let last = history.hooks.lastIndex { $0.event == "done" }!
            history.hooks[last].at = history.hooks[last].at + .seconds(5)
        }
        guard case .broken(let findings, 1) = late.verdict(of: "webhooks-retried") else {
            Issue.record("\(late.verdict(of: "webhooks-retried"))")
            return
        }
        #expect(findings[0].basis == .timing)
        let nameless = History.calledBack.with { history in
            for index in ofEnd(history) { history.hooks[index].delivery = nil }
        }
        #expect(nameless.findings("webhooks-retried") == 0)
        nameless.run.hooksBearIDs = true
        #expect(nameless.findings("webhooks-retried") == 1)
    }

    @Test("two webhooks have two ids")
    func ids() {
        let history = History.calledBack.with { history in
            for index in ofEnd(history) { history.hooks[index].delivery = "w4" }
        }
        #expect(history.hooks.contains { $0.event == "asked" && $0.delivery == "w4" })
        #expect((history.findings("webhooks-once") ?? 0) > 0)
        // A relay that was started anew may count anew.
        history.run.circumstances.outages = [.init(from: at(20), until: at(21))]
        #expect(history.findings("webhooks-once") == 0)
    }

    // MARK: For cause

    @Test("a death that is told with the row's last state is held against the refusals all the same")
    func falseDeath() {
        let living = History.calledBack.with { history in
            history.hooks.append(
                Hook(
                    id: 1, at: at(5), event: "dead", delivery: "x", place: EventNumber.place(session: History.session, step: 2),
                    token: .device))
        }
        #expect(living.findings("webhooks-for-cause") == 1)
        let dead = living.with { history in
            (history.hooks[history.hooks.count - 1].at, history.hooks[history.hooks.count - 1].token) = (at(16), .activity)
        }
        #expect(dead.findings("webhooks-for-cause") == 0)
    }

    /// The end's webhooks bear the last state's marker, and come so many seconds too early.
    private func early(_ seconds: Double) -> History {
        History.calledBack.with { history in
            history.run.unmarkedKinds = [Kind.complete.rawValue]
            for index in history.hooks.indices where history.hooks[index].event == "done" {
                history.hooks[index].place = EventNumber.place(session: History.session, step: 5)
                history.hooks[index].at = history.hooks[index].at - .seconds(seconds)
            }
        }
    }

    @Test("an end is not told before it is there")
    func beforehand() {
        #expect(early(0).findings("webhooks-for-cause") == 0 && early(0).findings("webhooks-told") == 0)
        #expect(early(10).findings("webhooks-for-cause") == 2 && early(10).findings("webhooks-told") == 1)
    }

    @Test("an activity that has grown too old is over without a call")
    func aged() {
        let aged = AgeRuleTests.aged().with { history in
            history.run.unmarkedKinds = [Kind.complete.rawValue]
            history.run.callHooks = [Kind.complete.rawValue: [.init(event: "done", within: .seconds(5))]]
            history.hooks = [
                Hook(id: 1, at: at(28_741.1), event: "done", place: EventNumber.place(session: History.session, step: 2))
            ]
        }
        #expect(aged.findings("webhooks-for-cause") == 0)
        #expect(aged.with { $0.hooks[0].at = at(20_000) }.findings("webhooks-for-cause") == 1)
    }

    @Test("a call that was refused as it may be has changed nothing")
    func refused() {
        let history = History.calledBack.with { history in
            let index = history.calls.firstIndex { $0.kind == Kind.permission.rawValue }!
            history.calls[index].status = 404
        }
        #expect(history.findings("webhooks-for-cause") == 2)
    }

    @Test("what belongs to nobody is to be signed as well")
    func stray() {
        let history = History.calledBack
        history.run.learn(unsignedStray: 7, "no signature")
        #expect(history.findings("webhooks-signed") == 1)
    }

    @Test("calls that were under way together have no order where the relay takes them side by side", arguments: [true, false])
    func sideBySide(isOrdered: Bool) {
        let swapped = History.calledBack.with { history in
            for index in history.hooks.indices where history.hooks[index].event == "asked" {
                history.hooks[index].at = history.hooks[index].at + .seconds(20)
            }
            let ask = history.calls.firstIndex { $0.kind == Kind.permission.rawValue }!
            history.calls[ask].answeredAt = at(26.1)
        }
        swapped.run.circumstances.isOrdered = isOrdered
        #expect(swapped.findings("webhooks-in-order") ?? 0 == (isOrdered ? 1 : 0))
    }

    @Test("two activities of one session are told in no common order")
    func order() {
        let swapped = History.calledBack.with { history in
            for index in history.hooks.indices where history.hooks[index].event == "asked" {
                history.hooks[index].at = history.hooks[index].at + .seconds(20)
            }
        }
        #expect(swapped.findings("webhooks-in-order") == 1)
        let apart = swapped.with { history in
            for index in history.hooks.indices where history.hooks[index].event == "asked" {
                history.hooks[index].token = .device2
            }
        }
        #expect((apart.findings("webhooks-in-order") ?? 0) == 0)
    }
}
