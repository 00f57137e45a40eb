// What single cases ask: of which calls they are made, in which order, and with what.

import Basics
import Pushes
import Scenarios
import Testing

@testable import Cases

@Suite("A case")
struct CaseTests {
    static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    static func planned(_ text: String) throws -> [PlannedCase] {
        CaseCatalogue(try #require(try ScenarioBase.parse(text: text, path: "mine.yaml")).relay).cases
    }

    static func shipped(_ name: String) throws -> [PlannedCase] {
        CaseCatalogue(try #require(try ScenarioBase.load(path: "\(repository)/Scenarios/\(name).yaml").base).relay).cases
    }

    static func run(_ name: String, in cases: [PlannedCase]) throws -> Case {
        let found = cases.compactMap { item -> Case? in
            if case .runs(let item) = item, item.name == name { item } else { nil }
        }
        return try #require(found.first, "\(name) cannot be run")
    }

    /// From the first event to the last of these, at least.
    static func time(_ steps: ArraySlice<CaseScript.Step>) -> Interval { steps.map(\.after).reduce(.zero, +) }

    static func calls(_ script: CaseScript) -> [String] { script.steps.map(\.call) }

    static func alerts(_ body: String, more: String = "") -> String {
        """
        relay:
          launch: [./relay]
          profile:
            topic: com.example.app
            auth: { bearer: { env: PATH } }
            truncates: { /aps/alert/body: 3000 }
            calls:
              device: { path: /devices, registers: [deviceToken], json: { token: "{{deviceToken}}" } }
              notify:
                path: /notify
                variables: { title: Hello, text: The kettle boils }
                \(body)
                pushes: [{ channel: alert }]
        \(more)
        """
    }

    @Test("puts long texts into every kind of body", arguments: [
        "json: { title: \"{{title}}\", message: \"{{marker}} {{text}}\" }",
        "form: { title: \"{{title}}\", message: \"{{marker}} {{text}}\" }",
        "multipart: { title: \"{{title}}\", message: \"{{marker}} {{text}}\" }",
        "text: \"{{title}}: {{marker}} {{text}}\"",
    ])
    func longTexts(body: String) throws {
        let item = try Self.run("long-texts", in: Self.planned(Self.alerts(body)))
        let step = try #require(item.scripts[0].steps.first { !$0.values.isEmpty })
        #expect(step.call == "notify" && step.values.map(\.name) == ["text"])
    }

    @Test("puts a long text into each end, too")
    func longEnds() throws {
        let item = try Self.run("long-texts", in: Self.shipped("smoke"))
        let lasts = item.scripts.compactMap(\.steps.last)
        #expect(lasts.map(\.call) == ["complete", "error", "complete", "error"])
        // Wherever bytes or UTF-16 are cut, one of the four falls into a character.
        #expect(Set(lasts.map { String($0.values[0].yaml.prefix(5)) }).count == 4)
        #expect(lasts.allSatisfy { $0.values.map(\.name) == ["text"] })
    }

    @Test("makes the calls whose credentials are wrong, and those that have none")
    func forged() throws {
        let body = "json: { message: \"{{title}} {{marker}} {{text}}\" }"
        let more = """
                  forged: { path: /notify, auth: { spoil: true }, expect: [401, 404], json: { text: "{{marker}}" } }
                  bare: { path: /notify, auth: none, expect: [401, 403], json: { text: "{{marker}}" } }
                  spoiltButTaken: { path: /notify, auth: { spoil: true }, json: { text: "{{marker}}" } }
                  afterwards: { path: /notify, expect: 403, json: { text: "{{marker}}" } }
            """
        let text = Self.alerts(body, more: more)
        let item = try Self.run("wrong-credentials", in: Self.planned(text))
        #expect(Self.calls(item.scripts[0]).filter { $0 != "notify" } == ["device", "forged", "bare"])
        #expect(item.exercises == ["bad-requests-refused"])
        let none = try Self.planned(Self.alerts(body))
        let reason = none.compactMap { if case .cannot("wrong-credentials", _, let reason) = $0 { reason } else { nil } }
        #expect(reason.first?.contains("auth: { spoil: true }") == true)
    }

    @Test("does not go on with a session whose only start was refused, where such a session is unknown")
    func deadStart() throws {
        let ios = try Self.run("dead-start-token", in: Self.shipped("opencode-ios"))
        #expect(Self.calls(ios.scripts[0]) == ["registerDevice", "start", "start", "start"])
        #expect(ios.faults == [
            "{ id: dead-start-token, at: 1500ms, match: { pushType: liveactivity, event: start }, "
                + "action: { respond: { reason: Unregistered, timestamp: after-registration } } }"
        ])
        let begun = ios.scripts[1].steps.prefix { $0.call != "start" } + ios.scripts[1].steps.filter { $0.call == "start" }
        #expect(begun.map(\.after).reduce(.zero, +) * 1.2 + .milliseconds(800) < .milliseconds(1_500), "its start is over")
        let whole = try Self.run("dead-start-token", in: Self.shipped("smoke"))
        #expect(Self.calls(whole.scripts[0]).contains("registerActivity") && whole.question.contains("the app's own activity"))
    }

