import Basics
import Testing

@testable import ReferenceRelay

/// Defects that show in one step of a history only, where others of their kind show everywhere.
@Suite struct DefectStepTests {
    @Test func updateAfterError() {
        for (end, isSeen) in [(EventType.error, true), (.complete, false)] {
            let (honest, broken) = pair(.updateAfterError) { rig in
                rig.activity()
                rig.event(.progress)
                rig.event(.progress)
                rig.event(end)
                rig.pass(.seconds(30))
            }
            #expect(honest.seen == ["update a1 working", "alert d1", "end a1 \(end.rawValue)"])
            #expect(broken.seen == honest.seen + (isSeen ? ["update a1 working"] : []))
        }
    }

    @Test func tellsEnded() {
        let (honest, broken) = pair(.tellsEnded) { rig in
            rig.activity()
            rig.event(.permission)
            rig.event(.complete)
            rig.event(.progress, "late")
            rig.pass(.seconds(30))
        }
        #expect(honest.seen == ["alert d1", "update a1 permission", "alert d1", "end a1 complete"])
        #expect(broken.seen == honest.seen + ["update a1 working"])
        #expect(broken.message(4) == "late" && broken.stamp(4)! > broken.stamp(3)!)
    }

    @Test func sendsStaleProgress() {
        let (honest, broken) = pair(.sendsStaleProgress) { rig in
            rig.activity()
            rig.event(.progress)
            rig.event(.progress, "stale")
            rig.event(.permission)
            rig.pass(.seconds(30))
        }
        #expect(honest.seen == ["update a1 working", "alert d1", "update a1 permission"])
        #expect(broken.seen == honest.seen + ["update a1 working"])
        #expect(broken.message(3) == "stale")
        #expect(broken.stamp(3)! > broken.stamp(2)!)
    }

    @Test func startsAgainLate() {
        let (honest, broken) = pair(.startsAgainLate) { rig in
            rig.event(.progress)
            rig.pass(.seconds(4))
            rig.event(.progress)
            rig.pass(.seconds(2))
            rig.event(.progress)
        }
        #expect(honest.seen == ["start p1"])
        #expect(broken.seen == ["start p1", "start p1"])
    }

    @Test func flushesToOnePhone() {
        let (honest, broken) = pair(.flushesToOnePhone) { rig in
            rig.device("d2")
            rig.activity("a1")
            rig.activity("a2")
            rig.event(.progress)
            rig.event(.progress)
            rig.pass(.seconds(30))
        }
        #expect(honest.seen == ["update a1 working", "update a2 working", "update a1 working", "update a2 working"])
        #expect(broken.seen == ["update a1 working", "update a2 working", "update a1 working"])
    }

    @Test func tellsHeldToOnePhone() {
        let (honest, broken) = pair(.tellsHeldToOnePhone) { rig in
            rig.device("d2", start: "p2")
            rig.event(.start)
            rig.event(.progress)
            rig.activity("a1")
            rig.activity("a2")
        }
        #expect(honest.seen == ["start p1", "start p2", "update a1 working", "update a2 working"])
        #expect(broken.seen == ["start p1", "start p2", "update a1 working"])
    }

    @Test func losesPendingAtRotation() {
        let (honest, broken) = pair(.losesPendingAtRotation) { rig in
            rig.activity("a1")
            rig.event(.progress)
            rig.event(.progress)
            rig.activity("a2")
            rig.pass(.seconds(30))
        }
        #expect(honest.seen == ["update a1 working", "update a2 working"])
        #expect(broken.seen == ["update a1 working"])
    }

    @Test(arguments: [true, false])
    func nullErasesStartToken(isNull: Bool) {
        let again = DeviceRegistration(secret: Rig.secret, token: "d1", hasNullStartToken: isNull)
        let (honest, broken) = pair(.nullErasesStartToken) { rig in
            _ = rig.core.register(again, now: rig.now)
            rig.event(.progress)
        }
        #expect(honest.seen == ["start p1"])
        #expect(broken.seen == (isNull ? [] : ["start p1"]))
    }

    @Test func nullIsTold() throws {
        for (more, isNull) in [("", false), (#","pushToStartToken":null"#, true), (#","pushToStartToken":"p1""#, false)] {
            let body = #"{"secret":"x","deviceToken":"d1"\#(more)}"#
            #expect(try Requests.registerDevice(Array(body.utf8).span).hasNullStartToken == isNull)
        }
    }

    @Test func keepsBadDeviceTokens() {
        let (honest, broken) = pair(hosts: 2, .keepsBadDeviceTokens) { rig in
            rig.activity()
            rig.answer = { $0.isActivity ? Rig.refusal(400, "BadDeviceToken") : Rig.accepted }
            rig.event(.permission)
            rig.event(.permission)
        }
        let once = ["alert d1", "update a1 permission", "update a1 permission"]
        #expect(honest.seen == once + ["alert d1"])
        #expect(broken.seen == once + once)
    }

    @Test func prunesOnTokenUpdates() {
        for (reason, isPruned) in [("TooManyProviderTokenUpdates", true), ("TooManyRequests", false)] {
            let (honest, broken) = pair(.prunesOnTokenUpdates) { rig in
                rig.activity()
                rig.answer = { $0.isActivity ? Rig.refusal(429, reason) : Rig.accepted }
                rig.event(.permission)
                rig.answer = { _ in Rig.accepted }
                rig.pass(.seconds(30))
            }
            let first = ["alert d1", "update a1 permission"]
            #expect(honest.seen == first + ["update a1 permission"])
            #expect(broken.seen == (isPruned ? first : honest.seen))
        }
    }
}
