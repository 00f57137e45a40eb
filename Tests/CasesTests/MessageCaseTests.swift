// What a relay is asked about FCM: the same as about APNs, by calls that register apps and owe messages.

import Basics
import Pushes
import Scenarios
import Testing

@testable import Cases

@Suite("A case about FCM")
struct MessageCaseTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    private static let usual = """
        android: { path: /android, json: { t: "{{registrationToken}}" }, registers: [registrationToken] }
        again: { path: /android, json: { t: "{{newRegistrationToken}}" }, registers: [newRegistrationToken] }
        forget: { path: /forget, json: { t: "{{registrationToken}}" }, unregisters: [registrationToken] }
        begin: { path: /begin, json: { text: "{{marker}}" }, pushes: [{ channel: fcm, event: start }] }
        notify: { path: /notify, json: { text: "{{marker}}" }, pushes: [{ channel: fcm, event: update }] }
        done: { path: /done, final: true, json: { text: "{{marker}}" }, pushes: [{ channel: fcm, event: end }] }
        stranger: { path: /notify, unknown: true, json: { text: "{{marker}}" } }
        wrong: { path: /notify, expect: 400, json: {} }
        """

    private static func relay(
        _ calls: String, profile: String = "messageEvent: /message/data/e", launch: Bool = true
    ) throws -> RelaySpec {
        let text = """
            relay:
              \(launch ? "launch: [./relay]" : "url: http://127.0.0.1:8787")
              profile:
                topic: com.example.app
                \(profile)
                calls:
            \(calls.split(separator: "\n").map { "      \($0)\n" }.joined())
            """
        return try #require(try ScenarioBase.parse(text: text, path: "mine.yaml")).relay
    }

    private static func runs(_ relay: RelaySpec) -> [Case] {
        CaseCatalogue(relay).cases.compactMap { if case .runs(let item) = $0 { item } else { nil } }
    }

    private static func shipped(_ name: String) throws -> [Case] {
        runs(try #require(try ScenarioBase.load(path: "\(repository)/Scenarios/\(name).yaml").base).relay)
    }

    private static func calls(_ script: CaseScript) -> [String] { script.steps.map(\.call) }

    private static let names = [
        "dead-registration", "bad-message", "not-found-reply", "expired-access-token", "quota-exceeded", "unavailable",
        "slow-fcm", "fcm-connection-lost", "rotated-registration", "app-signed-out", "messages-load", "messages-restart",
        "messages-killed", "dead-registration-at-restart",
    ]

    @Test("is asked of each relay that owes messages, and of no other")
    func who() throws {
        let runs = Self.runs(try Self.relay(Self.usual)).map(\.name)
        #expect(runs == ["lifecycle", "strangers", "bad-requests", "malformed-requests"] + Self.names)
        let sendora = try Self.shipped("check/sendora").map(\.name)
        #expect(Set(Self.names).subtracting(sendora) == ["app-signed-out"])
        #expect(Set(Self.names).isDisjoint(with: try Self.shipped("smoke").map(\.name)))
    }

    @Test("registers an app before it is asked for anything, also where the same event is an alert elsewhere")
    func registersFirst() throws {
        let mixed = """
            android: { path: /android, json: { t: "{{registrationToken}}" }, registers: [registrationToken] }
            notify: { path: /notify, json: { text: "{{marker}}" }, pushes: [{ channel: fcm }, { channel: alert }] }
            stranger: { path: /notify, unknown: true, json: { text: "{{marker}}" } }
            wrong: { path: /notify, expect: 400, json: {} }
            """
        for calls in [Self.usual, mixed] {
            let runs = Self.runs(try Self.relay(calls)).filter { ["strangers", "bad-requests"].contains($0.name) }
            #expect(runs.count == 2)
            for item in runs { #expect(Self.calls(item.scripts[0]).first == "android", "\(item.name)") }
        }
    }

    @Test("is a scenario that runs by itself, and needs the profile's calls")
    func scenarios() throws {
        for item in try Self.shipped("check/sendora") where Self.names.contains(item.name) {
            let text = item.text(extending: "\(Self.repository)/Scenarios/check/sendora.yaml", seed: 7)
            let scenario = try Scenario.parse(text: text, path: "/nowhere/\(item.name).yaml")
            #expect(scenario.exercises == item.exercises && scenario.faults.count == item.faults.count)
            #expect(item.scripts.flatMap(Self.calls).first == "startAndroid", "\(item.name)")
        }
        let few = Self.usual.split(separator: "\n").filter { !$0.hasPrefix("again") && !$0.hasPrefix("forget") }
        let runs = Self.runs(try Self.relay(few.joined(separator: "\n"))).map(\.name)
        #expect(Set(Self.names).subtracting(runs) == ["rotated-registration", "app-signed-out"])
        let elsewhere = Self.runs(try Self.relay(Self.usual, launch: false)).map(\.name)
        #expect(
            Set(Self.names).subtracting(elsewhere) == ["messages-restart", "messages-killed", "dead-registration-at-restart"])
    }

    @Test("begins with the app, and with its start where there is one; an iPhone's card has its token besides")
    func opening() throws {
        func first(_ relay: RelaySpec) throws -> [String] {
            Self.calls(try #require(Self.runs(relay).first { $0.name == "dead-registration" }).scripts[0])
        }
        #expect(try first(Self.relay(Self.usual)) == ["android", "begin"] + Array(repeating: "notify", count: 5))
        let cards = """
            phone: { path: /phone, json: { t: "{{deviceToken}}" }, registers: [deviceToken] }
            android: { path: /android, json: { t: "{{registrationToken}}" }, registers: [registrationToken] }
            card: { path: /card, json: { t: "{{activityToken}}" }, registers: [activityToken] }
            notify: { path: /notify, json: { text: "{{marker}}" }, pushes: [{ channel: fcm, event: update }] }
            """
        let event = "messageEvent: /message/apns/payload/aps/event"
        #expect(try first(Self.relay(cards, profile: event)).prefix(4) == ["phone", "android", "card", "notify"])
        #expect(try first(Self.relay(cards)).prefix(2) == ["android", "notify"])
        let both = cards.replacing("registers: [registrationToken]", with: "registers: [registrationToken, activityToken]")
        #expect(try first(Self.relay(both, profile: event)).prefix(3) == ["phone", "android", "notify"])
    }

    @Test("meets FCM alone, and leaves one message of each registration alone first")
    func faults() throws {
        for item in Self.runs(try Self.relay(Self.usual)) where Self.names.contains(item.name) {
            for fault in item.faults { #expect(fault.contains("provider: fcm"), "\(item.name)") }
        }
        let item = try #require(Self.runs(try Self.relay(Self.usual)).first { $0.name == "bad-message" })
        #expect(item.faults.map { $0.contains("per: token") } == [true, true, true])
        for (place, fault) in item.faults.enumerated() { #expect(fault.contains("after: \(place + 1), times: 1")) }
        let waits = item.scripts[0].steps.filter { $0.call == "notify" }.map(\.after)
        #expect(waits[1] > .seconds(10) && item.duration < .seconds(30), "whoever tries again within ten seconds is seen to")
        let bare = Self.usual.split(separator: "\n").filter { !$0.hasPrefix("begin") }.joined(separator: "\n")
        let other = try #require(Self.runs(try Self.relay(bare)).first { $0.name == "bad-message" })
        #expect(other.scripts[0].steps.filter { $0.call == "notify" }.map(\.after)[2] > .seconds(10), "no start is the first")
    }

    /// From the refusal on: a state comes when FCM's rest is over, and the newest is waited for until two are.
    @Test("waits as long as FCM asks for, and once more", arguments: [("quota-exceeded", 60.0), ("unavailable", 10)])
    func rests(name: String, rest: Double) throws {
        let item = try #require(Self.runs(try Self.relay(Self.usual)).first { $0.name == name })
        let steps = item.scripts[0].steps
        let refused = try #require(steps.lastIndex { $0.call == "notify" && $0.after == .milliseconds(500) })
        let behind = steps[(refused + 1)...].map(\.after).reduce(.zero, +)
        #expect(behind >= .seconds(rest) && behind <= .seconds(1.1 * rest + 3))
        let end = item.duration - .milliseconds(800) - (steps[...refused].map(\.after).reduce(.zero, +) * 1.2)
        #expect(end >= .seconds(2 * rest + 5), "\(end)")
        #expect((item.duration <= .seconds(30)) == (name == "unavailable"))
    }

    @Test("holds an answer back for longer than a hasty client waits, and for less than FCM's own ten seconds")
    func slow() throws {
        let item = try #require(Self.runs(try Self.relay(Self.usual)).first { $0.name == "slow-fcm" })
        #expect(item.faults[0].contains("delay: 6s") && item.needsHostClock && item.requestTimeout > .seconds(10))
        #expect(try #require(item.scripts[0].steps.last).after >= .seconds(8))
    }

    @Test("ends the relay behind what it was told, and goes on when it has been back for a while")
    func restarts() throws {
        for (name, signal) in [("messages-restart", "TERM"), ("messages-killed", "KILL")] {
            let item = try #require(Self.runs(try Self.relay(Self.usual)).first { $0.name == name })
            #expect(item.restarts.count == 1 && item.restarts[0].contains(signal))
            let steps = item.scripts[0].steps
            let changed = try #require(steps.firstIndex { $0.call == "again" })
            let told = steps[...changed].map(\.after).reduce(.zero, +)
            #expect(told * 1.2 + .milliseconds(800) <= .milliseconds(2_800) && item.exercises.contains("states-delivered"))
            #expect(told + steps[changed + 1].after >= .milliseconds(2_800) + .seconds(6))
        }
        let dead = try #require(Self.runs(try Self.relay(Self.usual)).first { $0.name == "dead-registration-at-restart" })
        #expect(dead.faults[0].contains("UNREGISTERED") && dead.faults[0].contains("after: 1"), "its start passes")
    }
}
