// Runs whose profile declares what its pushes look like.

import Basics
import Conformance
import Journal
import Metrics
import Pushes
import Testing

@testable import Verdicts

/// A session with an alert and a state for each question; the text of the question is the call's.
private let scenario = """
    name: declared
    relay:
      url: "http://127.0.0.1:1"
      profile:
        topic: com.example.app
        declares: [{ channel: liveactivity, headers: { topic: "{{topic}}.push-type.liveactivity" }, alert: absent }]
        calls:
          register:
            path: /a
            json: { token: "{{activityToken}}", device: "{{deviceToken}}" }
            registers: [activityToken, deviceToken]
          ask:
            path: /b
            variables: { text: [one, two] }
            json: { title: "{{text}}", body: "{{marker}}", contentState: { note: "{{marker}}" } }
            pushes:
              - channel: alert
                headers: { priority: 10, expiration: none, collapseID: none }
                alert: { title: "{{text}}", body: "{{marker}}" }
                sound: alert.wav
              - { channel: liveactivity, event: update, staleDate: { after: 60s, of: call } }
    workload:
      arrivals: [{ rate: 5, for: 2s }]
      scripts:
        - script: { steps: [{ call: register }, { call: ask, after: 2s }, { call: ask, after: 2s }] }
    """

@Suite("A run whose profile declares what pushes look like")
struct DeclaredRunTests {
    /// What the rule says where the first user's pushes are spoilt.
    private func result(
        _ spoil: (inout [Sending]) -> Void = { _ in }, call: (inout EventDraft) -> Void = { _ in }
    ) throws -> RuleResult {
        let record = try judge(
            scenario, call: call,
            spoil: { sendings, account in
                for index in sendings.indices where sendings[index].row.type == .liveactivity {
                    // Sixty seconds behind the call, by the relay's clock.
                    let called = (sendings[index].at - SyntheticRun.origin).seconds
                    sendings[index].payload.replace(
                        #""event""#, with: #""stale-date":\#(SyntheticRun.wall + 60 + Int64(called)),"event""#)
                }
                if account == 0 { spoil(&sendings) }
            })
        return try #require(record.verdicts.first { $0.id == "pushes-as-declared" })
    }

    private func alert(_ sendings: [Sending]) -> Int { sendings.firstIndex { $0.row.type == .alert }! }
    private func state(_ sendings: [Sending]) -> Int { sendings.firstIndex { $0.row.type == .liveactivity }! }

    @Test("keeps the rule where they are so")
    func kept() throws {
        let result = try result()
        #expect(result.verdict == .kept(evidenceCount: 40), "\(result.verdict)")
    }

    @Test("breaks it in what one push says otherwise", arguments: ["priority", "expiration", "title", "sound", "alert", "stale"])
    func broken(knob: String) throws {
        let result = try result { sendings in
            let (alert, state) = (alert(sendings), state(sendings))
            switch knob {
            case "priority": sendings[alert].priority = "5"
            case "expiration": sendings[alert].fields = [("apns-expiration", "0")]
            case "title": sendings[alert].payload.replace(#""title":""#, with: #""title":"no "#)
            case "sound": sendings[alert].payload.replace("alert.wav", with: "default")
            case "alert": sendings[state].payload.replace(#""event""#, with: #""alert":{"body":"x"},"event""#)
            default: sendings[state].payload.replace(#""stale-date":"#, with: #""stale-date":1"#)
            }
        }
        guard case .broken(let findings, 1) = result.verdict else {
            Issue.record("\(result.verdict)")
            return
        }
        #expect(findings[0].message.contains(knob) && findings[0].session != nil, "\(findings[0])")
    }

    @Test("judges a try that a fault refused, and none that APNs refused by itself")
    func refused() throws {
        func verdict(_ fault: UInt32) throws -> Verdict {
            try result { sendings in
                var again = sendings[alert(sendings)]
                again.at = again.at + .milliseconds(10)
                sendings[alert(sendings)].status = 503
                sendings[alert(sendings)].priority = "5"
                sendings[alert(sendings)].faultRule = fault
                sendings.insert(again, at: alert(sendings) + 1)
            }.verdict
        }
        #expect(try verdict(1).isBroken)
        #expect(try !verdict(0).isBroken)
    }

    @Test("takes a date for right that goes with any instant at which the relay can have had the call")
    func told() throws {
        // The call's answer takes nine seconds, and its record comes when the push is long there.
        let slow = try result(call: { if $0.kind == 1 { $0.answeredAt = $0.answeredAt + .seconds(9) } })
        #expect(!slow.verdict.isBroken, "\(slow.verdict)")
        // One that is answered goes by what lies between: the push comes late, and its date is as late.
        func late(_ seconds: Int64, answer: Double) throws -> Bool {
            try result({ sendings in
                let state = state(sendings)
                let called = Int64((sendings[state].at - SyntheticRun.origin).seconds)
                sendings[state].at = sendings[state].at + .seconds(20)
                sendings[state].payload.replace(
                    "\(SyntheticRun.wall + 60 + called)", with: "\(SyntheticRun.wall + 60 + called + seconds)")
            }, call: { if $0.kind == 1 { $0.answeredAt = $0.answeredAt + .seconds(answer) } }).verdict.isBroken
        }
        #expect(try !late(0, answer: 0) && late(14, answer: 0) && !late(14, answer: 10) && late(29, answer: 15))
    }
}

@Suite("A run whose pushes are told by their collapse ID")
struct ToldRunTests {
    private let scenario = """
        name: told
        relay:
          url: "http://127.0.0.1:1"
          profile:
            topic: com.example.app
            calls:
              register: { path: /a, json: { device: "{{deviceToken}}" }, registers: [deviceToken] }
              order:
                path: /b
                variables: { id: a }
                json: { id: "{{id}}-{{step}}" }
                pushes: [{ channel: alert, marked: collapseID, headers: { collapseID: "{{id}}-{{step}}" } }]
        workload:
          arrivals: [{ rate: 5, for: 2s }]
          scripts:
            - script: { steps: [{ call: register }, { call: order, after: 2s }, { call: order, after: 2s }] }
        """

    private func words(_ spoil: (inout [Sending]) -> Void = { _ in }) throws -> [String] {
        let record = try judge(
            scenario,
            spoil: { sendings, account in
                for index in sendings.indices {
                    sendings[index].fields = [("apns-collapse-id", "a-\(sendings[index].row.step)")]
                }
                if account == 0 { spoil(&sendings) }
            })
        return ["states-delivered", "nothing-unexpected", "no-duplicate-push", "pushes-as-declared"].map { id in
            record.verdicts.first { $0.id == id }?.verdict.word ?? "?"
        }
    }

    @Test("has each delivered")
    func kept() throws { #expect(try words() == ["kept", "kept", "kept", "kept"]) }

    @Test("misses one that does not come, has another ID, or comes before its call, and finds one that comes twice")
    func wrong() throws {
        #expect(try words { $0.removeFirst() }[0] == "broken")
        #expect(try words { $0[0].fields = [("apns-collapse-id", "b-1")] }.prefix(2) == ["broken", "broken"])
        #expect(try words { $0[0].fields = [] }.prefix(2) == ["broken", "broken"])
        #expect(try words { $0[0].fields = $0[1].fields }.prefix(2) == ["broken", "broken"])
        let twice = try words { sendings in
            sendings.append(sendings[1])
            sendings[2].at = sendings[2].at + .milliseconds(10)
        }
        #expect(twice.prefix(3) == ["kept", "kept", "broken"])
    }
}
