// Activities of one session that take each other's place: which there were, and when.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("Activities that take each other's place")
struct RestartLifeTests {
    private static let start = TokenHash("51")

    /// Registered at 1000, replaced at 5000 by a start at 4000, and that one at 9000 by one at 8000; both calls take 10 ms.
    private func replaced() -> Story {
        Story().with { story in
            story.circumstances.restart = RestartTerms(
                after: .seconds(3), within: .seconds(1), before: .seconds(5), adoptWithin: .seconds(2), pause: .seconds(1),
                longestPause: .seconds(8))
            story.call(0, at: 500)
            story.registers(0, Self.start, role: .start)
            for (step, instant, token) in [(1, 1_000, .activity), (2, 5_000, .rotated), (3, 9_000, .other)]
                as [(UInt32, Int64, TokenHash)]
            {
                story.call(step, at: instant)
                story.registers(step, token)
                if step > 1 { story.push(1, at: instant - 1_000, event: .start, token: Self.start, outcome: .started) }
            }
        }
    }

    @Test("one lives until its successor's token is registered")
    func chain() throws {
        let life = try #require(replaced().joined.restarts)
        #expect(life.activities.map(\.tokens) == [[.activity], [.rotated], [.other]])
        #expect(life.activities.map(\.born) == [
            instant(1_000)...instant(1_000), instant(4_000)...instant(4_000), instant(8_000)...instant(8_000),
        ])
        #expect(life.activities.map(\.registeredAt) == [instant(1_000), instant(5_000), instant(9_000)])
        #expect(life.activities.map(\.replacedAt) == [instant(5_000), instant(9_000), nil])
        #expect(life.activities.map(\.replacedFor) == [instant(5_010), instant(9_010), nil])
        #expect(life.activities.map(\.endedAt) == [instant(5_000), instant(9_000), .distantFuture])
        #expect(life.activities.map(\.starts.count) == [1, 1, 0])
    }

    @Test("a token that no start lies before is the same activity under another name")
    func rotation() throws {
        let story = replaced().with { $0.account.pushes.removeFirst() }
        let life = try #require(story.joined.restarts)
        #expect(life.activities.map(\.tokens) == [[.activity, .rotated], [.other]])
    }

    @Test("none where the profile says nothing of it")
    func unasked() {
        #expect(replaced().with { $0.circumstances.restart = nil }.joined.restarts == nil)
    }
}
