// What an Android device does with a message (docs/fcm.md §2, §4, §6).

import Basics
import Devices
import FCM
import Pushes
import Testing

@Suite struct AndroidTests {
    private static func normal(_ facts: inout MessageFacts) { facts.isHighPriority = false }
    private static func notification(_ facts: inout MessageFacts) { facts.hasNotification = true }

    @Test("a stock device that is awake hands data over, and shows a notification")
    func awake() {
        let rig = AndroidRig()
        #expect(rig.send().is(.handedOver))
        #expect(rig.send(Self.normal).is(.handedOver))
        #expect(rig.send { ($0.hasNotification, $0.hasData) = (true, false) }.is(.shown))
        #expect(rig.send(Self.notification).is(.shown, .shownBySystem), "its app's code does not run")
        rig.change { $0.app = .foreground }
        #expect(rig.send(Self.notification).is(.handedOver, .inForeground))
        #expect(rig.deliverElsewhere() == nil)
    }

    @Test("high wakes a device that dozes, normal and nothing said wait for a maintenance window")
    func doze() {
        let rig = AndroidRig { $0.isDozing = true }
        #expect(rig.send().is(.handedOver))
        #expect(rig.send(Self.normal).is(.stored, .waits(.dozing(nil))))
        rig.pass(.seconds(1_800))
        #expect(rig.send { $0.isHighPriority = nil }.is(.stored, .waits(.dozing(nil))))
        rig.pass(.seconds(1_799))
        #expect(rig.late.isEmpty && rig.record?.stored == 2)
        rig.pass(.seconds(1))
        #expect(rig.end(of: 2)?.outcome == .handedOver && rig.end(of: 3)?.outcome == .handedOver)
        #expect(rig.send(Self.normal).is(.stored, .waits(.dozing(nil))))
        #expect(rig.fleet.nextDue == rig.now + .seconds(3_600))
        rig.change { $0.isDozing = false }
        #expect(rig.end(of: 4)?.outcome == .handedOver)
    }

    @Test("Doze that begins anew has windows of its own, and one that was missed is made up for")
    func dozeAgain() {
        let rig = AndroidRig { $0.isDozing = true }
        _ = rig.send(Self.normal)
        rig.change { $0.isOffline = true }
        rig.pass(.seconds(4_000))
        rig.change { $0.isOffline = false }
        #expect(rig.end(of: 1)?.outcome == .handedOver)
        rig.change { $0.isDozing = false }
        rig.pass(.seconds(100))
        rig.change { $0.isDozing = true }
        _ = rig.send(Self.normal)
        rig.pass(.seconds(3_599))
        #expect(rig.end(of: 2) == nil)
        rig.pass(.seconds(1))
        #expect(rig.end(of: 2)?.outcome == .handedOver)
    }

    @Test("what has waited through one Doze waits for a window of the next, and offline is told before Doze")
    func dozeAcross() {
        let rig = AndroidRig { $0.isDozing = true }
        _ = rig.send(Self.normal)
        rig.change { $0.isOffline = true }
        #expect(rig.send(Self.normal).is(.stored, .waits(.offline)))
        rig.change { $0.isDozing = false }
        rig.pass(.seconds(4_000))
        rig.change { $0.isDozing = true }
        rig.change { $0.isOffline = false }
        rig.pass(.seconds(3_599))
        #expect(rig.late.isEmpty && rig.record?.stored == 2)
        rig.pass(.seconds(1))
        #expect(rig.end(of: 1)?.outcome == .handedOver && rig.record?.stored == 0)
    }

    @Test("a ttl of 0 is now or never, any other is waited for; without one four weeks")
    func timeToLive() {
        let rig = AndroidRig { $0.isOffline = true }
        #expect(rig.send { $0.timeToLive = 0 }.is(.discarded, .missed(.offline)))
        #expect(rig.send { $0.timeToLive = 60 }.is(.stored, .waits(.offline)))
        #expect(rig.send().is(.stored, .waits(.offline)))
        #expect(rig.send { $0.timeToLive = 1 }.is(.stored, .waits(.offline)))
        rig.pass(.seconds(59))
        #expect(rig.end(of: 2) == nil)
        rig.pass(.seconds(1))
        #expect(rig.end(of: 2)?.outcome == .expired && rig.end(of: 2)?.reason == .tooLate)
        rig.pass(.seconds(2_419_200 - 61))
        #expect(rig.end(of: 3) == nil)
        rig.pass(.seconds(1))
        #expect(rig.end(of: 3)?.outcome == .expired)
    }

