// States that wait because FCM asked for a rest: ten seconds after 5xx, a minute after 429 (F7, F8), each twice at most.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A state behind a rest that FCM asked for")
struct MessageRestTests {
    /// Step 1 is refused at 1050 by a fault; step 2 is called for at 1500 and comes at `at`.
    private func outcome(
        at milliseconds: Int64, status: UInt16 = 503, _ turn: (inout Story) -> Void = { _ in }
    ) -> DeliveryClass? {
        let story = Story.usual.with { story in
            story.circumstances.faults = [.init(rule: 4, label: "away", windows: [])]
            story.registers(0)
            story.account.pushes = []
            story.push(1, status: status) { $0.faultRule = 4 }
            story.call(2, at: 1500)
            story.expect(2, at: 1500)
            story.push(2, at: milliseconds)
            turn(&story)
            for index in story.account.rows.indices { story.account.rows[index].provider = .fcm }
            for index in story.account.pushes.indices { story.account.pushes[index].provider = .fcm }
        }
        return story.joined.deliveries.last?.outcome
    }

    @Test("has its deadline from the end of twice that rest", arguments: [(503, 20), (429, 120)] as [(UInt16, Int64)])
    func rests(status: UInt16, seconds: Int64) {
        let over = 1050 + seconds * 1000
        #expect(outcome(at: over + 500, status: status) == .delivered && outcome(at: over + 501, status: status) == .late)
    }

    /// Who waits a minute whatever is said obeys as well.
    @Test("has what the answer asked for where that is more than usual", arguments: [
        (503, 120, 240), (503, 5, 20), (429, 120, 240), (429, 5, 120),
    ] as [(UInt16, Int64, Int64)])
    func said(status: UInt16, seconds: Int64, rest: Int64) {
        func outcome(at milliseconds: Int64) -> DeliveryClass? {
            self.outcome(at: milliseconds, status: status) { $0.circumstances.faults[0].retryAfter = .seconds(Double(seconds)) }
        }
        let over = 1050 + rest * 1000
        #expect(outcome(at: over + 500) == .delivered && outcome(at: over + 501) == .late)
    }

    /// Whether it was processed nobody knows who was cut off.
    @Test("may rest behind a message that a fault cut off as behind a failure, and behind silence it may not")
    func cut() {
        func outcome(at milliseconds: Int64, cutsOff: Bool = true, _ turn: (inout Story) -> Void = { _ in }) -> DeliveryClass? {
            self.outcome(at: milliseconds, status: 0) { story in
                story.circumstances.faults[0].cutsOff = cutsOff
                turn(&story)
            }
        }
        let over: Int64 = 1050 + 20_000
        #expect(outcome(at: over + 500) == .delivered && outcome(at: over + 501) == .late)
        #expect(outcome(at: 6_000) == .delivered && outcome(at: over, cutsOff: false) == .late)
        #expect(outcome(at: over) { $0.account.pushes[0].faultRule = 0 } == .late, "it cut itself off")
    }

    @Test("may rest so behind its own, too, and one of APNs may not")
    func ownCut() {
        func outcome(provider: Provider) -> DeliveryClass? {
            let story = Story.usual.with { story in
                story.circumstances.faults = [.init(rule: 4, label: "cut", windows: [], cutsOff: true)]
                story.circumstances.rest = .seconds(900)
                story.registers(0)
                story.account.pushes = []
                story.push(1, status: 0) { $0.faultRule = 4 }
                story.push(1, at: 21_000)
                for index in story.account.rows.indices { story.account.rows[index].provider = provider }
                for index in story.account.pushes.indices { story.account.pushes[index].provider = provider }
            }
            return story.joined.deliveries.first?.outcome
        }
        #expect(outcome(provider: .fcm) == .delivered && outcome(provider: .apns) != .delivered)
    }

