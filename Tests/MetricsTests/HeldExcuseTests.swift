// Excuses of what was held: for a token, for a phone that signed out, for a start that could not be sent.

import Basics
import Pushes
import Testing

@testable import Metrics

extension ExcuseTests {
    @Test("an outage only behind its token's registration, where it was held for that and had been taken before")
    func heldOverOutage() {
        func held(_ outage: ClosedRange<Int64>, _ turn: (inout Story) -> Void = { _ in }) -> String {
            silent.with { story in
                story.account.rows[0].flags = [.wasHeld, .mayWait]
                story.account.rows[0].deadline = .milliseconds(9_000)
                story.call(2, at: 6_000)
                story.registers(2)
                story.circumstances.outages = [.init(from: instant(outage.lowerBound), until: instant(outage.upperBound))]
                turn(&story)
            }.classes
        }
        #expect(held(2_011...3_000) == "lost 1")
        #expect(held(2_010...3_000) == "excused 1", "a second after its answer it may not be stored yet")
        #expect(held(2_011...6_000) == "excused 1" && held(7_000...8_000) == "lost 1")
        #expect(held(2_011...3_000) { $0.account.rows[0].flags = [] } == "lost 1", "its clock began anew")
        #expect(held(2_011...3_000) { $0.account.calls[0].wasTaken = false } == "lost 1")
    }

    @Test("the sign-out of all devices of its user, where its activity lives on")
    func signedOut() {
        func story(_ calls: [(phone: UInt8, at: Int64, isRegistration: Bool)]) -> String {
            silent.with { story in
                for (number, call) in calls.enumerated() {
                    story.call(UInt32(number) + 10, at: call.at)
                    story.registers(
                        UInt32(number) + 10, TokenHash("d\(call.phone)"), phone: call.phone, role: .device,
                        isRegistration: call.isRegistration)
                }
            }.classes
        }
        #expect(story([(0, 100, true), (0, 500, false)]) == "excused 1")
        #expect(story([(0, 100, true)]) == "lost 1" && story([]) == "lost 1")
        #expect(story([(0, 100, true), (1, 200, true), (0, 500, false)]) == "lost 1", "the other phone is there")
        #expect(story([(0, 100, true), (1, 200, true), (0, 500, false), (1, 600, false)]) == "excused 1")
        #expect(story([(0, 100, true), (0, 500, false), (0, 700, true)]) == "lost 1")
        #expect(story([(0, 100, true), (0, 1_500, false)]) == "lost 1", "later")
    }

    @Test("and one that signs in again may find its activity forgotten: a start tells what an update was to tell")
    func signedInAgain() {
        func story(registered: Int64 = 100, out: Int64 = 500, isTold: Bool = true) -> String {
            silent.with { story in
                story.account.calls[0].step = 9
                story.account.rows[0].step = 9
                for (step, at, isRegistration) in [(0, 50, true), (2, out, false), (3, 700, true)] as [(UInt32, Int64, Bool)] {
                    story.call(step, at: at)
                    story.registers(step, .device, role: .device, isRegistration: isRegistration)
                }
                story.call(1, at: registered)
                story.registers(1)
                story.registers(0, TokenHash("51"), role: .start)
                if isTold { story.push(9, event: .start, token: TokenHash("51"), outcome: .started) }
            }.classes
        }
        #expect(story() == "delivered 1")
        #expect(story(registered: 800) == "lost 1, misdirected 1", "its activity was registered behind that")
        #expect(story(isTold: false) == "excused 1" && story(registered: 800, isTold: false) == "lost 1")
    }

