// Rules about what a relay calls back.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

private func origin(_ seconds: Double) -> Instant { at(seconds) }

extension History {
    /// An activity dies; the permission and the end are called back, and so is the dead token. Each first delivery meets 503.
    static var calledBack: History {
        History.died(.activity, at: 14).with { history in
            history.run.callHooks = [
                Kind.permission.rawValue: [.init(event: "asked", within: .seconds(5), isOnce: true)],
                Kind.complete.rawValue: [.init(event: "done", within: .seconds(5), isOnce: true)],
            ]
            let dead = RunContext.OwedHook(event: "dead", within: .seconds(5), isOnce: true)
            for reason in ["Unregistered", "ExpiredToken"] { history.run.refusalHooks[reason] = [dead] }
            history.run.hookRetries = .seconds(3)
            for call in history.calls {
                guard let event = history.run.callHooks[call.kind]?.first?.event else { continue }
                history.callBack(event, behind: call.answeredAt, id: "w\(call.step)", place: call.place)
            }
            var seen: Set<TokenHash> = []
            for push in history.pushes where push.status == 410 && seen.insert(push.token).inserted {
                history.callBack("dead", behind: push.answeredAt, id: "d\(push.id)", token: push.token)
            }
        }
    }

    /// The answer that called the activity's token dead spoke of a time before it was registered.
    var aliveAfterAll: History {
        with { history in
            for index in history.pushes.indices where history.pushes[index].status == 410 {
                history.pushes[index].diedMilliseconds = 1
            }
        }
    }

    /// Twice: the first delivery is not taken.
    private mutating func callBack(
        _ event: String, behind instant: Instant, id: String, place: UInt64? = nil, token: TokenHash? = nil
    ) {
        for (delay, status) in [(0.1, 503), (1.1, 200)] as [(Double, UInt16)] {
            hooks.append(
                Hook(
                    id: UInt64(hooks.count + 2_000), at: instant + .seconds(delay), event: event, delivery: id, place: place,
                    token: token, status: status))
        }
    }
}

@Suite("What is called back:")
struct WebhookRuleTests {
    private func first(_ event: String, _ history: History) -> Int { history.hooks.firstIndex { $0.event == event }! }

    private static let rules = WebhookRules.all.map(\.id)

    @Test("an honest relay keeps every rule", arguments: rules)
    func honest(id: String) {
        #expect(History.calledBack.isKept(id), "\(History.calledBack.verdict(of: id))")
        #expect(History.calledBack.hooks.contains { $0.event == "dead" })
    }

    @Test("what has no room for a marker is found by the token of its session, and not by another's")
    func byToken() {
        func told(_ token: TokenHash) -> History {
            History.calledBack.with { history in
                history.run.unmarkedKinds = [Kind.complete.rawValue]
                for index in history.hooks.indices where history.hooks[index].event == "done" {
                    (history.hooks[index].place, history.hooks[index].token) = (nil, token)
                }
            }
        }
        #expect(told(.activity).findings("webhooks-told") == 0)
        #expect(told(.stranger).aliveAfterAll.findings("webhooks-told") == 1)
    }

    @Test("a 410 that speaks of a time before the registration is no death to be told of")
    func old() {
        let untold = History.calledBack.with { $0.hooks.removeAll { $0.event == "dead" } }
        #expect(untold.findings("webhooks-told") == 1)
        #expect(untold.aliveAfterAll.findings("webhooks-told") == 0)
    }

    @Test("what was registered anew while its 410 was on its way is no death to be told of")
    func renewed() {
        let untold = History.calledBack.with { $0.hooks.removeAll { $0.event == "dead" } }
        let again = untold.with { history in
            let death = history.pushes.firstIndex { $0.status == 410 }!
            history.pushes[death].answeredAt = history.pushes[death].arrivedAt + .seconds(3)
            let arrived = Double(history.pushes[death].arrivedAt.nanoseconds - at(0).nanoseconds) / 1e9
            history.call(9, .registerActivity, at: arrived + 1)
            history.registers(9, history.pushes[death].token, Lane(role: .activity))
        }
        #expect(again.findings("webhooks-told") == 0, "\(again.verdict(of: "webhooks-told"))")
    }

    @Test("where an activity ends with its dead token, what later calls owe may stay away, and only that")
    func ended() {
        func ending(_ event: String, _ ends: Bool = true) -> Int? {
            History.calledBack.with { history in
                history.hooks.removeAll { $0.event == event }
                for reason in ["Unregistered", "ExpiredToken"] { history.run.refusalHooks[reason]![0].endsActivity = ends }
            }.findings("webhooks-told")
        }
        #expect(ending("done") == 0 && ending("done", false) == 1)
        #expect(ending("asked") == 1, "it was owed before")
        #expect(ending("dead") == 1)
        // It got another card, whose calls are called back.
        let again = History.calledBack.with { history in
            history.hooks.removeAll { $0.event == "done" }
            for reason in ["Unregistered", "ExpiredToken"] { history.run.refusalHooks[reason]![0].endsActivity = true }
            history.call(7, .registerActivity, at: 17)
            history.registers(7, TokenHash("a9"), .activity)
        }
        #expect(again.findings("webhooks-told") == 1)
    }

