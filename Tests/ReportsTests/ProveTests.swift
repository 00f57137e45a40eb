// What a proof of the cases comes to.

import Basics
import Conformance
import Testing

@testable import Reports
@testable import Verdicts

@Suite("A proof of the cases")
struct ProveTests {
    private func proof(_ name: String, cases: [String] = ["one", "two"], _ red: [String: [String]]) -> DefectProof {
        var proof = DefectProof(
            defect: name, claim: "R0.22", declared: ["dead-token-dropped", "one-start"], possible: ["state-order"],
            candidates: cases.map { DefectProof.Candidate(name: $0, rules: ["dead-token-dropped", "one-start"]) })
        var results: [String: CaseResult] = [:]
        for (place, rules) in red {
            results["\(name)/\(place)"] = CheckSample.item(place, rules.map { CheckSample.broken($0) }, code: rules.isEmpty ? 0 : 4)
        }
        proof.take(results)
        return proof
    }

    @Test("proves a defect whose first rule turned red in a case, and none that it does not declare")
    func standings() {
        #expect(proof("a", ["one": ["dead-token-dropped", "one-start"]]).standing == .proven, "the second case was not needed")
        #expect(proof("a", ["one": ["dead-token-dropped"], "two": ["one-start"]]).standing == .proven, "no less, in all")
        #expect(proof("a", ["one": ["dead-token-dropped"], "two": []]).standing == .partial)
        #expect(proof("a", ["one": [], "two": ["dead-token-dropped", "one-start", "state-order"]]).standing == .proven)
        #expect(proof("a", ["one": ["one-start"], "two": []]).standing == .missed)
        #expect(proof("a", ["one": ["dead-token-dropped", "payload-fits"]]).standing == .excessive)
        #expect(proof("a", ["one": ["dead-token-dropped"], "two": ["payload-fits"]]).excess == ["payload-fits"])
        #expect(proof("a", cases: [], [:]).standing == .uncovered)
        #expect(proof("a", ["one": []]).next == "two" && proof("a", ["one": ["dead-token-dropped"]]).next == "two")
        #expect(proof("a", ["one": ["dead-token-dropped", "one-start"]]).next == nil)
        #expect(proof("a", ["one": ["dead-token-dropped"], "two": ["one-start"]]).completedIn == ["two"])
        #expect(proof("a", [:]).standing == .inconclusive, "no case was run")
        var down = DefectProof(defect: "a", claim: "", declared: ["one-start"], possible: [],
            candidates: [DefectProof.Candidate(name: "one", rules: ["one-start"])])
        down.take(["a/one": CheckSample.item("one", [], code: 1)])
        #expect(down.standing == .inconclusive)
    }

    @Test("of a file wants the run to fail: a warning convicts nobody")
    func files() {
        func standing(_ level: Rule.Level, code: Int32) -> DefectProof.Standing {
            var proof = DefectProof(
                defect: "a", claim: "", declared: ["one-start"], possible: [],
                candidates: [DefectProof.Candidate(name: "one", rules: ["one-start"])], hasToFail: true)
            proof.take(["a/one": CheckSample.item("one", [CheckSample.broken("one-start", level)], code: code)])
            return proof.standing
        }
        #expect(standing(.must, code: 4) == .proven)
        #expect(standing(.should, code: 0) == .missed)
        #expect(standing(.must, code: 5) == .inconclusive)
    }

    @Test("takes from a run that was unsound what rests on nothing of ours, and that alone")
    func unsound() {
        func standing(_ rule: String, _ basis: Rule.Basis) -> DefectProof.Standing {
            var proof = DefectProof(
                defect: "a", claim: "", declared: [rule], possible: [],
                candidates: [DefectProof.Candidate(name: "one", rules: [rule])])
            var broken = CheckSample.broken(rule)
            broken.basis = basis
            var item = CheckSample.item("one", [broken], code: 5)
            item.isSound = false
            proof.take(["a/one": item])
            return proof.standing
        }
        #expect(standing("throttled-says-when", []) == .proven, "what an answer lacks it lacks on any machine")
        #expect(standing("states-delivered", .absence) == .inconclusive, "a starved relay gives up")
    }

    private func code(_ honest: [CaseResult], _ proofs: [DefectProof], interrupted: Bool = false) -> Int32 {
        ProveRecord(dialect: "opencode", honest: honest, proofs: proofs, isInterrupted: interrupted).exitCode
    }

    @Test("fails where the honest relay is blamed or a defect missed, and knows what it does not know")
    func exits() {
        let kept = CheckSample.item("one", [CheckSample.rule("one-start")])
        let good = proof("a", ["one": ["dead-token-dropped", "one-start"]])
        #expect(code([kept], [good]) == 0)
        #expect(code([kept], [good, proof("b", cases: [], [:])]) == 4, "a defect that no case can meet")
        #expect(code([kept], [good, proof("b", ["one": ["dead-token-dropped"], "two": []])]) == 4)
        #expect(code([CheckSample.item("one", [CheckSample.broken("one-start")], code: 4)], [good]) == 4)
        #expect(code([CheckSample.item("one", [CheckSample.broken("one-start", .should)])], [good]) == 4)
        #expect(code([kept], [good, proof("b", ["one": []])]) == 4)
        #expect(code([kept], [proof("b", ["one": ["dead-token-dropped", "payload-fits"]])]) == 4)
        #expect(code([CheckSample.item("one", [], code: 5)], [good]) == 5)
        #expect(code([kept], [proof("b", [:])]) == 5)
        #expect(code([], []) == 5, "no data is no pass")
        #expect(code([kept], [good], interrupted: true) == 130)
    }

    @Test("tells what was missed, and maps defects to cases")
    func words() {
        let record = ProveRecord(
            dialect: "opencode", honest: [CheckSample.item("one", [CheckSample.broken("one-start")], code: 4)],
            proofs: [
                proof("a", ["one": [], "two": ["dead-token-dropped", "one-start"]]), proof("b", ["one": ["one-start"]]),
                proof("c", cases: [], [:]),
            ],
            isInterrupted: false)
        let text = ProveText.text(record)
        #expect(text.hasPrefix("honest: 0 of 1 cases kept\n  broken: one  one-start\n"))
        #expect(text.contains("defects: 1 of 2 proven, 1 whose rule no case is about\n"))
        #expect(text.contains("  missed: b, which breaks dead-token-dropped  (one: one-start)\n"))
        let map = ProveText.map(record)
        #expect(map.contains("| `a` | R0.22 | `dead-token-dropped` | `two` |  | `one` |\n"))
        #expect(map.contains("| `c` | R0.22 | `dead-token-dropped` | no case is about its rule |  |  |\n"))
        #expect(map.hasPrefix("Convicted are **1 of 3**; the honest relay was kept in 0 of 1 case.\n\n| defect |"), "\(map)")
    }
}
