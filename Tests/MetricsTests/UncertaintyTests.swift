// What honest relays were blamed for: calls of ours that never left, waits of our making, and what a relay cannot tell.

import Basics
import Pushes
import Testing

@testable import Metrics

extension TokenHash { fileprivate static let start = TokenHash("51") }

@Suite("A relay that was not told")
struct UntoldTests {
    /// A permission at 1000 is held until the activity is registered at 1200; the device's registration came at 500.
    private var held: Story {
        Story.usual.with {
            $0.account.pushes = []
            $0.account.rows[0].flags = .wasHeld
            $0.call(0, at: 500)
            $0.registers(0, .device, role: .device)
            $0.call(4, at: 1200)
            $0.registers(4)
        }
    }

    /// R0.30.
    @Test("does not know a user none of whose devices we registered")
    func unknownUser() {
        #expect(held.classes == "lost 1")
        let unsent = held.with { $0.account.calls[1].state = .dropped }
        #expect(unsent.classes == "unsent 1")
        #expect(unsent.with { $0.account.calls[1].plannedAt = instant(1001) }.classes == "lost 1", "not yet due")
        // The registration failed: that is the relay's.
        #expect(held.with { $0.account.calls[1].wasTaken = false; $0.account.calls[1].status = 500 }.classes == "lost 1")
        // Another session of the user, or another phone, had made the user known.
        let known = unsent.with {
            $0.call(0, at: 600, session: 2)
            $0.registers(0, .rotated, session: 2, phone: 1, role: .device)
        }
        #expect(known.classes == "lost 1")
        let back = known.with {
            $0.call(1, at: 700, session: 2)
            $0.registers(1, .rotated, session: 2, phone: 1, role: .device, isRegistration: false)
        }
        #expect(back.classes == "unsent 1", "taken back")
    }

    @Test("of a token in time has as much more time for what was held until then")
    func lateRegistration() {
        func late(_ arrival: Int64) -> Story {
            held.with {
                $0.account.calls[2].lateness = .milliseconds(3000)
                $0.push(1, at: arrival)
            }
        }
        #expect(late(4500).classes == "delivered 1")
        #expect(late(4501).classes == "late 1")
        #expect(late(4500).with { $0.account.rows[0].flags = [] }.classes == "late 1", "it was not held")
        #expect(late(4500).with { $0.account.calls[2].lateness = .zero }.classes == "late 1", "nor were we late")
    }

    /// The call that owes a start is `state`; the next state begins the activity.
    private func startless(_ state: SeenCall.State) -> Story {
        Story().with {
            $0.call(0, at: 400)
            $0.registers(0, .start, role: .start)
            $0.call(1, at: 500) { $0.state = state }
            $0.expect(1, at: 500, event: .start, token: .start)
            $0.account.rows[0].lane.role = .start
            $0.call(2)
            $0.expect(2)
            $0.push(2, event: .start, token: .start, outcome: .started)
        }
    }

    /// R0.14.
    @Test("of a start may start the activity with the next state")
    func startless() {
        #expect(startless(.planned).classes == "delivered 1, unsent 1")
        #expect(startless(.dropped).classes == "delivered 1, unsent 1")
        #expect(startless(.sent).classes == "lost 2", "what begins the card is nobody's fault, and the owed start did not come")
        let failed = startless(.sent).with { $0.account.calls[1].wasTaken = false }
        #expect(failed.classes == "delivered 1, lost 1")
        #expect(startless(.dropped).with { $0.account.rows[1].event = .end }.classes == "lost 1, unsent 1", "no start ends")
    }
}

