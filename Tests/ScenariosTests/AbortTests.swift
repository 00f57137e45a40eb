// Gates that may end a load: which there are, and what is said of those that cannot.

import Basics
import Pushes
import Testing

@testable import Scenarios

@Suite("A gate that may end the load")
struct AbortTests {
    private func scenario(_ gate: String, _ more: String = "", in text: String = Sample.text) throws -> Scenario {
        let gates = "{ gate: \"\(gate)\", abort: true }"
        return try Sample.load(text.replacing("- lost == 0", with: "- \(gates)\n  - lost == 0") + more)
    }

    private func objection(_ gate: String, _ more: String = "", in text: String = Sample.text) throws -> String? {
        let scenario = try scenario(gate, more, in: text)
        return scenario.objection(to: scenario.gates[0])?.description
    }

    @Test("is one whose failing is certain before the end", arguments: [
        "answer.p99 < 1s", "answer.max <= 1s", "lateness.p50 < 1s", "delivery.p999 < 2s", "delivery.update.p99 < 2s",
        "errors.rate <= 1%", "errors.rate == 0",
    ])
    func may(gate: String) throws {
        #expect(try objection(gate) == nil)
        let scenario = try scenario(gate)
        #expect(scenario.gates.map(\.aborts) == [true, false] && scenario.gates.map(\.text) == [gate, "lost == 0"])
    }

    @Test("is none of what only the end tells, or what may yet become enough", arguments: [
        ("lost == 0", "`lost` is known only when the run is over"),
        ("late.rate <= 1%", "`late.rate` is known only when the run is over"),
        ("staleness.p99 < 1s", "`staleness.p99` is known only when the run is over"),
        ("backlog.slope < 0.01", "`backlog.slope` is known only when the run is over"),
        ("answer.mean < 1s", "`answer.mean` is known only when the run is over"),
        ("events.rate >= 10", "what is too little so far may be enough in the end"),
        ("answer.p99 > 1s", "what is too little so far may be enough in the end"),
    ])
    func never(gate: String, reason: String) throws {
        let words = try #require(try objection(gate))
        #expect(words.hasPrefix("the gate `\(gate)` cannot end a run early: \(reason) ("), "\(words)")
        // Without `abort` it is a gate like any other.
        let plain = try Gate(parsing: gate)
        #expect(try scenario("answer.p99 < 1s").objection(to: plain)?.message.contains("early") != true)
    }

    @Test("is none on a clock that is stepped, nor of pushes without a marker")
    func circumstances() throws {
        #expect(try objection("answer.p99 < 1s", "\nclock: stepped\n")?.contains("a run takes no more time than its work") == true)
        let unmarked = Sample.text.replacing("event: update, coalesce: true }", with: "event: update, coalesce: true, marked: false }")
        #expect(try objection("delivery.p99 < 1s", in: unmarked)?.contains("no push that it speaks of bears a marker") == true)
        #expect(try objection("answer.p99 < 1s", in: unmarked) == nil)
    }

    @Test("takes the number of all calls, which nobody knows where scripts react to phones")
    func reactions() throws {
        var scenario = try scenario("answer.p99 < 1s")
        var gate = scenario.gates[0]
        scenario.workload.phones = PhonesSpec()
        let reaction = Reaction(on: .token, kind: "update", call: 1)
        scenario.workload.scripts[0].script.reactions = [reaction]
        #expect(scenario.objection(toAbortBy: gate)?.message.contains("nobody knows how many calls there will be") == true)
        gate.measure = .latency(.answer, kind: nil, .max)
        #expect(scenario.objection(toAbortBy: gate) == nil)
    }

    @Test("is struck by overrides, for those who want each run to go to its end")
    func overrides() throws {
        let scenario = try scenario("answer.p99 < 1s")
        #expect(scenario.overridesAgainstAbort.map { "\($0.path)=\($0.value)" } == ["gates[0].abort=false"])
        let text = Sample.text.replacing("- lost == 0", with: "- lost == 0\n  - { gate: answer.max < 1s, abort: true }")
        let struck = try Sample.load(text, overrides: [("gates[1].abort", "false")])
        #expect(struck.gates.map(\.aborts) == [false, false])
    }
}