    @Test("what never came is found, and so is what came late")
    func told() {
        for event in ["asked", "done", "dead"] {
            let lost = History.calledBack.with { $0.hooks.removeAll { $0.event == event } }
            #expect(lost.findings("webhooks-told") == 1, "\(event)")
            #expect(lost.aliveAfterAll.findings("webhooks-told") == (event == "dead" ? 0 : 1), "\(event)")
        }
        let late = History.calledBack.with { history in
            for index in history.hooks.indices where history.hooks[index].event == "done" {
                history.hooks[index].at = history.hooks[index].at + .seconds(6)
            }
        }
        guard case .broken(let findings, 1) = late.verdict(of: "webhooks-told") else {
            Issue.record("\(late.verdict(of: "webhooks-told"))")
            return
        }
        #expect(findings[0].basis == .timing)
    }

    @Test("a call that was not taken owes nothing, and what it has called back is for nothing")
    func forCause() {
        let refused = History.calledBack.with { history in
            let index = history.calls.firstIndex { $0.kind == Kind.permission.rawValue }!
            history.calls[index].wasTaken = false
            history.calls[index].status = 402
        }
        #expect(refused.findings("webhooks-for-cause") == 2)
        #expect(refused.with { $0.hooks.removeAll { $0.event == "asked" } }.isKept("webhooks-told"))
        let living = History.calledBack.with { history in
            history.hooks.append(Hook(id: 1, at: origin(5), event: "dead", token: .device))
        }
        #expect(living.findings("webhooks-for-cause") == 1)
    }

    /// The profile of Sendora names two of three calls that update.
    @Test("a call that owes a push, and of which the profile says nothing, may be called back")
    func untold() {
        func hooked(_ kind: Kind, _ event: String = "asked", _ turn: (inout History) -> Void = { _ in }) -> Int? {
            History.calledBack.with { history in
                let call = history.calls.first { $0.kind == kind.rawValue }!
                history.hooks.append(Hook(id: 1, at: call.answeredAt, event: event, place: call.place))
                turn(&history)
            }.findings("webhooks-for-cause")
        }
        #expect(hooked(.progress) == 0)
        #expect(hooked(.progress, "done") == 1, "nothing has ended")
        #expect(hooked(.permission, "done") == 1, "it has another")
        #expect(hooked(.register) == 1, "it owes nothing")
        #expect(hooked(.progress) { history in
            let index = history.calls.firstIndex { $0.kind == Kind.progress.rawValue }!
            history.calls[index].wasTaken = false
            history.calls[index].status = 402
        } == 1, "it was refused")
    }

    @Test("a signature that does not hold is found")
    func signed() {
        let wrong = History.calledBack.with { $0.hooks[0].flaw = "no signature" }
        #expect(wrong.findings("webhooks-signed") == 1)
    }

    @Test("what tells something later comes later")
    func order() {
        let swapped = History.calledBack.with { history in
            for index in history.hooks.indices where history.hooks[index].event == "asked" {
                history.hooks[index].at = history.hooks[index].at + .seconds(20)
            }
        }
        #expect(swapped.findings("webhooks-in-order") == 1)
    }

    @Test("what was accepted does not come again, where that is declared")
    func once() {
        let twice = History.calledBack.with { history in
            var again = history.hooks[first("done", history) + 1]
            again.at = again.at + .seconds(1)
            history.hooks.append(again)
        }
        #expect(twice.findings("webhooks-once") == 1 && twice.isKept("webhooks-told"))
        let undeclared = twice.with { $0.run.callHooks[Kind.complete.rawValue]![0].isOnce = false }
        #expect(undeclared.findings("webhooks-once") == 0)
    }

    @Test("what failed in passing comes again under its id, and what was refused for good does not")
    func again() {
        let lost = History.calledBack.with { $0.hooks.remove(at: first("done", $0) + 1) }
        #expect(lost.findings("webhooks-retried") == 1)
        let renamed = History.calledBack.with { $0.hooks[first("done", $0) + 1].delivery = "another" }
        #expect(renamed.findings("webhooks-retried") == 1)
        let refused = History.calledBack.with { $0.hooks[first("done", $0)].status = 400 }
        #expect(refused.findings("webhooks-retried") == 1)
        let unasked = lost.with { $0.run.hookRetries = nil }
        #expect(unasked.verdict(of: "webhooks-retried") == .notExercised)
    }
}
