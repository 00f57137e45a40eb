// A closed load: sessions begin as the relay answers, and what is on record of that is a plan again.

import Basics
import Journal
@testable import LoadGenerator
import PlanKnobs
@testable import Planning
import Scenarios
import Testing

@Suite("Closed users", .serialized)
struct ClosedUsersTests {
    /// Ten events in 61 ms.
    private func scenario(
        _ count: Int, think: Distribution = .constant(0.03), for duration: Interval = .seconds(0.6), maxSessions: Int = 1_000_000
    ) -> Scenario {
        Knobs.scenario(
            arrivals: [.closed(ClosedUsers(count: count, think: think, duration: duration))], pace: 1_000, maxSessions: maxSessions)
    }

    private func begun(_ outcome: Drive) -> [SessionBegunNote] { outcome.notes.compactMap(\.sessionBegun) }

    @Test("begin the next session when the last is answered and they have thought")
    func paces() throws {
        let relay = try TinyRelay(.late(.milliseconds(20)))
        defer { relay.stop() }
        let outcome = try Drive(Knobs.plan(scenario(3)), at: relay.origin)
        #expect(outcome.isDone && outcome.isWhole && outcome.snapshot.failed == 0)
        let begun = begun(outcome)
        #expect(begun.count == outcome.snapshot.sessionsBegun && begun.map(\.session) == (0..<UInt32(begun.count)).map { $0 })
        #expect(begun.prefix(3).allSatisfy { $0.at == .zero } && begun[3].at > .zero)
        #expect(zip(begun, begun.dropFirst()).allSatisfy { $0.at <= $1.at } && begun.last!.at < .seconds(0.6))
        // Ten calls, one behind the other, of 20 ms each, and 30 ms of thought: two and a half rounds of three.
        #expect((6...9).contains(begun.count), "\(begun.count)")
        let ends = Dictionary(grouping: outcome.events, by: \.session).mapValues { $0.map(\.answeredAt).max()! }
        #expect(outcome.events.count == begun.count * 10)
        // Each but the first begins so long behind the end of one of those before.
        let pauses = begun.dropFirst(3).map { next in
            ends.values.map { (outcome.origin + next.at - $0).milliseconds }.filter { $0 >= 30 }.min() ?? .infinity
        }
        #expect(pauses.allSatisfy { (30..<60).contains($0) }, "\(pauses)")
        // Never more of them at once than there are users.
        for event in outcome.events {
            let open = begun.count { outcome.origin + $0.at <= event.sentAt && ends[$0.session]! > event.sentAt }
            #expect(open <= 3)
        }
    }

    @Test("ask a slow relay less, which is why their latencies are not open ones")
    func closes() throws {
        func count(_ behaviour: Interval) throws -> Int {
            let relay = try TinyRelay(.late(behaviour))
            defer { relay.stop() }
            return begun(try Drive(Knobs.plan(scenario(2, think: .constant(0))), at: relay.origin)).count
        }
        let (quick, slow) = (try count(.milliseconds(1)), try count(.milliseconds(60)))
        #expect(quick >= slow * 3 / 2 && slow >= 2, "\(quick) \(slow)")
    }

    @Test("go on when calls fail, and end at the bound of sessions")
    func bounds() throws {
        let relay = try TinyRelay(.answer(500))
        defer { relay.stop() }
        let outcome = try Drive(
            Knobs.plan(scenario(2, think: .exponential(mean: 0.001), for: .seconds(20), maxSessions: 7)), at: relay.origin)
        #expect(outcome.isDone && outcome.isWhole && begun(outcome).count == 7)
    }

    @Test("whose sessions say nothing do not spin")
    func silent() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var scenario = scenario(1, think: .constant(0), for: .seconds(0.2))
        let nothing = SessionScript(name: "nothing", steps: [Knobs.step(0, .at(.constant(0)), probability: 0)])
        scenario.workload.scripts[0].script = nothing
        let outcome = try Drive(Knobs.plan(scenario), at: relay.origin)
        #expect(outcome.isDone && (20...201).contains(begun(outcome).count), "\(begun(outcome).count)")
    }

    @Test("have a plan again, of the instants on record")
    func played() throws {
        let text = """
            relay:
              url: http://127.0.0.1:1
              profile: { topic: a.b, calls: { one: { path: /one, json: { a: "{{marker}}" }, pushes: [{ channel: alert }] } } }
            workload:
              arrivals: [{ users: 2, think: 10ms, for: 1s }]
              scripts: [{ script: { steps: [{ call: one, at: { uniform: [0s, 1s] } }] } }]
            """
        var note = PlanNote(files: [.init(path: "a.yaml", text: text)], seed: 5, run: 9, digest: "")
        note.closedUsers = 2
        let before = note.plan(of: try note.scenario())
        note.digest = before.digest()
        let instants: [Int64] = [0, 0, 250_000_000, 1_000_000_001_000]
        let notes = instants.enumerated().map { SessionBegunNote(session: UInt32($0), at: .nanoseconds($1)) }
        let played = try note.asPlayed(notes.reversed())
        let plan = played.plan(of: try played.scenario())
        #expect(plan.sessionCount == 4 && played.digest == plan.digest() && played.digest != note.digest)
        for index in 0..<4 { #expect(abs((plan.start(of: index) - .nanoseconds(instants[index])).nanoseconds) <= 1) }
        #expect(try played.asAsked() == note && note.asAsked() == note)
        // The script's draws are those of the session, whenever it began.
        #expect(plan.session(1).seconds == before.session(1).seconds)
        // Where the plan is not the run's, it stays so.
        note.digest = "other"
        #expect(try note.asPlayed(notes).digest == "other")
        #expect(try note.asPlayed([]) == note, "none began")
        #expect(try note.asPlayed([notes[0], notes[2]]).plan(of: try note.asPlayed([notes[0], notes[2]]).scenario()).sessionCount == 1)
        note.closedUsers = nil
        #expect(try JSONValue(parsing: note.json.text)["closedUsers"] == .null)
    }
}
