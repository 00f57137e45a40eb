// Sessions of one user share its phones: what one of them says of a phone holds for the others.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A phone that sessions share")
struct SharedPhoneTests {
    /// Session 1 registers the phone at 100 and asks at 1000; nothing is pushed. Session 2 signs the phone out.
    private func signedOut(
        at milliseconds: Int64, role: Lane.Role = .device, _ turn: (inout Story) -> Void = { _ in }
    ) -> Story {
        Story().with { story in
            story.call(0, at: 100)
            story.registers(0, .device, role: role)
            story.call(1)
            story.expect(1, type: .alert, token: .device)
            story.account.rows[0].lane.role = role
            story.call(0, at: milliseconds, session: 2)
            story.registers(0, .device, session: 2, role: role, isRegistration: false)
            turn(&story)
        }
    }

    private func registered(_ session: UInt32, at milliseconds: Int64) -> (inout Story) -> Void {
        { story in
            let step: UInt32 = session == 1 ? 0 : 1
            story.account.calls.removeAll { $0.session == session && $0.step == step }
            story.account.tokenCalls.removeAll { $0.place == EventNumber.place(session: session, step: step) }
            story.call(step, at: milliseconds, session: session)
            story.registers(step, .device, session: session, role: .device)
        }
    }

    @Test("is owed nothing once another session has signed it out", arguments: [900, 100, 1_000, 1_250] as [Int64])
    func signedOut(at milliseconds: Int64) {
        #expect(signedOut(at: milliseconds).classes == "excused 1")
        #expect(signedOut(at: milliseconds).correlation().excuses == ["token taken back": 1])
    }

    @Test("is owed what left before, what came after it was registered again, and what its card is told")
    func owed() {
        #expect(signedOut(at: 1_700).classes == "lost 1", "long behind the call")
        #expect(signedOut(at: 50).classes == "lost 1", "before the session registered it")
        #expect(signedOut(at: 900, registered(1, at: 950)).classes == "lost 1", "again, by the session itself")
        #expect(signedOut(at: 900, role: .activity).classes == "lost 1", "no card is another session's")
        #expect(signedOut(at: 900) { $0.account.calls[2].state = .planned }.classes == "lost 1", "that was never said")
        #expect(signedOut(at: 900) { $0.account.tokenCalls[1].token = .other }.classes == "lost 1", "another phone")
    }

    @Test("that a third session registers again may be told or not")
    func registeredByAnother() {
        #expect(signedOut(at: 900, registered(3, at: 950)).classes == "excused 1")
        let told = signedOut(at: 900, registered(3, at: 950)).with { $0.push(1, type: .alert, token: .device, outcome: .shown) }
        #expect(told.classes == "delivered 1")
    }

    /// Session 2 starts an activity, which goes to its own phone and to one that session 1 registered.
    private func started(_ turn: (inout Story) -> Void = { _ in }) -> Story {
        Story().with { story in
            story.call(0, at: 100)
            story.registers(0, .other, phone: 1, role: .start)
            story.call(0, at: 200, session: 2)
            story.registers(0, .device, session: 2, role: .start)
            story.call(1, session: 2)
            story.expect(1, session: 2, event: .start, token: .device)
            story.account.rows[0].lane.role = .start
            story.push(1, session: 2, event: .start, token: .device, outcome: .started)
            story.push(1, session: 2, event: .start, token: .other, outcome: .started)
            turn(&story)
        }
    }

    @Test("has the cards of each session")
    func startedOnEach() {
        #expect(started().classes == "delivered 1")
        #expect(started { $0.account.tokenCalls.removeFirst() }.classes == "delivered 1, misdirected 1", "nobody's phone")
        let own = started { $0.account.tokenCalls[0].place = EventNumber.place(session: 2, step: 0) }
        #expect(own.classes == "delivered 1, misdirected 1", "its own, which was owed none")
    }
}