/// R0.15: a start at 1000 is refused, and the phone's activity registers at 2000.
@Suite("What a start was to show that did not come about")
struct HeldStartTests {
    private func held(_ turn: (inout Story) -> Void = { _ in }) -> Story {
        Story().with { story in
            story.call(0, at: 400)
            story.registers(0, .start, role: .start)
            story.call(1)
            story.expect(1, event: .start, token: .start)
            story.account.rows[0].lane.role = .start
            story.push(1, event: .start, token: .start, status: 410) { $0.diedMilliseconds = 1_760_000_000_500 }
            story.call(2, at: 2000)
            story.registers(2)
            story.push(1, at: 2010)
            turn(&story)
        }
    }

    @Test("may be told to the activity that registers, once")
    func once() {
        #expect(held().classes == "excused 1")
        #expect(held { $0.push(1, at: 2020) }.classes == "excused 1, misdirected 1")
        let untold = held { story in
            story.account.pushes[1].flags.insert(.isAnswerUndelivered)
            story.push(1, at: 2020)
        }
        #expect(untold.classes == "excused 1")
        #expect(held { $0.account.pushes.removeFirst() }.classes == "lost 1", "the start itself was owed")
    }

    @Test("may be told while the start has no answer yet, or has had it a moment ago, once")
    func underWay() {
        /// The start was accepted and answered then; the token is registered at 2000.
        func told(_ answered: Int64, at milliseconds: Int64 = 2_010, _ turn: (inout Story) -> Void = { _ in }) -> String {
            held { story in
                (story.account.pushes[0].status, story.account.pushes[0].outcome) = (200, .started)
                story.account.pushes[0].answeredAt = instant(answered)
                story.account.pushes[1].arrivedAt = instant(milliseconds)
                turn(&story)
            }.classes
        }
        #expect(told(3_000) == "delivered 1" && told(1_750) == "delivered 1")
        #expect(told(1_749) == "delivered 1, misdirected 1", "the answer was there a quarter of the grace")
        #expect(told(1_900, at: 2_900) == "delivered 1" && told(1_900, at: 2_901) == "delivered 1, misdirected 1")
        let patient: (inout Story) -> Void = { $0.account.rows[0].deadline = .milliseconds(1_500) }
        #expect(told(1_900, at: 3_500, patient) == "delivered 1", "decided then, and sent by the deadline")
        #expect(told(1_900, at: 3_501, patient) == "delivered 1, misdirected 1")
        #expect(told(1_749, at: 2_010, patient) == "delivered 1, misdirected 1")
        #expect(told(3_000) { $0.push(1, at: 2_020) } == "delivered 1, misdirected 1", "and again")
        #expect(told(1_050) { $0.undelivered = [1] } == "delivered 1", "it never had the answer")
        let retried = told(1_050) { story in
            story.undelivered = [1]
            story.push(1, at: 1_200, event: .start, token: .start, outcome: .started)
        }
        #expect(retried.contains("misdirected 1"), "it had that of the next one")
        #expect(told(3_000) { $0.account.tokenCalls[1].lane.phone = 1 } == "delivered 1, misdirected 1")
    }

    @Test("belongs to no other phone, to no start that was accepted, and behind no newer state")
    func misdirected() {
        #expect(held { $0.account.tokenCalls[1].lane.phone = 1 }.classes == "excused 1, misdirected 1")
        #expect(held { $0.account.pushes[1].event = .end }.classes == "excused 1, misdirected 1")
        let accepted = held { $0.account.pushes[0].status = 200; $0.account.pushes[0].outcome = .started }
        #expect(accepted.classes == "delivered 1, misdirected 1")
        let newer = held { story in
            story.call(3, at: 2002)
            story.expect(3, at: 2002)
            story.push(3, at: 2005)
        }
        #expect(newer.classes == "delivered 1, excused 1, misdirected 1")
    }
}

