// Fault rules as JSON: what is read can be written and read again as the same rule, and may be put in force and met.

import APNs
import Basics
import Faults
import MockServer
import Pushes

final class FaultRuleEater: FuzzEater {
    func eat(_ input: Span<UInt8>) throws(Violation) {
        guard let json = try? JSONValue(parsing: input) else { return }
        let rule: FaultRule
        do { rule = try FaultRule(json: json) } catch {
            try hold(!error.message.isEmpty, "a rule is refused without a word")
            try hold(error.pointer.isEmpty || error.pointer.utf8.first == UInt8(ascii: "/"), "the pointer \(error.pointer) points nowhere")
            return
        }
        let written = rule.json
        let again: FaultRule
        do { again = try FaultRule(json: written) } catch {
            throw Violation(description: "our own rule is refused: \(written.text): \(error)")
        }
        try hold(again == rule, "our own rule is read as another: \(written.text) as \(again.json.text)")
        try meet(rule)
    }

    private func meet(_ rule: FaultRule) throws(Violation) {
        let script = FaultScript(seed: Seed(1))
        let time = ManualTime()
        let start = Instant(nanoseconds: 1 << 50)
        let id = script.add(rule, now: start)
        var facts = PushFacts(apnsID: UUIDBytes(high: 1, low: 2))
        facts.pushType = .liveactivity
        let topic = Array("com.example.app.push-type.liveactivity".utf8)
        var now = start
        for nth in 1...6 {
            facts.tokenHash = Hash128(high: UInt64(nth), low: 7)
            let subject = FaultSubject(push: facts, topic: topic.span, nthOfToken: UInt32(nth))
            if let firing = script.firing(for: subject, now: now) {
                try hold(firing.delay >= .zero && firing.delay <= .seconds(86_400), "a delay of \(firing.delay)")
                try hold(firing.action == rule.action, "a rule fires with another's action")
                if case .respond(_, let timestamp, _) = firing.action { _ = timestamp?.milliseconds(now: time.wall()) }
            }
            now = now + .seconds(3)
        }
        let status = script.rules.first
        try hold(status?.rule.id == id && (status?.fired ?? 0) <= (rule.times ?? .max), "a rule fires too often")
        try hold(script.remove(id: id) && script.isEmpty, "a rule does not go when told to")
    }
}