    @Test("the newest of a collapse key takes the older one's place; a fifth key has the oldest make room")
    func collapseKeys() {
        let rig = AndroidRig { $0.isOffline = true }
        for mark: UInt32 in [8, 16, 24, 32] { _ = rig.send { $0.collapseMark = mark } }
        _ = rig.send { $0.collapseMark = 8 }
        #expect(rig.end(of: 1)?.outcome == .superseded && rig.end(of: 1)?.reason == .newerOfKey)
        _ = rig.send { $0.collapseMark = 40 }
        #expect(rig.end(of: 2)?.outcome == .superseded && rig.end(of: 2)?.reason == .fifthKey)
        rig.change { $0.isOffline = false }
        #expect((3...6).allSatisfy { rig.end(of: $0)?.outcome == .handedOver })
    }

    @Test("notifications collapse by the app's name, whatever key they have")
    func notifications() {
        let rig = AndroidRig { $0.isOffline = true }
        _ = rig.send(Self.notification)
        _ = rig.send { ($0.hasNotification, $0.collapseMark) = (true, 9) }
        #expect(rig.end(of: 1)?.reason == .newerOfKey && rig.record?.stored == 1)
    }

    @Test("a hundred messages without a key are stored; one more has them all dropped, and the app told")
    func hundred() {
        let rig = AndroidRig { $0.isOffline = true }
        _ = rig.send { $0.collapseMark = 8 }
        for _ in 0..<100 { _ = rig.send() }
        #expect(rig.late.isEmpty && rig.record?.stored == 101)
        #expect(rig.send().is(.stored, .waits(.offline)))
        #expect((2...101).allSatisfy { rig.end(of: $0)?.outcome == .discarded && rig.end(of: $0)?.reason == .hundredStored })
        #expect(rig.record?.stored == 2 && rig.record?.deletionsTold == 0)
        rig.change { $0.isOffline = false }
        #expect(rig.record?.deletionsTold == 1 && rig.end(of: 1)?.outcome == .handedOver && rig.end(of: 102)?.outcome == .handedOver)
        rig.change { $0.isDozing = true }
        #expect(rig.record?.deletionsTold == 1, "once")
    }

    @Test("where notifications are denied nothing is shown, and high counts as normal")
    func denied() {
        let rig = AndroidRig { $0.deniesNotifications = true }
        #expect(rig.send(Self.notification).is(.nothingShown, .denied))
        #expect(rig.send(activity: "a").is(.handedOver, .deniedToApp))
        rig.change { $0.isDozing = true }
        #expect(rig.send().is(.stored, .waits(.dozing(.denied))))
    }

