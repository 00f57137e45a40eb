// Runs with pushes that bear nothing of their call but the second which it said.

import Basics
import Conformance
import Metrics
import Testing

@testable import Verdicts

/// Two states that mostly share a second, and one for itself: calls 1, 2 and 3.
private let scenario = """
    name: stamped
    relay:
      url: "http://127.0.0.1:1"
      profile:
        topic: com.example.app
        passes: [{ channel: liveactivity, at: /aps/content-state/note, from: /contentState/note }]
        calls:
          register: { path: /a, json: { token: "{{activityToken}}" }, registers: [activityToken] }
          say:
            path: /b
            variables: { note: one }
            json: { contentState: { note: "{{note}}" }, at: "{{now|unix}}" }
            pushes: [{ channel: liveactivity, event: update, marked: timestamp }]
    workload:
      arrivals: [{ rate: 5, for: 2s }]
      scripts:
        - script:
            steps:
              - call: register
              - { call: say, after: 2s }
              - { call: say, after: 20ms, with: { note: two } }
              - { call: say, after: 3s, with: { note: three } }
    """

@Suite("A run with pushes that are told by their timestamps")
struct StampedRunTests {
    /// The record where the pushes of the first user whose first two calls share a second are spoilt.
    private func judged(
        _ text: String = scenario, sharing: Int = 0, _ spoil: (inout [Sending]) -> Void = { _ in }
    ) throws -> RunRecord {
        var isDone = false
        let record = try judge(
            text,
            spoil: { sendings, _ in
                for index in sendings.indices {
                    let said = (sendings[index].row.plannedAt - SyntheticRun.origin).seconds
                    sendings[index].stamp = SyntheticRun.wall + Int64(said.rounded(.down))
                }
                guard !isDone, sendings[sharing].stamp == sendings[sharing + 1].stamp else { return }
                isDone = true
                spoil(&sendings)
            })
        #expect(isDone)
        return record
    }

    private func classes(_ record: RunRecord) -> [DeliveryClass: Int] {
        var counts = record.correlation.totals
        counts[.delivered] = nil
        return counts.filter { $0.value > 0 }
    }

    @Test("knows each by token and second, and those that share one by their order")
    func told() throws {
        let record = try judged()
        #expect(classes(record) == [:])
        #expect(classes(try judged { delay(&$0) }) == [:])
        for id in ["states-delivered", "content-unchanged", "state-order", "nothing-unexpected"] {
            #expect(try result(id, record).verdict.word == "kept", "\(id)")
        }
    }

    @Test("misses one that does not come, and expects none with a second that no call said")
    func missed() throws {
        #expect(classes(try judged { $0.remove(at: 2) }) == [.lost: 1])
        #expect(classes(try judged { $0[2].stamp += 100 }) == [.lost: 1, .unexpected: 1])
        let other = try judged { $0[2].payload.replace("three", with: "thirty") }
        #expect(classes(other) == [.lost: 1, .altered: 1])
    }

    /// The first one is on its way until the second was called for, too.
    private func delay(_ sendings: inout [Sending]) { sendings[0].at = sendings[1].at - .milliseconds(2) }

    @Test("says of none that it came, where fewer came than share a second")
    func undecided() throws {
        for missing in 0...1 {
            let record = try judged { sendings in
                delay(&sendings)
                sendings.remove(at: missing)
            }
            #expect(classes(record) == [.undecided: 2], "\(missing)")
            #expect(try result("content-unchanged", record).verdict.word == "kept")
        }
        #expect(classes(try judged { $0.removeSubrange(0...1) }) == [.lost: 2])
        // What came before the second one was called for is the first one's.
        #expect(classes(try judged { $0.remove(at: 1) }) == [.lost: 1])
    }

    @Test("says nothing of two that came the other way round, nor of one that was altered")
    func swapped() throws {
        let swapped = try judged { sendings in
            delay(&sendings)
            (sendings[0].payload, sendings[1].payload) = (sendings[1].payload, sendings[0].payload)
        }
        #expect(classes(swapped) == [.undecided: 2])
        let altered = try judged { sendings in
            delay(&sendings)
            sendings[0].payload.replace("one", with: "none")
        }
        #expect(classes(altered) == [.undecided: 2])
    }

    @Test("lets one go that may be coalesced, where a newer one came and nobody knows which")
    func coalesced() throws {
        let text = scenario.replacing("topic: com.example.app", with: "topic: com.example.app\n    coalescing: { window: 1s }")
            .replacing(
                "calls:",
                with: """
                    calls:
                          tick:
                            path: /b
                            json: { contentState: { note: tick }, at: "{{now|unix}}" }
                            pushes:
                              - { channel: liveactivity, event: update, marked: timestamp, coalesce: true, deadline: 3s }
                    """)
            .replacing("- call: register\n", with: "- call: register\n          - { call: tick, after: 1s }\n")
        #expect(classes(try judged(text, sharing: 1)) == [:])
        #expect(classes(try judged(text, sharing: 1) { $0.removeSubrange(0...1) }) == [.superseded: 1, .undecided: 2])
        #expect(classes(try judged(text, sharing: 1) { $0.removeSubrange(0...2) }) == [.lost: 3])
    }

    @Test("takes one that is sent again for the same")
    func again() throws {
        let record = try judged { sendings in
            var first = sendings[0]
            (first.status, first.reason, first.outcome) = (503, "ServiceUnavailable", nil)
            sendings[0].at = sendings[0].at + .milliseconds(400)
            sendings.insert(first, at: 0)
            sendings.sort { $0.at < $1.at }
        }
        #expect(classes(record)[.undecided] == nil && classes(record)[.lost] == nil, "\(classes(record))")
    }
}
