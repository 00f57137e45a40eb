import Basics
import Testing

@testable import ReferenceRelay

/// Defects in what is made of a call that comes while something waits.
@Suite struct DefectWaitingTests {
    private static let busy = Rig.refusal(503, "ServiceUnavailable")

    @Test func questionKillsTimer() {
        let (honest, broken) = pair(.questionKillsTimer) { rig in
            rig.activity()
            for type in [EventType.progress, .progress, .permission, .progress] {
                rig.event(type)
                rig.pass(.seconds(1))
            }
            rig.pass(.seconds(30))
        }
        #expect(honest.seen == ["update a1 working", "alert d1", "update a1 permission", "update a1 working"])
        #expect(broken.seen == ["update a1 working", "alert d1", "update a1 permission"])
        // The next window is one like any other, as is one without a question.
        for _ in 0..<2 { broken.event(.progress) }
        broken.pass(.seconds(30))
        #expect(broken.seen.count == 5)
    }

    /// A question that APNs takes at the third attempt, and a call behind the first.
    private func retried(_ defect: Defect, meanwhile call: (Rig) -> Void) -> (honest: [String], broken: [String]) {
        let (honest, broken) = pair(defect) { rig in
            rig.activity()
            var refusals = 2
            rig.answer = { push in
                guard push.isActivity, refusals > 0 else { return Rig.accepted }
                refusals -= 1
                return Self.busy
            }
            rig.event(.permission)
            call(rig)
            rig.pass(.seconds(30))
        }
        return (honest.seen.filter { $0 != "alert d1" }, broken.seen.filter { $0 != "alert d1" })
    }

    /// Once, so that the newer one passes.
    @Test func resendsBehindNewer() {
        let (honest, broken) = pair(.resendsBehindNewer) { rig in
            rig.activity()
            var isBusy = true
            rig.answer = { push in
                guard push.isActivity, isBusy else { return Rig.accepted }
                isBusy = false
                return Self.busy
            }
            rig.event(.permission, "older")
            rig.event(.permission, "newer")
            rig.pass(.seconds(30))
        }
        func said(_ rig: Rig) -> [String] {
            rig.seen.indices.filter { rig.seen[$0].hasPrefix("update") }.compactMap { rig.message($0) }
        }
        #expect(said(honest) == ["older", "newer"])
        #expect(said(broken) == ["older", "newer", "older"])
    }

    @Test func retriesOldToken() {
        let (honest, broken) = retried(.retriesOldToken) { $0.activity("a2") }
        #expect(honest == ["update a1 permission", "update a2 permission", "update a2 permission"])
        #expect(broken == [String](repeating: "update a1 permission", count: 3))
    }

    @Test func retriesAfterGoodbye() {
        let (honest, broken) = retried(.retriesAfterGoodbye) { $0.unregister() }
        #expect(honest == ["update a1 permission"])
        #expect(broken == [String](repeating: "update a1 permission", count: 3))
    }

    @Test func losesStartAtRenewal() {
        let (honest, broken) = pair(.losesStartAtRenewal) { rig in
            rig.device(start: "e1")
            var isBusy = true
            rig.answer = { _ in
                defer { isBusy = false }
                return isBusy ? Self.busy : Rig.accepted
            }
            rig.event(.start)
            rig.device(start: "e2")
            rig.pass(.seconds(30))
        }
        #expect(honest.attempts.map(\.token) == ["e1", "e2"])
        #expect(broken.attempts.map(\.token) == ["e1"])
    }

    @Test func keepsStartOfSignedOut() {
        let (honest, broken) = pair(.keepsStartOfSignedOut) { rig in
            rig.device("d2", start: "p2")
            rig.core.unregisterDevice("d1", of: Rig.secret, now: rig.now)
            rig.settle()
            rig.event(.start)
            rig.event(.permission)
        }
        #expect(honest.seen == ["start p2", "alert d2"])
        #expect(broken.seen == ["start p2", "start p1", "alert d2"], "a start alone: its alerts have stopped")
    }

    @Test func sharesSessionsOfUsers() {
        let (honest, broken) = pair(.sharesSessionsOfUsers) { rig in
            rig.activity("a1")
            rig.device("d2", secret: Rig.otherSecret)
            rig.activity("a2", secret: Rig.otherSecret)
            rig.event(.permission)
        }
        #expect(honest.seen == ["alert d1", "update a1 permission"])
        #expect(broken.seen == ["alert d1", "update a2 permission"])
    }

    @Test func movesDevices() {
        let (honest, broken) = pair(.movesDevices) { rig in
            rig.device("d1", start: "p1", secret: Rig.otherSecret)
            for secret in [Rig.secret, Rig.otherSecret] { rig.event(.permission, secret: secret) }
        }
        #expect(honest.seen == ["alert d1", "start p1", "alert d1", "start p1"])
        #expect(broken.seen == ["alert d1", "start p1"])
    }

    @Test func needsServerID() {
        let (honest, broken) = pair(.needsServerID) { rig in
            let content = OpenCodeEvent(type: .permission, sessionID: "s1", title: "Fix the roof", body: "May I?")
            let event = RelayEvent(secret: Rig.secret, type: .permission, sessionID: "s1", content: content)
            rig.core.handle(event, ticket: EventTicket(), now: rig.now)
            rig.settle()
        }
        #expect(honest.seen == ["alert d1", "start p1"])
        #expect(broken.seen == [])
        guard case .invalidBody? = broken.replies.first?.refusal else {
            Issue.record("not refused as a body that breaks the contract")
            return
        }
        broken.event(.permission)
        #expect(broken.seen.count == 2)
    }

    @Test func signsWhenTold() {
        let (honest, broken) = pair(.signsWhenTold) { rig in
            for _ in 0..<5 {
                rig.event(.permission)
                rig.pass(.seconds(3_000))
            }
        }
        #expect(honest.signatures == 5)
        #expect(broken.signatures == 1)
        broken.answer = { $0.renewedToken ? Rig.accepted : Rig.refusal(403, "ExpiredProviderToken") }
        broken.event(.permission)
        #expect(broken.signatures == 2)
    }

    @Test func signsOnce() {
        let (honest, broken) = pair(.signsOnce) { rig in
            rig.answer = { $0.renewedToken ? Rig.accepted : Rig.refusal(403, "ExpiredProviderToken") }
            rig.event(.permission)
            rig.pass(.seconds(4_000))
            rig.event(.permission)
        }
        #expect(honest.signatures > 1)
        #expect(broken.signatures == 1)
    }

    @Test func endedForGoodAfterRestart() {
        func seen(_ defects: Set<Defect>, isOver: Bool = true) -> [String] {
            let rig = Rig { $0.defects = defects }
            rig.device(start: "p1")
            if isOver {
                rig.event(.start)
                rig.activity()
                rig.event(.complete)
            }
            let next = Rig(time: rig.time) { $0.defects = defects }
            next.core.restore(rig.rows, now: next.now)
            next.event(.start)
            return next.seen
        }
        #expect(seen([]) == ["start p1"])
        #expect(seen([.endedForGoodAfterRestart]) == [])
        #expect(seen([.endedForGoodAfterRestart], isOver: false) == ["start p1"])
    }
}
