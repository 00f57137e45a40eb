// The cases that a profile names itself.

import Basics
import Scenarios
import Testing

@testable import Cases

@Suite("The cases of a profile's own")
struct OwnCaseTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// The profile's own cases, with the relay of a base that stands nowhere.
    private static func own(
        _ file: String, name: String = "mine", launch: String = "launch: [./relay, \"{{mock.clock}}\"]", more: String = ""
    ) throws -> PlannedCase? {
        let base = SourceText(
            path: repository + "/base.yaml",
            text: """
                relay:
                  \(launch)
                  profile:
                    extends: Scenarios/relays/opencode.yaml
                    cases: { \(name): { asks: Why?, scenario: Scenarios/\(file).yaml\(more) } }
                """)
        let relay = try #require(try ScenarioBase.parse(text: base.text, path: base.path)).relay
        return try CaseCatalogue(relay).ownCases(base, overrides: []).first
    }

    private static func item(_ planned: PlannedCase?) throws -> Case {
        guard case .runs(let item) = try #require(planned) else { throw Failure(.usage, "it cannot run") }
        return item
    }

    private static func reason(_ planned: PlannedCase?) -> String? {
        if case .cannot(_, _, let reason) = planned { reason } else { nil }
    }

    private static let told = "launch: [./relay, \"{{mock.sandbox}}\", \"{{mock.clock}}\"]"

    @Test("is its file, about what that names, and waits as long as the relay may")
    func file() throws {
        let item = try Self.item(try Self.own("conformance/starts"))
        #expect(item.name == "mine" && item.question == "Why?" && item.exercises.contains("stale-start-dropped"))
        let file = try #require(item.file)
        #expect(!file.isStepped && file.drain >= .seconds(15), "the deadline of what may be coalesced")
        #expect((Interval.seconds(5)...Interval.seconds(60)).contains(file.length))
        #expect(item.duration == file.length + file.drain && !item.needsHostClock)
        let text = item.text(extending: "/rig/base.yaml", seed: 7, clock: .stepped)
        for line in ["relayFrom: \"/rig/base.yaml\"", "seed: 7", "clock: stepped", "gates: []", "name: mine"] {
            #expect(text.contains("\n\(line)\n"), "\(line)\n\(text)")
        }
    }

    @Test("may be about less, may go by its own clock, and may have another profile of the same relay")
    func told() throws {
        let item = try Self.item(try Self.own("token-bugs/dismissed", launch: Self.told, more: ", exercises: [dismissal-respected]"))
        #expect(item.exercises == ["dismissal-respected"] && item.file?.isStepped == true)
        let phones = try Self.item(
            try Self.own("conformance/phones", launch: Self.told, more: ", profile: Scenarios/relays/opencode-phones.yaml"))
        #expect(phones.text(extending: "/rig/base.yaml", seed: 1).contains("relay: { profile: \"\(Self.repository)/Scenarios/relays/"))
    }

    @Test("cannot be run where the relay knows no sandbox, or is not ours to end")
    func cannot() throws {
        #expect(Self.reason(try Self.own("token-bugs/dismissed"))?.contains("{{mock.sandbox}}") == true)
        let url = "url: \"http://127.0.0.1:8787\""
        #expect(Self.reason(try Self.own("conformance/restarts", launch: url)) == CaseCatalogue.isNotOurs)
    }

    @Test("has a name of its own, a file that fits the profile, and is about something")
    func wrong() throws {
        let taken = #expect(throws: Failure.self) { try Self.own("conformance/starts", name: "goodbye") }
        #expect(taken?.description.contains("base.yaml:5:14: every relay is asked a case `goodbye`") == true, "\(taken!)")
        let none = #expect(throws: Failure.self) { try Self.own("nowhere") }
        #expect(none?.description.contains("there is no file") == true)
        let foreign = #expect(throws: Failure.self) { try Self.own("cases/row-writes") }
        #expect(foreign?.kind == .usage, "calls that this profile has not")
    }
}
