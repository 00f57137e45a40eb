// Rules about what a relay broadcasts.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

extension History {
    /// The honest session, to which two dashboards listen; each progress and the end are told to both within 20 ms.
    static var listenedTo: History {
        honest.with { history in
            history.run.observers = ["dashboard"]
            for kind in [Kind.progress, .complete] {
                history.run.tellings[kind.rawValue] = [RunContext.OwedTelling(observer: 0, within: .seconds(1))]
            }
            for listener: UInt32 in [1, 2] { history.hear(.opened, at: 0.1, listener: listener) }
            for call in history.calls where history.run.tellings[call.kind] != nil {
                for listener: UInt32 in [1, 2] {
                    history.hear(.told, at: (call.answeredAt - Main.at(0)).seconds + 0.02, call.step, listener: listener)
                }
            }
        }
    }

    mutating func hear(
        _ what: Telling.What, at seconds: Double, _ step: UInt32? = nil, listener: UInt32 = 1, session: UInt32 = session
    ) {
        tellings.append(
            Telling(
                id: UInt64(tellings.count + 1_000), at: Main.at(seconds), what: what, observer: 0, listener: listener,
                place: step.map { EventNumber.place(session: session, step: $0) }))
    }
}

/// The file's own `at`, where a method has one of the same name.
private enum Main {
    static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 1_000_000_000_000) + .seconds(seconds) }
}

@Suite("What is broadcast:")
struct BroadcastRuleTests {
    private func telling(_ step: UInt32, _ listener: UInt32, in history: History) -> Int {
        history.tellings.firstIndex {
            $0.listener == listener && $0.place == EventNumber.place(session: History.session, step: step)
        }!
    }

    @Test("each change is told to each who listens")
    func lost() {
        #expect(History.listenedTo.verdict(of: "broadcasts-told") == .kept(evidenceCount: 8))
        let history = History.listenedTo.with { $0.tellings.remove(at: telling(3, 2, in: $0)) }
        guard case .broken(let findings, 1) = history.verdict(of: "broadcasts-told") else {
            Issue.record("\(history.verdict(of: "broadcasts-told"))")
            return
        }
        #expect(findings[0].step == 3 && findings[0].basis == [])
    }

    @Test("and in time, which rests on ours")
    func late() {
        let history = History.listenedTo.with { $0.tellings[telling(3, 2, in: $0)].at = at(14.2) }
        guard case .broken(let findings, 1) = history.verdict(of: "broadcasts-told") else {
            Issue.record("\(history.verdict(of: "broadcasts-told"))")
            return
        }
        #expect(findings[0].basis == .timing)
        let soon = History.listenedTo.with { $0.tellings[telling(3, 2, in: $0)].at = at(13.9) }
        #expect(soon.isKept("broadcasts-told"))
    }

    @Test("who came too late, or was gone by then, is owed nothing")
    func absent() {
        let late = History.listenedTo.with { history in
            history.tellings.removeAll { $0.listener == 2 }
            history.hear(.opened, at: 2.001, listener: 2)
            for (step, seconds) in [(3, 13.02), (5, 24.02), (6, 26.02)] as [(UInt32, Double)] {
                history.hear(.told, at: seconds, step, listener: 2)
            }
        }
        #expect(late.verdict(of: "broadcasts-told") == .kept(evidenceCount: 7))
        let gone = History.listenedTo.with { history in
            history.tellings.removeAll { $0.listener == 2 && $0.what == .told }
            history.hear(.closed, at: 1.5, listener: 2)
        }
        #expect(gone.verdict(of: "broadcasts-told") == .kept(evidenceCount: 4))
        #expect(gone.verdict(of: "observers-agree") == .notExercised)
    }

    @Test("nothing is owed of a call that the relay did not take, nor while it was down")
    func untaken() {
        let refused = History.listenedTo.with { history in
            history.tellings.removeAll { $0.place == EventNumber.place(session: History.session, step: 3) }
            history.calls[3].wasTaken = false
        }
        #expect(refused.verdict(of: "broadcasts-told") == .kept(evidenceCount: 6))
        let down = History.listenedTo.with { history in
            history.tellings.removeAll { $0.place == EventNumber.place(session: History.session, step: 3) }
            history.run.circumstances.outages = [.init(from: at(13.5), until: at(20))]
        }
        #expect(down.verdict(of: "broadcasts-told") == .kept(evidenceCount: 6))
    }

