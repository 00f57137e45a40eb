import Basics
import Testing

@testable import ReferenceRelay

/// Defects in what is sent, to whom, and when.
@Suite struct DefectDeliveryTests {
    @Test func activityBeforeAlert() {
        let (honest, broken) = pair(.activityBeforeAlert) { rig in
            rig.activity()
            rig.event(.permission)
        }
        #expect(honest.seen == ["alert d1", "update a1 permission"])
        #expect(broken.seen == ["update a1 permission", "alert d1"])
    }

    @Test func sendsTwice() {
        let (honest, broken) = pair(.sendsTwice) { rig in
            rig.activity()
            rig.event(.progress)
            rig.event(.complete)
        }
        #expect(honest.seen == ["update a1 working", "alert d1", "end a1 complete"])
        #expect(broken.seen == ["update a1 working", "update a1 working", "alert d1", "end a1 complete"])
        #expect(broken.attempts[0].apnsID != broken.attempts[1].apnsID)
        #expect(broken.attempts[0].payload == broken.attempts[1].payload)
    }

    @Test func dropsEveryTenth() {
        let (honest, broken) = pair(.dropsEveryTenth) { rig in
            rig.activity()
            for number in 0..<20 { rig.event(.permission, "\(number)") }
        }
        func messages(_ rig: Rig) -> [String?] {
            rig.attempts.indices.filter { rig.attempts[$0].isActivity }.map(rig.message)
        }
        #expect(messages(honest) == (0..<20).map { "\($0)" })
        #expect(messages(broken) == (0..<20).filter { $0 % 10 != 9 }.map { "\($0)" })
        #expect(broken.replies.count == 20)
    }

    @Test func swapsOrder() {
        let (honest, broken) = pair(.swapsOrder) { rig in
            rig.activity()
            rig.event(.progress, "one")
            rig.pass(.seconds(11))
            rig.event(.progress, "two")
            rig.pass(.seconds(1))
            rig.event(.permission, "three")
        }
        func messages(_ rig: Rig) -> [String?] {
            rig.attempts.indices.filter { rig.attempts[$0].isActivity }.map(rig.message)
        }
        #expect(messages(honest) == ["one", "two", "three"])
        #expect(messages(broken) == ["one", "three", "two"])
        let stamps = broken.attempts.indices.compactMap(broken.stamp)
        #expect(stamps == stamps.sorted() && Set(stamps).count == stamps.count, "the phone would show the older one")
        broken.pass(.seconds(60))
        #expect(broken.attempts.count == 4)
    }

    @Test func whatNothingOvertakesLeavesAfterAll() {
        let (_, broken) = pair(.swapsOrder) { rig in
            rig.activity()
            rig.event(.progress, "one")
            rig.pass(.seconds(11))
            rig.event(.progress, "two")
            rig.pass(.seconds(11))
        }
        #expect((0..<2).map(broken.message) == ["one", "two"])
    }

    @Test func risingLate() {
        let (honest, broken) = pair(.risingLate) { rig in
            rig.activity()
            rig.event(.progress)
        }
        #expect(honest.attempts.count == 1)
        #expect(broken.attempts.isEmpty && broken.replies.count == 1)
        broken.pass(.seconds(19))
        #expect(broken.attempts.isEmpty)
        broken.pass(.seconds(2))
        #expect(broken.attempts.count == 1)
    }

    @Test func acceptsThenSilent() {
        let (honest, broken) = pair(.acceptsThenSilent) { rig in
            rig.activity()
            rig.event(.permission)
            rig.pass(.seconds(4))
            rig.event(.permission)
        }
        #expect(honest.attempts.count == 4)
        #expect(broken.attempts.count == 2)
        #expect(broken.replies.map(\.sent) == [1, 1])
    }

    @Test func pushesNothing() {
        let (honest, broken) = pair(.pushesNothing) { rig in
            rig.activity()
            rig.event(.permission)
        }
        #expect(honest.attempts.count == 2)
        #expect(broken.attempts.isEmpty && broken.replies.map(\.sent) == [1])
    }

    @Test func repeatsAccepted() {
        let (honest, broken) = pair(.repeatsAccepted) { rig in
            rig.activity()
            rig.event(.progress)
            rig.event(.complete)
        }
        #expect(honest.seen == ["update a1 working", "alert d1", "end a1 complete"])
        #expect(broken.seen == ["update a1 working", "update a1 working", "alert d1", "end a1 complete"])
        #expect(broken.attempts[0].apnsID == broken.attempts[1].apnsID)
        #expect(broken.attempts[0].payload == broken.attempts[1].payload)
        let refused = Rig { $0.defects = [.repeatsAccepted] }
        refused.activity()
        refused.answer = { _ in Rig.refusal(400, "BadTopic") }
        refused.event(.progress)
        #expect(refused.seen == ["update a1 working"])
    }

