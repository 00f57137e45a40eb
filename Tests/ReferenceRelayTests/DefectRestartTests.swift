import Basics
import Testing

@testable import ReferenceRelay

/// Defects in what a process knows of the one before it: each is of one kind of rows.
@Suite struct DefectRestartTests {
    /// What is seen when a relay with or without the defect takes over what another has left.
    private func taken(_ defects: Set<Defect>, _ before: (Rig) -> Void, _ after: (Rig) -> Void) -> [String] {
        let rig = Rig()
        before(rig)
        rig.core.leaveHeldStates()
        rig.settle()
        let next = Rig(time: rig.time) { $0.defects = defects }
        next.core.restore(rig.rows, now: next.now)
        next.settle()
        after(next)
        next.pass(.seconds(11))
        return next.seen
    }

    @Test func wakesWithoutStartTokens() {
        func seen(_ defects: Set<Defect>) -> [String] { taken(defects, { $0.device(start: "p1") }, { $0.event(.start) }) }
        #expect(seen([]) == ["start p1"])
        #expect(seen([.wakesWithoutStartTokens]) == [])
    }

    @Test func wakesWithoutStarts() {
        func seen(_ defects: Set<Defect>) -> [String] {
            taken(defects) { rig in
                rig.device(start: "p1")
                rig.event(.start)
            } _: {
                $0.event(.progress)
            }
        }
        #expect(seen([]) == [])
        #expect(seen([.wakesWithoutStarts]) == ["start p1"])
    }

    @Test func wakesWithoutActivities() {
        func seen(_ defects: Set<Defect>) -> [String] { taken(defects, { $0.activity() }, { $0.event(.complete) }) }
        #expect(seen([]) == ["end a1 complete"])
        #expect(seen([.wakesWithoutActivities]) == [])
    }

    @Test func wakesWithoutStates() {
        func seen(_ defects: Set<Defect>) -> [String] {
            taken(defects) { rig in
                rig.activity()
                rig.event(.progress)
                rig.event(.progress)
            } _: { _ in
            }
        }
        #expect(seen([]) == ["update a1 working"])
        #expect(seen([.wakesWithoutStates]) == [])
    }

    @Test func wakesWithoutWaiting() {
        func seen(_ defects: Set<Defect>) -> [String] {
            taken(defects) { rig in
                rig.device(start: "p1")
                rig.answer = { _ in Rig.refusal(503, "ServiceUnavailable") }
                rig.event(.permission)
            } _: { _ in
            }
        }
        #expect(seen([]) == ["alert d1", "start p1"])
        #expect(seen([.wakesWithoutWaiting]) == [])
    }
}
