// Malformed forms of calls: which there are, what they say, and which steps make them.

import Basics
import Testing

@testable import Scenarios

@Suite("A call's malformed forms")
struct MalformedCallTests {
    private static func profile(_ call: String, relay: String = "malformed: true") throws -> Profile {
        try scenario(call, relay: relay).relay.profile
    }

    private static func scenario(_ call: String, relay: String = "malformed: true", steps: String = "[{ call: one }]") throws(Failure) -> Scenario {
        try Scenario.parse(
            text: """
                relay:
                  url: http://127.0.0.1:1
                  \(relay)
                  profile:
                    topic: com.example.app
                    calls:
                      one: \(call)
                      health: { path: /health }
                workload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: { steps: \(steps) } }] }
                """, path: "t.yaml")
    }

    /// What stands in the forms' bodies, by name.
    private static func bodies(_ call: String) throws -> [String: String] {
        var bodies: [String: String] = [:]
        for form in try profile(call).calls where form.malformed != nil {
            let buffer = ByteBuffer()
            form.body?.render(into: buffer, Values(session: [.deviceToken: "ab"], own: form.defaults.map { $0.choices[0] }))
            bodies[String(form.name.dropFirst(4))] = buffer.text
        }
        return bodies
    }

    @Test("put something else in the place of each value of JSON, and leave each out")
    func json() throws {
        let bodies = try Self.bodies(#"{ path: /x, json: { token: "{{deviceToken}}", list: [1, { deep: yes }] } }"#)
        #expect(bodies["/token=null"] == #"{"token":null,"list":[1,{"deep":"yes"}]}"#)
        #expect(bodies["/token=half-a-surrogate"] == #"{"token":"\ud800","list":[1,{"deep":"yes"}]}"#)
        #expect(bodies["/list/1/deep=7"] == #"{"token":"ab","list":[1,{"deep":7}]}"#)
        #expect(bodies["/list=1e999"] == #"{"token":"ab","list":1e999}"#)
        #expect(bodies["/list/0=absent"] == #"{"token":"ab","list":[{"deep":"yes"}]}"#)
        #expect(bodies["/token=absent"] == #"{"list":[1,{"deep":"yes"}]}"#)
        #expect(bodies["/token=64KiB"]?.utf8.count == 65_536 + 38)
        #expect(bodies["body={"] == "{" && bodies["body=empty"] == "" && bodies["body=deep"]?.count == 20_000)
        // Five values with 13 forms and their lack, of a number two less; eleven bodies, three types.
        #expect(bodies.count == 5 * 14 - 2 + 11 + 3, "\(bodies.keys.sorted())")
    }

    @Test("of forms, queries, paths and headers are of their encodings")
    func others() throws {
        let calls = try Self.profile(
            #"{ path: "/u/{{secret}}/x", query: { q: "{{secret}}" }, form: { a: "{{secret}}", b: c }, headers: { x-key: k } }"#
        ).calls
        let names = Set(calls.filter { $0.malformed != nil }.map { String($0.name.dropFirst(4)) })
        #expect(
            names.isSuperset(of: [
                "path/2=NUL", "path/2=empty", "query/q=no-UTF-8", "form/a=absent", "form/b=NUL", "header/x-key=empty",
                "header/x-key=no-UTF-8", "body=NUL", "header/content-type=text/plain",
            ]), "\(names.sorted())")
        #expect(!names.contains("path/1=NUL") && !names.contains("query/q=absent"), "nothing is wrong there")
        let inline = try Self.profile(#"{ path: "/u?a=1&b={{secret}}" }"#).calls.filter { $0.malformed != nil }
        #expect(inline.map(\.name) == ["empty", "NUL", "no-UTF-8", "4KiB"].map { "one:query/1=\($0)" })
        let buffer = ByteBuffer()
        calls.first { $0.name == "one:path/2=NUL" }?.path.render(into: buffer, Values(session: [.secret: "s"], own: []))
        #expect(buffer.text == "/u/%00/x?q=s")
    }

    @Test("promise nothing, and what leaves something out says so")
    func promises() throws {
        let call = #"{ path: /x, json: { a: "{{marker}}" }, final: true, pushes: [{ channel: liveactivity, event: end }], expect: 201 }"#
        let calls = try Self.profile(call).calls
        let forms = calls.filter { $0.malformed != nil }
        #expect(forms.allSatisfy { $0.pushes.isEmpty && !$0.isFinal && $0.malformed?.of == 0 && $0.expectedStatus.contains(413) })
        #expect(forms.allSatisfy { $0.registers == [.activityToken] && !$0.expectedStatus.contains(500) })
        let omissions = forms.filter { $0.malformed?.isOmission == true }.map(\.name)
        #expect(
            Set(omissions) == [
                "one:/a=null", "one:/a=[]", "one:/a={}", "one:/a=empty", "one:/a=absent", "one:body=null", "one:body=[]",
                "one:body={}", "one:body=empty", "one:header/content-type=empty",
            ], "\(omissions)")
        #expect(calls.map(\.name).prefix(2) == ["one", "health"] && calls[0].expectedStatus == [201])
    }

    @Test("are there where the relay says so, and not of a call that is to be refused, nor of a batch")
    func none() throws {
        let call = #"{ path: /x, json: { a: b } }"#
        #expect(try Self.profile(call, relay: "processes: 1").calls.count == 2)
        #expect(try Self.profile(#"{ path: /x, json: { a: b }, expect: 400 }"#).calls.count == 2)
        #expect(try Self.profile(#"{ path: /x, json: { a: b }, cases: false }"#).calls.count == 2)
        #expect(try Self.profile(#"{ path: /x, json: [{ a: b }], batch: { of: 2, within: 1ms } }"#).calls.count == 2)
    }

    @Test("are made by one step, spread over its time")
    func steps() throws {
        let call = #"{ path: /x, json: { a: b } }"#
        let script = try Self.scenario(call, steps: "[{ call: one }, { call: one, after: 1s, malformed: 2s }]").workload.scripts[0].script
        #expect(script.steps.count == 1 + 14 + 11 + 3 && script.steps[1].kind == "one:/a=null")
        #expect(script.steps[1].time == .after(.constant(1)) && script.steps[2].time == .after(.constant(2.0 / 28)))
        let close = try Self.scenario(call, steps: "[{ call: one, malformed: 1ms }]").workload.scripts[0].script
        #expect(close.steps[1].time == .after(.constant(0.025)))
        func complaint(_ steps: String, relay: String = "malformed: true") -> String {
            do throws(Failure) { _ = try Self.scenario(call, relay: relay, steps: steps) } catch { return error.message + (error.hint ?? "") }
            return ""
        }
        #expect(complaint("[{ call: one, malformed: 2s }]", relay: "processes: 1").contains("say `malformed: true` under `relay`"))
        #expect(complaint("[{ call: health, malformed: 2s }]").contains("`health` has no malformed forms here"))
        #expect(complaint("[{ call: one, at: 1s, malformed: 2s }]").contains("neither `at` nor `every`"))
    }
}
