// The order of checks (docs/apns.md §7): a push with several faults gets the reason of the first row.

import APNs
import Basics
import Pushes
import Synchronization
import Testing

@Suite struct CheckOrderTests {
    /// Breaks a push in one way, and the reason for it, in the order of §7.
    static let breaks: [(Reason, @Sendable (inout Push) -> Void)] = [
        (.methodNotAllowed, { $0.method = "GET" }),
        (.missingProviderToken, { $0["authorization"] = nil }),
        (.duplicateHeaders, { $0.fields += [("apns-priority", "5"), ("apns-priority", "5")] }),
        (.badMessageId, { $0["apns-id"] = "x" }),
        (.invalidPushType, { $0["apns-push-type"] = "x" }),
        (.missingTopic, { $0["apns-topic"] = nil }),
        (.badExpirationDate, { $0["apns-expiration"] = "x" }),
        (.badPriority, { $0.fields.insert(("apns-priority", "x"), at: 0) }),
        (.badCollapseId, { $0["apns-collapse-id"] = String(repeating: "x", count: 65) }),
        (.payloadTooLarge, { $0.body = String(repeating: " ", count: 5000) }),
        (.badDeviceToken, { $0.path = "/3/device/aaaa" }),
    ]

    @Test("of two faults the earlier row's reason is given", arguments: 0..<breaks.count)
    func pairs(first: Int) {
        for second in Self.breaks.indices where second > first {
            let rig = ValidatorRig()
            let reason = rig.reason {
                Self.breaks[second].1(&$0)
                Self.breaks[first].1(&$0)
            }
            #expect(reason == Self.breaks[first].0, "with \(Self.breaks[second].0)")
        }
    }

    @Test("no headers at all and a bad token is MissingProviderToken (§7, observed)")
    func uniqush() {
        let rig = ValidatorRig()
        #expect(
            rig.reason {
                $0.path = "/3/device/aaaa"
                $0.fields = []
                $0.body = "{}"
            } == .missingProviderToken)
    }

    @Test("a bad provider token is told before a bad device token (§7, observed)")
    func credentialFirst() {
        let rig = ValidatorRig()
        #expect(
            rig.reason {
                $0["authorization"] = "bearer a.b.c"
                $0.path = "/3/device/aaaa"
            } == .invalidProviderToken)
    }

    @Test("a key of the other environment is told before BadDeviceToken (§13, observed)")
    func environmentFirst() {
        let rig = ValidatorRig()
        rig.add(ValidatorRig.keyID, .environment(.production))
        #expect(rig.reason { $0.path = "/3/device/aaaa" } == .badEnvironmentKeyInToken)
    }

    @Test("the update rate is told before InvalidProviderToken (§7, observed)")
    func updateRateFirst() {
        let rig = ValidatorRig()
        let reasons = ["a.b.c", "a.b.d", "a.b.e"].map { jwt in rig.reason { $0["authorization"] = "bearer " + jwt } }
        #expect(reasons == [.invalidProviderToken, .invalidProviderToken, .tooManyProviderTokenUpdates])
    }

    @Test("a wrong method on no path and without credentials is MethodNotAllowed (§7, observed)")
    func methodFirst() {
        let rig = ValidatorRig()
        #expect(
            rig.reason {
                $0.method = "HEAD"
                $0.path = "/"
                $0.fields = []
            } == .methodNotAllowed)
    }

    @Test("without a topic nobody looks at the token: unknown, or another app's (§7, observed)")
    func topicBeforeToken() {
        for standing in [TokenStanding.unknown, .otherTopic] {
            let rig = ValidatorRig()
            rig.directory.answer.withLock { $0 = standing }
            #expect(rig.reason { $0["apns-topic"] = nil } == .missingTopic)
            #expect(rig.reason { _ in } == (standing == .unknown ? .badDeviceToken : .deviceTokenNotForTopic))
        }
    }

    @Test("good credentials with 64 zeros for a token are BadDeviceToken, bad ones are told first (§7, observed)")
    func probe() {
        let rig = ValidatorRig()
        rig.directory.answer.withLock { $0 = .unknown }
        let zeros = "/3/device/" + String(repeating: "0", count: 64)
        #expect(rig.reason { $0.path = zeros } == .badDeviceToken)
        #expect(
            rig.reason {
                $0.path = zeros
                $0["authorization"] = "bearer a.b.c"
            } == .invalidProviderToken)
    }

    @Test("another table is another order, and no order stops the process (§15.1)")
    func reordered() {
        let rig = ValidatorRig(APNsSettings(), checks: Check.order.reversed())
        _ = rig.reason { $0.fields = [] }
        let reason = rig.reason {
            $0["apns-collapse-id"] = String(repeating: "x", count: 65)
            $0["apns-id"] = "x"
        }
        #expect(reason == .badCollapseId)
    }

    @Test("a refusal names its row")
    func named() {
        let rig = ValidatorRig()
        var push = rig.push()
        push["apns-priority"] = "7"
        #expect(rig.judge(push).check?.description == "priority")
        #expect(Set(Check.order.map(\.name.description)).count == Check.order.count)
    }
}
