import Basics
import Testing

@testable import ReferenceRelay

/// Each defect does what its name says, where the honest relay does not.
@Suite struct DefectTests {
    @Test func idsAndClaimsAreDistinctWords() {
        #expect(Set(Defect.allCases.map(\.rawValue)).count == Defect.allCases.count)
        for defect in Defect.allCases {
            #expect(defect.rawValue.allSatisfy { $0.isLowercase || $0 == "-" || $0.isNumber })
            #expect(["R0.", "R1.", "R2.", "R3.", "R4.", "P", "G", "F"].contains { defect.claim.hasPrefix($0) })
            #expect(!defect.declared.isEmpty)
            #expect(Set(defect.declared).count == defect.declared.count)
        }
    }

    @Test func keepsDeadTokens() {
        let (honest, broken) = pair(.keepsDeadTokens) { rig in
            rig.activity()
            rig.answer = { _ in Rig.refusal(410, "Unregistered") }
            rig.event(.permission)
            rig.event(.permission)
        }
        #expect(honest.attempts.count == 2)
        #expect(broken.attempts.count == 4)
    }

    @Test func dropsTrailingEdge() {
        let (honest, broken) = pair(.dropsTrailingEdge) { rig in
            rig.activity()
            rig.event(.progress)
            rig.event(.progress)
            rig.pass(.seconds(30))
        }
        #expect(honest.attempts.count == 2)
        #expect(broken.attempts.count == 1)
    }

    @Test func ignoresThrottle() {
        let (honest, broken) = pair(.ignoresThrottle) { rig in
            rig.activity()
            for _ in 0..<5 { rig.event(.progress) }
        }
        #expect(honest.attempts.count == 1)
        #expect(broken.attempts.count == 5)
    }

    @Test func sharesThrottle() {
        let (honest, broken) = pair(.sharesThrottle) { rig in
            rig.activity("a1", session: "s1")
            rig.activity("a2", session: "s2")
            rig.event(.progress, session: "s1")
            rig.event(.progress, session: "s2")
        }
        #expect(honest.attempts.count == 2)
        #expect(broken.attempts.count == 1)
        broken.pass(.seconds(11))
        #expect(broken.attempts.count == 2)
    }

    @Test func retriesAfter410() {
        let (honest, broken) = pair(.retriesAfter410) { rig in
            rig.activity()
            rig.answer = { _ in Rig.refusal(410, "Unregistered") }
            rig.event(.progress)
            rig.pass(.seconds(60))
        }
        #expect(honest.attempts.count == 1)
        #expect(broken.attempts.count == 8)
    }

    @Test func signsPerPush() {
        let (honest, broken) = pair(.signsPerPush) { rig in
            for _ in 0..<5 { rig.event(.permission) }
        }
        #expect(honest.signatures == 1)
        #expect(broken.signatures == broken.attempts.count)
    }

    @Test func millisecondTimestamps() {
        let (honest, broken) = pair(.millisecondTimestamps) { $0.event(.start) }
        #expect(honest.stamp(0) == honest.time.wall().seconds)
        #expect(broken.stamp(0) == broken.time.wall().milliseconds)
    }

    @Test func updateAfterEnd() {
        let (honest, broken) = pair(.updateAfterEnd) { rig in
            rig.activity()
            rig.event(.progress, "one")
            rig.event(.progress, "two")
            rig.event(.complete)
            rig.pass(.seconds(30))
        }
        #expect(honest.seen == ["update a1 working", "alert d1", "end a1 complete"])
        #expect(broken.seen == ["update a1 working", "alert d1", "end a1 complete", "update a1 working"])
        #expect(broken.message(3) == "two")
        #expect(broken.stamp(3)! > broken.stamp(2)!)
    }

    @Test func alertsOnProgress() {
        let (honest, broken) = pair(.alertsOnProgress) { rig in
            rig.activity()
            rig.event(.progress)
        }
        #expect(honest.seen == ["update a1 working"])
        #expect(broken.seen == ["alert d1", "update a1 working"])
    }

    @Test func startsAgain() {
        let (honest, broken) = pair(.startsAgain) { rig in
            for _ in 0..<3 { rig.event(.progress) }
        }
        #expect(honest.seen == ["start p1"])
        #expect(broken.seen == ["start p1", "start p1", "start p1"])
    }

    @Test func leavesOutCounts() {
        for (defects, answer) in [([], #"{"ok":true,"sent":2,"failed":1}"#), ([Defect.leavesOutCounts], #"{"ok":true}"#)] {
            let dialect = OpenCodeDialect(variant: .plan, defects: Set(defects))
            let ticket = EventTicket()
            (ticket.sent, ticket.failed) = (2, 1)
            let reply = dialect.reply(to: ticket)
            #expect(reply.status == 200 && String(decoding: reply.body, as: UTF8.self) == answer, "\(defects)")
        }
    }

    @Test func displacesSecondPhone() {
        let (honest, broken) = pair(.displacesSecondPhone) { rig in
            rig.device("d2")
            rig.activity("a1")
            rig.activity("a2")
            rig.event(.progress)
        }
        #expect(honest.seen == ["update a1 working", "update a2 working"])
        #expect(broken.seen == ["update a2 working"])
    }

    @Test func prunesOnAnyRefusal() {
        let (honest, broken) = pair(.prunesOnAnyRefusal) { rig in
            rig.answer = { _ in Rig.refusal(400, "BadTopic") }
            rig.event(.permission, session: "s9")
        }
        #expect(honest.rows.devices.count == 1)
        #expect(broken.rows.devices.isEmpty)
    }

    @Test func forgetsStartToken() {
        let (honest, broken) = pair(.forgetsStartToken) { rig in
            rig.device(start: "e1")
            rig.device()
            rig.event(.start)
        }
        #expect(honest.attempts.map(\.token) == ["e1"])
        #expect(broken.attempts.isEmpty)
    }

    @Test func startsByFirstToken() {
        let (honest, broken) = pair(.startsByFirstToken) { rig in
            rig.device(start: "e1")
            rig.device(start: "e2")
            rig.event(.start)
        }
        #expect(honest.attempts.map(\.token) == ["e2"])
        #expect(broken.attempts.map(\.token) == ["p1"], "the one that the rig registered first")
    }

    @Test func restartsDismissed() {
        let (honest, broken) = pair(.restartsDismissed) { rig in
            rig.device(start: "e1")
            rig.event(.start)
            rig.activity("a1")
            rig.unregister()
            rig.forgetSeen()
            rig.event(.progress)
        }
        #expect(honest.seen == [])
        #expect(broken.seen == ["start e1"])
    }

    @Test func obeysLateUnregister() {
        let (honest, broken) = pair(.obeysLateUnregister) { rig in
            rig.activity("a1")
            rig.event(.complete)
            rig.activity("a2")
            rig.unregister()
            rig.forgetSeen()
            rig.event(.progress)
        }
        #expect(honest.seen == ["update a2 working"])
        #expect(broken.seen == [])
    }
}
