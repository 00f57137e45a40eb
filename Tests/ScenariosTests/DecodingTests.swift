// What a good file becomes.

import APNs
import Basics
import Faults
import Foundation
import Pushes
import Scenarios
import Testing

@Suite("A scenario file becomes plain values")
struct DecodingTests {
    @Test("with the documented defaults where it says nothing")
    func defaults() throws {
        let scenario = try Sample.load()
        #expect(scenario.seed == 7)
        #expect(scenario.clockScale == 1)
        #expect(scenario.latenessBudget == .milliseconds(10))
        #expect(
            scenario.mock == MockSpec(loops: 1, tokens: .any, topics: ["com.example.app"], environment: .production))
        #expect(scenario.phases == PhaseSpec(warmUp: .zero, drain: .seconds(5)))
        #expect(scenario.relay.launch == nil)
        #expect(scenario.relay.ready == ReadySpec(path: "/health", timeout: .seconds(15)))
        #expect(scenario.relay.stop == StopSpec(signal: .term, grace: .seconds(5)))
        let workload = scenario.workload
        #expect(workload.arrivals == [.constant(rate: 10, duration: .seconds(5))])
        #expect(workload.pace == 1)
        #expect(workload.users.sessionsPerUser == 1)
        #expect(workload.maxSessions == 1_000_000)
        #expect(workload.connections == 256)
        #expect(workload.requestTimeout == .seconds(30))
        #expect(workload.scripts.map(\.weight) == [1])
        #expect(scenario.relay.profile.settle == .seconds(2))
        #expect(scenario.relay.profile.httpVersion == .http1)
        #expect(scenario.relay.profile.order == .answered)
    }

    @Test("A run listens as long as the scenario has it, and no shorter than the relay needs")
    func drain() throws {
        var scenario = try Sample.load()
        #expect(scenario.drain == .seconds(5))
        scenario.relay.profile.settle = .seconds(6)
        #expect(scenario.drain == .seconds(6))
    }

    @Test("A profile says in which order events leave", arguments: Profile.Order.allCases)
    func order(order: Profile.Order) throws {
        let text = Sample.with("topic: com.example.app", "topic: com.example.app\n    http: 2\n    order: \(order)")
        #expect(try Sample.load(text).relay.profile.order == order)
    }

    @Test("A file that names no name is called like itself")
    func name() throws {
        let unnamed = Sample.with("name: tiny\n", "")
        #expect(try Scenario.parse(text: unnamed, path: "some/where.yaml").name == "where")
    }

    @Test("A push has the token of its channel and the deadline of its class")
    func pushes() throws {
        let push = try Sample.load().relay.profile.calls[1].pushes[0]
        let coalesced = ExpectedPush(
            channel: .liveactivity, token: .activityToken, event: .update, coalesce: true, deadline: .seconds(15))
        #expect(push == coalesced)
        let profile = try Profile.load(path: repository + "/Scenarios/relays/opencode.yaml")
        let start = profile.calls[profile.call(named: "start")!].pushes
        #expect(
            start == [
                ExpectedPush(
                    channel: .liveactivity, token: .startToken, unless: .activityToken, event: .start,
                    deadline: .seconds(5)),
                ExpectedPush(channel: .liveactivity, token: .activityToken, event: .update, deadline: .seconds(5)),
            ])
        let complete = profile.calls[profile.call(named: "complete")!]
        #expect(complete.isFinal)
        #expect(complete.pushes.map(\.channel) == [.alert, .liveactivity])
        #expect(complete.pushes.map(\.token) == [.deviceToken, .activityToken])
        #expect(profile.calls[profile.call(named: "progress")!].pushes[0].held)
        #expect(profile.coalescing?.window == .seconds(10))
    }

    @Test("Deadlines can be given by class and by push")
    func deadlines() throws {
        let classes = Sample.with("coalescing:", "deadlines: { default: 1s, coalesced: 12s }\n    coalescing:")
        #expect(try Sample.load(classes).relay.profile.calls[1].pushes[0].deadline == .seconds(12))
        let own = Sample.with("coalesce: true", "coalesce: true, deadline: 3s")
        #expect(try Sample.load(own).relay.profile.calls[1].pushes[0].deadline == .seconds(3))
    }

    @Test("A step takes the call's own values where it gives none; a list is a choice")
    func values() throws {
        let text = Sample.with("with: { text: hello }", "with: { text: [a, \"null\", null] }")
        let steps = try Sample.load(text).workload.scripts[0].script.steps
        #expect(steps[0].values == [])
        #expect(steps[1].kind == "update")
        #expect(steps[1].call == 1)
        #expect(
            steps[1].values == [
                StepValue(choices: [VariableValue(text: "a"), VariableValue(text: "null"), .null]),
                StepValue(choices: [.null]),
            ])
    }

    @Test(
        "A step's time is absolute or after the one before, and a recurring step waits its gap first",
        arguments: [
            ("after: 3s", ScriptStep.Time.after(.constant(3)), nil),
            ("at: 90s", .at(.constant(90)), nil),
            ("probability: 0.5", .after(.constant(0)), nil),
            (
                "every: 10s\n            count: 3", .after(.constant(10)),
                Repetition(every: .constant(10), limit: .count(.constant(3)))
            ),
            (
                "at: 5s\n            every: 10s\n            until: 1m30s", .at(.constant(5)),
                Repetition(every: .constant(10), limit: .until(.constant(90)))
            ),
            ("after: { uniform: [1s, 250ms1s] }", .after(.uniform(1, 1.25)), nil),
            ("after: { exponential: 2s }", .after(.exponential(mean: 2)), nil),
            ("after: { logNormal: { median: 3m, p95: 25m } }", .after(.logNormal(median: 180, p95: 1500)), nil),
        ])
    func times(lines: String, time: ScriptStep.Time, repetition: Repetition?) throws {
        let plain = Sample.with("            after: $pause", "            " + lines)
        let step = try Sample.load(plain.withoutParameter).workload.scripts[0].script.steps[1]
        #expect(step.time == time)
        #expect(step.repetition == repetition)
        #expect(step.probability == (lines.hasPrefix("prob") ? 0.5 : 1))
    }

    @Test("A scenario's `with` replaces a parameter's default, wherever the script stands")
    func parameters() throws {
        #expect(try Sample.load().workload.scripts[0].script.steps[1].time == .after(.constant(2)))
        let given = Sample.with("    - script:", "    - with: { pause: { uniform: [1s, 2s] } }\n      script:")
        #expect(try Sample.load(given).workload.scripts[0].script.steps[1].time == .after(.uniform(1, 2)))
        let quoted = Sample.with("with: { text: hello }", "with: { text: \"$pause\" }")
        #expect(
            try Sample.load(quoted).workload.scripts[0].script.steps[1].values[0].choices == [
                VariableValue(text: "$pause")
            ])
    }

    @Test("Arrivals may be ramps, and count what they begin")
    func arrivals() throws {
        let text = Sample.with(
            "- { rate: 10, for: 5s }", "- { from: 0, to: 100, for: 10s }\n    - { rate: 0.5, for: 1m }")
        let arrivals = try Sample.load(text).workload.arrivals
        #expect(
            arrivals == [
                .ramp(from: 0, to: 100, duration: .seconds(10)), .constant(rate: 0.5, duration: .seconds(60)),
            ])
        #expect(arrivals.map(\.count) == [500, 30])
    }

    @Test("A fault keeps its instant apart from its rule")
    func fault() throws {
        let fault = try Sample.load().faults[0]
        #expect(fault.at == .seconds(5))
        #expect(fault.rule.id == "scenario-1")
        #expect(fault.rule.match.pushType == .liveactivity)
        #expect(fault.rule.action == .respond(Reason.unregistered.named, timestamp: nil))
        #expect(fault.rule.at == nil)
    }

    @Test("The whole vocabulary of faults is read from YAML as from JSON", arguments: FaultVocabulary.words.map(\.name))
    func vocabulary(name: String) throws {
        let example = try #require(FaultVocabulary.word(named: name)?.example)
        let text = Sample.with(
            "- at: 5s\n    match: { pushType: liveactivity }\n    action: { respond: { reason: Unregistered } }",
            "- " + example)
        let expected = try FaultRule(json: JSONValue(parsing: example), id: "scenario-1")
        var found = try Sample.load(text).faults[0]
        if found.at > .zero { found.rule.at = found.at }
        #expect(found.rule == expected)
    }

    @Test("The page's example of faults is one")
    func page() throws {
        let page = try String(contentsOfFile: repository + "/docs/scenarios.md", encoding: .utf8)
        let start = try #require(page.range(of: "```yaml\nfaults:\n"))
        let faults = page[start.upperBound...].prefix(while: { $0 != "`" })
        let text = Sample.with(
            "  - at: 5s\n    match: { pushType: liveactivity }\n    action: { respond: { reason: Unregistered } }\n", String(faults))
        let scenario = try Sample.load(text)
        #expect(scenario.faults.map(\.rule.action.word) == ["close", "respond", "respond", "refuse-tls"])
        #expect(scenario.faults[3].at == .seconds(20) && scenario.faults[3].rule.target == .connection)
    }

    @Test("A token of digits in a fault stays text")
    func digits() throws {
        let token = String(repeating: "1", count: 18)
        let text = Sample.with("pushType: liveactivity }", "token: \(token) }")
        #expect(try Sample.load(text).faults[0].rule.match.token == token)
    }

    @Test("A launched relay has words, environment and deaths in order of time")
    func launch() throws {
        let text = Sample.with(
            "url: http://127.0.0.1:8787",
            """
            launch: [./relay, "{{relay.port}}", 7]
              environment: { APNS: "https://{{mock.apns}}", N: 3 }
              restarts: [{ at: 20s, signal: TERM, down: 1s }, { at: 10s }]
              stop: { signal: INT, grace: 0s }
            """)
        let relay = try Sample.load(text).relay
        #expect(relay.launch == ["./relay", "{{relay.port}}", "7"])
        #expect(relay.url == "http://{{relay.listen}}")
        #expect(relay.environment.map { $0.name + "=" + $0.value } == ["APNS=https://{{mock.apns}}", "N=3"])
        #expect(
            relay.restarts == [
                RelayRestart(at: .seconds(10), signal: .kill, down: .zero),
                RelayRestart(at: .seconds(20), signal: .term, down: .seconds(1)),
            ])
        #expect(relay.stop == StopSpec(signal: .int, grace: .zero))
    }

    @Test("Launch variables are filled, unknown ones stay")
    func fill() {
        let filled = LaunchTemplate.fill("{{a}}-{{ b }}-{{c}}-{{") { ["a": "1", "b": "{{a}}"][$0] }
        #expect(filled == "1-{{a}}-{{c}}-{{")
    }

    @Test("The mock's environments, rules and clock")
    func mock() throws {
        let text = "mock: { environment: both, clockSkew: -90m, settings: { internalErrorAfter: 5, futureIssuedAt: accept } }"
        let mock = try Sample.load(Sample.with("seed: 7", text)).mock
        #expect(mock.environment == .both)
        #expect(mock.clockSkew == .zero - .seconds(5400))
        #expect(mock.settings == ["internalErrorAfter": "5", "futureIssuedAt": "accept"])
        #expect(mock.state == nil && mock.apns == nil && mock.sandbox == nil && mock.admin == nil && mock.names == [])
        let places = "mock: { environment: both, state: ./kept, apns: '127.0.0.1:1', sandbox: '[::1]:2', admin: '127.0.0.1:0', names: [a.test] }"
        let fixed = try Sample.load(Sample.with("seed: 7", places)).mock
        #expect(fixed.state == "./kept" && fixed.apns == "127.0.0.1:1" && fixed.sandbox == "[::1]:2")
        #expect(fixed.admin == "127.0.0.1:0" && fixed.names == ["a.test"])
    }

    @Test("Several mistakes are told at once, each on its own line")
    func several() {
        let text = Sample.with("seed: 7", "seed: x\nclockScale: 0\nmock: { loops: 0 }")
        let lines = Sample.complaint(text).split(separator: "\n")
        #expect(lines.map { $0.prefix(14) } == ["tiny.yaml:4:16", "tiny.yaml:2:7:", "tiny.yaml:3:13"])
        let many = Sample.with("gates:\n", "gates:\n" + (1...20).map { "  - bad\($0)\n" }.joined())
        #expect(Sample.complaint(many).split(separator: "\n").count == 9)
        #expect(Sample.complaint(many).hasSuffix("\nand 12 more"))
    }
}

extension String {
    /// The sample without the parameter that the test has no use for.
    fileprivate var withoutParameter: String {
        split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("parameters:") }.joined(
            separator: "\n")
    }
}
