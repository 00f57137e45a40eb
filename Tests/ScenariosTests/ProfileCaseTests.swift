// A profile's own cases, and a scenario that is played with another one's relay.

import Basics
import Testing

@testable import Scenarios

@Suite("A profile's own cases")
struct ProfileCaseTests {
    private static let call = "calls: { say: { path: /say, json: { text: \"{{marker}}\" }, pushes: [{ channel: alert }] } }"

    private static func relay(_ cases: String, _ more: String = "") throws -> RelaySpec? {
        let text = """
            relay:
              launch: [./relay]
            \(more)  profile:
                topic: com.example.app
                \(call)
                cases: \(cases)
            """
        return try ScenarioBase.parse(text: text, path: "/rig/mine.yaml")?.relay
    }

    @Test("have a name, a question and a file beside the profile's")
    func decoded() throws {
        let relay = try #require(
            try Self.relay("{ pieces: { asks: Does it stay?, scenario: ../other/pieces.yaml, exercises: [R0.9], profile: b.yaml } }"))
        let own = try #require(relay.profile.cases.first)
        #expect(own.name == "pieces" && own.question == "Does it stay?" && own.exercises == ["R0.9"])
        #expect(own.path == "/other/pieces.yaml" && own.profile == "/rig/b.yaml")
        #expect(try Self.relay("{}")?.profile.cases == [])
    }

    @Test("tell what is wrong with them, with its place", arguments: [
        ("{ Pieces: { asks: Why?, scenario: a.yaml } }", "mine.yaml:6:14: a case cannot be named `Pieces`"),
        ("{ pieces: { scenario: a.yaml } }", "lacks `asks`"),
        ("{ pieces: { asks: Why? } }", "lacks `scenario`"),
        ("{ pieces: { asks: Why?, scenario: a.yaml, rules: [R0.9] } }", "unknown key `rules` in `profileCase`"),
    ])
    func mistakes(cases: String, says: String) {
        let failure = #expect(throws: Failure.self) { try Self.relay(cases) }
        #expect(failure?.description.contains(says) ?? false, "\(failure?.description ?? "")")
    }

    @Test("A relay says which clock it can share, and is handed it")
    func clock() throws {
        let told = "  clock: stepped\n  environment: { CLOCK: \"{{mock.clock}}\" }\n"
        #expect(try Self.relay("{}", told)?.clock == .stepped)
        #expect(try Self.relay("{}")?.clock == SharedClock.none)
        let failure = #expect(throws: Failure.self) { try Self.relay("{}", "  clock: scaled\n") }
        #expect(failure?.description.contains("nothing hands it over") ?? false)
    }

    // MARK: relayFrom

    private static let base = SourceText(
        path: "/rig/base.yaml",
        text: """
            latenessBudget: 77ms
            knownFailing: [R0.9]
            relay:
              launch: [./mine]
              restarts: [{ at: 9s }]
              with: { settle: 3s }
              profile: { topic: com.example.mine, \(call) }
            mock: { apns: "127.0.0.1:2197", state: ./keys, tokens: any, clockSkew: 1m }
            workload: { arrivals: [{ rate: 1, for: 9s }], scripts: [{ script: { name: long, steps: [{ call: say }] } }] }
            """)
    private static let history = SourceText(
        path: "/files/history.yaml",
        text: """
            latenessBudget: 5ms
            relay:
              launch: [./other]
              restarts: [{ at: 2s }]
              with: { settle: 20s }
              profile: { topic: com.example.other, \(call) }
            mock: { apns: "127.0.0.1:9", tokens: registered }
            workload: { arrivals: [{ rate: 2, for: 1s }], scripts: [{ script: { name: short, steps: [{ call: say }] } }] }
            """)

    private func lent(_ text: String) throws -> Scenario {
        try Scenario.parse(text: text, path: "/rig/case.yaml", planned: [Self.base, Self.history])
    }

    @Test("A scenario is played with another one's relay: its own restarts and load, the other's program, keys and patience")
    func relayFrom() throws {
        let scenario = try lent("extends: /files/history.yaml\nrelayFrom: base.yaml\n")
        #expect(scenario.relay.launch == ["./mine"] && scenario.relay.profile.topic == "com.example.mine")
        #expect(scenario.relay.restarts.map(\.at) == [.seconds(2)] && scenario.relay.profile.settle == .seconds(3))
        #expect(scenario.mock.apns == "127.0.0.1:2197" && scenario.mock.state == "./keys" && scenario.mock.tokens == .registered)
        #expect(scenario.mock.clockSkew == .seconds(60), "what the file says nothing of")
        #expect(scenario.latenessBudget == .milliseconds(77) && scenario.knownFailing == ["R0.9"])
        #expect(scenario.workload.scripts.map(\.script.name) == ["short"] && scenario.workload.arrivals.first?.count == 2)
    }

    @Test("What the file says itself of the relay counts before both")
    func own() throws {
        let own = "{ profile: { topic: com.example.third, \(Self.call) } }"
        let scenario = try lent("extends: /files/history.yaml\nrelayFrom: base.yaml\nrelay: \(own)\n")
        #expect(scenario.relay.profile.topic == "com.example.third" && scenario.relay.launch == ["./mine"])
    }

    @Test("tells of a relay that is not there", arguments: [
        ("relayFrom: nowhere.yaml", "case.yaml:2:12: there is no file `nowhere.yaml`"),
        ("relayFrom: [base.yaml]", "case.yaml:2:12: `relayFrom` must be the name of a scenario"),
    ])
    func missing(line: String, says: String) {
        let failure = #expect(throws: Failure.self) { try lent("extends: /files/history.yaml\n\(line)\n") }
        #expect(failure?.description.contains(says) ?? false, "\(failure?.description ?? "")")
    }

    @Test("A session's length is that of its waits, at the longest")
    func length() throws {
        let steps = "[{ call: say }, { call: say, after: { uniform: [1s, 2s] }, every: 3s, count: 3 }, { call: say, at: 4s }]"
        let text = """
            relay: { launch: [./mine], profile: { topic: com.example.mine, \(Self.call) } }
            workload: { pace: 2, arrivals: [{ rate: 1, for: 9s }], scripts: [{ script: { name: s, steps: \(steps) } }] }
            """
        #expect(try lent(text).workload.length == .seconds(9 + 4))
    }
}
