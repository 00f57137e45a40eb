// States that rest behind a 429 or 5xx of APNs, as long as Apple or the profile lets them.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A state that rests behind a refusal for now")
struct RestTests {
    private static let deadline: Int64 = 5_000

    /// Step 1 is refused at 1050 by a fault, and due at 6000; a quarter of an hour of rest, if any.
    private func story(
        status: UInt16 = 503, fault: UInt32 = 4, rest: Interval = .seconds(900), _ turn: (inout Story) -> Void = { _ in }
    ) -> Story {
        Story.usual.with { story in
            story.circumstances.faults = [.init(rule: 4, label: "503", windows: [])]
            story.circumstances.rest = rest
            story.registers(0)
            story.account.rows[0].deadline = .milliseconds(Self.deadline)
            story.account.pushes = []
            story.push(1, status: status) { $0.faultRule = fault }
            turn(&story)
        }
    }

    /// Step 2 is called for at 2000.
    private func next(_ story: inout Story, token: TokenHash = .activity, type: PushType = .liveactivity) {
        story.call(2, at: 2_000)
        story.expect(2, at: 2_000, type: type, deadline: Self.deadline, token: token)
    }

    private func outcome(_ story: Story, _ row: Int = 0) -> DeliveryClass? { story.joined.deliveries[row].outcome }

    @Test("may come when the rest is over, and within its deadline from then", arguments: [429, 500, 503] as [UInt16])
    func own(status: UInt16) {
        let end = 1_050 + 900_000 + Self.deadline
        for (at, expected) in [(end, DeliveryClass.delivered), (end + 1, .late)] {
            #expect(outcome(story(status: status) { $0.push(1, at: at) }) == expected)
        }
        let twice = story(status: status) { story in
            story.push(1, at: 900_000, status: status) { $0.faultRule = 4 }
            story.push(1, at: 1_800_000 + Self.deadline)
        }
        #expect(outcome(twice) == .delivered, "each further refusal lets it rest again")
    }

    @Test("is lost where its rest is over and it was tried no more, whatever its fault might have met")
    func triedOnce() {
        let always: (inout Story) -> Void = { $0.circumstances.faults[0].windows = [instant(0)..<instant(1_000_000)] }
        #expect(outcome(story(rest: .seconds(10), always)) == .lost)
        let twice = story(rest: .seconds(10)) { story in
            always(&story)
            story.push(1, at: 11_050, status: 503) { $0.faultRule = 4 }
        }
        #expect(outcome(twice) == .excused, "it met the fault again")
        #expect(outcome(story(rest: .zero, always)) == .excused, "nobody knows how long it rests")
    }

    @Test("need not come where its token is taken back meanwhile, nor need what waits behind it", arguments: [1, 2] as [UInt32])
    func takenBack(step: UInt32) {
        func outcome(taken: Int64, fault: UInt32 = 4) -> DeliveryClass? {
            let story = story(fault: fault, rest: .seconds(10)) { story in
                next(&story)
                story.call(3, at: taken)
                story.registers(3, isRegistration: false)
            }
            return self.outcome(story, Int(step) - 1)
        }
        #expect(outcome(taken: 11_050) == .excused && outcome(taken: 11_051) == .lost)
        #expect(outcome(taken: 11_050, fault: 0) == .lost, "the relay brought that rest upon itself")
    }

    @Test("is undecided until then, and lost where it never comes")
    func never() {
        let end = 1_050 + 900_000 + Self.deadline
        func heard(until end: Int64) -> DeliveryClass? { outcome(story { $0.circumstances.end = instant(end) }) }
        #expect(heard(until: end - 1) == .undecided && heard(until: end) == .lost)
        #expect(outcome(story(rest: .zero)) == .lost, "its profile lets it rest for nothing")
        #expect(outcome(story(rest: .seconds(60))) == .lost)
        let own = story(status: 503, fault: 0) { $0.circumstances.end = instant(10_000) }
        #expect(outcome(own) == .lost, "no fault of ours")
        let dead = story(status: 410) { $0.circumstances.end = instant(10_000) }
        #expect(outcome(dead) == .excused, "an answer that asks for no rest")
    }

    @Test("is kept back still when another session's card of that phone goes on")
    func otherCard() {
        func told(_ session: UInt32) -> DeliveryClass? {
            let story = story { story in
                story.registers(0, .rotated, session: 2)
                next(&story)
                story.push(1, at: 1_500, session: session, token: .rotated)
                story.push(2, at: 60_000)
            }
            return outcome(story, 1)
        }
        #expect(told(2) == .delivered && told(1) == .late)
    }

    @Test("is kept back by what another session's push to its token met, whichever has the greater number", arguments: [0, 2] as [UInt32])
    func otherSession(session: UInt32) {
        let story = story { story in
            story.account.pushes[0].session = session
            story.call(2, at: 2_000)
            story.expect(2, at: 2_000, deadline: Self.deadline)
            story.push(2, at: 60_000)
        }
        #expect(outcome(story, 1) == .delivered)
    }

