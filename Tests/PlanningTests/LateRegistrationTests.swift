// What a registration means that comes when another activity has taken its place, or the session is over.

import Basics
import Metrics
@testable import Planning
import Pushes
import Scenarios
import Testing

@Suite("A registration that comes late")
struct LateRegistrationTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let origin = Instant(nanoseconds: 1_000_000_000)
    private static let tokens = (1...3).map { String(repeating: "a\($0)", count: 80) }

    /// The session's steps, and after which of them a phone's token is registered, of which activity.
    private func rows(
        _ steps: String, profile: String = "epilogue", told: [(after: UInt32, token: Int)]
    ) throws -> [Metrics.Expectation] {
        let text = """
            name: late
            relay: { profile: relays/\(profile).yaml, url: "http://127.0.0.1:1" }
            workload:
              arrivals: [{ rate: 1, for: 1s }]
              phones: {}
              scripts:
                - script:
                    steps: [\(steps)]
                    reactions: [{ on: token, call: registerActivity, times: 8 }]
            """
        let scenario = try Scenario.parse(
            text: text, path: Self.root + "/Scenarios/late.yaml", searchPath: [Self.root + "/Scenarios"])
        let plan = Plan(scenario: scenario, seed: Seed(1), run: 1)
        let made = told.enumerated().map { number, one in
            MadeReaction(
                session: 0, step: EventNumber.reaction(UInt32(number + 1), after: one.after + 1), reaction: 0,
                plannedAt: Self.origin + .seconds(Double(one.after) * 10 + 5), phone: 0, token: Self.tokens[one.token])
        }
        return plan.account(number: 0, origin: Self.origin, reactions: made).rows
    }

    private func tokens(_ rows: [Metrics.Expectation], step: UInt32) -> [Int?] {
        rows.filter { $0.step == step && $0.type == .liveactivity }.map { row in
            Self.tokens.firstIndex { TokenHash($0) == row.token }
        }
    }

    private static let steps = """
        { call: registerDevice }, { call: startSession, at: 10s }, { call: updateContent, at: 20s },
        { call: updateContent, at: 30s }, { call: updateContent, at: 40s }, { call: endSession, at: 50s }
        """

    @Test("of an activity that another has replaced changes nothing where the relay replaces activities")
    func replaced() throws {
        let rows = try rows(Self.steps, told: [(1, 0), (2, 1), (3, 0)])
        #expect(tokens(rows, step: 2) == [0] && tokens(rows, step: 3) == [1] && tokens(rows, step: 4) == [1])
        // The newest again is no late one.
        #expect(tokens(try self.rows(Self.steps, told: [(1, 0), (2, 1), (3, 1)]), step: 4) == [1])
        #expect(tokens(try self.rows(Self.steps, told: [(1, 0), (2, 0), (3, 1)]), step: 4) == [1])
    }

    private static let again = """
        { call: registerDevice }, { call: startSession, at: 10s }, { call: endSession, at: 20s },
        { call: startSession, at: 30s }, { call: updateContent, at: 40s }, { call: endSession, at: 50s }
        """

    @Test("behind the session's end is not of its next life, which begins with a start")
    func over() throws {
        let late = try rows(Self.again, told: [(2, 0), (3, 1)])
        #expect(late.filter { $0.step == 3 && $0.type == .liveactivity }.map(\.event) == [.start])
        #expect(tokens(late, step: 4) == [1])
        // In its own life an activity is known, and taken back at the end.
        let early = try rows(Self.again, told: [(1, 0), (3, 1)])
        #expect(tokens(early, step: 2) == [0] && tokens(early, step: 4) == [1])
        #expect(early.filter { $0.step == 3 && $0.type == .liveactivity }.map(\.event) == [.start])
    }
}
