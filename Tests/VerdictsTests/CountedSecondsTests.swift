// Runs of a relay that counts the seconds of its sessions, judged as a whole.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@testable import Journal
@testable import Verdicts

/// A session of ten minutes, and under its id another, ten minutes later. Steps: 1 begins it, 4 ends it; 5 and 8 again.
private let scenario = """
    name: counted
    clock: stepped
    relay:
      url: "http://127.0.0.1:1"
      profile:
        topic: com.example.app
        coalescing: { window: 15s }
        carries: { time: { at: /aps/content-state/time, rises: true, countsSeconds: true } }
        calls:
          register: { path: /a, json: { token: "{{startToken}}" }, registers: [startToken] }
          begin:
            path: /b
            json: { contentState: { note: "{{marker}}" } }
            pushes: [{ channel: liveactivity, event: start, deadline: 10m }]
          adopt: { path: /a, json: { token: "{{activityToken}}" }, registers: [activityToken] }
          update:
            path: /c
            json: { contentState: { note: "{{marker}}" } }
            pushes: [{ channel: liveactivity, event: update, deadline: 10m }]
          end:
            path: /d
            final: true
            unregisters: [activityToken]
            json: { contentState: { note: "{{marker}}" } }
            pushes: [{ channel: liveactivity, event: end, deadline: 10m }]
    workload:
      arrivals: [{ rate: 5, for: 2s }]
      scripts:
        - script:
            steps:
              - call: register
              - { call: begin, after: 1s }
              - { call: adopt, after: 1s }
              - { call: update, after: 5m }
              - { call: end, after: 5m }
              - { call: begin, after: 10m }
              - { call: adopt, after: 1s }
              - { call: update, after: 5m }
              - { call: end, after: 5m }
    """

@Suite("A relay that counts the seconds of a session")
struct CountedSecondsTests {
    /// `begun`: when the session began, by the relay, in seconds from the call that began that life of it (0 or 1).
    /// `sayingLast`: a start that comes late bears the marker of the update that came meanwhile, which is not sent any more.
    private func word(
        _ begun: (_ life: Int) -> Double, late: Interval = .zero, failing: UInt32? = nil, sayingLast: Bool = false
    ) throws -> (word: String, seen: String) {
        let record = try judge(
            scenario,
            call: { if $0.step == failing { $0.status = 500 } },
            spoil: { sendings, _ in
                func note(_ sending: Sending) -> String {
                    let payload = try? JSONValue(parsing: sending.payload)
                    return payload?["aps"]?["content-state"]?["note"]?.string ?? ""
                }
                if sayingLast {
                    for index in sendings.indices where sendings[index].row.event == .start {
                        let update = sendings[(index + 1)...].first { $0.row.event == .update }
                        sendings[index].payload = sendings[index].payload.replacing(
                            note(sendings[index]), with: update.map(note) ?? "")
                    }
                    sendings.removeAll { $0.row.event == .update }
                }
                var calls: [Int: Instant] = [:]
                for index in sendings.indices {
                    let row = sendings[index].row
                    let life = row.step < 5 ? 0 : 1
                    calls[life] = calls[life] ?? row.plannedAt
                    // The start waits for APNs, and what follows does not.
                    if row.event == .start { sendings[index].at = sendings[index].at + late }
                    let wall = ManualTime().wall() + (sendings[index].at - Instant(nanoseconds: 0))
                    sendings[index].stamp = wall.seconds
                    let passed = (sendings[index].at - calls[life]!).seconds - begun(life)
                    sendings[index].payload = sendings[index].payload.replacing(
                        #""content-state":{"#, with: #""content-state":{"time":\#(max(0, Int(passed))),"#)
                }
            })
        let result = try result("seconds-run-with-clock", record)
        return (result.verdict.word, result.verdict.findings.first?.seen ?? "")
    }

    @Test("may count from the call, or from when its start was accepted")
    func kept() throws {
        #expect(try word { _ in 0 }.word == "kept")
        #expect(try word({ _ in 0 }, late: .seconds(60)).word == "kept")
        #expect(try word({ _ in 60 }, late: .seconds(60)).word == "kept")
        #expect(try word { _ in -9 }.word == "kept", "a tick")
        #expect(try word { _ in 24 }.word == "kept", "a tick, and the window")
    }

    @Test("may count from a start that was accepted late and said what was said last", arguments: [(310.0, "kept"), (400, "broken")])
    func tried(begun: Double, word: String) throws {
        #expect(try self.word({ _ in begun }, late: .seconds(310), sayingLast: true).word == word)
    }

    @Test("is wrong where a session goes on from the one before it under its id")
    func goesOn() throws {
        let (word, seen) = try word { $0 == 0 ? 0 : -1_200 }
        #expect(word == "broken")
        #expect(seen == "/aps/content-state/time is 1200 where 0 seconds have passed since the session began")
    }

    @Test("is wrong where it is off by the same from the first to the last", arguments: [-3_600.0, -12, 27, 250])
    func constant(seconds: Double) throws { #expect(try word { _ in seconds }.word == "broken") }

    @Test("is not held against a beginning that nobody knows", arguments: [4, 5])
    func unknown(step: UInt32) throws { #expect(try word({ $0 == 0 ? 0 : -1_200 }, failing: step).word == "kept") }
}
