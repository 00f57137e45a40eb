// Faults of a scenario, given when their time comes.

import APNs
import Basics
import Faults
import Journal
import Pushes
import Scenarios
import Testing

@testable import Harness

@Suite struct `The timeline of faults` {
    private let origin = Instant(nanoseconds: 1_000)
    private let script = FaultScript(seed: Seed(1))

    private func timeline() -> FaultTimeline {
        FaultTimeline(
            [
                ScheduledFault(
                    at: .seconds(20),
                    rule: FaultRule(
                        id: "outage", action: .respond(Reason.serviceUnavailable.named, timestamp: nil),
                        duration: .seconds(5))),
                ScheduledFault(at: .seconds(10), rule: FaultRule(id: "slow", action: .delay(.constant(0.2)))),
            ]
        ) { [script] rule, now in script.status(of: script.add(rule, now: now))?.number ?? 0 }
    }

    @Test func `gives each fault once, at its time`() {
        var timeline = timeline()
        #expect(timeline.next == .seconds(10))
        #expect(timeline.advance(since: origin, now: origin + .seconds(9.9)).isEmpty)
        #expect(script.isEmpty)
        let slow = timeline.advance(since: origin, now: origin + .seconds(10))
        #expect(slow == [FaultNote(number: 1, rule: 1, label: "delay")])
        #expect(timeline.advance(since: origin, now: origin + .seconds(11)).isEmpty)
        #expect(script.rules.map(\.rule.id) == ["slow"] && timeline.next == .seconds(20))
        let outage = timeline.advance(since: origin, now: origin + .seconds(30))
        #expect(outage == [FaultNote(number: 0, rule: 2, label: "503 ServiceUnavailable")])
        #expect(script.rules.map(\.rule.id) == ["slow", "outage"] && timeline.next == nil)
    }

    @Test func `remembers how often each fault fired, by its number in the scenario`() {
        var timeline = timeline()
        _ = timeline.advance(since: origin, now: origin + .seconds(30))
        func status(_ number: UInt32, fired: Int) -> FaultRuleStatus? {
            script.rules.first { $0.number == number }.map { status in
                var status = status
                status.fired = fired
                return status
            }
        }
        timeline.count([status(1, fired: 4), status(2, fired: 7)].compactMap(\.self))
        #expect(timeline.firings == [7, 4])
        timeline.count([status(2, fired: 9)].compactMap(\.self))
        #expect(timeline.firings == [9, 4])
    }

    @Test func `has a few words for every action, and an end for every rule that has one`() throws {
        func rule(_ text: String) throws -> FaultRule { try FaultRule(json: JSONValue(parsing: text)) }
        let labels = [
            (#"{"respond":{"status":502}}"#, "502"), (#"{"goaway":"Shutdown"}"#, "goaway"), (#"{"max-streams":1}"#, "max-streams 1"),
            (#"{"close":"fin"}"#, "close fin"), (#"{"raw":"bad-hpack"}"#, "raw bad-hpack"), (#"{"raw":{"hex":"00"}}"#, "raw"),
            (#"{"refuse-tls":"alert"}"#, "refuse-tls"), (#"{"reset-stream":true}"#, "reset-stream"),
            (#"{"window":{"initial":1}}"#, "window"),
        ]
        for (action, label) in labels { #expect(try rule(#"{"action":\#(action)}"#).label == label) }
        let ends = [(#""for":"2s","at":"1s""#, 3.0), (#""ttl":"1s""#, 1.0), (#""for":"2s","ttl":"1s""#, 1.0)]
        for (life, seconds) in ends {
            #expect(try rule(#"{"action":{"silence":true},\#(life)}"#).end(addedAt: origin) == origin + .seconds(seconds))
        }
        #expect(try rule(#"{"action":{"silence":true}}"#).end(addedAt: origin) == nil)
    }

    @Test func `tells what is in force, in a few words`() {
        var timeline = timeline()
        _ = timeline.advance(since: origin, now: origin + .seconds(10))
        _ = timeline.advance(since: origin, now: origin + .seconds(20))
        #expect(timeline.active(at: origin + .seconds(21)) == ["delay", "503 ServiceUnavailable"])
        #expect(timeline.active(at: origin + .seconds(25)) == ["delay"])
    }

    @Test func `is in force within its windows only`() throws {
        let rule = try FaultRule(
            json: JSONValue(parsing: #"{"action":{"silence":true},"at":"1s","windows":{"every":"4s","for":"1s"}}"#))
        var timeline = FaultTimeline([ScheduledFault(at: .zero, rule: rule)]) { _, _ in 1 }
        _ = timeline.advance(since: origin, now: origin)
        let seconds = [0.5, 1.5, 2.5, 5.5, 6.5]
        #expect(seconds.filter { !timeline.active(at: origin + .seconds($0)).isEmpty } == [1.5, 5.5])
    }

    @Test func `keeps a fault that is left out to itself, and the numbers of the others`() {
        var left = ScheduledFault(at: .seconds(1), rule: FaultRule(id: "left", action: .silence))
        left.isLeftOut = true
        let given = ScheduledFault(at: .seconds(2), rule: FaultRule(id: "given", action: .silence))
        var timeline = FaultTimeline([left, given]) { _, _ in 1 }
        #expect(timeline.next == .seconds(2))
        #expect(timeline.advance(since: origin, now: origin + .seconds(9)).map(\.number) == [1])
        #expect(timeline.firings.count == 2)
    }
}
