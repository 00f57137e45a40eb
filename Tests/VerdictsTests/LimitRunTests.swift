// Runs of relays that leave out what they have told before, and what goes beyond their cap.

import Basics
import Metrics
import Testing

@testable import Verdicts

/// Work, the same again, another state, and the first once more: calls 1 to 4; call 5 ends it.
private func scenario(_ profile: String, push: String, last: String = "2s") -> String {
    """
    name: limits
    relay:
      url: "http://127.0.0.1:1"
      profile:
        topic: com.example.app
        coalescing: { window: 10s }
        \(profile)
        calls:
          register: { path: /a, json: { token: "{{activityToken}}" }, registers: [activityToken] }
          say:
            path: /b
            variables: { status: working }
            json: { contentState: { status: "{{status}}", note: "{{marker}}" } }
            pushes: [{ channel: liveactivity, event: update\(push) }]
          tick:
            path: /b
            json: { contentState: { status: ticking, note: "{{marker}}" } }
            pushes: [{ channel: liveactivity, event: update, coalesce: true, deadline: 3s }]
          end:
            path: /c
            final: true
            json: { contentState: { status: done, note: "{{marker}}" } }
            pushes: [{ channel: liveactivity, event: end }]
    workload:
      arrivals: [{ rate: 5, for: 2s }]
      scripts:
        - script:
            steps:
              - call: register
              - { call: say, after: 2s }
              - { call: say, after: 4s }
              - { call: say, after: 2s, with: { status: asking } }
              - { call: say, after: \(last) }
              - { call: end, after: 2s }
    """
}

/// What became of the expectations where the first user's pushes of these steps never come.
private func classes(_ text: String, without steps: Set<UInt32>) throws -> (counts: [DeliveryClass: Int], excuses: [String]) {
    let record = try judge(
        text,
        spoil: { sendings, account in
            if account == 0 { sendings.removeAll { steps.contains($0.row.step) } }
        })
    var counts = record.correlation.totals
    counts[.delivered] = nil
    return (counts.filter { $0.value > 0 }, record.correlation.excuses.keys.sorted())
}

@Suite("A run of a relay that leaves out what it has told before")
struct DedupeRunTests {
    private let always = "dedupe: { by: [/contentState/status] }"

    private func seen(
        _ without: Set<UInt32>, dedupe: String? = nil, push: String = ", dedupe: true"
    ) throws -> [DeliveryClass: Int] {
        try classes(scenario(dedupe ?? always, push: push), without: without).counts
    }

    @Test("owes no push for a state that its card was told last, within the window")
    func repeated() throws {
        #expect(try seen([2]) == [.superseded: 1])
        #expect(try seen([2], dedupe: "dedupe: { by: [/contentState/status], window: 10s }") == [.superseded: 1])
        // One that comes is neither unexpected nor told twice.
        #expect(try seen([]) == [:])
    }

    @Test("owes one behind the window, for another state, and where the profile does not say so of the push")
    func owed() throws {
        #expect(try seen([2], dedupe: "dedupe: { by: [/contentState/status], window: 3s }") == [.lost: 1])
        #expect(try seen([3]) == [.lost: 1])
        #expect(try seen([2], push: "") == [.lost: 1])
    }

    @Test("owes one where another state was told between, whether that came or not")
    func changed() throws {
        #expect(try seen([4]) == [.lost: 1])
        #expect(try seen([3, 4]) == [.lost: 2])
    }

    @Test("owes one where the state that said the same before never came")
    func original() throws { #expect(try seen([1, 2]) == [.lost: 2]) }

    @Test("lets a state that may be coalesced go with the one behind it that says what is shown")
    func coalesced() throws {
        let text = scenario(always, push: ", dedupe: true")
            .replacing("{ call: say, after: 2s, with: { status: asking } }", with: "{ call: tick, after: 2s }")
        #expect(try classes(text, without: [2, 3, 4]).counts == [.superseded: 3])
        #expect(try classes(text, without: [1, 2, 3, 4]).counts == [.lost: 4])
    }
}

@Suite("A run of a relay with a cap")
struct CapRunTests {
    private func seen(_ cap: String, _ without: Set<UInt32>, last: String = "2s") throws -> [DeliveryClass: Int] {
        try classes(scenario("cap: { \(cap) }", push: "", last: last), without: without).counts
    }

    @Test("owes nothing beyond it but the end")
    func beyond() throws {
        let text = scenario("cap: { pushes: 2, per: activity }", push: "")
        let judged = try classes(text, without: [3, 4])
        #expect(judged.counts == [.excused: 2] && judged.excuses == ["beyond the relay's cap"], "\(judged)")
        #expect(try seen("pushes: 2, per: activity", [3, 4, 5]) == [.excused: 2, .lost: 1])
        // What comes beyond it is delivered.
        #expect(try seen("pushes: 1, per: activity", []) == [:])
    }

    @Test("owes what is within it")
    func within() throws {
        #expect(try seen("pushes: 2, per: activity", [2]) == [.lost: 1])
        #expect(try seen("pushes: 3, per: activity", [3, 4]) == [.lost: 2])
    }

    @Test("counts the pushes of any hour where it says so")
    func hour() throws {
        #expect(try seen("pushes: 2, per: hour", [3]) == [.excused: 1])
        #expect(try seen("pushes: 3, per: hour", [4]) == [.excused: 1])
        #expect(try seen("pushes: 3, per: hour", [4], last: "61m") == [.lost: 1])
    }
}