    /// `calls`: behind the three that open the session.
    @Test("says something before and behind what it is about", arguments: [
        ("rotated-token", 0, "permission rotateActivity permission permission progress complete"),
        ("rotated-token", 1, "progress progress rotateActivity complete"),
        ("late-goodbye", 0, "permission rotateActivity lateUnregister permission permission complete"),
        ("goodbye", 0, "permission unregisterActivity permission permission"),
        ("signed-out", 0, "permission permission unregisterActivity unregisterDevice permission permission"),
    ])
    func around(name: String, script: Int, calls: String) throws {
        let item = try Self.run(name, in: Self.shipped("smoke"))
        #expect(Self.calls(item.scripts[script]).dropFirst(3).joined(separator: " ") == calls)
    }

    /// Each wait is up to a fifth longer, so that sessions do not march in step.
    @Test("lasts a fifth longer than its waits and repeats at most", arguments: ["burst", "hours", "signed-out"])
    func duration(name: String) throws {
        let script = try Self.run(name, in: Self.shipped("smoke")).scripts[0]
        #expect(abs((script.duration - script.shortest * 1.2).seconds) < 0.001 && script.shortest > .seconds(2))
    }

    @Test("lets a token take one push, and answers the next with its death", arguments: [
        "dead-activity-token", "dead-device-token", "bad-device-token",
    ])
    func dies(name: String) throws {
        let item = try Self.run(name, in: Self.shipped("smoke"))
        #expect(item.faults.count == 1 && item.faults[0].contains(" after: 1, per: token "))
        #expect(Self.calls(item.scripts[0]).filter { $0 == "permission" }.count == 5)
    }

    @Test("keeps APNs out for six seconds behind what came last, and waits until that is overdue")
    func longOutage() throws {
        let item = try Self.run("long-outage", in: Self.shipped("smoke"))
        let words = item.faults[0].split(separator: " ")
        func span(_ key: String) throws -> Double {
            let place = try #require(words.firstIndex(of: Substring(key)))
            return try #require(Double(words[place + 1].prefix { $0.isNumber })) / 1_000
        }
        let (at, length, script) = (try span("at:"), try span("for:"), item.scripts[0])
        #expect(at <= script.shortest.seconds && at + length >= script.duration.seconds + 6)
        #expect(item.duration.seconds >= at + length + 12 + script.deadline.seconds)
    }

    @Test("asks of two phones that each outlives the other's sign-out and dead activity")
    func twoPhones() throws {
        let cases = try Self.shipped("smoke")
        let signedOut = Self.calls(try Self.run("one-phone-signed-out", in: cases).scripts[0])
        #expect(signedOut.contains("registerSecondDevice") && signedOut.contains("unregisterDevice"))
        #expect(signedOut.suffix(2) == ["permission", "permission"] && !signedOut.contains("registerActivity"))
        let gone = try Self.run("one-activity-gone", in: cases)
        #expect(Self.calls(gone.scripts[0]).contains("registerSecondActivity") && gone.exercises.contains("states-delivered"))
    }