@Suite("A relay that cannot tell")
struct UntellableTests {
    /// G20.
    @Test("ends a card whose token came after the session's end, and that is not unexpected")
    func lateEnd() {
        let story = Story().with {
            $0.call(1)
            $0.expect(1, type: .alert, token: .device)
            $0.registers(1, isRegistration: false)
            $0.push(1, type: .alert, token: .device, outcome: .shown)
            $0.call(2, at: 1500)
            $0.registers(2)
            $0.push(1, at: 1520, event: .end, outcome: .ended)
        }
        #expect(story.classes == "delivered 1")
        #expect(story.with { $0.account.pushes[1].event = .update }.classes == "delivered 1, unexpected 1")
        #expect(story.with { $0.account.pushes[1].token = .other }.classes == "delivered 1, unexpected 1")
        #expect(story.with { $0.account.tokenCalls.remove(at: 0) }.classes == "delivered 1, unexpected 1", "goes on")
        let earlier = story.with { $0.account.calls[1].step = 0; $0.account.tokenCalls[1].place = 1 << 32 }
        #expect(earlier.classes == "delivered 1, unexpected 1", "known before the end")
    }

    /// R0.21.
    @Test("which phone a rotation speaks of serves the old token and the new one")
    func duplicate() {
        let story = Story.usual.with {
            $0.registers(0)
            $0.registers(3, .rotated)
            $0.push(1, at: 1060, token: .rotated)
        }
        #expect(story.classes == "delivered 1")
        #expect(story.with { $0.push(1, at: 1070, token: .rotated) }.classes == "delivered 1, duplicated 1")
        #expect(story.with { $0.push(1, at: 1070) }.classes == "delivered 1, duplicated 1")
    }

    /// R0.20 against R0.19: a rotation at 1000, an unregistration `seconds` later, and a state that goes to the token after it.
    private func unregistered(at seconds: Int64) -> Story {
        Story().with {
            $0.call(0, at: 500)
            $0.registers(0)
            $0.call(1, at: 1000)
            $0.registers(1, .rotated)
            $0.call(2, at: 1000 + seconds * 1000)
            $0.registers(2, isRegistration: false)
            $0.registers(2, .rotated, isRegistration: false)
            $0.call(3, at: 50_000)
            $0.expect(3, at: 50_000, type: .alert, token: .device)
            $0.push(3, at: 50_010, type: .alert, token: .device, outcome: .shown)
            $0.push(3, at: 50_020, token: .rotated)
        }
    }

    @Test("a genuine unregistration from a late one, for 30 seconds after a rotation")
    func unregister() {
        #expect(unregistered(at: 30).classes == "delivered 1")
        #expect(unregistered(at: 31).classes == "delivered 1, unexpected 1")
        let only = unregistered(at: 5).with { $0.account.tokenCalls.removeFirst() }
        #expect(only.classes == "delivered 1, unexpected 1", "no older activity was there")
        #expect(unregistered(at: 5).with { $0.account.calls[2].state = .dropped }.classes == "delivered 1")
        // What came before it was taken for nothing.
        let earlier = { (arrival: Int64) in unregistered(at: 5).with { $0.account.pushes[1].arrivedAt = instant(arrival) } }
        #expect(earlier(6_000).classes == "delivered 1")
        #expect(earlier(5_999).classes == "delivered 1, unexpected 1")
        // What ends a session means it.
        let final = unregistered(at: 5).with { $0.expect(2, at: 6_000, event: .end, token: .rotated) }
        #expect(final.classes == "delivered 1, lost 1, unexpected 1")
        let device = unregistered(at: 5).with { story in
            for index in story.account.tokenCalls.indices { story.account.tokenCalls[index].lane.role = .device }
        }
        #expect(device.classes == "delivered 1, unexpected 1", "a device's names its token")
    }
}

@Suite("A wait for an earlier call")
struct WaitTests {
    /// The first call is answered after four seconds of retries; the second, planned at 2000, leaves then.
    private func waited(_ turn: (inout Story) -> Void = { _ in }) -> Story {
        Story().with {
            $0.call(1, at: 1000) { $0.answeredAt = instant(5000) }
            $0.expect(1, at: 1000, deadline: 10_000)
            $0.push(1, at: 1050, status: 503) { $0.faultRule = 1 }
            $0.push(1, at: 4990)
            $0.call(2, at: 2000) {
                $0.sentAt = instant(5000)
                $0.answeredAt = instant(5010)
            }
            $0.expect(2, at: 2000)
            $0.push(2, at: 5500)
            turn(&$0)
        }
    }

