// What of ours explains a push that never came, and for how long.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A push that never came is excused by")
struct ExcuseTests {
    private let silent = Story.usual.with { $0.account.pushes = [] }

    private func excuses(_ story: Story) -> [String: Int] { story.correlation().excuses }

    @Test("an outage of ours while it was owed", arguments: [
        (900, 999, "lost 1"), (900, 1000, "excused 1"), (1500, 1600, "excused 1"), (1501, 1600, "lost 1"),
        (1200, 1300, "excused 1"), (500, 9000, "excused 1"),
    ] as [(Int64, Int64, String)])
    func outage(from: Int64, until: Int64, expected: String) {
        let story = silent.with { $0.circumstances.outages = [.init(from: instant(from), until: instant(until))] }
        #expect(story.classes == expected)
        if expected == "excused 1" { #expect(excuses(story) == ["relay held down": 1]) }
    }

    // MARK: Faults that met it

    /// One attempt at 1050 that met our fault, in force from 1000 to `end`; due at `due`.
    private func faulted(
        _ status: UInt16, until end: Int64 = 1100, due: Int64 = 9_000, attempts: Int = 1, isSilence: Bool = false
    ) -> Story {
        silent.with { story in
            story.account.rows[0].deadline = .milliseconds(due - 1000)
            for number in 0..<attempts {
                story.push(1, at: 1050 + Int64(number) * 10, status: status) { $0.faultRule = 4 }
            }
            story.circumstances.faults = [
                .init(rule: 4, label: "the fault", windows: [instant(1000)..<instant(end)], isSilence: isSilence)
            ]
        }
    }

    @Test("a fault that refused it for good", arguments: [400, 403, 404, 413] as [UInt16])
    func forGood(status: UInt16) {
        #expect(faulted(status).classes == "excused 1")
        #expect(excuses(faulted(status)) == ["the fault": 1])
    }

    @Test("a fault that refused it for now, only as long as there was no time to make up for it")
    func forNow() {
        // Over at 1100; with two seconds of patience it should have come by 3100.
        #expect(faulted(503, due: 3_101).classes == "lost 1")
        #expect(faulted(503, due: 3_100).classes == "excused 1")
        #expect(faulted(429, due: 3_101).classes == "lost 1")
        // What lasted longer leaves as long again: from 1050 to 4050, then until 7050.
        #expect(faulted(503, until: 4_050, due: 7_050).classes == "excused 1")
        #expect(faulted(503, until: 4_050, due: 7_051).classes == "lost 1")
        // Never over before it was due.
        #expect(faulted(503, until: 9_000).classes == "excused 1")
        #expect(faulted(503, until: 99_000).classes == "excused 1")
    }

    @Test("a fault that it met for the last time when it should have been over, or before its token was taken back")
    func shortOfTime() {
        let late = faulted(503, until: 1_040, due: 3_050)
        #expect(late.classes == "excused 1", "met at 1050, so over no sooner")
        #expect(faulted(503, until: 1_040, due: 3_051).classes == "lost 1")
        let returned = { (seconds: Int64) in
            self.faulted(503).with {
                $0.call(2, at: seconds)
                $0.registers(2, isRegistration: false)
            }
        }
        #expect(returned(3_100).classes == "excused 1")
        #expect(returned(3_101).classes == "lost 1")
        // A call that owes pushes of its own ends the activity in its own way.
        let ending = returned(3_100).with {
            $0.expect(2, at: 3_100, type: .alert, token: .device)
            $0.push(2, at: 3_150, type: .alert, token: .device)
        }
        #expect(ending.classes == "delivered 1, lost 1")
    }

    @Test("a fault that it met as often as one may ask of the relay to try", arguments: [
        (503, 2, "lost 1"), (503, 3, "excused 1"), (0, 1, "lost 1"), (0, 2, "excused 1"),
    ] as [(UInt16, Int, String)])
    func attempts(status: UInt16, attempts: Int, expected: String) {
        #expect(faulted(status, attempts: attempts).classes == expected)
    }

    @Test("silence of ours, whatever the relay waits for")
    func silence() {
        #expect(faulted(0, isSilence: true).classes == "excused 1")
        #expect(faulted(503, isSilence: true).classes == "excused 1")
    }

    @Test("nothing where one attempt met no fault, or came to nothing by itself")
    func ownFailure() {
        #expect(faulted(403).with { $0.push(1, at: 1200, status: 403) }.classes == "lost 1")
        #expect(faulted(403).with { $0.account.pushes[0].faultRule = 0 }.classes == "lost 1")
        // A fault that the plan does not know has a name all the same.
        let unknown = faulted(403).with { $0.account.pushes[0].faultRule = 5 }
        #expect(excuses(unknown) == ["a fault": 1])
    }

    @Test("the last attempt's fault, by the order of arrival")
    func last() {
        let story = faulted(503).with { story in
            story.push(1, at: 1200, status: 403) { $0.faultRule = 6 }
            story.circumstances.faults.append(.init(rule: 6, label: "another", windows: []))
        }
        #expect(excuses(story) == ["another": 1])
    }

    // MARK: Faults that met connections

    private func cut(_ firings: [Int64], due: Int64 = 9_000, until end: Int64 = 1_000) -> Story {
        silent.with { story in
            story.account.rows[0].deadline = .milliseconds(due - 1000)
            story.circumstances.connectionFirings = firings.map { (at: instant($0), rule: 4) }
            let windows = end > 1_000 ? [instant(1_000)..<instant(end)] : []
            story.circumstances.faults = [.init(rule: 4, label: "goaway", windows: windows)]
        }
    }

    @Test("a connection that went away twice while it was owed, or so late that no retry could come")
    func connections() {
        #expect(cut([]).classes == "lost 1")
        #expect(cut([1_100]).classes == "lost 1")
        #expect(cut([1_100, 1_200]).classes == "excused 1")
        #expect(excuses(cut([1_100, 1_200])) == ["goaway": 1])
        #expect(cut([999, 1_100]).classes == "lost 1")
        #expect(cut([1_100, 9_001]).classes == "lost 1")
        #expect(cut([1_000, 9_000]).classes == "excused 1")
        #expect(cut([7_000]).classes == "excused 1")
        #expect(cut([6_999]).classes == "lost 1")
        // Whatever its window: other connections came and went as they would.
        #expect(cut([1_100], until: 8_000).classes == "lost 1")
        // A retry after the first may meet the second only when that comes soon, or after as long again.
        #expect(cut([1_100, 3_100]).classes == "excused 1")
        #expect(cut([1_100, 3_101]).classes == "lost 1")
        #expect(cut([3_500, 6_000]).classes == "excused 1")
        #expect(cut([3_500, 6_001]).classes == "lost 1")
        #expect(cut([1_000, 3_100, 5_200]).classes == "excused 1")
        // Of two faults one each: more than one retry may be asked after each.
        let two = cut([1_100, 1_200]).with {
            $0.circumstances.connectionFirings[1].rule = 5
            $0.circumstances.faults.append(.init(rule: 5, label: "close", windows: []))
        }
        #expect(two.classes == "lost 1")
        // It was tried, and refused by nothing of ours.
        #expect(cut([1_100, 1_200]).with { $0.push(1, at: 1_300, status: 503) }.classes == "lost 1")
    }

    @Test("firings are those of the time that is asked for")
    func firings() {
        let circumstances = cut([1_100, 1_200, 1_300]).circumstances
        let count = { (from: Int64, to: Int64) in circumstances.firings(from: instant(from), to: instant(to)).count }
        #expect(count(0, 9_999) == 3)
        #expect(count(1_100, 1_200) == 2)
        #expect(count(1_101, 1_299) == 1)
        #expect(count(1_301, 9_999) == 0)
        #expect(count(0, 1_099) == 0)
        #expect(count(2_000, 1_000) == 0)
    }

    @Test("an outage is down from its begin to its end")
    func down() {
        let story = silent.with { $0.circumstances.outages = [.init(from: instant(10), until: instant(20))] }
        #expect([9, 10, 20, 21].map { story.circumstances.wasDown(at: instant($0)) } == [false, true, true, false])
        #expect(story.circumstances.fault(0) == nil)
    }

    // MARK: Dead tokens

    @Test("its token's death, named with the fault that brought it")
    func death() {
        let story = silent.with { story in
            story.call(2, at: 5_000)
            story.expect(2, at: 5_000)
            story.push(1, at: 1_050, status: 410)
        }
        #expect(story.classes == "excused 2")
        #expect(excuses(story) == ["dead token": 2])
        let ours = story.with {
            $0.account.pushes[0].faultRule = 4
            $0.circumstances.faults = [.init(rule: 4, label: "410", windows: [])]
        }
        #expect(excuses(ours) == ["dead token (410)": 2])
        #expect(story.correlation().deadTokens.died == 1)
    }

    @Test("a death that came when it was still due, and no later one", arguments: [
        (1_500, "excused 1"), (1_501, "lost 1"),
    ] as [(Int64, String)])
    func whenItDied(instant: Int64, expected: String) {
        let story = silent.with { $0.push(9, at: instant, status: 410) }
        #expect(story.classes == expected)
    }

    /// J7.
    @Test("no death from before its token was registered again")
    func registeredAgain() {
        let story = silent.with { story in
            story.push(1, at: 900, status: 410)
            story.call(0, at: 950)
            story.registers(0)
        }
        #expect(story.classes == "lost 1")
        #expect(story.with { $0.account.calls[1].sentAt = instant(899) }.classes == "excused 1")
        #expect(story.with { $0.account.calls[1].sentAt = instant(1_001) }.classes == "excused 1")
        #expect(story.with { $0.account.calls[1].sentAt = instant(0) }.classes == "excused 1")
    }

    @Test("no other token's death, and no death takes a delivery away")
    func otherToken() {
        #expect(silent.with { $0.push(9, at: 900, token: .other, status: 410) }.classes == "lost 1")
        #expect(Story.usual.with { $0.push(9, at: 900, status: 410) }.classes == "delivered 1")
    }
}

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

