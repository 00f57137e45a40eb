// Branches and waits of a script: how they are read, and what is wrong with them.

import Basics
import Testing

@testable import Scenarios

@Suite("Branches and waits")
struct BranchTests {
    /// The sample whose second step is this.
    private static func text(_ steps: String) -> String {
        Sample.with(
            "          - call: update\n            after: $pause\n            with: { text: hello }",
            "          - { call: update, after: $pause }\n" + steps)
    }

    private static func script(_ steps: String) throws -> SessionScript {
        try Sample.load(text(steps)).workload.scripts[0].script
    }

    @Test("become moves that lead forward")
    func moves() throws {
        let script = try Self.script(
            """
                      - oneOf:
                          - weight: 3
                            steps: [{ call: update, after: 1s }, { wait: $pause }]
                          - steps: []
                          - weight: 0.5
                            steps: [{ oneOf: [{ steps: [{ call: register }] }], probability: 0.5 }]
                      - { wait: { uniform: [1s, 2s] }, probability: 0.25 }
                      - call: update

            """)
        #expect(script.steps.map(\.kind) == ["register", "update", "update", "register", "update"])
        #expect(
            script.moves == [
                .step(0), .step(1),
                .branch(
                    [ScriptArm(weight: 3, first: 3), ScriptArm(weight: 1, first: 6), ScriptArm(weight: 0.5, first: 7)],
                    probability: 1, end: 11),
                .step(2), .wait(.constant(2), probability: 1), .jump(11), .jump(11),
                .branch([ScriptArm(weight: 1, first: 8)], probability: 0.5, end: 10), .step(3), .jump(10), .jump(11),
                .wait(.uniform(1, 2), probability: 0.25), .step(4),
            ])
        // The longest way, before pace: 2 s, 1 s and 2 s, 2 s.
        #expect(script.length == 7 && script.latestEnd == 7 + SessionScript.usualListen)
        #expect(script.reachable == [0, 1, 2, 3, 4])
    }

    @Test("What a probability of 0 leaves out is not reached, so that no gate waits for it")
    func reach() throws {
        let script = try Self.script("          - { oneOf: [{ steps: [{ call: update }] }], probability: 0 }\n")
        #expect(script.reachable == [0, 1] && script.steps.count == 3)
    }

    @Test(
        "What contradicts itself is one line with its fix",
        arguments: [
            (
                "{ after: 1s }",
                "28:13: `step` lacks `call` (add `call: progress`, or write `wait: 5s` or `oneOf: [{ steps: [] }]`)"
            ),
            (
                "{ call: update, wait: 1s }",
                "28:35: a step has one of `call`, `wait` and `oneOf`, not `call` and `wait` (make them steps of their own)"
            ),
            (
                "{ wait: 1s, after: 2s }",
                "28:32: `after` is of a call, and this step has `wait` (strike it: the wait begins with the event before)"
            ),
            (
                "{ oneOf: [{ steps: [] }], every: 2s }",
                "28:46: `every` is of a call, and this step has `oneOf` (put a `wait` before it, or into an arm)"
            ),
            ("{ oneOf: [] }", "28:22: `oneOf` must be a list of 1 to 100 items, not an empty list"),
            ("{ oneOf: [{ weight: 1 }] }", "28:23: `arm` lacks `steps` (add `steps: [{ call: start }]`)"),
            ("{ oneOf: [{ weight: 0, steps: [] }] }", "28:33: `weight` must be a number greater than 0"),
            ("{ wait: soon }", "28:21: `wait` must be a duration, not the text `soon`"),
            ("{ wait: 1s, probability: 2 }", "28:38: `probability` must be a number from 0 to 1"),
            ("{ oneOf: [{ steps: [{ call: nothing }] }] }", "28:41: the profile `profile` has no call `nothing`"),
        ])
    func wrong(step: String, words: String) {
        let complaint = Sample.complaint(Self.text("          - \(step)\n"))
        #expect(complaint.hasPrefix("tiny.yaml:" + words) && !complaint.contains("\n"), "\(complaint)")
    }

    @Test("Branches within each other, and steps, have a bound")
    func bounds() {
        func nested(_ depth: Int) -> String { depth == 0 ? "call: update" : "oneOf: [{ steps: [{ \(nested(depth - 1)) }] }]" }
        #expect(Sample.complaint(Self.text("          - { \(nested(ScriptMove.deepest)) }\n")) == "")
        let deeper = SourceText(path: "deep.yaml", text: "steps: [{ \(nested(ScriptMove.deepest + 1)) }]")
        let text = Sample.text.replacing("  scripts:\n", with: "  scripts:\n    - script: deep.yaml\n")
        let failure = #expect(throws: Failure.self) {
            try Scenario.parse(text: text, path: "tiny.yaml", planned: [deeper])
        }
        #expect(failure?.description.hasPrefix("deep.yaml:1:") == true, "\(failure?.description ?? "")")
        #expect(failure?.message == "more than 6 branches stand within each other")
        let arm = "{ steps: [\(Array(repeating: "{ call: update }", count: 300).joined(separator: ", "))] }"
        let many = "          - { oneOf: [\(Array(repeating: arm, count: 70).joined(separator: ", "))] }\n"
        #expect(Sample.complaint(Self.text(many)).contains("a script has at most 20000 steps and arms"))
    }

    @Test("A script without a call is none")
    func empty() {
        let text = Self.text("").replacing("- call: register\n", with: "- wait: 1s\n")
            .replacing("- { call: update, after: $pause }\n", with: "- wait: $pause\n")
        #expect(Sample.complaint(text).contains("the script makes no call (add a step such as `call: start`)"))
    }

    @Test("Fixed times are in order on every way, and what only some arms pass is held against nobody")
    func order() {
        let late = "          - { oneOf: [{ steps: [{ call: update, at: 50s }] }, { steps: [] }] }\n"
        #expect(Sample.complaint(Self.text(late + "          - { call: update, at: 40s }\n")) == "")
        let both = "          - { oneOf: [{ steps: [{ call: update, at: 50s }] }, { steps: [{ call: update, at: 60s }] }] }\n"
        let told = Sample.complaint(Self.text(both + "          - { call: update, at: 40s }\n"))
        #expect(told.contains("this step is at 40s, earlier"), "\(told)")
    }

    @Test("What only one arm captures is not there for a step behind the branch")
    func captures() {
        func told(_ branch: String) -> String {
            let text = Self.text(branch + "          - call: update\n")
                .replacing("          - call: register\n", with: "")
                .replacing("- { call: update, after: $pause }\n", with: "- { wait: $pause }\n")
                .replacing("registers: [deviceToken, activityToken]", with: "captures: { id: /id }")
                .replacing("extra: \"{{extra|json}}\"", with: "extra: \"{{extra|json}}{{id}}\"")
            return Sample.complaint(text)
        }
        let one = told("          - { oneOf: [{ steps: [{ call: register }] }, { steps: [] }] }\n")
        #expect(
            one.contains(
                "`update` needs {{id}}, which not every way that leads here captures (put `register` before the `oneOf`, or"
                    + " `update` into the arm)"), "\(one)")
        let all = told("          - { oneOf: [{ steps: [{ call: register }] }, { steps: [{ call: register, after: 1s }] }] }\n")
        #expect(!all.contains("needs {{id}}"), "\(all)")
        let none = told("          - { wait: 1s }\n")
        #expect(none.contains("`update` needs {{id}}, which nothing before it captures"), "\(none)")
    }
}
