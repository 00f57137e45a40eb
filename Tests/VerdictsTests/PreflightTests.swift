// What is told before a run, with its line and column: names of rules that there are not, gates that nothing can decide.

import Basics
import Scenarios
import Testing
import Verdicts

@Suite("Before a run")
struct PreflightTests {
    private func complaint(_ more: String, faults: String = "[]", relay: String = #"url: "http://127.0.0.1:1""#) throws -> String {
        let text = """
            name: early
            relay: { profile: relays/opencode.yaml, \(relay) }
            workload:
              arrivals: [{ rate: 1, for: 2s }]
              scripts: [{ script: { steps: [{ call: registerDevice }, { call: progress, after: 1s }] } }]
            faults: \(faults)
            \(more)
            """
        let scenario = try Scenario.parse(
            text: text, path: "early.yaml", searchPath: [SyntheticRun.root + "/Scenarios"])
        do throws(Failure) {
            try Preflight.check(scenario)
            return ""
        } catch {
            return error.description
        }
    }

    @Test("a rule that there is not is told with its place", arguments: ["exercises", "knownFailing"])
    func rules(list: String) throws {
        #expect(
            try complaint("\(list): [R0.22, dead-token-droped]")
                == "early.yaml:7:\(list.count + 11): `\(list)` names dead-token-droped, which is no rule "
                + "(did you mean `dead-token-dropped`?)")
        #expect(try complaint("\(list): [R0.22, dead-token-dropped, p9]") == "")
    }

    @Test("a rule that is to be put to the test on a clock that is too fast for it is told with its place")
    func pace() throws {
        #expect(
            try complaint("exercises: [R0.22, retry-storm]\nclockScale: 21")
                == "early.yaml:7:20: `exercises` names retry-storm, which cannot be put to the test: scale too high: its 1s "
                + "come to 47.6ms of real time, and 50ms are the least (lower `clockScale`, or strike it from the list)")
        #expect(try complaint("exercises: [R0.22, retry-storm]\nclockScale: 20") == "")
    }

    @Test("a gate that nothing can decide is told with its place and what to change")
    func gates() throws {
        let rows = [
            ("relay.rss.max < 1GB", "the relay is not started here"),
            ("delivery.complete.p99 < 1s", "no script calls `complete`"),
            ("complete.lost == 0", "no script calls `complete`"),
            ("laststate.missing == 0", "no script makes a call that ends an activity"),
            ("dead.pushesafter == 0", "no token can die"),
        ]
        for (gate, reason) in rows {
            let text = try complaint("gates: [lost == 0, \(gate)]")
            #expect(text.hasPrefix("early.yaml:7:20: nothing can decide the gate `\(gate)`: \(reason) ("), "\(text)")
            #expect(text.contains("strike the gate"))
        }
    }

    @Test("a gate that something may decide is let through")
    func decidable() throws {
        let death = "[{ at: 1s, action: { respond: { reason: Unregistered } } }]"
        #expect(try complaint("gates: [dead.pushesafter == 0]", faults: death) == "")
        let kinder = "[{ at: 1s, action: { respond: { reason: TooManyRequests } } }]"
        #expect(try complaint("gates: [dead.pushesafter == 0]", faults: kinder) != "")
        #expect(try complaint("mock: { tokens: registered }\ngates: [dead.pushesafter == 0]") == "")
        #expect(try complaint("gates: [relay.cpu < 1]", relay: "launch: [relay], listen: 127.0.0.1:0") == "")
        #expect(try complaint("gates: [staleness.p99 < 1s, progress.lost == 0, delivery.progress.p99 < 1s]") == "")
    }
}
