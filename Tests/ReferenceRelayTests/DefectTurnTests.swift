import Basics
import Testing

@testable import ReferenceRelay

/// Defects in how a session's activity begins, ends for its age, and begins again.
@Suite struct DefectTurnTests {
    private func twoTurns(_ defect: Defect) -> (honest: Rig, broken: Rig) {
        pair(defect) { rig in
            rig.event(.start)
            rig.activity()
            rig.event(.complete)
            rig.pass(.seconds(2))
            rig.forgetSeen()
            rig.event(.start)
        }
    }

    @Test func endsForGood() {
        let (honest, broken) = twoTurns(.endsForGood)
        #expect(honest.seen == ["start p1"])
        #expect(broken.seen == [])
    }

    @Test func endsUnseenForGood() {
        #expect(twoTurns(.endsUnseenForGood).broken.seen == ["start p1"])
        let (honest, broken) = pair(.endsUnseenForGood) { rig in
            rig.event(.start)
            rig.event(.complete)
            rig.pass(.seconds(2))
            rig.forgetSeen()
            rig.event(.start)
        }
        #expect(honest.seen == ["start p1"])
        #expect(broken.seen == [])
    }

    @Test func obeysFormerUnregister() {
        func told(_ run: (Rig) -> Void) -> (honest: [String], broken: [String]) {
            let (honest, broken) = pair(.obeysFormerUnregister) { rig in
                rig.event(.start)
                rig.activity("a1")
                run(rig)
                rig.unregister()
                rig.forgetSeen()
                rig.event(.permission)
            }
            return (honest.seen, broken.seen)
        }
        let turns = told { rig in
            rig.event(.complete)
            rig.pass(.seconds(2))
            rig.event(.start)
            rig.activity("a2")
        }
        #expect(turns.honest == ["alert d1", "update a2 permission"] && turns.broken == ["alert d1"])
        // Within a turn it knows better.
        let turn = told { $0.activity("a2") }
        #expect(turn.broken == turn.honest)
    }

    @Test func keepsEndedRow() {
        let (honest, broken) = twoTurns(.keepsEndedRow)
        #expect(honest.seen == ["start p1"])
        #expect(broken.seen == ["update a1 working"])
    }

    @Test func startsOnStartOnly() {
        let (honest, broken) = pair(.startsOnStartOnly) { rig in
            rig.event(.progress)
            rig.event(.start, session: "s2")
        }
        #expect(honest.seen == ["start p1", "start p1"])
        #expect(broken.seen == ["start p1"])
    }

    @Test func keepsDeadStartTokens() {
        let (honest, broken) = pair(.keepsDeadStartTokens) { rig in
            rig.answer = { _ in Rig.refusal(410, "Unregistered") }
            rig.event(.start)
            rig.event(.start, session: "s2")
        }
        #expect(honest.seen == ["start p1"])
        #expect(broken.seen == ["start p1", "start p1"])
    }

    @Test func neverTimesOut() {
        let (honest, broken) = pair(.neverTimesOut) { rig in
            rig.activity()
            rig.event(.progress)
            rig.pass(.seconds(8 * 3_600))
        }
        #expect(honest.seen == ["update a1 working", "end a1 error"])
        #expect(broken.seen == ["update a1 working"])
    }

    @Test func timesOutUnsaid() {
        let (honest, broken) = pair(.timesOutUnsaid) { rig in
            rig.activity()
            rig.event(.progress, "reading")
            rig.pass(.seconds(8 * 3_600))
        }
        #expect(honest.message(1) == "Timed out after 8 hours." && broken.message(1) == "reading")
        #expect(broken.seen == ["update a1 working", "end a1 working"])
    }

    /// An end says nothing of a turn that an activity of the app's own has begun since.
    @Test func theEndOfATurnThatTheAppBeganIsNoRepetition() {
        let rig = Rig()
        rig.activity("a1")
        rig.event(.complete)
        rig.pass(.seconds(2))
        rig.activity("a2")
        rig.event(.complete)
        #expect(rig.seen == ["end a1 complete", "end a2 complete"])
    }

    /// What was asked before any token was there is told to the first one.
    @Test func aQuestionThatCameBeforeAnyTokenIsHeld() {
        let rig = Rig()
        rig.device(start: nil)
        rig.event(.permission)
        rig.activity()
        #expect(rig.seen == ["alert d1", "update a1 permission"])
        // A start says nothing beyond itself.
        rig.forgetSeen()
        rig.event(.start, session: "s2")
        rig.activity("a2", session: "s2")
        #expect(rig.seen == [])
    }
}
