// When a token is known to live or to be dead, and what comes to the dead.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A token's life")
struct TokenLifeTests {
    private func died(_ milliseconds: Int64 = 0, at instant: Int64 = 2_000) -> Story {
        Story().with { story in
            story.call(0, at: 1_000)
            story.registers(0)
            story.push(1, at: instant, status: 410) { push in
                push.diedMilliseconds = milliseconds == 0 ? 0 : 1_760_000_000_000 + milliseconds
            }
        }
    }

    /// The death that a relay should have known of when it sent what came then.
    private func death(_ story: Story, of token: TokenHash = .activity, before milliseconds: Int64) -> TokenLife.Death? {
        let joined = story.with { $0.push(99, at: milliseconds, token: token) }.joined
        let probe = joined.account.pushes.first { $0.step == 99 }
        return probe.flatMap { joined.tokens.death(before: $0, in: joined.account, grace: .zero) }
    }

    /// Registered from 1000 to 1010. A relay stores it within 50, by a clock that may be a second ahead of the provider's.
    @Test("ends in doubt with a 410 of the registration's own moment", arguments: [
        (-1, nil, nil), (1, true, nil), (999, true, nil), (1_000, true, nil), (1_060, true, nil), (1_061, false, 0),
    ] as [(Int64, Bool?, Int?)])
    func doubt(milliseconds: Int64, isDoubtful: Bool?, blamed: Int?) {
        let story = died(milliseconds)
        #expect(story.joined.tokens.deaths[.activity]?.first?.isDoubtful == isDoubtful)
        #expect(death(story, before: 9_000)?.push == blamed)
    }

    /// Registered once more, and refused at 2000 by an answer that does not say since when.
    @Test("ends in doubt with an answer that crosses another registration of it", arguments: [
        (1_980, 2_300, true), (1_980, 1_981, true), (1_940, 1_949, false), (2_001, 2_300, false),
    ] as [(Int64, Int64, Bool)])
    func crossed(sent: Int64, answered: Int64, isDoubtful: Bool) {
        let story = died().with { story in
            story.call(5, at: sent) { $0.answeredAt = instant(answered) }
            story.registers(5)
        }
        #expect(story.joined.tokens.deaths[.activity]?.map(\.isDoubtful) == [isDoubtful])
        // What was not known before was stored when it was pushed to.
        let first = story.with { $0.account.tokenCalls.removeFirst() }
        #expect(first.joined.tokens.deaths[.activity]?.map(\.isDoubtful) == [false])
    }

    @Test("ends in doubt with any 410 that has a timestamp where the wall time was set another way", arguments: [
        (0, false), (500, true), (1_500, true),
    ] as [(Int64, Bool)])
    func wallTimeSet(milliseconds: Int64, isDoubtful: Bool) {
        let story = died(milliseconds).with { $0.circumstances.isWallTimeSet = true }
        #expect(story.joined.tokens.deaths[.activity]?.map(\.isDoubtful) == [isDoubtful])
        #expect(story.joined.tokens.stillbirths.isEmpty)
    }

    @Test("ends with an answer that tells of it, once that answer is out")
    func death() {
        let story = died().with { $0.account.pushes[0].answeredAt = instant(2_300) }
        #expect(story.joined.tokens.deaths[.activity]?.count == 1)
        #expect(death(story, before: 2_299) == nil)
        #expect(death(story, before: 2_300)?.push == 0)
        #expect(death(story, of: .other, before: 9_999) == nil)
    }

    @Test("ends for whoever has read an answer that may not have been delivered, and for nobody who has not")
    func unread() {
        let story = died().with { $0.undelivered = [1] }
        #expect(death(story, before: 9_999) == nil, "nobody is blamed for going on")
        #expect(story.joined.tokens.death(of: .activity, plannedAt: instant(3_000), by: instant(4_000))?.push == 0)
    }

    @Test("does not end with an answer of another kind")
    func noDeath() {
        #expect(died().with { $0.account.pushes[0].status = 403 }.joined.tokens.deaths.isEmpty)
        let bad = died().with {
            $0.account.pushes[0].status = 400
            $0.account.pushes[0].reason = Story.badToken
        }
        #expect(bad.joined.tokens.deaths.count == 1)
    }

    @Test("goes on with a registration that was sent after the death, until that instant")
    func registration() {
        let story = died().with { story in
            story.call(5, at: 3_000)
            story.registers(5)
        }
        let life = story.joined.tokens
        #expect(death(story, before: 2_999) != nil)
        #expect(death(story, before: 3_000) == nil)
        #expect(life.wasRegistered(.activity, after: instant(2_999), until: instant(3_000)))
        #expect(!life.wasRegistered(.activity, after: instant(3_000), until: instant(9_000)))
        #expect(!life.wasRegistered(.activity, after: instant(1_000), until: instant(2_999)))
        #expect(life.registrations[.activity]?.map(\.wasTaken) == [true, true])
        // What takes a token back registers nothing.
        let back = story.with { $0.account.tokenCalls[1].isRegistration = false }
        #expect(death(back, before: 9_000) != nil)
        #expect(story.joined.tokens.lanes == [.activity: Lane(role: .activity)])
    }

