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
        #expect(held(2_011...6_000) == "excused 1" && held(7_000...8_000) == "excused 1")
        #expect(held(2_011...3_000) { $0.account.rows[0].flags = [] } == "excused 1")
        #expect(held(2_011...3_000) { $0.account.calls[0].wasTaken = false } == "excused 1")
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
}
