// What of ours explains a push that never came, and for how long.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A push that never came is excused by")
struct ExcuseTests {
    let silent = Story.usual.with { $0.account.pushes = [] }

    func excuses(_ story: Story) -> [String: Int] { story.correlation().excuses }

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


    @Test("firings are those of the time that is asked for")
    func firings() {
        var circumstances = Circumstances()
        circumstances.connectionFirings = [1_100, 1_200, 1_300].map { (at: instant($0), rule: 4) }
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