    @Test("asks behind a restart of what was gone before it, of phones that cannot be started")
    func gone() throws {
        let cases = try Self.shipped("smoke")
        let dead = try Self.run("dead-at-restart", in: cases)
        #expect(dead.restarts.count == 1 && dead.faults.count == 1)
        #expect(Self.calls(dead.scripts[0]).prefix(3) == ["relaunchDevice", "registerActivity", "start"])
        let goodbye = try Self.run("goodbye-at-restart", in: cases)
        #expect(goodbye.scripts.count == 2 && goodbye.restarts.count == 1 && goodbye.exercises == ["unregister-respected"])
        for script in dead.scripts + goodbye.scripts {
            // The restart is at 3.4 s and rests 0.3 s; sessions begin within 0.8 s, and each wait is up to a fifth longer.
            let place = try #require(script.steps.firstIndex { $0.after >= .milliseconds(3_600) })
            let before = script.steps[..<place].map(\.after).reduce(.zero, +)
            #expect(before * 1.2 + .milliseconds(800) + .milliseconds(500) <= .milliseconds(3_400))
            #expect(before + script.steps[place].after >= .milliseconds(3_400 + 300 + 6_000), "six seconds to go and come up")
        }
    }

    /// What came before it went says nothing of a relay that is back.
    @Test("tells states behind a restart that took six seconds, for phones that can be started and others", arguments: [
        ("restart", "smoke"), ("killed", "smoke"), ("restart", "opencode-ios"), ("killed", "epilogue"),
    ])
    func slowReturn(name: String, base: String) throws {
        let item = try Self.run(name, in: Self.shipped(base))
        for script in item.scripts.prefix(2) {
            let last = try #require(script.steps.last)
            #expect(Self.time(script.steps.dropLast()) + last.after >= .milliseconds(2_300 + 300 + 6_000))
        }
        #expect(item.duration <= .seconds(30) || base == "epilogue", "no --slow")
    }

    @Test("refuses, or disowns, the end of a session too: nothing newer takes its place", arguments: ["goaway", "refused-streams"])
    func ends(name: String) throws {
        let item = try Self.run(name, in: Self.shipped("opencode-ios"))
        #expect(item.faults.count == 2 && item.faults[1].contains("event: end") && item.faults[1].contains("times: 1"))
        #expect(item.exercises.contains("last-state-delivered"))
        let alerts = try Self.run(name, in: Self.planned(Self.alerts("json: { message: \"{{title}} {{marker}} {{text}}\" }")))
        #expect(alerts.faults.count == 1 && !alerts.exercises.contains("last-state-delivered"))
        #expect(try Self.run("polite-goaway", in: Self.shipped("opencode-ios")).faults.count == 1)
    }

    @Test("waits for an answer as long as the most patient relay waits for APNs, or as its pushes may rest")
    func patience() throws {
        let base = try #require(try ScenarioBase.load(path: "\(Self.repository)/Scenarios/smoke.yaml").base)
        func timeout(_ name: String, rest: Interval? = nil) throws -> Interval {
            var relay = base.relay
            relay.profile.rest = rest
            let text = try Self.run(name, in: CaseCatalogue(relay).cases).text(extending: "\(Self.repository)/Scenarios/smoke.yaml", seed: 1)
            return try Scenario.parse(text: text, path: "/nowhere/x.yaml").workload.requestTimeout
        }
        #expect(try timeout("silence") == .seconds(35))
        #expect(try timeout("lifecycle", rest: .seconds(30)) == .seconds(10))
        #expect(try timeout("outage") == .seconds(10) && timeout("outage", rest: .seconds(30)) == .seconds(40))
        #expect(try timeout("told-while-refused-again", rest: .seconds(30)) == .seconds(70))
    }

    /// The fifth part that each wait may be longer counts.
    @Test("says a question and two states within the window that the first state opens, and then nothing")
    func questionInWindow() throws {
        let item = try Self.run("question-in-window", in: Self.shipped("conformance/environments"))
        let steps = item.scripts[0].steps
        #expect(steps.suffix(5).map(\.call) == ["progress", "progress", "permission", "progress", "complete"])
        #expect(Self.time(steps.suffix(4).prefix(3)) * 1.2 < .seconds(1), "the window")
        #expect(try #require(steps.last).after > .seconds(2), "as long as the last may take")
        #expect(item.exercises == ["last-state-delivered"])
    }