    /// Registered at 1000; the timestamp counts whole milliseconds.
    @Test("ends in doubt with a 410 of the registration's own millisecond", arguments: [
        (998, nil, nil), (999, true, nil), (1_000, false, 0),
    ] as [(Int64, Bool?, Int?)])
    func doubt(milliseconds: Int64, isDoubtful: Bool?, blamed: Int?) {
        let life = died(milliseconds).joined.tokens
        #expect(life.deaths[.activity]?.first?.isDoubtful == isDoubtful)
        #expect(life.death(of: .activity, before: instant(9_000))?.push == blamed)
    }

    @Test("ends with an answer that tells of it, once that answer is out")
    func death() {
        let story = died().with { $0.account.pushes[0].answeredAt = instant(2_300) }
        let life = story.joined.tokens
        #expect(life.deaths[.activity]?.count == 1)
        #expect(life.death(of: .activity, before: instant(2_299)) == nil)
        #expect(life.death(of: .activity, before: instant(2_300))?.push == 0)
        #expect(life.death(of: .other, before: instant(9_999)) == nil)
    }

    @Test("does not end with an answer that was not delivered, or that is of another kind")
    func noDeath() {
        #expect(died().with { $0.undelivered = [1] }.joined.tokens.deaths.isEmpty)
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
        #expect(life.death(of: .activity, before: instant(2_999)) != nil)
        #expect(life.death(of: .activity, before: instant(3_000)) == nil)
        #expect(life.wasRegistered(.activity, after: instant(2_999), until: instant(3_000)))
        #expect(!life.wasRegistered(.activity, after: instant(3_000), until: instant(9_000)))
        #expect(!life.wasRegistered(.activity, after: instant(1_000), until: instant(2_999)))
        #expect(life.registrations[.activity]?.map(\.wasTaken) == [true, true])
        // What takes a token back registers nothing.
        let back = story.with { $0.account.tokenCalls[1].isRegistration = false }
        #expect(back.joined.tokens.death(of: .activity, before: instant(9_000)) != nil)
        #expect(story.joined.tokens.lanes == [.activity: Lane(role: .activity)])
    }

    @Test("is untouched by a 410 that speaks of a time before its registration, or before the run")
    func past() {
        // At 2000 it says: dead since 900, before the registration at 1000.
        #expect(died(900).joined.tokens.deaths.isEmpty)
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

    @Test("is told in the mock's time, which may run faster")
    func scaled() {
        // Two seconds ago on a clock that runs ten times as fast is 200 ms ago: after the registration.
        let story = died(100, at: 2_100).with { $0.circumstances.clockScale = 10 }
        #expect(story.joined.tokens.deaths.count == 1)
        #expect(story.with { $0.circumstances.clockScale = 1 }.joined.tokens.deaths.isEmpty)
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
        // From the instant on at which the registration was sent, whatever else was on its way.
        #expect(story.with { $0.account.calls[1].sentAt = instant(4_000) }.correlation().deadTokens.pushesAfterDeath == 0)
        #expect(story.with { $0.account.calls[1].sentAt = instant(4_001) }.correlation().deadTokens.pushesAfterDeath == 1)
    }
}