    /// Nothing of it was seen when a fault cut the connection at 1500: who sent it, or waited behind it, cannot know more.
    @Test("may rest behind a connection that was cut with it unread")
    func unreadCut() {
        func outcome(at arrival: Int64, step: UInt32 = 1, _ turn: (inout Story) -> Void = { _ in }) -> DeliveryClass? {
            let story = Story.usual.with { story in
                story.circumstances.faults = [.init(rule: 4, label: "cut", windows: [], cutsOff: true)]
                story.circumstances.connectionFirings = [(at: instant(1_500), rule: 4)]
                story.registers(0)
                story.account.pushes = []
                story.call(2, at: 2_500)
                story.expect(2, at: 2_500)
                // It met the fault for another registration.
                story.push(9, at: 1_500, token: .other, status: 0) { ($0.faultRule, $0.session) = (4, 2) }
                story.push(step, at: arrival)
                turn(&story)
                for index in story.account.rows.indices { story.account.rows[index].provider = .fcm }
                for index in story.account.pushes.indices { story.account.pushes[index].provider = .fcm }
            }
            return story.joined.deliveries[Int(step) - 1].outcome
        }
        for step in [1, 2] as [UInt32] {
            #expect(outcome(at: 22_000, step: step) == .delivered && outcome(at: 22_001, step: step) == .late)
        }
        #expect(outcome(at: 22_000) { $0.circumstances.faults[0].cutsOff = false } == .late)
        #expect(outcome(at: 22_000) { $0.circumstances.connectionFirings[0].at = instant(900) } == .late, "before its call")
        #expect(outcome(at: 22_000) { $0.circumstances.connectionFirings[0].at = instant(3_600) } == .late, "it had long left")
        #expect(outcome(at: 22_000, step: 2) { $0.push(1, at: 1_100) } == .late, "all was accepted before")
        let silent: (inout Story) -> Void = { $0.push(1, at: 1_100, status: 0) }
        #expect(outcome(at: 22_000, silent) == .delivered, "read, and never answered")
    }

    @Test("waits for no rest that the relay brought upon itself, nor for another's")
    func others() {
        func isLate(_ turn: (inout Story) -> Void) -> Bool { outcome(at: 6_000, turn) == .late }
        #expect(!isLate { _ in })
        #expect(isLate { $0.account.pushes[0].faultRule = 0 })
        #expect(isLate { $0.account.pushes[0].token = .other })
        #expect(isLate { $0.account.pushes[0].status = 400 })
    }

    @Test("has further rests, and the wait for an answer behind them")
    func more() {
        let again: (inout Story) -> Void = { story in
            story.push(1, at: 11_050, status: 503) { $0.faultRule = 4 }
        }
        #expect(outcome(at: 41_550, again) == .delivered && outcome(at: 41_551, again) == .late)
        let slow: (inout Story) -> Void = { story in
            story.push(1, at: 11_050) { push in
                (push.faultRule, push.answeredAt) = (4, instant(35_000))
            }
        }
        #expect(outcome(at: 35_500, slow) == .delivered && outcome(at: 35_501, slow) == .late)
    }

    /// Refused again by a fault, twice, each pause twice as long as the one before.
    private func again(_ steps: UInt32..., pause: Int64 = 12_000, status: UInt16 = 503) -> (inout Story) -> Void {
        { story in
            for (step, at) in zip(steps, [1_050 + pause, 1_050 + 3 * pause]) {
                story.push(step, at: at, status: status) { $0.faultRule = 4 }
            }
        }
    }

    @Test("has as much again as was refused in a row before, for pauses are to grow")
    func grows() {
        let over: Int64 = 37_050 + 36_000 + 20_000
        for row in [again(1, 1), again(11, 12)] {
            #expect(outcome(at: over + 500, row) == .delivered && outcome(at: over + 501, row) == .late)
        }
        let quota = again(1, pause: 72_000, status: 429)
        let quotaOver: Int64 = 73_050 + 72_000 + 120_000
        #expect(outcome(at: quotaOver + 500, status: 429, quota) == .delivered)
        #expect(outcome(at: quotaOver + 501, status: 429, quota) == .late)
        let own: (inout Story) -> Void = { story in
            (story.account.pushes[0].status, story.account.pushes[0].outcome) = (200, .updated)
            for at in [1_600, 13_600, 37_600] as [Int64] { story.push(2, at: at, status: 503) { $0.faultRule = 4 } }
        }
        #expect(outcome(at: 37_600 + 36_000 + 20_500, own) == .delivered && outcome(at: 37_600 + 36_000 + 20_501, own) == .late)
    }