    @Test("waits as long as the profile says that a push rests behind a refusal for now, each time, and for nothing else", arguments: [
        ("told-while-refused", 1.0, 1.0), ("told-while-refused-again", 2, 2), ("told-while-late", 0, 0), ("told-while-dying", 0, 0), ("outage", 0, 1),
        ("too-many-requests", 0, 1), ("server-error", 0, 1), ("too-many-credentials", 0, 1), ("forbidden-reply", 0, 0),
        ("lifecycle", 0, 0),
    ])
    func rests(name: String, before: Double, behind: Double) throws {
        let base = try #require(try ScenarioBase.load(path: "\(Self.repository)/Scenarios/smoke.yaml").base)
        func duration(_ rest: Interval?) throws -> (steps: Interval, drain: Interval) {
            var relay = base.relay
            relay.profile.rest = rest
            let item = try Self.run(name, in: CaseCatalogue(relay).cases)
            let text = item.text(extending: "\(Self.repository)/Scenarios/smoke.yaml", seed: 1)
            return (Self.time(item.scripts[0].steps[...]), try Scenario.parse(text: text, path: "/nowhere/x.yaml").drain)
        }
        let (usual, long) = (try duration(nil), try duration(.seconds(900)))
        #expect(long.steps - usual.steps == .seconds(900 * before) && long.drain - usual.drain == .seconds(900 * behind))
        #expect(try duration(.zero) == usual)
    }

    @Test("starts a session of two phones behind the sign-out of one")
    func signedOutStart() throws {
        let cases = try Self.shipped("smoke")
        let calls = Self.calls(try Self.run("signed-out-start", in: cases).scripts[0])
        let out = ["registerDevice", "registerSecondDevice", "unregisterDevice", "start", "registerSecondActivity"]
        #expect(calls.prefix(5) == out[...])
    }

    @Test("begins a session again behind a restart that is behind its end")
    func endedThenRestart() throws {
        let item = try Self.run("ended-then-restart", in: Self.shipped("smoke"))
        let steps = item.scripts[0].steps
        let end = try #require(steps.firstIndex { $0.call == "complete" })
        #expect(Self.time(steps[...end]) * 1.2 + .milliseconds(1_300) <= .milliseconds(3_400))
        #expect(steps[end + 1].call == "start" && steps[end + 2].call == "rotateActivity" && item.restarts.count == 1)
        #expect(Self.time(steps[...(end + 1)]) >= .milliseconds(4_200))
    }

    /// From the first push to the end of each silence, as long as the waits may be.
    @Test("pushes every minute over the first hour of a provider token, whatever the waits")
    func busyHour() throws {
        let step = try #require(try Self.run("busy-hour", in: Self.shipped("smoke")).scripts[0].steps.last)
        #expect(step.every == .seconds(60) && step.count > 65)
    }

    @Test("pushes every few minutes, and is silent over the hour of the first provider token and of the second")
    func hours() throws {
        let steps = try Self.run("hours", in: Self.shipped("smoke")).scripts[0].steps.suffix(3)
        let waits = steps.map { step in (step.after.seconds, (step.every?.seconds ?? 0) * Double(step.count - 1)) }
        #expect(steps.allSatisfy { $0.every == .seconds(150) } && waits.count == 3)
        let first = waits[0].0 + waits[0].1
        #expect(first < 3_600 && first + waits[1].0 > 3_600, "the least")
        #expect(1.2 * first <= 3_600 && first * 1.1 + waits[1].0 * 1.1 > 3_900, "the mean is late enough for any tolerance")
        #expect(waits[1].1 * 1.1 < 3_500 && (waits[1].1 + waits[2].0) * 1.1 > 3_840)
    }

    @Test("tells a state right behind the end, where the relay takes what is said of a session that is over")
    func toldAfterEnd() throws {
        let item = try Self.run("told-after-end", in: Self.shipped("smoke"))
        let steps = item.scripts[0].steps.suffix(2)
        #expect(steps.map(\.call) == ["complete", "progress"] && item.exercises == ["nothing-after-end"])
        #expect(try #require(steps.last).after * 1.2 < .milliseconds(500))
        for base in ["opencode-ios", "sendora", "busymate"] {
            let isAsked = try Self.shipped(base).contains { planned in
                if case .runs(let other) = planned { other.name == "told-after-end" } else { false }
            }
            #expect(!isAsked, "\(base)")
        }
    }

