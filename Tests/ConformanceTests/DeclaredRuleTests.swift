// The rule about what profiles declare of pushes.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("A push that is declared")
struct DeclaredRuleTests {
    private let id = "pushes-as-declared"

    /// The second state is at another priority than its call declares.
    private static var wrong: History {
        History.honest.with { history in
            for index in history.pushes.indices { history.pushes[index].flags.insert(.isDeclared) }
            history.pushes[1].deviation = history.run.deviations.number(of: [
                PushDeviation("headers.priority", expected: "10", seen: "5"), PushDeviation("sound", expected: "x", seen: "none"),
            ])
        }
    }

    @Test("breaks the rule in each field that is otherwise, by name")
    func broken() throws {
        guard case .broken(let findings, 2) = Self.wrong.verdict(of: id) else {
            Issue.record("\(Self.wrong.verdict(of: id))")
            return
        }
        #expect(findings[0].message == "`progress`: its update is not as declared in `headers.priority`")
        #expect(findings[0].expected == "10" && findings[0].seen == "5" && findings[0].step == 3)
        #expect(findings[0].entries == [Self.wrong.pushes[1].id])
        #expect(findings[1].seen == "none")
    }

    @Test("keeps it otherwise; where nothing is declared it is not exercised")
    func kept() {
        #expect(Self.wrong.with { $0.pushes[1].deviation = -1 }.isKept(id))
        #expect(History.honest.verdict(of: id) == .notExercised)
    }

    @Test("is no push of its call where it is of another event or has no expectation")
    func others() {
        func verdict(_ turn: (inout History) -> Void) -> Verdict { Self.wrong.with(turn).verdict(of: id) }
        #expect(!verdict { $0.pushes[1].event = .start }.isBroken)
        #expect(!verdict { $0.pushes[1].flags.remove(.isMarked) }.isBroken)
        #expect(!verdict { $0.pushes[1].flags.remove(.isDeclared) }.isBroken)
    }

    @Test("may be told again by a relay that refreshes its cards, and then looks as it likes")
    func refreshed() {
        let again = Self.wrong.with { history in
            let deviation = history.pushes[1].deviation
            history.pushes[1].deviation = -1
            history.push(3, at: 100) {
                $0.flags.insert(.isDeclared)
                $0.deviation = deviation
            }
        }
        #expect(again.findings(id) == 2)
        again.run.circumstances.refresh = .seconds(60)
        #expect(again.isKept(id))
        // The first is judged all the same, and so is a try behind one that was refused.
        let first = Self.wrong
        first.run.circumstances.refresh = .seconds(60)
        #expect(first.findings(id) == 2)
        let retried = Self.wrong.with { $0.push(3, at: 12.9, status: 503) }
        retried.run.circumstances.refresh = .seconds(60)
        #expect(retried.findings(id) == 2)
    }

    @Test("is not the end of a card that turned up too late and goes at once")
    func late() {
        let history = History.late(0.1).with { history in
            let index = history.pushes.indices.last { history.pushes[$0].event == .end }!
            history.pushes[index].flags.insert(.isDeclared)
            history.pushes[index].deviation = history.run.deviations.number(of: [
                PushDeviation("dismissalDate", expected: "later", seen: "now")
            ])
        }
        #expect(!history.verdict(of: id).isBroken)
        let first = history.with { history in
            let index = history.pushes.indices.first { history.pushes[$0].event == .end }!
            history.pushes[index].flags.insert(.isDeclared)
            history.pushes[index].deviation = 0
        }
        #expect(first.findings(id) == 1)
    }

    @Test("sets of deviations are kept once, and not without end")
    func bounded() {
        var deviations = Deviations()
        func one(_ number: Int) -> [PushDeviation] { [PushDeviation("sound", expected: "x", seen: "\(number)")] }
        #expect(deviations.number(of: []) == -1 && deviations[-1] == [])
        #expect(deviations.number(of: one(1)) == 0 && deviations.number(of: one(2)) == 1 && deviations.number(of: one(1)) == 0)
        #expect(deviations[1] == one(2))
        for number in 3..<10_100 { _ = deviations.number(of: one(number)) }
        #expect(deviations.number(of: one(20_000)) == 9_999)
    }
}