    @Test("a change that has no room for a marker is told by the next event without one")
    func unmarked() {
        let unmarked = History.listenedTo.with { history in
            history.run.tellings[Kind.complete.rawValue]![0].isMarked = false
            for index in history.tellings.indices where history.tellings[index].at > at(26) { history.tellings[index].place = nil }
        }
        #expect(unmarked.isKept("broadcasts-told") && unmarked.verdict(of: "observers-agree") == .notExercised)
        #expect(unmarked.with { $0.tellings.removeLast() }.findings("broadcasts-told") == 1)
    }

    @Test("nobody hears of another user, or of what was refused")
    func own() {
        let other = History.listenedTo.with { $0.hear(.told, at: 14, 2, session: 77) }
        #expect(other.findings("broadcasts-own") == 1 && other.isKept("observers-agree"))
        let refused = History.listenedTo.with { history in
            history.call(7, .nonsense, at: 30, status: 400)
            history.hear(.told, at: 30.1, 7)
        }
        #expect(refused.findings("broadcasts-own") == 1)
    }

    @Test("all end with the last change")
    func agree() {
        #expect(History.listenedTo.verdict(of: "observers-agree") == .kept(evidenceCount: 1))
        let older = History.listenedTo.with { $0.hear(.told, at: 27, 5, listener: 2) }
        #expect(older.findings("observers-agree") == 1 && older.isKept("broadcasts-told"))
        let over = older.with { history in
            let changes = history.calls.indices.filter { history.run.tellings[history.calls[$0].kind] != nil }
            history.calls[changes[changes.count - 2]].answeredAt = history.calls[changes.last!].sentAt
        }
        #expect(over.findings("observers-agree") == 1, "the change before was over when the last one was sent")
        // A call without an answer may have changed it behind the last one.
        let doubtful = older.with { history in
            history.call(8, .progress, at: 27, status: 0) { $0.wasTaken = false }
        }
        #expect(doubtful.verdict(of: "observers-agree") == .notExercised)
    }

    @Test("who listens hears what its protocol allows")
    func readable() {
        #expect(History.listenedTo.verdict(of: "broadcasts-readable") == .kept(evidenceCount: 2))
        let binary = History.listenedTo.with { history in
            history.hear(.broken, at: 14, listener: 2)
            history.hear(.refused, at: 14.5, listener: 2)
        }
        #expect(binary.findings("broadcasts-readable") == 1)
        // Nothing is owed to one who is gone by then.
        #expect(binary.with { $0.tellings.removeAll { $0.listener == 2 && $0.what == .told && $0.at > Main.at(13) } }
            .isKept("broadcasts-told"))
    }

    @Test("who asks to listen is let in, sooner or later")
    func letIn() {
        let never = History.listenedTo.with { history in
            for seconds in [0.1, 0.6] { history.hear(.refused, at: seconds, listener: 3) }
        }
        #expect(never.findings("broadcasts-readable") == 1)
        #expect(never.with { $0.hear(.opened, at: 1.1, listener: 3) }.isKept("broadcasts-readable"))
        let down = never.with { $0.run.circumstances.outages = [.init(from: Main.at(0), until: Main.at(1))] }
        #expect(down.isKept("broadcasts-readable"))
    }

    /// Two sessions of one user, whose changes end at 26 and at 20; who listens hears of one of them.
    private var bySession: History {
        var history = History()
        history.run.observers = ["dashboard"]
        history.run.tellings[Kind.progress.rawValue] = [RunContext.OwedTelling(observer: 0, within: .seconds(1))]
        for (session, seconds) in [(1, 26.0), (2, 20.0)] as [(UInt32, Double)] {
            history.call(2, .progress, at: seconds, session: session)
            history.hear(.opened, at: 0.1, listener: session)
            history.hear(.told, at: seconds + 0.02, 2, listener: session, session: session)
        }
        for index in history.tellings.indices { history.tellings[index].session = history.tellings[index].listener }
        return history
    }

    @Test("who listens for one session hears of that alone, and ends with its own last change")
    func sessions() {
        #expect(bySession.verdict(of: "observers-agree") == .kept(evidenceCount: 2))
        #expect(bySession.findings("broadcasts-own") == 0)
        let astray = bySession.with { history in
            history.hear(.told, at: 26.02, 2, listener: 2, session: 1)
            history.tellings[history.tellings.count - 1].session = 2
        }
        #expect(astray.findings("broadcasts-own") == 1)
    }
}
