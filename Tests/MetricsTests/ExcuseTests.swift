// What of ours explains a push that never came, and for how long.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A push that never came is excused by")
struct ExcuseTests {
    let silent = Story.usual.with { $0.account.pushes = [] }

    func excuses(_ story: Story) -> [String: Int] { story.correlation().excuses }

    @Test("an outage of ours while it was owed", arguments: [
        (900, 999, "lost 1"), (900, 1000, "excused 1"), (1500, 1600, "excused 1"), (1501, 1600, "lost 1"),
        (1200, 1300, "excused 1"), (500, 9000, "excused 1"),
    ] as [(Int64, Int64, String)])
    func outage(from: Int64, until: Int64, expected: String) {
        let story = silent.with { $0.circumstances.outages = [.init(from: instant(from), until: instant(until))] }
        #expect(story.classes == expected)
        if expected == "excused 1" { #expect(excuses(story) == ["relay held down": 1]) }
    }

    @Test("a refusal of its call that the profile allows")
    func refused() {
        func refused(isAllowed: Bool) -> Story {
            silent.with { story in
                story.account.calls[0].status = 413
                story.account.calls[0].wasTaken = isAllowed
            }
        }
        #expect(refused(isAllowed: true).classes == "excused 1" && refused(isAllowed: false).classes == "lost 1")
        #expect(excuses(refused(isAllowed: true)) == ["refused, as it may be": 1])
    }

    /// The sandbox does not know the production's token, which the mock says by itself; production says so by our fault.
    @Test("the death of its token, once the host where it lives has told of it")
    func deadAtHome() {
        func refused(
            _ environments: [PushEnvironment], faulted: PushEnvironment? = .production, at milliseconds: Int64 = 1050,
            apart: Int64 = 10
        ) -> Story {
            silent.with { story in
                story.circumstances.hasBothEnvironments = true
                for (number, environment) in environments.enumerated() {
                    story.push(1, at: milliseconds + Int64(number) * apart, status: 400) { push in
                        push.reason = Story.badToken
                        push.environment = environment
                        push.faultRule = environment == faulted ? 4 : 0
                    }
                }
            }
        }
        #expect(refused([.production, .sandbox]).classes == "excused 1")
        #expect(refused([.sandbox, .production]).classes == "excused 1")
        #expect(refused([.production, .sandbox], at: 1500, apart: 0).classes == "excused 1", "in the last instant")
        #expect(refused([.sandbox]).classes == "lost 1", "only the wrong host was asked")
        #expect(refused([.production, .sandbox], faulted: nil).classes == "lost 1", "as a token of the topic's would be")
    }

    /// R0.23, R0.27: 503 says nothing of the token, so a relay that prunes then has pruned what lives.
    @Test("the death of its token, but not while the other host was only busy")
    func inDoubt() {
        func answered(_ other: UInt16, again: UInt16? = nil) -> Story {
            silent.with { story in
                story.circumstances.hasBothEnvironments = true
                story.push(1, at: 1050, status: 400) { push in
                    (push.reason, push.faultRule) = (Story.badToken, 4)
                }
                for (number, status) in [other, again].compactMap(\.self).enumerated() {
                    story.push(1, at: 1060 + Int64(number) * 10, status: status) { push in
                        push.environment = .sandbox
                        push.reason = status == 400 ? Story.badToken : -1
                        push.faultRule = 4
                    }
                }
            }
        }
        func isDead(_ story: Story) -> Bool { excuses(story).keys.contains { $0.hasPrefix("dead token") } }
        #expect(!isDead(answered(503)) && !isDead(answered(429)) && !isDead(answered(503, again: 503)))
        #expect(isDead(answered(400)) && isDead(answered(503, again: 400)), "both have said so")
        #expect(isDead(silent.with { $0.push(1, at: 1050, status: 400) { ($0.reason, $0.faultRule) = (Story.badToken, 4) } }))
    }

    // MARK: Faults that met it

    /// One attempt at 1050 that met our fault, in force from 1000 to `end`; due at `due`.
    func faulted(
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

    @Test("a fault that had refused the push before it as well, for then the relay's pause may have grown")
    func refusedBefore() {
        func second(_ due: Int64, before status: UInt16 = 429, fault: UInt32 = 4) -> Story {
            faulted(503, due: due).with { story in
                story.expect(0, at: 900)
                story.push(0, at: 950, status: status) { $0.faultRule = fault }
                story.account.pushes.sort { $0.arrivedAt < $1.arrivedAt }
                story.account.rows.removeAll { $0.step == 0 }
            }
        }
        // Over at 1100; with four seconds of patience it should have come by 5100.
        #expect(second(5_100).classes.contains("excused 1"))
        #expect(second(5_101).classes.contains("lost 1"))
        #expect(second(3_101, before: 200, fault: 0).classes.contains("lost 1"), "that one was accepted")
        #expect(second(3_101, before: 429, fault: 0).classes.contains("lost 1"), "that was not our doing")
    }

    @Test("its token's being taken back before it need have left, counted from the answers to its call and to its alert")
    func takenBackAtOnce() {
        let returned = { (taken: Int64, answered: Int64) in
            self.silent.with {
                $0.account.calls[0].answeredAt = instant(answered)
                $0.call(2, at: taken)
                $0.registers(2, isRegistration: false)
            }
        }
        #expect(returned(1_350, 1_100).classes == "excused 1")
        #expect(excuses(returned(1_350, 1_100)) == ["token taken back": 1])
        #expect(returned(1_351, 1_100).classes == "lost 1")
        let alerted = { (taken: Int64) in
            returned(taken, 1_100).with {
                $0.expect(1, at: 1_000, type: .alert, token: .device)
                $0.push(1, at: 1_400, type: .alert, token: .device)
                $0.account.pushes[0].answeredAt = instant(1_500)
            }
        }
        #expect(alerted(1_750).classes == "delivered 1, excused 1")
        #expect(alerted(1_751).classes == "delivered 1, lost 1")
        // Whoever tried was not kept from it.
        #expect(returned(1_350, 1_100).with { $0.push(1, at: 1_200, status: 400) }.classes == "lost 1")
    }

    @Test("a fault that had met all it may, no longer than one whose time is over", arguments: [
        (nil, 9_000, "excused 1"), (1_100, 3_100, "excused 1"), (1_100, 3_101, "lost 1"), (4_050, 7_050, "excused 1"),
        (4_050, 7_051, "lost 1"), (1_040, 3_050, "excused 1"), (1_040, 3_051, "lost 1"),
    ] as [(Int64?, Int64, String)])
    func spent(at spent: Int64?, due: Int64, expected: String) {
        let story = faulted(503, until: 99_000, due: due)
        #expect(story.with { $0.circumstances.faults[0].spentAt = spent.map(instant) }.classes == expected)
    }

    @Test("a fault that meets each token so often, until it met this push so often", arguments: [
        (1, 1, 3_050, "excused 1"), (1, 1, 3_051, "lost 1"), (2, 1, 9_000, "excused 1"), (2, 2, 3_060, "excused 1"),
        (2, 2, 3_061, "lost 1"),
    ] as [(Int, Int, Int64, String)])
    func spentEach(times: Int, attempts: Int, due: Int64, expected: String) {
        let story = faulted(503, until: 99_000, due: due, attempts: attempts).with {
            $0.circumstances.faults[0].timesEach = times
        }
        #expect(story.classes == expected)
        // What another fault met is none of its times.
        guard attempts == 2 else { return }
        #expect(story.with { $0.account.pushes[0].faultRule = 6 }.classes == "excused 1")
    }

    @Test("silence of ours, for as long as the most patient relay waits")
    func silence() {
        #expect(faulted(0, isSilence: true).classes == "excused 1")
        // Met at 1050; given up at 31 050, and the same time again to make up for it.
        #expect(faulted(0, due: 61_050, isSilence: true).classes == "excused 1")
        #expect(faulted(0, due: 61_051, isSilence: true).classes == "lost 1")
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

    @Test("connections that went away while it was owed, where too little time was left behind the last of them")
    func connections() {
        #expect(cut([]).classes == "lost 1")
        #expect(cut([999]).classes == "lost 1")
        #expect(cut([1_100]).classes == "lost 1")
        #expect(cut([7_000]).classes == "excused 1")
        #expect(excuses(cut([7_000])) == ["goaway": 1])
        #expect(cut([6_999]).classes == "lost 1")
        #expect(cut([1_100, 9_001]).classes == "lost 1")
        #expect(cut([1_000, 9_000]).classes == "excused 1")
        // Whatever its window: other connections came and went as they would.
        #expect(cut([1_100], until: 8_000).classes == "lost 1")
        // However often it was met: from the last on there was time, as long as the trouble had lasted and two seconds.
        #expect(cut([1_100, 1_200]).classes == "lost 1")
        #expect(cut([1_000, 3_000, 4_000]).classes == "excused 1")
        #expect(cut([1_001, 3_000, 4_000]).classes == "lost 1")
        // It began before this push was owed.
        #expect(cut([500, 1_500, 4_000]).classes == "excused 1")
        // A connection that goes later than that is a trouble of its own.
        #expect(cut([1_000, 3_001, 5_000]).classes == "lost 1")
        // Of two faults each is a trouble of its own.
        let two = cut([1_000, 3_000, 5_000]).with {
            $0.circumstances.connectionFirings[1].rule = 5
            $0.circumstances.faults.append(.init(rule: 5, label: "close", windows: []))
        }
        #expect(two.classes == "lost 1")
        // It was tried, and refused by nothing of ours.
        #expect(cut([7_000]).with { $0.push(1, at: 1_300, status: 503) }.classes == "lost 1")
    }

    @Test("a connection that may have taken it along, where a newer state came in time instead", arguments: [
        (1_100, 4_000, "delivered 1, excused 1"), (2_000, 4_000, "delivered 1, excused 1"),
        (2_001, 4_000, "delivered 1, lost 1"), (999, 4_000, "delivered 1, lost 1"), (1_500, 1_499, "delivered 1, lost 1"),
        (1_100, 9_001, "late 1, lost 1"),
    ] as [(Int64, Int64, String)])
    func takenAlong(firing: Int64, newer: Int64, expected: String) {
        let story = cut([firing]).with { story in
            story.call(2, at: 1_400)
            story.expect(2, at: 1_400)
            story.push(2, at: newer)
            story.account.rows[1].deadline = .milliseconds(newer == 9_001 ? 7_000 : 9_000)
        }
        #expect(story.classes == expected)
        guard expected.contains("excused") else { return }
        #expect(excuses(story) == ["goaway": 1])
        #expect(story.with { $0.account.rows[0].flags = .isFinal }.classes == "delivered 1, lost 1")
        #expect(story.with { $0.account.pushes[0].session = 9 }.correlation().count(.lost) == 2, "another's")
    }

    @Test("its connection may have taken it along so long after the alert that goes first, on that phone", arguments: [
        (2_400, 0, "delivered 2, excused 1"), (2_401, 0, "delivered 2, lost 1"), (2_400, 1, "delivered 2, lost 1"),
    ] as [(Int64, UInt8, String)])
    func takenAlongBehindAlert(firing: Int64, phone: UInt8, expected: String) {
        let story = cut([firing]).with { story in
            story.expect(1, type: .alert, deadline: 9_000, token: .device, phone: phone)
            story.push(1, at: 1_400, type: .alert, token: .device, outcome: .shown)
            story.call(2, at: 1_450)
            story.expect(2, at: 1_450, deadline: 9_000)
            story.push(2, at: 4_000)
        }
        #expect(story.classes == expected)
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

    @Test("a call that left behind its own deadline, when its token had died or died at once", arguments: [
        (Int64(6_900), true), (9_900, true), (10_100, false),
    ])
    func diedBeforeItLeft(diedAt: Int64, isExcused: Bool) {
        let story = silent.with { story in
            story.call(2, at: 1_000) { ($0.sentAt, $0.answeredAt) = (instant(7_000), instant(7_005)) }
            story.expect(2, at: 1_000)
            story.account.rows[1].deadline = .seconds(3)
            story.account.rows.remove(at: 0)
            story.push(1, at: diedAt, status: 410)
        }
        #expect((excuses(story) == ["dead token": 1]) == isExcused, "\(story.classes)")
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