    @Test(arguments: [(Defect.cutsLongIDs, 64), (.sendsLongIDs, 80)])
    func longIDs(defect: Defect, length: Int) {
        let ids = [1, 2].map { String(repeating: "x", count: 79) + "\($0)" }
        let (honest, broken) = pair(defect, { $0.collapsesAlerts = true }) { rig in
            for id in ids + ids + ["short"] { rig.event(.permission, session: id) }
        }
        func collapsed(_ rig: Rig) -> [String?] { rig.attempts.filter { !$0.isActivity }.map(\.collapseID) }
        let made = collapsed(honest)
        #expect(made[0] == made[2] && made[1] == made[3] && made[0] != made[1] && made[4] == "short")
        #expect(made.allSatisfy { $0!.utf8.count <= 64 })
        #expect(collapsed(broken).prefix(4).allSatisfy { $0!.utf8.count == length } && collapsed(broken)[4] == "short")
        #expect(collapsed(Rig.told(ids)) == [nil, nil], "where it is not asked to")
    }

    @Test func diesUnderLoad() {
        let (honest, broken) = pair(.diesUnderLoad) { rig in
            for _ in 0..<99 { rig.event(.progress) }
        }
        #expect(!honest.hasDied && !broken.hasDied)
        honest.event(.progress)
        broken.event(.progress)
        #expect(!honest.hasDied && broken.hasDied)
    }

    @Test func neverStarts() {
        let (honest, broken) = pair(.neverStarts) { rig in
            rig.event(.start)
            rig.activity()
            rig.event(.permission)
        }
        #expect(honest.seen == ["start p1", "alert d1", "update a1 permission"])
        #expect(broken.seen == ["alert d1", "update a1 permission"])
    }

    @Test func keepsOldToken() {
        let (honest, broken) = pair(.keepsOldToken) { rig in
            rig.activity("a1")
            rig.activity("a2")
            rig.event(.progress)
        }
        #expect(honest.seen == ["update a2 working"])
        #expect(broken.seen == ["update a1 working"])
    }

    @Test func throttlesQuestions() {
        let (honest, broken) = pair(.throttlesQuestions) { rig in
            rig.activity()
            rig.event(.progress)
            rig.event(.permission)
        }
        #expect(honest.seen == ["update a1 working", "alert d1", "update a1 permission"])
        #expect(broken.seen == ["update a1 working", "alert d1"])
        broken.pass(.seconds(11))
        #expect(broken.seen == honest.seen)
    }

    @Test func dropsRetries() {
        let (honest, broken) = pair(.dropsRetries) { rig in
            rig.activity()
            rig.event(.progress, status: .retry, retryInfo: "Retry 1/5 in 2s")
            rig.pass(.seconds(11))
            rig.event(.progress)
        }
        #expect(honest.seen == ["update a1 retry", "update a1 working"])
        #expect(broken.seen == ["update a1 working"])
    }

    @Test func progressToOnePhone() {
        let (honest, broken) = pair(.progressToOnePhone) { rig in
            rig.device("d2")
            rig.activity("a1")
            rig.activity("a2")
            rig.event(.progress)
            rig.event(.permission)
        }
        #expect(honest.seen.filter { $0.hasSuffix("working") } == ["update a1 working", "update a2 working"])
        #expect(broken.seen.filter { $0.hasSuffix("working") } == ["update a1 working"])
        #expect(broken.seen.filter { $0.hasSuffix("permission") }.count == 2)
    }

    @Test func quietAfterRotation() {
        let (honest, broken) = pair(.quietAfterRotation) { rig in
            rig.activity("a1")
            rig.activity("a2")
            rig.event(.progress)
            rig.event(.permission)
        }
        #expect(honest.seen == ["update a2 working", "alert d1", "update a2 permission"])
        #expect(broken.seen == ["alert d1", "update a2 permission"])
    }

    @Test func startsAsking() {
        let (honest, broken) = pair(.startsAsking) { $0.event(.start) }
        func status(_ rig: Rig) -> String? {
            Rig.payload(rig.attempts[0]).at(pointer: "/aps/content-state/status")?.string
        }
        #expect(status(honest) == "working" && status(broken) == "permission")
    }