    @Test("registers both phones, and starts the session, before it asks which of them is served")
    func bothPhones() throws {
        let calls = Self.calls(try Self.run("two-phones", in: Self.shipped("smoke")).scripts[0])
        #expect(calls.prefix(3) == ["registerDevice", "registerSecondDevice", "start"])
        #expect(calls.contains("registerActivity") && calls.contains("registerSecondActivity"))
    }

    @Test("refuses each of its answers once, and the alert beside the third state")
    func onceEach() throws {
        let faults = try Self.run("too-many-requests", in: Self.shipped("smoke")).faults
        #expect(faults.allSatisfy { $0.contains("times: 1") } && faults.contains { $0.contains("pushType: alert") })
        let bad = try Self.run("bad-request-reply", in: Self.shipped("smoke")).faults.filter { !$0.contains("event: end") }
        #expect(bad.count == 3 && bad.allSatisfy { $0.contains("after: 1, times: 1") })
    }

    @Test("calls the provider token expired until another is signed, to several pushes at once")
    func expiredCredential() throws {
        let item = try Self.run("expired-credential", in: Self.shipped("smoke"))
        #expect(item.faults.count == 1 && item.faults[0].contains("until-heals: new-provider-token") && item.faults[0].contains("delay"))
        #expect(item.exercises == ["provider-token-renewed"] && item.touches == ["expired-connection-left", "states-delivered"])
        let steps = item.scripts[0].steps
        let last = steps.map(\.after).reduce(.zero, +)
        #expect(last >= .milliseconds(2_000 + 2_000 + 1_200), "who goes on with the old token is seen to")
    }

    @Test("says every event of a large profile in time, in several sessions")
    func manyCalls() throws {
        let more = (1...60).map { "      n\($0): { path: /n\($0), json: { text: \"{{marker}}\" }, pushes: [{ channel: alert }] }\n" }
        let body = "json: { title: \"{{title}}\", message: \"{{marker}} {{text}}\" }"
        let item = try Self.run("lifecycle", in: Self.planned(Self.alerts(body, more: more.joined())))
        #expect(item.duration <= .seconds(30) && item.scripts.count > 1 && item.sessions == 4 * item.scripts.count)
        #expect(Set(item.scripts.flatMap(Self.calls)) == Set(["device", "notify"] + (1...60).map { "n\($0)" }))
        let small = try Self.run("lifecycle", in: Self.shipped("smoke"))
        #expect(Set(small.scripts.map { Self.calls($0).contains("permission") }) == [true])
    }

    @Test("grants less than what waits for a short window takes, unless the scenario says what it grants")
    func grace() throws {
        let base = try #require(try ScenarioBase.load(path: "\(Self.repository)/Scenarios/opencode-ios.yaml").base)
        var relay = base.relay
        for (window, grace) in [(Interval.seconds(1), Interval.milliseconds(400)), (.milliseconds(500), nil), (.seconds(2), nil)] {
            relay.profile.coalescing = CoalescingSpec(window: window)
            let item = try Self.run("rotated-token", in: CaseCatalogue(relay).cases)
            #expect(item.inFlightGrace == grace)
            let text = item.text(extending: "\(Self.repository)/Scenarios/opencode-ios.yaml", seed: 1)
            #expect(try Scenario.parse(text: text, path: "/nowhere/x.yaml").inFlightGrace == grace ?? .seconds(1))
            #expect(try Self.run("rotated-token", in: CaseCatalogue(relay, saysGrace: true).cases).inFlightGrace == nil)
        }
        let text = "inFlightGrace: 2s\nrelay: { url: http://127.0.0.1:1, profile: { topic: com.example.app, calls: { a: { path: / } } } }"
        #expect(try ScenarioBase.parse(text: text, path: "mine.yaml")?.saysGrace == true && !base.saysGrace)
    }

    @Test("says a question in the gap before a token, behind a state that it replaces")
    func gap() throws {
        let item = try Self.run("states-before-token", in: Self.shipped("smoke"))
        #expect(item.scripts.count == 2)
        #expect(Self.calls(item.scripts[1]).prefix(5) == ["registerDevice", "start", "progress", "permission", "registerActivity"])
    }
}
