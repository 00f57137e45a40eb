// One small valid scenario; each test turns the knob it is about.

package import Basics
package import Planning
import Pushes
package import Scenarios

package enum Knobs {
    package static func literal(_ text: String) -> Template { Template(segments: [.literal(Array(text.utf8))]) }

    package static func hole(_ variable: TemplateVariable, _ encoding: TemplateEncoding = .raw) -> Template {
        Template(segments: [.variable(variable, encoding)])
    }

    /// `{"secret":…,"sessionID":…,"text":"<marker> <own 0>"}`
    package static let body = Template(segments: [
        .literal(Array(#"{"secret":"#.utf8)), .variable(.session(.secret), .jsonValue),
        .literal(Array(#","sessionID":"#.utf8)), .variable(.session(.sessionID), .jsonValue),
        .optional(
            .own(0),
            [
                .literal(Array(#","text":""#.utf8)), .variable(.event(.marker), .jsonString),
                .literal([32]), .variable(.own(0), .jsonString), .literal([34]),
            ]),
        .literal(Array("}".utf8)),
    ])

    package static let alert = ExpectedPush(channel: .alert, token: .deviceToken, deadline: .seconds(5))
    package static let update = ExpectedPush(
        channel: .liveactivity, token: .activityToken, event: .update, coalesce: true, held: true,
        deadline: .seconds(15))
    package static let begin = ExpectedPush(
        channel: .liveactivity, token: .startToken, unless: .activityToken, event: .start, deadline: .seconds(5))
    package static let end = ExpectedPush(
        channel: .liveactivity, token: .activityToken, event: .end, deadline: .seconds(5))

    package static func call(
        _ name: String, pushes: [ExpectedPush] = [], isFinal: Bool = false, registers: [SessionVariable] = [],
        unregisters: [SessionVariable] = [], body: Template? = body
    ) -> ProfileCall {
        ProfileCall(
            name: name, method: "POST", path: literal("/v1/\(name)"),
            fields: [(name: "content-type", value: literal("application/json"))], body: body, pushes: pushes,
            isFinal: isFinal, registers: registers, unregisters: unregisters, variables: ["text"])
    }

    /// 0 register (device, start token), 1 start, 2 activity, 3 progress, 4 complete, 5 unregister
    package static let calls = [
        call("register", registers: [.deviceToken, .startToken]), call("start", pushes: [begin]),
        call("activity", registers: [.activityToken]), call("progress", pushes: [update]),
        call("complete", pushes: [alert, end], isFinal: true), call("unregister", unregisters: [.activityToken]),
    ]

    package static func step(
        _ call: Int, _ time: ScriptStep.Time, repeating: Repetition? = nil, probability: Double = 1,
        text: [String] = ["hello"]
    ) -> ScriptStep {
        ScriptStep(
            kind: calls[call].name, call: call, time: time, repetition: repeating, probability: probability,
            values: [StepValue(choices: text.map(VariableValue.init(text:)))])
    }

    /// Register at 0, start at 1 s, activity at 3 s, five times progress from 5 s on, complete at 60 s, unregister.
    package static let steps = [
        step(0, .at(.constant(0))), step(1, .at(.constant(1))), step(2, .after(.constant(2))),
        step(3, .after(.constant(2)), repeating: Repetition(every: .constant(10), limit: .count(.constant(5)))),
        step(4, .at(.constant(60))), step(5, .after(.constant(1))),
    ]

    package static func scenario(
        arrivals: [ArrivalStage] = [.constant(rate: 10, duration: .seconds(2))], steps: [ScriptStep] = steps,
        scripts: [WeightedScript]? = nil, pace: Double = 1, sessionsPerUser: Int = 1, maxSessions: Int = 1_000_000,
        calls: [ProfileCall] = calls, order: Profile.Order = .answered, http: Profile.HTTPVersion = .http1,
        connections: Int = 4, requestTimeout: Interval = .seconds(5)
    ) -> Scenario {
        Scenario(
            name: "test", path: "test.yaml", text: "", seed: nil,
            relay: RelaySpec(
                profile: Profile(name: "test", topic: "com.example.app", httpVersion: http, order: order, calls: calls)),
            workload: WorkloadSpec(
                arrivals: arrivals,
                scripts: scripts ?? [WeightedScript(weight: 1, script: SessionScript(name: "one", steps: steps))],
                pace: pace, users: DevicesSpec(sessionsPerUser: sessionsPerUser), maxSessions: maxSessions,
                connections: connections, requestTimeout: requestTimeout))
    }

    package static func plan(_ scenario: Scenario = scenario(), seed: UInt64 = 1, run: UInt32 = 7, shard: Shard = .whole)
        -> Plan
    {
        Plan(scenario: scenario, seed: Seed(seed), run: run, shard: shard)
    }
}

extension PlannedSession {
    /// Times of the events since the session began, in seconds.
    package var seconds: [Double] { events.map { ($0.at - start).seconds } }
}