    @Test("whose pushes met a fault of ours moves what is due")
    func waited() {
        #expect(waited().classes == "delivered 2")
        #expect(waited { $0.account.pushes[2].arrivedAt = instant(5501) }.classes == "delivered 1, late 1")
        #expect(waited { $0.account.pushes[0].faultRule = 0 }.classes == "delivered 1, late 1", "the relay's own")
        let down = waited {
            $0.account.pushes[0].faultRule = 0
            $0.circumstances.outages = [.init(from: instant(1500), until: instant(1600))]
        }
        #expect(down.classes == "delivered 2")
        let later = down.with { $0.circumstances.outages = [.init(from: instant(5200), until: instant(5300))] }
        #expect(later.classes == "delivered 1, late 1")
        // A push that is late because we held the relay down has its deadline again from when the relay was ready.
        let held = { (until: Int64, arrival: Int64) in
            waited {
                $0.account.pushes[0].faultRule = 0
                $0.account.pushes[2].arrivedAt = instant(arrival)
                $0.circumstances.outages = [.init(from: instant(2400), until: instant(until))]
            }.classes
        }
        #expect(held(5200, 5700) == "delivered 2" && held(5200, 5701) == "delivered 1, late 1")
        let cut = { (firing: Int64) in
            waited {
                $0.account.pushes[0].faultRule = 0
                $0.circumstances.connectionFirings = [(at: instant(firing), rule: 1)]
            }
        }
        #expect(cut(1000).classes == "delivered 2" && cut(5000).classes == "delivered 2")
        #expect(cut(999).classes == "delivered 1, late 1" && cut(5001).classes == "delivered 1, late 1")
        // Another session waits for nobody.
        let other = waited {
            $0.account.calls[1].session = 2
            $0.account.rows[1].session = 2
            $0.account.pushes[2].session = 2
        }
        #expect(other.classes == "delivered 1, late 1")
        // By our own lateness alone it has moved already.
        #expect(waited { $0.account.calls[1].lateness = .milliseconds(3000) }.classes == "delivered 2")
        let late = waited {
            $0.account.calls[1].lateness = .milliseconds(3000)
            $0.account.pushes[2].arrivedAt = instant(5501)
        }
        #expect(late.classes == "delivered 1, late 1")
    }

    @Test("is handed on to the calls behind it, and no longer than it lasted")
    func handedOn() {
        let third = waited {
            $0.call(3, at: 2000) {
                $0.sentAt = instant(5010)
                $0.answeredAt = instant(5020)
            }
            $0.expect(3, at: 2000)
            $0.push(3, at: 5500)
        }
        #expect(third.classes == "delivered 3")
        // Held up for four seconds more by the second's own retries, it waited for both.
        let both = { (arrival: Int64) in
            waited {
                $0.push(2, at: 5100, status: 503) { $0.faultRule = 1 }
                $0.account.calls[1].answeredAt = instant(9000)
                $0.call(3, at: 2000) {
                    $0.sentAt = instant(9000)
                    $0.answeredAt = instant(9010)
                }
                $0.expect(3, at: 2000)
                $0.push(3, at: arrival)
            }
        }
        #expect(both(9500).classes == "delivered 3")
        #expect(both(9501).classes == "delivered 2, late 1")
        // The second was slow by itself.
        let slow = third.with {
            $0.account.calls[1].answeredAt = instant(7000)
            $0.account.calls[2].sentAt = instant(7000)
            $0.account.pushes[3].arrivedAt = instant(7100)
        }
        #expect(slow.classes == "delivered 2, late 1")
    }
}