    @Test("keeps back what its card is told later, until the card goes on")
    func behind() {
        func told(at instants: Int64...) -> DeliveryClass? {
            outcome(
                story { story in
                    next(&story)
                    for (step, at) in zip([1, 2] as [UInt32], instants) { story.push(step, at: at) }
                }, 1)
        }
        #expect(told(at: 800_000, 800_000 + Self.deadline) == .delivered)
        #expect(told(at: 800_000, 800_001 + Self.deadline) == .late)
        #expect(told(at: 800_000) == .lost)
        let newest = story { story in
            next(&story)
            story.push(2, at: 900_000)
        }
        #expect(newest.joined.deliveries.map(\.outcome) == [.superseded, .delivered], "the newest alone is sent")
        let waits = story { story in
            next(&story)
            story.circumstances.end = instant(100_000)
        }
        #expect(outcome(waits, 1) == .undecided)
        let before = story(rest: .milliseconds(900)) { story in
            next(&story)
            story.circumstances.end = instant(100_000)
        }
        #expect(outcome(before, 1) == .lost, "the rest was over when it was told")
    }

    @Test("keeps back what its phone is told otherwise in the session, and nothing of another phone or session")
    func phone() {
        func alert(_ turn: (inout Story) -> Void = { _ in }) -> DeliveryClass? {
            outcome(
                story { story in
                    story.registers(0, .device, role: .device)
                    next(&story, token: .device, type: .alert)
                    story.push(1, at: 800_000)
                    story.push(2, at: 800_000 + Self.deadline, type: .alert, token: .device)
                    turn(&story)
                }, 1)
        }
        #expect(alert() == .delivered)
        let card = story { story in
            story.registers(0, .device, role: .device)
            next(&story, token: .device, type: .alert)
            story.push(2, at: 2_100, type: .alert, token: .device)
            story.call(3, at: 3_000)
            story.expect(3, at: 3_000, deadline: Self.deadline)
            story.push(3, at: 800_000)
        }
        #expect(outcome(card, 1) == .delivered && outcome(card, 2) == .delivered, "its alerts go on, and its card does not")
        #expect(alert { $0.account.rows[1].lane.phone = 1 } == .late)
        let other = alert { story in
            story.account.rows[1].session = 2
            story.account.pushes[2].session = 2
            story.call(2, at: 2_000, session: 2)
        }
        #expect(other == .late)
    }

    @Test("keeps nothing back of another card, or where the relay goes on sending")
    func others() {
        func other(_ turn: (inout Story) -> Void = { _ in }) -> DeliveryClass? {
            outcome(
                story { story in
                    next(&story, token: .other)
                    story.account.rows[1].session = 2
                    story.account.rows[1].lane = Lane(role: .activity, phone: 1)
                    story.call(2, at: 2_000, session: 2)
                    story.circumstances.end = instant(20_000)
                    turn(&story)
                }, 1)
        }
        #expect(other() == .lost)
        func failure(_ status: UInt16, at milliseconds: Int64) -> SeenPush {
            Story.usual.with { story in story.push(1, at: milliseconds, token: .other, status: status) { $0.faultRule = 4 } }
                .account.pushes[1]
        }
        func silent(_ story: inout Story, _ pushes: SeenPush...) {
            for push in pushes { story.circumstances.silences.see(push, inFlight: .seconds(1)) }
        }
        #expect(other { silent(&$0, failure(503, at: 1_050)) } == .undecided, "it sends nothing to anybody")
        #expect(other { silent(&$0, failure(429, at: 1_050)) } == .lost, "429 is about one token")
        #expect(other { silent(&$0, failure(503, at: 1_050), failure(200, at: 2_500)) } == .lost, "it went on")
        #expect(other { silent(&$0, failure(503, at: 1_050), failure(200, at: 16_000)) } == .undecided, "it has its deadline again")
        #expect(other { silent(&$0, failure(503, at: 1_050), failure(200, at: 14_000)) } == .lost)
        #expect(other { silent(&$0, failure(503, at: 1_050), failure(503, at: 1_900), failure(200, at: 3_000)) } == .lost)
        #expect(other { silent(&$0, failure(503, at: 9_000)) } == .lost, "it was due before")
    }

    @Test("is counted where it was passed over: it was not sent again, and its token was told something since", arguments: [
        (2_000, 1), (900, 0), (nil, 0),
    ] as [(Int64?, Int)])
    func passedOver(at: Int64?, count: Int) {
        let story = story { story in
            story.circumstances.end = instant(10_000)
            if let at { story.push(2, at: at) }
        }
        #expect(story.classes.hasPrefix("undecided 1") && story.correlation().undecidedPassedOver == count)
        let tried = story.with { $0.push(1, at: 5_000) }
        #expect(tried.correlation().undecidedPassedOver == 0)
    }
}