    @Test("is untouched by a 410 that speaks of a time before its registration, or before the run")
    func past() {
        // At 2000 it says: dead for long before the registration at 1000.
        #expect(died(-900).joined.tokens.deaths.isEmpty)
        #expect(died(1_000).joined.tokens.deaths.count == 1)
        #expect(died(1_500).joined.tokens.deaths.count == 1)
        #expect(died(0).joined.tokens.deaths.count == 1)
        let run = died(900).with { story in
            story.account.tokenCalls = []
            story.circumstances.startedAt = WallTime(milliseconds: 1_760_000_000_901)
        }
        #expect(run.joined.tokens.deaths.isEmpty)
        #expect(run.with { $0.circumstances.startedAt = WallTime(milliseconds: 1_760_000_000_900) }.joined.tokens.deaths.count == 1)
        // Another status has no such time.
        let bad = died(900).with {
            $0.account.pushes[0].status = 400
            $0.account.pushes[0].reason = Story.badToken
        }
        #expect(bad.joined.tokens.deaths.count == 1)
    }

    // MARK: Pushes to the dead

    @Test("pushes to a dead token are counted once they cannot have been on their way", arguments: [
        (3_000, 1), (2_999, 0),
    ] as [(Int64, Int)])
    func afterDeath(arrival: Int64, expected: Int) {
        let dead = died().with { $0.push(2, at: arrival) }.correlation().deadTokens
        #expect(dead.pushesAfterDeath == expected)
        #expect(dead.died == 1)
        #expect(dead.sample == (expected == 1 ? [2] : []))
        #expect(dead.worstDeath == (expected == 1 ? 1 : nil))
    }

    @Test("the push that had the answer itself was not on its way when it comes again", arguments: [
        (1, 2_001, 1), (1, 2_000, 1), (2, 2_001, 0),
    ] as [(UInt32, Int64, Int)])
    func sentAgain(step: UInt32, arrival: Int64, expected: Int) {
        let story = died().with { $0.push(step, at: arrival) }
        #expect(story.correlation().deadTokens.pushesAfterDeath == expected)
        let slow = story.with { $0.account.pushes[0].answeredAt = instant(2_002) }
        #expect(slow.correlation().deadTokens.pushesAfterDeath == 0)
        // Nor where it may be the older one of the two: registration and death share a millisecond.
        let doubtful = story.with { $0.account.pushes[0].diedMilliseconds = 1_760_000_000_999 }
        #expect(doubtful.correlation().deadTokens.pushesAfterDeath == 0)
    }

    /// J6: DeviceTokenNotForTopic.
    @Test("a token that a 400 calls dead may be so for its topic only")
    func deadForATopic() {
        let same = Story().with { story in
            story.push(1, at: 1_000, status: 400) { ($0.reason, $0.topic) = (Story.badToken, 1) }
            story.push(2, at: 4_000) { $0.topic = 1 }
        }
        #expect(same.correlation().deadTokens.pushesAfterDeath == 1)
        #expect(same.with { $0.account.pushes[1].topic = 2 }.correlation().deadTokens.pushesAfterDeath == 0)
        #expect(same.with { ($0.account.pushes[0].status, $0.account.pushes[1].topic) = (410, 2) }.correlation().deadTokens.pushesAfterDeath == 1)
    }

    @Test("the token with the most of these is named, and the sample is bounded")
    func worst() {
        let story = died().with { story in
            story.push(3, at: 2_000, token: .other, status: 410)
            for number in 0..<30 { story.push(4, at: 4_000 + Int64(number), token: .other) }
            story.push(5, at: 4_000)
            story.push(6, at: 4_000, token: .other) { $0.environment = .sandbox }
        }
        let dead = story.correlation().deadTokens
        #expect([dead.died, dead.pushesAfterDeath, dead.worstPushes, dead.sample.count] == [2, 31, 30, 20])
        #expect(dead.worstDeath == 2)
    }

    /// J7.
    @Test("a push to a token that was registered again is no push to the dead")
    func revived() {
        let story = died().with { story in
            story.call(5, at: 3_000)
            story.registers(5)
            story.push(6, at: 4_000)
        }
        #expect(story.correlation().deadTokens.pushesAfterDeath == 0)
        let same = story.with { $0.account.pushes[1].step = 1 }
        #expect(same.correlation().deadTokens.pushesAfterDeath == 0, "the very push that was answered 410")
        // From the instant on at which the registration was sent, whatever else was on its way.
        #expect(story.with { $0.account.calls[1].sentAt = instant(4_000) }.correlation().deadTokens.pushesAfterDeath == 0)
        #expect(story.with { $0.account.calls[1].sentAt = instant(4_001) }.correlation().deadTokens.pushesAfterDeath == 1)
    }
}
