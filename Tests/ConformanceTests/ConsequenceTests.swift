// A rule whose findings are all about what has broken another one follows from that.

import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("A broken rule")
struct ConsequenceTests {
    private static func subjects(_ places: [(UInt32, UInt32)], pushes: [UInt64] = [], nowhere: Int = 0) -> Subjects {
        var all = Subjects()
        for (session, step) in places {
            all.add(Finding(message: "", expected: "", seen: "", session: session, step: step, entries: [9]))
        }
        for entry in pushes { all.add(Finding(message: "", expected: "", seen: "", entries: [1, entry])) }
        for _ in 0..<nowhere { all.add(Finding(message: "", expected: "", seen: "")) }
        return all
    }

    private static func causes(_ subjects: [Subjects], ofCalls calls: Int = 1_000) -> [[[Int]]] {
        RuleResult.causes(among: subjects, ofCalls: calls).map { $0.map { [$0.place, $0.count] } }
    }

    @Test("follows from those before it that are about the same calls and pushes, each counted with the first of them")
    func follows() {
        let all = [
            Self.subjects([(1, 1), (1, 2)]), Self.subjects([(1, 2), (2, 1)], pushes: [7]),
            Self.subjects([(1, 1), (1, 2), (2, 1)]), Self.subjects([], pushes: [7]),
        ]
        #expect(Self.causes(all) == [[], [], [[0, 2], [1, 1]], [[1, 1]]])
    }

    @Test("stands for itself with one finding of its own, with one about nothing in particular, and where it stands first")
    func own() {
        let cause = Self.subjects([(1, 1)])
        for other in [Self.subjects([(1, 1), (3, 1)]), Self.subjects([(1, 1)], nowhere: 1), Subjects()] {
            #expect(Self.causes([cause, other]) == [[], []])
            #expect(Self.causes([other, Self.subjects([(4, 4)])]) == [[], []])
        }
    }

    @Test("follows from what a finding had to lead to, which stands for nothing by itself")
    func led() {
        var cause = Self.subjects([(1, 1)])
        cause.lead(to: .call(session: 1, step: 2))
        #expect(Self.causes([cause, Self.subjects([(1, 2)])]) == [[], [[0, 1]]])
        #expect(Self.causes([Self.subjects([(1, 1)]), cause]) == [[], [[0, 1]]])
    }

    @Test("does not follow from what most calls broke, unless that had to lead to it")
    func wide() {
        let cause = Self.subjects([(1, 1), (1, 2), (1, 3)])
        #expect(Self.causes([cause, Self.subjects([(1, 2)])], ofCalls: 6) == [[], [[0, 1]]])
        #expect(Self.causes([cause, Self.subjects([(1, 2)])], ofCalls: 5) == [[], []])
        var leading = cause
        leading.lead(to: .call(session: 1, step: 2))
        #expect(Self.causes([leading, Self.subjects([(1, 2)])], ofCalls: 5) == [[], [[0, 1]]])
    }

    @Test("of more than can be kept is no consequence")
    func many() {
        let most = UInt32(Subjects.most)
        let all = Self.subjects((0...most).map { ($0, 1) })
        #expect(all.isPart && all.all.count == Int(most))
        #expect(Self.causes([all, all], ofCalls: .max / 2) == [[], []])
    }

    @Test("takes what follows from it along where it is a known break", arguments: [
        ([], []), (["goaway-obeyed"], ["goaway-obeyed", "states-delivered"]), (["states-delivered"], ["states-delivered"]),
    ] as [([String], [String])])
    func known(listed: [String], expected: [String]) {
        let history = History.goneAway.with { history in
            history.pushes.removeAll { $0.step == 3 || $0.step == 4 && $0.isLiveActivity }
            history.rows[1].flags = []
            history.rows.removeAll { $0.step == 4 && $0.type == .liveactivity }
        }
        history.run.circumstances.throttle = nil
        var course = RuleCourse()
        for push in history.joined.account.pushes { course.see(push, history.run) }
        course.close(history.joined, history.run)
        let broken = course.results(history.run, knownFailing: listed, isStrict: false).filter {
            $0.verdict.isBroken && $0.id != "accepted-is-pushed"
        }
        #expect(broken.map(\.id) == ["goaway-obeyed", "states-delivered"])
        #expect(broken.map(\.causes) == [[], [RuleResult.Cause(rule: "goaway-obeyed", count: 1)]])
        #expect(broken.filter { $0.standing == .knownBroken }.map(\.id) == expected)
    }
}
