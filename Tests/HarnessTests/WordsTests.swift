// What is printed: plans, lists, explanations, and the numbers that scripts rely on.

import Basics
import Planning
import Scenarios
import Testing

@testable import Harness

@Suite struct `Words to the user` {
    private func dryRun(_ overrides: [(path: String, value: String)] = [], seed: UInt64 = 1) throws -> [String] {
        let scenario = try Place.scenario("quickstart", overrides)
        let plan = Plan(scenario: scenario, seed: Seed(seed), run: 1)
        return PlanText(plan: plan, scenario: scenario, seed: Seed(seed)).text.split(separator: "\n").map(String.init)
    }

    @Test func `a dry run tells the plan, its faults, restarts and gates`() throws {
        let lines = try dryRun([
            ("workload.maxSessions", "20"), ("relay.restarts", "[{ at: 5s, down: 1s }]"), ("gates", "[lost == 0]"),
        ])
        #expect(lines[0] == "scenario   quickstart (\(Place.root)/Scenarios/quickstart.yaml)")
        #expect(lines[1] == "relay      opencode")
        #expect(lines[3].hasPrefix("sessions   20, at most "))
        #expect(lines.contains("           20 complete"))
        #expect(lines.contains { $0.hasPrefix("fault      at 15s: {\"id\":\"dead-tokens\"") })
        #expect(lines.contains("restart    at 5s: KILL, down for 1s"))
        #expect(lines.last == "gate       lost == 0")
    }

    @Test func `a dry run tells when sessions begin`() throws {
        let lines = try dryRun([
            ("workload.arrivals", "[{ rate: 40, of: events, for: 5s }, { burst: 3 }, { from: 1, to: 2, for: 4s }]"),
            ("workload.spacing", "poisson"), ("workload.scripts", "[{ script: sessions/S0-happy.yaml }]"),
        ])
        let line = try #require(lines.first { $0.hasPrefix("arrivals   ") })
        #expect(line.hasPrefix("arrivals   40 events/s for 5s, 3 at once, 1 to 2/s for 4s, spaced by chance; "))
        #expect(line.hasSuffix(" events a session"))
        let many = try dryRun([("workload.arrivals", "[{ burst: 3, every: 1s, times: 30 }]")])
        #expect(many.contains { $0.hasSuffix("a pause of 1s and 52 more") })
    }

    @Test func `a dry run is the same for the same seed, and has another digest for another`() throws {
        let small = [(path: "workload.maxSessions", value: "20")]
        let first = try dryRun(small)
        #expect(try dryRun(small) == first)
        let other = try dryRun(small, seed: 2)
        let digest = try #require(first.first { $0.hasPrefix("digest") })
        #expect(!other.contains(digest))
    }

    @Test(arguments: Knowledge.kinds) func `each kind has a list, a line for each`(kind: String) throws {
        let lines = try Knowledge.list(kind).split(separator: "\n")
        #expect(!lines.isEmpty)
        #expect(lines.allSatisfy { $0.contains("  ") })
    }

    @Test func `a list that does not exist names the nearest`() {
        let failure = #expect(throws: Failure.self) { try Knowledge.list("reason") }
        #expect(failure?.kind == .usage && failure?.hint == "did you mean `reasons`?")
    }

    @Test(
        arguments: [
            "rules", "claims", "metrics", "words", "faults", "defects", "outcomes", "warnings", "causes", "settings", "push-types",
            "credentials", "dialects", "keys",
        ])
    func `whatever is listed is explained`(kind: String) throws {
        for line in try Knowledge.list(kind).split(separator: "\n") {
            let name = String(line.prefix { $0 != " " })
            #expect(try Knowledge.explain(name).contains(name))
        }
    }

    @Test func `each word of the glossary is explained, and one that reports have says more there`() throws {
        let words = try Knowledge.list("glossary").split(separator: "\n").map { $0.prefix(while: { $0 != "(" }) }
        #expect(words.count > 60)
        #expect(try Knowledge.explain("lane").hasPrefix("lane, in PushRig's glossary: where a session's pushes of one type go"))
        #expect(try Knowledge.explain("clock").contains("clock (of a debt)"))
        #expect(try !Knowledge.explain("lost").contains("glossary"))
        // Links are left as their words.
        #expect(words.allSatisfy { !$0.contains("](") })
    }

    @Test func `a key of a scenario is explained, by its mapping or in each that has it`() throws {
        #expect(
            try Knowledge.explain("workload.connections")
                == "workload.connections, a key of scenario files: connections to the relay, at most.\n")
        #expect(try Knowledge.explain("maxSessions") == Knowledge.explain("workload.maxSessions"))
        // Links are left as their words, lists as they are.
        #expect(try Knowledge.explain("relay.malformed").contains("there in malformed forms as well"))
        #expect(try Knowledge.explain("scenario.exercises").contains("`[throttle-respected, R0.9]`: "))
    }

    @Test func `reasons are listed by provider, and each of FCM's says what to do about it`() throws {
        let listed = try Knowledge.list("reasons", of: "fcm")
        #expect(try listed == Knowledge.list("fcm-reasons"))
        #expect(try Knowledge.list("reasons", of: "apns") == Knowledge.list("reasons"))
        let failure = #expect(throws: Failure.self) { try Knowledge.list("words", of: "fcm") }
        #expect(failure?.kind == .usage && failure?.hint == "`pushrig list reasons --provider fcm`")
        var advice: Set<String> = []
        for line in listed.split(separator: "\n") {
            let name = String(line.split(separator: " ")[1])
            let text = try Knowledge.explain(name)
            #expect(text.hasPrefix("\(name): FCM answers "))
            advice.insert(String(try #require(text.split(separator: "\n").first { $0.hasPrefix("What to do: ") })))
        }
        #expect(advice.count > 10)
        #expect(try Knowledge.explain("UNREGISTERED").contains("Delete the token at once"))
        #expect(try Knowledge.explain("invalid_grant").contains("token endpoint answers 400"))
    }

    @Test func `a word of faults is explained with a rule that shows it`() throws {
        let text = try Knowledge.explain("raw")
        #expect(text.hasPrefix("raw: action of a fault rule."))
        #expect(text.contains("bad-hpack: ") && text.contains(#"{"action": {"raw": "empty-data"}, "times": 1}"#))
        #expect(try Knowledge.list("faults").contains("until-heals"))
    }

    @Test func `a reason is explained with its status, and a wrong one names the nearest`() throws {
        #expect(try Knowledge.explain("Unregistered").hasPrefix("Unregistered: APNs answers 410.\n"))
        let failure = #expect(throws: Failure.self) { try Knowledge.explain("Unregisterd") }
        #expect(failure?.kind == .usage && failure?.hint == "did you mean `Unregistered`?")
        let lost = #expect(throws: Failure.self) { try Knowledge.explain("zzzzzzzzzzzzzzzz") }
        #expect(lost?.hint?.contains("pushrig list KIND") == true)
    }

    @Test func `exit codes are numbers for ever`() {
        #expect(ExitCode.passed.rawValue == 0)
        #expect(ExitCode.couldNotRun.rawValue == 1)
        #expect(ExitCode.badUsage.rawValue == 2)
        #expect(ExitCode.gateBreached.rawValue == 3)
        #expect(ExitCode.conformanceBroken.rawValue == 4)
        #expect(ExitCode.inconclusive.rawValue == 5)
        #expect(ExitCode.interrupted.rawValue == 130)
    }
}