    @Test("collapsible messages: twenty at once, then one in three minutes; delayed, and the newest of a key")
    func throttle() {
        let rig = AndroidRig()
        for _ in 0..<20 { #expect(rig.send { $0.collapseMark = 8 }.is(.handedOver)) }
        #expect(rig.send { $0.collapseMark = 8 }.is(.stored, .waits(.throttled)))
        #expect(rig.send { ($0.collapseMark, $0.timeToLive) = (8, 0) }.is(.discarded, .missed(.throttled)))
        #expect(rig.send().is(.handedOver), "one without a key is none")
        rig.pass(.seconds(60))
        #expect(rig.send { $0.collapseMark = 8 }.is(.stored, .waits(.throttled)))
        #expect(rig.end(of: 21)?.reason == .newerOfKey)
        rig.pass(.seconds(119))
        #expect(rig.end(of: 24) == nil)
        rig.pass(.seconds(1))
        #expect(rig.end(of: 24)?.outcome == .handedOver)
        rig.pass(.seconds(3_600))
        for _ in 0..<20 { #expect(rig.send { $0.collapseMark = 8 }.is(.handedOver)) }
        #expect(rig.send { $0.collapseMark = 8 }.outcome == .stored, "no more than twenty come together")
        let stopped = AndroidRig { $0.app = .forceStopped }
        for _ in 0..<20 { _ = stopped.send { $0.collapseMark = 8 } }
        stopped.change { $0.app = .foreground }
        #expect(stopped.send { $0.collapseMark = 8 }.outcome == .stored, "what came to an app that was stopped counts")
    }

    @Test("an app that was force-stopped gets nothing until it is opened, late or at once")
    func forceStopped() {
        let rig = AndroidRig { ($0.app, $0.isOffline) = (.forceStopped, true) }
        _ = rig.send(Self.notification)
        rig.change { $0.isOffline = false }
        #expect(rig.end(of: 1)?.outcome == .discarded && rig.end(of: 1)?.reason == .forceStopped)
        #expect(rig.send().is(.discarded, .forceStopped) && rig.send(Self.notification).is(.discarded, .forceStopped))
        rig.change { $0.app = .foreground }
        #expect(rig.send().is(.handedOver))
    }

    @Test("what a vendor holds back waits until the app is opened; stock Android holds nothing", arguments: AndroidVendor.allCases)
    func vendors(_ vendor: AndroidVendor) {
        let rig = AndroidRig { ($0.vendor, $0.app) = (vendor, .background) }
        #expect(rig.send().is(.handedOver))
        for state: AndroidSetup.AppState in [.killed, .sleeping] {
            rig.change { $0.app = state }
            let isHeld = vendor != .stock && (vendor == .samsung) == (state == .sleeping)
            let verdict = rig.send()
            #expect(verdict == rig.send() && verdict.outcome == (isHeld ? .stored : .handedOver), "\(vendor) \(state)")
            if isHeld { #expect(verdict.reason == .waits(.held(vendor, state))) }
            #expect(rig.send(Self.notification).is(.shown, .shownBySystem), "the system shows what is for it")
        }
        rig.change { $0.app = .foreground }
        #expect(rig.record?.stored == 0 && rig.late.values.allSatisfy { $0.map(\.outcome) == [.handedOver] })
    }

    @Test("of a live update the newest state is shown, in whatever order they arrive")
    func liveUpdate() {
        let rig = AndroidRig { $0.isDozing = true }
        #expect(rig.send(activity: "a").is(.shown))
        #expect(rig.send(activity: "b").is(.shown))
        #expect(rig.send(activity: "a", Self.normal).outcome == .stored)
        #expect(rig.send(activity: "a").is(.replaced, .newerState))
        rig.pass(.seconds(3_600))
        #expect(rig.end(of: 3)?.outcome == .ignoredOlder && rig.end(of: 3)?.reason == .olderState)
    }

    @Test("what waits together arrives in any order: an app that goes by a number in the data passes over the older state")
    func stamps() {
        func held(_ orders: [LiveUpdate.Order], _ wake: WakeOrder = .newestFirst) -> [Outcome?] {
            let rig = AndroidRig({ $0.isOffline = true }, settings: { $0.wakeOrder = wake })
            for order in orders { _ = rig.send(activity: "a", order: order) }
            rig.change { $0.isOffline = false }
            return (1...3).map { rig.end(of: $0)?.outcome }
        }
        let stamped = (1...3).map { LiveUpdate.Order.stamp($0) }
        #expect(held(stamped) == [.ignoredOlder, .ignoredOlder, .shown])
        #expect(held(stamped, .asTaken) == [.shown, .replaced, .replaced])
        #expect(held([.stamp(nil), .stamp(nil), .stamp(nil)]) == [.setBack, .setBack, .shown])
        #expect(held([.asTaken, .asTaken, .asTaken]) == [.ignoredOlder, .ignoredOlder, .shown])
        #expect(held([.stamp(7), .stamp(7), .stamp(7)]) == [.setBack, .setBack, .shown], "equal numbers tell nothing")
        let rig = AndroidRig()
        #expect(rig.send(activity: "a", order: .stamp(9)).is(.shown))
        #expect(rig.send(activity: "a", order: .stamp(4)).is(.ignoredOlder, .olderState), "newer, and stamped older")
        #expect(rig.send(activity: "a", order: .stamp(10)).is(.replaced, .newerState))
    }

    @Test("the end clears its activity's place; what comes behind it is known for older, or sets the screen back")
    func ends() {
        let rig = AndroidRig { $0.isOffline = true }
        _ = rig.send(activity: "a", order: .stamp(nil))
        rig.change { $0.isOffline = false }
        #expect(rig.send(activity: "a", order: .stamp(nil), isEnd: true).is(.ended))
        #expect(rig.send(activity: "a", order: .stamp(nil), isEnd: true).is(.nothingShown, .emptySlot))
        #expect(rig.send(activity: "b", isEnd: true).is(.nothingShown, .emptySlot))
        #expect(rig.send(activity: "a", order: .stamp(nil)).is(.shown), "begun anew")
        let late = AndroidRig { $0.isDozing = true }
        for order in [LiveUpdate.Order.stamp(nil), .asTaken, .stamp(1)] {
            _ = late.send(activity: "\(order)", order: order, Self.normal)
            let last: LiveUpdate.Order = order == .stamp(1) ? .stamp(2) : order
            _ = late.send(activity: "\(order)", order: last, isEnd: true)
        }
        late.pass(.seconds(3_600))
        #expect([1, 3, 5].map { late.end(of: $0)?.outcome } == [.setBack, .ignoredOlder, .ignoredOlder])
    }

    @Test("an activity's place is a hash of 32 bits of its name, as String.hashCode() has it: two may share one")
    func slots() {
        let rig = AndroidRig()
        #expect(rig.send(activity: "Aa").is(.shown))
        #expect(rig.send(activity: "BB").is(.replaced, .otherOfSlot))
        #expect(rig.send(activity: "BB").is(.replaced, .newerState))
        #expect(rig.send(activity: "Aa", isEnd: true).is(.nothingShown, .emptySlot), "its own is not there any more")
        #expect(rig.send(activity: "Ab").is(.shown))
        #expect(rig.send().is(.handedOver), "data of which the app knows nothing")
    }

    @Test("high messages that show nothing count as normal from so many in seven days on; off unless set")
    func invisible() {
        var rig = AndroidRig { $0.isDozing = true }
        for _ in 0..<1_000 { #expect(rig.send().is(.handedOver)) }
        rig = AndroidRig({ $0.isDozing = true }, settings: { $0.invisibleHighLimit = 3 })
        #expect(rig.send(activity: "a").is(.shown), "a live update shows something")
        for _ in 0..<3 {
            #expect(rig.send().is(.handedOver))
            rig.pass(.seconds(86_400))
        }
        #expect(rig.send { $0.timeToLive = 60 }.is(.stored, .waits(.dozing(.invisible))))
        rig.pass(.seconds(4 * 86_400))
        #expect(rig.send().is(.handedOver), "the first was seven days ago")
    }

    @Test("numbers from outside are bounded: life, keys, activities")
    func bounds() {
        let rig = AndroidRig { $0.isOffline = true }
        _ = rig.send { $0.timeToLive = .max }
        _ = rig.send { $0.timeToLive = -5 }
        for mark: UInt32 in 1...5_000 { _ = rig.send { $0.collapseMark = mark << 2 } }
        #expect(rig.record?.stored == 5)
        rig.pass(.seconds(2_419_200))
        #expect(rig.record?.stored == 0)
        rig.change { $0.isOffline = false }
        #expect(rig.send(activity: "first").is(.shown))
        for number in 0..<64 { #expect(rig.send(activity: "\(number)").is(.shown)) }
        #expect(rig.send(activity: "first").is(.shown), "64 activities are remembered")
        #expect(rig.send(activity: "63").is(.replaced, .newerState))
        rig.pass(Interval(nanoseconds: .max))
        #expect(rig.send(Self.notification).outcome == .shown)
    }

    @Test("so many devices are kept; one that is taken away tells what becomes of its messages, and makes room")
    func removal() {
        let rig = AndroidRig({ $0.isOffline = true }, settings: { $0.deviceLimit = 1 })
        _ = rig.send()
        #expect(!rig.fleet.set(AndroidSetup(), of: Hash128(high: 3, low: 3), now: rig.now))
        rig.remove()
        #expect(rig.end(of: 1)?.outcome == .notDelivered && rig.end(of: 1)?.reason == .gone)
        #expect(rig.fleet.isEmpty && rig.fleet.set(AndroidSetup(), of: Hash128(high: 3, low: 3), now: rig.now))
    }

    @Test("each reason has words of its own")
    func words() {
        let obstacles: [AndroidObstacle] = [
            .offline, .dozing(nil), .dozing(.denied), .dozing(.invisible), .held(.xiaomi, .killed), .held(.samsung, .sleeping),
            .throttled,
        ]
        let reasons: [AndroidReason] =
            obstacles.flatMap { [.waits($0), .missed($0)] } + [
                .forceStopped, .shownBySystem, .inForeground, .denied, .deniedToApp, .newerState, .olderState, .setBack,
                .otherOfSlot, .emptySlot, .newerOfKey, .fifthKey, .hundredStored, .tooLate, .gone,
            ]
        #expect(Set(reasons.map { PhoneReason.android($0).words }).count == reasons.count)
    }
}