    @Test("has no more than the rest behind the last, where something got through in between, but for the same push")
    func growsInARow() {
        func through(_ row: @escaping (inout Story) -> Void) -> (inout Story) -> Void {
            { story in
                row(&story)
                story.push(30, at: 36_000, session: 2)
            }
        }
        let others = through(again(11, 12))
        #expect(outcome(at: 57_550, others) == .delivered && outcome(at: 57_551, others) == .late)
        #expect(outcome(at: 93_550, through(again(1, 1))) == .delivered && outcome(at: 93_551, through(again(1, 1))) == .late)
        let forGood: (inout Story) -> Void = { story in
            again(11, 12)(&story)
            story.push(30, at: 36_000, session: 2, status: 400)
        }
        #expect(outcome(at: 57_550, forGood) == .delivered && outcome(at: 57_551, forGood) == .late)
    }

    /// Step 2, called for at 70 s, never comes; a newer one does.
    private func lost(at milliseconds: Int64 = 70_000, _ turn: (inout Story) -> Void) -> Bool {
        let story = Story.usual.with { story in
            story.circumstances.faults = [.init(rule: 4, label: "quota", windows: [])]
            story.registers(0)
            story.account.pushes = []
            story.push(1, status: 429) { $0.faultRule = 4 }
            story.push(1, at: 62_000)
            story.call(2, at: milliseconds)
            story.expect(2, at: milliseconds)
            story.call(3, at: milliseconds + 100)
            story.expect(3, at: milliseconds + 100)
            story.push(3, at: milliseconds + 150)
            turn(&story)
            for index in story.account.rows.indices { story.account.rows[index].provider = .fcm }
            for index in story.account.pushes.indices { story.account.pushes[index].provider = .fcm }
        }
        return story.joined.deliveries[1].outcome == .lost
    }

    @Test("may be passed over where it was called for by the end of the rest, and not later")
    func lastInstant() {
        let over: Int64 = 1050 + 120_000
        func lost(at milliseconds: Int64) -> Bool { self.lost(at: milliseconds) { $0.account.pushes.remove(at: 1) } }
        #expect(!lost(at: over) && lost(at: over + 1))
    }

    @Test("waits no longer once its session gets something of its kind through again")
    func wentOn() {
        #expect(lost { _ in })
        #expect(!lost { $0.account.pushes[1].arrivedAt = instant(2_000) }, "that was on its way")
        #expect(!lost { $0.account.pushes[1].session = 2 }, "another session's")
        #expect(!lost { $0.account.pushes[1].type = .alert }, "an alert")
        #expect(!lost { $0.account.pushes[1].status = 503 })
    }

    @Test("is judged by its own last answer, where it was tried itself")
    func own() {
        let refused: (inout Story) -> Void = { story in
            story.push(2, at: 1_600, status: 400) { $0.faultRule = 4 }
        }
        #expect(outcome(at: 11_000, refused) == .late && outcome(at: 11_000) == .delivered)
        let busy: (inout Story) -> Void = { story in
            story.push(2, at: 1_600, status: 503) { $0.faultRule = 4 }
        }
        #expect(outcome(at: 22_650, busy) == .delivered && outcome(at: 22_651, busy) == .late, "the second answer in a row")
    }

    /// Step 2 waits behind the 503 of step 1 when its app registers another token, at 2000; that is answered so at `answered`.
    private func moved(
        _ status: UInt16, at answered: Int64 = 2_010, registered: Int64 = 2_000, _ turn: (inout Story) -> Void = { _ in }
    ) -> DeliveryClass? {
        let story = Story.usual.with { story in
            story.circumstances.faults = [.init(rule: 4, label: "away", windows: [])]
            story.registers(0)
            story.account.pushes = []
            story.push(1, status: 503) { $0.faultRule = 4 }
            story.call(2, at: 1500)
            story.expect(2, at: 1500)
            story.call(3, at: registered)
            story.registers(3, .rotated)
            story.push(1, at: answered, token: .rotated, status: status) { push in
                (push.faultRule, push.reason) = (4, status == 400 ? Story.badToken : -1)
            }
            turn(&story)
            for index in story.account.rows.indices {
                (story.account.rows[index].provider, story.account.rows[index].lane) = (.fcm, Lane(role: .registration))
            }
            for index in story.account.tokenCalls.indices { story.account.tokenCalls[index].lane.role = .registration }
            for index in story.account.pushes.indices { story.account.pushes[index].provider = .fcm }
        }
        return story.joined.deliveries.last?.outcome
    }

