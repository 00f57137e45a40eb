// Cases fit the profiles that are shipped, and say why one cannot be run.

import Basics
import Foundation
import Pushes
import Scenarios
import Testing

@testable import Cases

/// The repository's root, from this file's place in it.
private let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

@Suite("The cases of a check")
struct CatalogueTests {
    private static let bases = ["smoke", "conformance/environments", "conformance/restarts", "opencode-ios", "epilogue"]

    private static func path(_ name: String) -> String { "\(repository)/Scenarios/\(name).yaml" }

    private static func planned(_ name: String) throws -> [PlannedCase] {
        CaseCatalogue(try #require(try ScenarioBase.load(path: path(name)).base).relay).cases
    }

    private static func runs(_ cases: [PlannedCase]) -> [Case] {
        cases.compactMap { if case .runs(let item) = $0 { item } else { nil } }
    }

    /// One call each, none of which the others need.
    private static func relay(_ calls: String, profile: [String] = [], launch: Bool = true) throws -> RelaySpec {
        let text = """
            relay:
              \(launch ? "launch: [./relay]" : "url: http://127.0.0.1:8787")
              profile:
                topic: com.example.app
            \(profile.map { "    \($0)\n" }.joined())
                calls:
            \(calls.split(separator: "\n").map { "      \($0)\n" }.joined())
            """
        return try #require(try ScenarioBase.parse(text: text, path: "mine.yaml")).relay
    }

    @Test("are scenarios that run by themselves, each with a name of its own", arguments: bases)
    func scenarios(base: String) throws {
        let cases = try Self.planned(base)
        #expect(Set(cases.map(\.name)).count == cases.count)
        let runs = Self.runs(cases)
        #expect(runs.count >= 26, "\(base)")
        for item in runs {
            let text = item.text(extending: Self.path(base), seed: 7)
            let scenario = try Scenario.parse(text: text, path: "/nowhere/\(item.name).yaml")
            #expect(scenario.name == item.name && scenario.seed == 7 && scenario.exercises == item.exercises)
            #expect(scenario.workload.maxSessions == item.sessions && !item.exercises.isEmpty)
            // A step with malformed requests is one for each.
            let scripts = scenario.workload.scripts.map(\.script)
            #expect(item.hasMalformed || scripts.map(\.steps.count) == item.scripts.map(\.steps.count))
            #expect(scripts.count == item.scripts.count)
            #expect(scenario.faults.count == item.faults.count)
            #expect(scenario.relay.restarts.count == item.restarts.count, "of the case, not of the base")
            #expect(scenario.relay.launch != nil && scenario.gates.isEmpty)
            #expect(scenario.workload.phones == nil, "tokens come by the clock, also where the base has phones")
            #expect(item.scripts.allSatisfy { scenario.drain >= $0.deadline })
        }
    }

    @Test("Smoke's relay can be asked all but what needs a second host or a credential")
    func smoke() throws {
        let cannot = try Self.planned("smoke").compactMap { item -> String? in
            if case .cannot(let name, _, _) = item { name } else { nil }
        }
        #expect(cannot == ["wrong-credentials", "token-of-other-host", "key-of-other-host"])
        let both = Self.runs(try Self.planned("conformance/environments"))
        #expect(both.first { $0.name == "key-of-other-host" }?.needsBothEnvironments == true)
        #expect(both.count == 67)
    }

    /// Whoever tries for ever is seen to where nothing newer takes the place of what was refused.
    @Test("Refusals for good stand at the end of a session, and an alert is told to come again as well")
    func standing() throws {
        func faults(_ name: String, of base: String) throws -> [String] {
            Self.runs(try Self.planned(base)).first { $0.name == name }?.faults ?? []
        }
        for name in ["bad-request-reply", "forbidden-reply"] {
            let item = try #require(Self.runs(try Self.planned("smoke")).first { $0.name == name })
            #expect(item.exercises.contains("refusal-not-repeated"))
            let end = try #require(item.faults.first { $0.contains("event: end") })
            #expect(!end.contains("times"), "\(end)")
        }
        let busy = try faults("too-many-requests", of: "smoke")
        #expect(busy.contains { $0.contains("pushType: alert") } && busy.contains { $0.contains("event: end") })
        let alerts = try Self.relay(
            """
            subscribe: { path: /subscribe, registers: [deviceToken] }
            notify: { path: /notify, json: { text: "{{marker}}" }, pushes: [{ channel: alert }] }
            """)
        let runs = Self.runs(CaseCatalogue(alerts).cases)
        #expect(runs.first { $0.name == "bad-request-reply" }?.faults.first?.contains("after: 1, times: 3") == true)
        #expect(runs.first { $0.name == "too-many-requests" }?.rules.contains("retry-backs-off") == true)
    }

    @Test("of a relay for alerts alone ask nothing of activities, and say what the profile has not")
    func alerts() throws {
        let relay = try Self.relay(
            """
            subscribe: { path: /subscribe, registers: [deviceToken], captures: { ticket: /ticket } }
            notify:
              path: /notify
              json: { text: "{{marker}}", ticket: "{{ticket}}" }
              pushes: [{ channel: alert }]
            """, launch: false)
        let cases = CaseCatalogue(relay).cases
        let runs = Self.runs(cases)
        #expect(runs.contains { $0.name == "lifecycle" } && runs.contains { $0.name == "dead-device-token" })
        #expect(!runs.contains { $0.name.contains("activity") || $0.name == "burst" || $0.name == "restart" })
        #expect(runs.flatMap(\.scripts).allSatisfy { $0.steps.first?.call == "subscribe" })
        for item in runs.flatMap(\.faults) { #expect(!item.contains("liveactivity"), "\(item)") }
        #expect(runs.first { $0.name == "lost-connection" }?.exercises == ["relay-serves"], "there is no last state")
        #expect(runs.first { $0.name == "goaway" }?.exercises == ["goaway-obeyed", "states-delivered"])
        func reason(_ name: String) -> String {
            for item in cases { if case .cannot(name, _, let reason) = item { return reason } }
            return "runs"
        }
        #expect(reason("restart") == "the relay runs already, and is not ours to end")
        #expect(reason("goodbye").contains("no calls that register an activity's token"))
        #expect(reason("strangers") == "the profile has no call that speaks for a stranger (`unknown: true`)")
        #expect(reason("key-of-other-host").hasPrefix("the relay is not told where the sandbox is"))
    }

    @Test("of the relays of others are as many as their page says")
    func others() throws {
        let page = try String(contentsOfFile: "\(repository)/docs/relays-of-others.md", encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| [`") }
        #expect(rows.count == 12)
        for row in rows {
            let name = row.split(separator: "`")[1]
            let cases = try Self.planned("relays-of-others/\(name)")
            // Two play hours, which a relay that shares no clock is not asked.
            let asked = "\(Self.runs(cases).count { $0.duration < .seconds(600) }) of \(cases.count)"
            #expect(row.contains("| \(asked) |"), "\(name): \(asked)")
        }
    }

    @Test("of a relay that keeps no tokens take its one call for an event, and ask by the callers' rules what becomes of a death")
    func callers() throws {
        func cases(_ profile: [String], _ answers: String) throws -> [PlannedCase] {
            let relay = try Self.relay(
                """
                notify: { path: /n, json: { text: "{{marker}}", to: "{{deviceToken}}" }, \(answers)pushes: [{ channel: alert }] }
                """, profile: profile)
            return CaseCatalogue(relay).cases
        }
        let told = try cases(["tokens: caller"], "answers: [{ status: 200, at: /dead, means: pruned }], ")
        let runs = Self.runs(told)
        #expect(runs.count == 29)
        #expect(runs.first { $0.name == "bad-device-token" }?.exercises == ["dead-token-told"])
        #expect(runs.allSatisfy { CaseCatalogue.ofKeepers.isDisjoint(with: $0.exercises) })
        #expect(runs.flatMap(\.scripts).allSatisfy { $0.steps.allSatisfy { $0.call == "notify" } })
        func reason(_ name: String, _ cases: [PlannedCase]) -> String {
            for item in cases { if case .cannot(name, _, let reason) = item { return reason } }
            return "runs"
        }
        #expect(reason("old-410", told) == "the relay keeps no tokens (`tokens: caller`)")
        let mute = try cases(["tokens: caller"], "")
        #expect(reason("bad-device-token", mute).hasPrefix("no answer of the profile tells the caller that a token is dead"))
        #expect(Self.runs(try cases([], "")).isEmpty, "of a relay that keeps tokens such a call is no event")
    }

    @Test("of a relay with one fixed host are not about the other")
    func oneHost() throws {
        let calls = #"register: { path: /r, json: { t: "{{deviceToken}}" }, registers: [deviceToken] }"#
            + "\nnotify: { path: /n, json: { text: \"{{marker}}\" }, pushes: [{ channel: alert }] }"
        func asked(_ profile: [String]) throws -> Set<String> {
            let relay = try Self.relay(calls, profile: profile)
            return Set(Self.runs(CaseCatalogue(relay, hasSandbox: true).unbound.cases).map(\.name))
        }
        let both = try asked([])
        #expect(both.subtracting(try asked(["environments: one"])) == ["token-of-other-host", "key-of-other-host"])
    }

    @Test("of a relay that shows a certificate are not about provider tokens")
    func certificate() throws {
        let calls = #"register: { path: /r, json: { t: "{{deviceToken}}" }, registers: [deviceToken] }"#
            + "\nnotify: { path: /n, json: { text: \"{{marker}}\" }, pushes: [{ channel: alert }] }"
        func asked(_ profile: [String]) throws -> [Case] {
            Self.runs(CaseCatalogue(try Self.relay(calls, profile: profile), hasSandbox: true).unbound.cases)
        }
        let (tokens, shown) = (try asked([]), try asked(["credential: certificate"]))
        #expect(
            Set(tokens.map(\.name)).subtracting(shown.map(\.name))
                == ["expired-credential", "too-many-credentials", "hours", "busy-hour", "key-of-other-host"])
        #expect(tokens.contains { $0.exercises.contains { $0.hasPrefix("provider-token") } })
        #expect(!shown.isEmpty && shown.allSatisfy { $0.exercises.allSatisfy { !$0.hasPrefix("provider-token") } })
    }

    @Test("lead a relay that pushes to FCM alone through a tour of FCM's answers")
    func messageTour() throws {
        let calls = #"register: { path: /r, json: { t: "{{registrationToken}}" }, registers: [registrationToken] }"#
            + "\nnotify: { path: /n, json: { text: \"{{marker}}\" }, pushes: [{ channel: fcm }] }"
        guard case .runs(let item) = CaseCatalogue(try Self.relay(calls)).tour else {
            Issue.record("no tour")
            return
        }
        #expect(item.faults.count == 5 && item.faults.allSatisfy { $0.contains("provider: fcm") })
        #expect(item.exercises == ["relay-serves", "living-registration-kept"] && item.duration < .seconds(55))
    }

    @Test("wait for a silent APNs as long as the relay does by its own time-out")
    func timeout() throws {
        let calls = #"register: { path: /r, json: { t: "{{deviceToken}}" }, registers: [deviceToken] }"#
            + "\nnotify: { path: /n, json: { text: \"{{marker}}\" }, pushes: [{ channel: alert }] }"
        func patience(_ profile: [String]) throws -> Interval? {
            Self.runs(CaseCatalogue(try Self.relay(calls, profile: profile)).cases).first { $0.name == "silence" }?.requestTimeout
        }
        #expect(try patience([]) == .seconds(35) && patience(["timeout: 60s"]) == .seconds(65))
    }

    /// A newer state in time would hide the loss of the one before it.
    @Test("say nothing behind a burst until its last state is due", arguments: [("1s", 2.4), ("2500ms", 2.6), ("7s", 7.1)])
    func silence(deadline: String, expected: Double) throws {
        let relay = try Self.relay(
            """
            subscribe: { path: /subscribe, registers: [deviceToken] }
            card: { path: /card, registers: [activityToken] }
            progress: { path: /p, json: { t: "{{marker}}" }, pushes: [{ channel: liveactivity, event: update, coalesce: true }] }
            done: { path: /d, json: { t: "{{marker}}" }, final: true, pushes: [{ channel: liveactivity, event: end }] }
            """, profile: ["coalescing: { window: 1s }", "deadlines: { default: 1s, coalesced: \(deadline) }"])
        let burst = try #require(Self.runs(CaseCatalogue(relay).cases).first { $0.name == "burst" })
        let waits = burst.scripts[0].steps.filter { $0.call == "progress" }.map(\.after)
        #expect(waits == [.milliseconds(1200), .seconds(expected)])
    }

    @Test("need a phone that cannot be started where activities are started by push, and nowhere else", arguments: [
        ("startToken", "start", false), ("startToken", "update", true), ("deviceToken", "start", true),
    ])
    func restarts(token: String, event: String, runs: Bool) throws {
        let tokens = Set(["deviceToken", token]).sorted().joined(separator: ", ")
        let relay = try Self.relay(
            """
            subscribe: { path: /subscribe, registers: [\(tokens)] }
            card: { path: /card, registers: [activityToken] }
            begin: { path: /b, json: { t: "{{marker}}" }, pushes: [{ channel: liveactivity, event: \(event) }] }
            progress: { path: /p, json: { t: "{{marker}}" }, pushes: [{ channel: liveactivity, event: update }] }
            """)
        #expect(Self.runs(CaseCatalogue(relay).cases).contains { $0.name == "dead-at-restart" } == runs)
    }

    @Test("change a token half a second behind a state, or when its window is over", arguments: [("1s", 1_200), ("300ms", 500)])
    func rotation(window: String, expected: Int64) throws {
        let relay = try Self.relay(
            """
            subscribe: { path: /subscribe, registers: [deviceToken] }
            card: { path: /card, registers: [activityToken] }
            turn: { path: /turn, registers: [rotatedToken] }
            work: { path: /p, json: { t: "{{marker}}" }, pushes: [{ channel: liveactivity, event: update, coalesce: true }] }
            """, profile: ["coalescing: { window: \(window) }"])
        let item = try #require(Self.runs(CaseCatalogue(relay).cases).first { $0.name == "rotated-token" })
        #expect(item.scripts[0].steps.first { $0.call == "turn" }?.after == .milliseconds(expected))
    }

    @Test("register with FCM as well, where a call does that and takes nothing of another's", arguments: [
        ("", true), ("captures: { id: /id }, ", true), ("captures: { ticket: /ticket }, ", false),
        ("pushes: [{ channel: alert }], ", false),
    ])
    func messages(more: String, isMade: Bool) throws {
        let relay = try Self.relay(
            """
            subscribe: { path: /subscribe, registers: [deviceToken], captures: { ticket: /ticket } }
            android: { path: /android, \(more)json: { t: "{{marker}}" }, registers: [registrationToken] }
            notify: { path: /notify, json: { text: "{{marker}}" }, pushes: [{ channel: alert }, { channel: fcm }] }
            """)
        let lifecycle = try #require(Self.runs(CaseCatalogue(relay).cases).first { $0.name == "lifecycle" })
        #expect(lifecycle.scripts[0].steps.map(\.call).contains("android") == isMade)
    }

    @Test("ask a relay of FCM alone for its whole sessions, by the rules of FCM")
    func messagesAlone() throws {
        let relay = try Self.relay(
            """
            android: { path: /android, json: { t: "{{registrationToken}}" }, registers: [registrationToken] }
            notify: { path: /notify, json: { text: "{{marker}}" }, pushes: [{ channel: fcm }] }
            """)
        let runs = Self.runs(CaseCatalogue(relay).cases)
        #expect(runs.map(\.name).first == "lifecycle")
        #expect(runs[0].exercises.contains("messages-well-formed") && !runs[0].exercises.contains("payload-fits"))
    }

    @Test("make a call that captures what another needs before that one")
    func captures() throws {
        let relay = try Self.relay(
            """
            ticket: { path: /ticket, captures: { ticket: /ticket } }
            subscribe: { path: "/subscribe/{{ticket}}", registers: [deviceToken] }
            notify: { path: /notify, json: { text: "{{marker}}" }, pushes: [{ channel: alert }] }
            """)
        let lifecycle = try #require(Self.runs(CaseCatalogue(relay).cases).first)
        #expect(lifecycle.scripts[0].steps.map(\.call) == ["ticket", "subscribe", "notify", "notify", "notify"])
    }
}

@Suite("What a profile's calls are for")
struct CallRoleTests {
    private static func roles(_ profile: String) throws -> CallRoles {
        CallRoles(try Profile.load(path: "\(repository)/Scenarios/relays/\(profile).yaml"))
    }

    @Test("is told by what they register and owe, the first of the file that fits")
    func opencode() throws {
        let roles = try Self.roles("opencode")
        #expect(roles.device?.name == "registerDevice")
        #expect(roles.relaunches.map(\.name) == ["relaunchDevice", "relaunchWithNull"])
        #expect(roles.starts.map(\.name) == ["start", "firstProgress", "firstPermission"])
        #expect(roles.events.map(\.name) == ["progress", "retry", "permission"])
        #expect(roles.finals.map(\.name) == ["complete", "error"])
        #expect(roles.progress?.freeTexts == ["text"] && roles.progress?.variables == ["title", "text"])
        #expect(roles.activity?.name == "registerActivity" && roles.rotation?.name == "rotateActivity")
        #expect(roles.secondDevice?.name == "registerSecondDevice")
        #expect(roles.secondActivity?.name == "registerSecondActivity")
        #expect(roles.goodbye?.name == "unregisterActivity" && roles.lateGoodbye?.name == "lateUnregister")
        #expect(roles.unregisterDevice?.name == "unregisterDevice")
        #expect(roles.start?.name == "start" && roles.progress?.name == "progress")
        #expect(roles.state?.name == "permission" && roles.alert?.name == "permission")
        #expect(roles.final?.name == "complete" && roles.stranger?.name == "strangersEvent")
        #expect(roles.refused.map(\.name) == ["unknownEvent", "emptySession", "emptyTitle", "malformed"])
        #expect(roles.oversized.map(\.name) == ["longSession", "longToken"])
        #expect(roles.anyEvent?.name == "permission" && roles.hasActivities)
    }

    @Test("leaves out what is refused for the state that it is made in")
    func ios() throws {
        let roles = try Self.roles("opencode-ios")
        #expect(roles.refused.map(\.name) == ["tooMuchProgress"])
        #expect(roles.state?.name == "background" && roles.alert == nil && roles.anyEvent?.name == "background")
        #expect(roles.rotation?.name == "rotateActivity" && roles.secondDevice == nil)
    }
}
