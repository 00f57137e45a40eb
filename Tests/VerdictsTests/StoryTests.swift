// What notes tell of our faults and of the relay's own ends: until when a fault was at work, and which end is a death.

import Basics
import Conformance
import Metrics
import Pushes
import Scenarios
import Testing

@testable import Journal
@testable import Verdicts

private func at(_ seconds: Double) -> Instant { SyntheticRun.origin + .seconds(seconds) }

private let unavailable = "{ respond: { reason: ServiceUnavailable } }"

/// A scenario with one fault, which stands as number 7 in pushes.
private func faulted(_ life: String, _ action: String = unavailable) -> String {
    smallScenario + "\nfaults: [{ at: 0s, \(life) action: \(action) }]"
}

/// Notes as they come; the fault was given at the begin.
private struct Telling {
    private var story = Story()
    private let context = RunContext()
    private let scenario: Scenario

    init(_ life: String = "times: 2,", _ action: String = unavailable, isTold: Bool = true) throws {
        scenario = try SyntheticRun(faulted(life, action), directory: "/tmp").scenario
        if isTold { give() }
    }

    mutating func give() {
        tell(.faultGiven(FaultNote(number: 0, rule: 7, label: "503")), at: 0)
    }

    mutating func tell(_ note: RunNote, at seconds: Double) {
        story.pass(NoteEntry(id: 1, kind: note.kind, text: note.json.text, at: at(seconds)), scenario, context)
    }

    /// It met a push, or with a note of its own a connection.
    mutating func meet(_ rule: UInt32 = 7, at seconds: Double, isConnection: Bool = false) {
        if isConnection {
            story.pass(NoteEntry(id: 1, kind: .fault, text: #"{"rule":\#(rule)}"#, at: at(seconds)), scenario, context)
        } else {
            story.meet(rule, at: at(seconds), scenario, context)
        }
    }

    var firings: [Instant] { context.circumstances.connectionFirings.map(\.at) }
    var isAble: Bool { context.circumstances.ability.isEmpty }
    var deaths: [RunContext.Death] { context.deaths }
}

@Suite("Notes tell")
struct StoryTests {
    @Test("of a fault that met a push before anybody wrote that it was given", arguments: [true, false])
    func early(isTold: Bool) throws {
        var telling = try Telling("times: 1,", "{ close: clean }", isTold: isTold)
        telling.meet(at: 3)
        #expect(telling.firings == (isTold ? [at(3)] : []))
        if !isTold { telling.give() }
        #expect(telling.firings == [at(3)])
        #expect(telling.isAble == false, "nobody can tell until something gets through")
    }

    @Test("of a fault that meets pushes alone nothing about the provider's connections")
    func ofRequests() throws {
        var telling = try Telling("times: 1,")
        telling.meet(at: 3)
        #expect(telling.firings.isEmpty && telling.isAble)
    }

    /// An alert is refused once, and comes when five minutes are over.
    @Test("what a refusal for now lets rest: as long as the profile says, or Apple", arguments: [
        ("", "delivered"), ("rest: 5m", "delivered"), ("rest: 60s", "late"), ("rest: 0s", "late"),
    ])
    func rests(rest: String, expected: String) throws {
        let text = """
            name: rests
            relay:
              url: "http://127.0.0.1:1"
              profile:
                topic: com.example.app
                \(rest)
                calls:
                  register: { path: /register, registers: [deviceToken] }
                  notify: { path: /notify, json: { title: "{{marker}}", body: done }, pushes: [{ channel: alert }] }
            workload:
              arrivals: [{ rate: 5, for: 1s }]
              scripts: [{ script: { name: two, steps: [{ call: register }, { call: notify, after: 1s }] } }]
            faults: [{ at: 0s, times: 1, action: \(unavailable) }]
            gates: [lost == 0]
            """
        let record = try judge(text, extras: { extras in
            extras.notes = [(at(0), .faultGiven(FaultNote(number: 0, rule: 7, label: "503")))]
            extras.totals = { $0.firings = [1] }
        }, spoil: { sendings, index in
            guard index == 0, !sendings.isEmpty else { return }
            var again = sendings[0]
            again.at = again.at + .seconds(300)
            (sendings[0].status, sendings[0].reason) = (503, "ServiceUnavailable")
            (sendings[0].outcome, sendings[0].faultRule) = (nil, 7)
            sendings.append(again)
        })
        let counts = [DeliveryClass.delivered, .late, .lost, .unexpected].map { record.correlation.count($0) }
        // Nobody waits for what comes half a minute behind its deadline where it has nothing to rest for.
        #expect(counts[0] == (expected == "delivered" ? 5 : 4), "\(counts)")
        if expected == "delivered" { #expect(counts == [5, 0, 0, 0]) }
    }

    // MARK: The relay's own end

    @Test("of a relay's death only when it had been ready, and nobody had asked for it", arguments: [
        (true, false, 1), (true, true, 0), (false, false, 0),
    ] as [(Bool, Bool, Int)])
    func deaths(wasReady: Bool, wasAsked: Bool, expected: Int) throws {
        var telling = try Telling()
        telling.tell(.relayStarted(restart: 0, arguments: ["relay"]), at: 0)
        if wasReady { telling.tell(.relayReady(restart: 0), at: 1) }
        telling.tell(.relayExited(RelayExitNote(how: "was ended by signal 11", wasAsked: wasAsked, lastLines: "")), at: 2)
        #expect(telling.deaths.count == expected)
        // Ready later makes no death of an end before.
        telling.tell(.relayReady(restart: 1), at: 3)
        #expect(telling.deaths.map(\.at) == Array(repeating: at(2), count: expected))
    }

    @Test("of no broken rule where the relay ended before it was ready, and of one where it ended afterwards")
    func endsBeforeReady() throws {
        func record(_ seconds: Double) throws -> RunRecord {
            try judge(smallScenario, extras: { extras in
                let exit = RelayExitNote(how: "was ended by signal 11", wasAsked: false, lastLines: "")
                extras.notes = [(at(seconds), .relayExited(exit))]
            })
        }
        #expect(try record(-0.7).exit.code == 0)
        let died = try record(0.1)
        #expect(died.exit.code == 4)
        #expect(try result("relay-serves", died).verdict.isBroken)
    }
}