    @Test("may go to the registration that took the place of its own, and is excused where that is dead")
    func movedOn() {
        #expect(moved(400) == .excused)
        #expect(moved(200) == .lost && moved(403) == .lost, "that one lives")
        let over: Int64 = 1_050 + 20_000 + 500
        #expect(moved(400, at: over) == .excused && moved(400, at: over + 1) == .lost, "it was due before")
        #expect(moved(400, at: over + 1_010, registered: over + 1_000) == .lost)
        #expect(moved(400) { $0.account.pushes[0].faultRule = 0 } == .lost, "it had no reason to wait")
        #expect(moved(400) { $0.account.tokenCalls[1].lane.phone = 1 } == .lost, "another phone's app")
        #expect(moved(400) { $0.account.calls[2].wasTaken = false } != .excused)
        let takenBack: (inout Story) -> Void = { story in
            story.call(4, at: 1_900)
            (story.account.calls[2].step, story.account.calls[3].step) = (4, 3)
            story.account.tokenCalls[1].place = EventNumber.place(session: 1, step: 4)
            story.registers(3, isRegistration: false)
        }
        #expect(moved(400, takenBack) == .excused, "its own was taken back while it rested")
    }

    /// Called for at 3000, with the registration that took the place of the one which was refused at 1050.
    @Test("rests behind a failure of the service that its app's former registration met, and behind no quota of that")
    func formerRest() {
        func outcome(status: UInt16, at arrival: Int64, _ turn: (inout Story) -> Void = { _ in }) -> DeliveryClass? {
            moved(status) { story in
                story.account.pushes = []
                story.push(1, status: status) { $0.faultRule = 4 }
                story.call(4, at: 3_000)
                story.expect(4, at: 3_000, token: .rotated)
                story.push(4, at: arrival, token: .rotated)
                turn(&story)
            }
        }
        #expect(outcome(status: 503, at: 21_550) == .delivered && outcome(status: 503, at: 21_551) == .late)
        #expect(outcome(status: 429, at: 21_550) == .late)
        let through: (inout Story) -> Void = { $0.push(4, at: 3_100, session: 1, token: .rotated) }
        #expect(outcome(status: 503, at: 21_550, through) == .delivered)
        #expect(outcome(status: 503, at: 21_550) { $0.account.tokenCalls[0].lane.phone = 1 } == .late, "another phone's app")
    }

    @Test("rests until the date that the answer names")
    func date() {
        func outcome(at arrival: Int64, until: Int64) -> DeliveryClass? {
            self.outcome(at: arrival) { $0.circumstances.faults[0].retryAt = WallTime(seconds: 1_760_000_000) + .milliseconds(until) }
        }
        // It was refused at 1050: 60 s, and twice as much with jitter.
        #expect(outcome(at: 1_050 + 120_000 + 500, until: 61_050) == .delivered)
        #expect(outcome(at: 1_050 + 120_000 + 501, until: 61_050) == .late)
        #expect(outcome(at: 1_050 + 20_501, until: 500) == .late, "a date of the past asks for no more than FCM does")
    }

    @Test("rests at that one as well")
    func movedRest() {
        func comes(at milliseconds: Int64) -> DeliveryClass? {
            moved(503, at: 15_000) { $0.push(2, at: milliseconds, token: .rotated) }
        }
        let over: Int64 = 15_000 + 20_000 + 500
        #expect(comes(at: over) == .delivered && comes(at: over + 1) == .late)
    }
}