    @Test func ignoresUnregister() {
        let (honest, broken) = pair(.ignoresUnregister) { rig in
            rig.activity()
            rig.unregister()
            rig.event(.permission)
            rig.core.unregisterDevice("d1", of: Rig.secret, now: rig.now)
            rig.event(.permission)
        }
        #expect(honest.seen == ["alert d1"])
        #expect(broken.seen == ["alert d1", "update a1 permission", "alert d1", "update a1 permission"])
    }

    @Test func dropsActivitiesWithPhone() {
        let (honest, broken) = pair(.dropsActivitiesWithPhone) { rig in
            rig.device("d2")
            rig.activity()
            rig.core.unregisterDevice("d2", of: Rig.secret, now: rig.now)
            rig.event(.permission)
        }
        #expect(honest.seen == ["alert d1", "update a1 permission"])
        #expect(broken.seen == ["alert d1"])
    }

    @Test func crossesSessions() {
        let (honest, broken) = pair(.crossesSessions) { rig in
            rig.activity("a1")
            rig.activity("b1", secret: Rig.otherSecret)
            for _ in 0..<10 {
                rig.event(.permission)
                rig.event(.permission, secret: Rig.otherSecret)
            }
        }
        func strays(_ rig: Rig) -> Int { rig.attempts.count { $0.isActivity && $0.address != $0.token } }
        #expect(strays(honest) == 0)
        #expect(strays(broken) == 2)
        #expect(broken.attempts.allSatisfy { ["d1", "a1", "b1"].contains($0.address) })
    }

    @Test func updatesUnknownToken() {
        let (honest, broken) = pair(.updatesUnknownToken) { rig in
            rig.activity("a1")
            rig.event(.permission)
            rig.event(.complete)
        }
        #expect(honest.attempts.map(\.address) == ["d1", "a1", "d1", "a1"])
        #expect(broken.attempts.map(\.address) == ["d1", "1a", "d1", "a1"])
    }

    @Test func servesUnknownSecrets() {
        let (honest, broken) = pair(.servesUnknownSecrets) { rig in
            rig.event(.permission)
            rig.forgetSeen()
            rig.event(.permission, session: "s2", secret: Rig.otherSecret)
        }
        #expect(honest.attempts.isEmpty)
        #expect(broken.seen.first == "alert d1")
    }

    @Test func permissionAtFive() {
        let (honest, broken) = pair(.permissionAtFive) { rig in
            rig.activity()
            rig.event(.progress)
            rig.event(.permission)
            rig.event(.complete)
        }
        #expect(honest.attempts.map(\.priority) == ["5", "10", "10", "10", "10"])
        #expect(broken.attempts.map(\.priority) == ["5", "10", "5", "10", "10"])
    }

    @Test func everythingAtTen() {
        let (honest, broken) = pair(.everythingAtTen) { rig in
            rig.activity()
            rig.event(.progress)
        }
        #expect(honest.attempts.map(\.priority) == ["5"])
        #expect(broken.attempts.map(\.priority) == ["10"])
    }

    @Test func topicWithoutSuffix() {
        let (honest, broken) = pair(.topicWithoutSuffix) { $0.event(.start) }
        #expect(honest.attempts.map(\.topic) == ["com.example.app.push-type.liveactivity"])
        #expect(broken.attempts.map(\.topic) == ["com.example.app"])
        #expect(broken.attempts[0].isActivity)
    }

    @Test func fractionalExpiration() {
        let (honest, broken) = pair(.fractionalExpiration) { $0.event(.start) }
        #expect(honest.attempts[0].expiration == "\(honest.time.wall().seconds + 3_600)")
        #expect(broken.attempts[0].expiration == "1.5")
    }

    @Test func emptyCollapseID() {
        let (honest, broken) = pair(.emptyCollapseID) { $0.event(.start) }
        #expect(honest.attempts.map(\.collapseID) == [nil])
        #expect(broken.attempts.map(\.collapseID) == [""])
    }

    @Test func sharesID() {
        let (honest, broken) = pair(.sharesID) { rig in
            for _ in 0..<4 { rig.event(.permission) }
        }
        #expect(Set(honest.attempts.map(\.apnsID)).count == honest.attempts.count)
        #expect(Set(broken.attempts.map(\.apnsID)).count == (broken.attempts.count + 1) / 2)
    }
}
