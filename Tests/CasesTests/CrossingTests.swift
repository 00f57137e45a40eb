// Cases in which what waits meets a call, or the end of the relay.

import Basics
import Pushes
import Scenarios
import Testing
@testable import Cases

extension CaseTests {
    @Test("crosses each wait with each call that a profile has", arguments: [
        ("told-while-refused", "respond: { reason: ServiceUnavailable }", 1, 1), ("told-while-late", "delay: 1200ms", 1, 1),
        ("told-while-refused-again", "respond: { reason: ServiceUnavailable }", 2, 1),
        ("told-while-dying", "reason: Unregistered", 1, 2), ("told-while-silent", "silence: true", 1, 2),
    ])
    func crossings(name: String, action: String, times: Int, passing: Int) throws {
        let item = try Self.run(name, in: Self.shipped("check/opencode"))
        let fault = try #require(item.faults.first)
        #expect(item.faults.count == 1 && fault.contains(action) && fault.contains("after: \(passing), times: \(times), per: token"))
        let met = ["news", "question", "rotation", "goodbye", "end"].filter { name != "told-while-dying" || $0 == "rotation" }
        let wait = String(name.dropFirst("told-while-".count))
        #expect(item.scripts.map(\.name) == met.map { "\(wait)-\($0)" })
        let crossing = [
            "news": "permission", "question": "permission", "rotation": "rotateActivity", "goodbye": "unregisterActivity",
            "end": "complete",
        ]
        for (script, meanwhile) in zip(item.scripts, met) {
            // A new token gets the state that waited and one more; what stands behind that is met.
            let told = script.steps.firstIndex { $0.after == .milliseconds(350) }
            let place = try #require(told, "\(meanwhile)")
            #expect(script.steps[place].call == crossing[meanwhile])
            let states = script.steps[..<place].count { ["permission", "progress"].contains($0.call) }
            #expect(states == passing + 1)
            if place + 1 < script.steps.count {
                let least: Interval = ["refused": .seconds(3), "refused-again": .seconds(6), "silent": .seconds(32)][wait] ?? .milliseconds(1_300)
                #expect(script.steps[place + 1].after >= least)
                #expect(Self.calls(script)[(place + 1)...].count { $0 == "permission" } <= 1)
            }
        }
    }

    @Test("asks of a wait what the call is about")
    func crossedRules() throws {
        let item = try Self.run("told-while-late", in: Self.shipped("smoke"))
        #expect(item.exercises == [
            "last-state-delivered", "new-token-used", "state-order", "states-delivered", "unregister-respected",
        ])
        #expect(try Self.run("told-while-dying", in: Self.shipped("smoke")).exercises == ["states-delivered"])
        let alerts = try Self.planned(Self.alerts("json: { message: \"{{title}} {{marker}} {{text}}\" }"))
        let news = try Self.run("told-while-refused", in: alerts)
        #expect(news.exercises == ["states-delivered"] && news.faults.allSatisfy { $0.contains("pushType: alert") })
        #expect(news.scripts.map(\.name) == ["refused-news"])
        let parallel = try Self.run("told-while-refused", in: Self.shipped("sendora"))
        #expect(parallel.scripts.allSatisfy { !($0.name ?? "").hasSuffix("question") })
    }

    @Test("is none where calls cross each other and none takes a token's place")
    func nothingToCross() throws {
        let text = Self.alerts("json: { message: \"{{title}} {{marker}} {{text}}\" }")
        let cases = try Self.planned(text.replacing("topic:", with: "order: parallel\n    topic:"))
        let planned = try #require(cases.first { $0.name == "told-while-refused" })
        guard case .cannot(_, _, let reason) = planned else {
            Issue.record("it has nothing to play")
            return
        }
        #expect(reason.contains("while a push waits"))
    }

    @Test("renews a start token, or ends the session, while a start waits")
    func crossedStart() throws {
        let item = try Self.run("told-while-starting", in: Self.shipped("check/opencode"))
        #expect(item.scripts.map(\.name) == ["starting-rotation", "starting-end"])
        #expect(Self.calls(item.scripts[0]).prefix(4) == ["registerDevice", "start", "renewStartToken", "registerActivity"])
        #expect(Self.calls(item.scripts[1]) == ["registerDevice", "start", "complete", "registerDevice"])
        #expect(try #require(item.scripts[1].steps.last).after >= .seconds(6), "a stale start is seen to")
        #expect(item.faults[0].contains("event: start") && item.faults[0].contains("times: 2"))
    }

    @Test("kills a relay while a state, a start and a held state wait, each told more than a second before, and asks it behind")
    func killedWhileWaiting() throws {
        let item = try Self.run("killed-while-waiting", in: Self.shipped("check/opencode"))
        #expect(item.scripts.count == 4 && item.restarts.count == 1 && item.restarts[0].contains("KILL"))
        for script in item.scripts {
            let last = try #require(script.steps.firstIndex { $0.after > .seconds(4) })
            let told = Self.time(script.steps[..<last])
            #expect(told * 1.2 + .milliseconds(800 + 1_000) <= .milliseconds(4_200), "\(script.name ?? "")")
            #expect(told + script.steps[last].after > .milliseconds(4_500 + 6_000))
        }
        for script in [item.scripts[0], item.scripts[2]] { #expect(Self.time(script.steps.prefix { $0.after < .seconds(4) }) >= .milliseconds(1_450)) }
        #expect(item.faults[0].contains("at: 1450ms, for: 2900ms"), "over while the relay is down")
    }
}