    @Test("the sign-out of its phone, once another phone has registered an activity of the session")
    func formerPhone() {
        func story(phone: UInt8 = 1, registered: Int64 = 600, lane: UInt8 = 0, out: UInt8 = 1) -> String {
            silent.with { story in
                story.account.calls = []
                story.account.rows = []
                let devices: [(phone: UInt8, at: Int64, isRegistration: Bool)] = [(0, 100, true), (1, 200, true), (out, 500, false)]
                for (step, made) in devices.enumerated() {
                    story.call(UInt32(step), at: made.at)
                    story.registers(
                        UInt32(step), TokenHash("d\(made.phone)"), phone: made.phone, role: .device,
                        isRegistration: made.isRegistration)
                }
                story.call(registered < 500 ? 1 : 3, at: registered)
                story.registers(registered < 500 ? 1 : 3, .rotated, phone: lane)
                story.call(4)
                story.expect(4, phone: phone)
            }.classes
        }
        #expect(story() == "excused 1")
        #expect(story(phone: 0, lane: 1) == "lost 1", "its phone is there")
        #expect(story(registered: 300) == "lost 1", "before it signed out")
        #expect(story(lane: 1) == "lost 1", "its own")
        #expect(story(out: 0) == "lost 1", "the other has signed out")
    }

    @Test("a start behind an end that we cut off, for the relay may take its card for one that lives")
    func missingEnd() {
        func story(_ outage: ClosedRange<Int64>, step: UInt32 = 1, status: UInt16 = 0, event: ActivityEvent = .start) -> String {
            silent.with { story in
                story.account.calls = []
                story.account.rows = []
                story.call(step, at: 500, kind: 1, status: status)
                story.call(2)
                story.expect(2, event: event)
                story.circumstances.finalKinds = [1]
                story.circumstances.outages = [.init(from: instant(outage.lowerBound), until: instant(outage.upperBound))]
            }.classes
        }
        #expect(story(550...700) == "excused 1")
        #expect(story(550...700, status: 200) == "lost 1" && story(550...700, event: .update) == "lost 1")
        #expect(story(550...700, step: 3) == "lost 1", "that end comes later")
        #expect(story(200...300) == "lost 1")
    }

    @Test("a refusal of a start whose session was over before it was to be sent again")
    func overtakenStart() {
        func refused(endsAt end: Int64, _ turn: (inout Story) -> Void = { _ in }) -> Story {
            faulted(429, due: 9_000).with { story in
                story.circumstances.finalKinds = [1]
                story.account.rows[0].event = .start
                story.account.pushes[0].event = .start
                story.call(2, at: end, kind: 1)
                turn(&story)
            }
        }
        // Refused at 1050, with two seconds of patience.
        #expect(refused(endsAt: 3_050).classes == "excused 1" && refused(endsAt: 3_051).classes == "lost 1")
        #expect(excuses(refused(endsAt: 1_500)) == ["the fault": 1])
        #expect(refused(endsAt: 1_500) { $0.account.rows[0].event = .update }.classes == "lost 1")
        #expect(refused(endsAt: 1_500) { $0.circumstances.finalKinds = [] }.classes == "lost 1")
        #expect(refused(endsAt: 1_500) { $0.account.calls[1].state = .dropped }.classes == "lost 1")
        #expect(refused(endsAt: 1_500) { $0.account.pushes = [] }.classes == "lost 1", "never tried")
        #expect(refused(endsAt: 1_500) { $0.account.pushes[0].faultRule = 0 }.classes == "lost 1")
    }

    @Test("is excused as a start whose token may have gone with its device's, until that registers again", arguments: [
        (410, false, DeliveryClass.excused), (410, true, .lost), (429, false, .lost),
    ] as [(UInt16, Bool, DeliveryClass)])
    func startWithDevice(status: UInt16, registersAgain: Bool, outcome: DeliveryClass) {
        let start = TokenHash("51")
        let story = Story().with { story in
            story.circumstances.faults = [.init(rule: 4, label: "gone", windows: [])]
            story.call(0, at: 500)
            story.registers(0, .device, role: .device)
            story.registers(0, start, role: .start)
            story.call(1, at: 1_000)
            story.expect(1, at: 1_000, type: .alert, token: .device)
            story.push(1, type: .alert, token: .device, status: status) { $0.faultRule = 4 }
            if registersAgain {
                story.call(2, at: 3_000)
                story.registers(2, .device, role: .device)
            }
            story.call(3, at: 6_000)
            story.account.rows.append(
                Expectation(
                    session: 1, step: 3, kind: 0, type: .liveactivity, event: .start, lane: Lane(role: .start, phone: 0), flags: [],
                    plannedAt: instant(6_000), deadline: .milliseconds(500), token: start))
        }
        #expect(story.joined.deliveries.last?.outcome == outcome)
    }
}
