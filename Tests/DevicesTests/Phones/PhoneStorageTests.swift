// Phones that are out of reach, and notifications to their apps (apns.md §12, §13).

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct PhoneStorageTests {
    /// What became of stored pushes, by their numbers from 1.
    private func late(_ rig: PhoneRig) -> [String] {
        rig.fleet.lateOutcomes(now: rig.time.wall()).map { "\($0.push) \($0.outcome.word): \($0.reason?.words ?? "-")" }
    }

    @Test("one push per app is stored while the phone is offline, the newest, and delivered when it is back")
    func oneSlot() throws {
        let rig = try PhoneRig()
        try rig.act(.setOffline(true))
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.stored, .offline))
        #expect(rig.notify(rig.device()) == PhoneVerdict(.stored, .offline))
        #expect(late(rig) == ["1 superseded: one stored push per app: a newer one took its place"])
        try rig.act(.setOffline(false))
        #expect(late(rig) == ["2 shown: -"] && rig.events().isEmpty)
    }

    @Test("a stored start makes its activity when the phone is back, and says of what it was asked")
    func lateStart() throws {
        let rig = try PhoneRig()
        try rig.act(.setOffline(true))
        rig.push(.start, to: rig.start(), payload: #"{"aps":{"x":"[pr:00000001:2:3]"}}"#)
        rig.wait(.seconds(600))
        try rig.act(.setOffline(false))
        #expect(late(rig) == ["1 started: -"])
        #expect(rig.events().first?.marker == Marker(run: 1, session: 2, step: 3))
        #expect(rig.card()?.startedAt == rig.time.wall())
    }

    @Test("expiration 0 is one attempt; another date is kept until then")
    func expiration() throws {
        let rig = try PhoneRig()
        try rig.act(.setOffline(true))
        rig.expiration = 0
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.discarded, .oneAttempt))
        rig.expiration = rig.time.wall().seconds + 60
        #expect(rig.push(.start, to: rig.start())?.outcome == .stored)
        rig.wait(.seconds(60))
        #expect(late(rig) == ["2 expired: expired before the phone was back"])
        rig.expiration = nil
        #expect(rig.push(.start, to: rig.start())?.outcome == .stored)
        rig.wait(.seconds(30 * 86_400))
        #expect(late(rig) == ["3 expired: expired before the phone was back"])
    }

    @Test("in Low Power what is below priority 10 waits, and the rest is shown")
    func lowPower() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        try rig.act(.setLowPower(true))
        rig.priority = 5
        #expect(rig.push(.update, to: rig.activity(1), ahead: 1) == PhoneVerdict(.stored, .lowPower))
        rig.priority = 10
        #expect(rig.push(.update, to: rig.activity(1), ahead: 2) == PhoneVerdict(.updated))
        try rig.act(.setLowPower(false))
        #expect(late(rig) == ["2 ignored-older: older than the state that the card has"])
    }

    @Test("a batch waits for its time, on a phone that is in reach")
    func batches() throws {
        let rig = try PhoneRig { $0.lowPriorityBatch = .seconds(60) }
        rig.priority = 5
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.stored, .batched))
        rig.wait(.seconds(60))
        #expect(late(rig) == ["1 started: -"])
    }

    @Test("starts and updates have places of their own where the setting says so")
    func ownSlots() throws {
        let rig = try PhoneRig { $0.activitySlots = .own }
        try rig.act(.setOffline(true))
        for _ in 0..<2 { rig.push(.start, to: rig.start()) }
        try rig.act(.setOffline(false))
        #expect(late(rig) == ["1 started: -", "2 started: -"])
    }

    @Test("what is stored for an app that leaves the phone is delivered to nobody")
    func gone() throws {
        let rig = try PhoneRig()
        try rig.act(.setOffline(true))
        rig.push(.start, to: rig.start())
        try rig.act(.uninstall(app: PhoneRig.app))
        try rig.act(.setOffline(false))
        #expect(late(rig) == ["1 not-delivered: the app is not on the phone any more"])
        try rig.act(.install(AppSetup(PhoneRig.app)))
        try rig.act(.setOffline(true))
        #expect(rig.notify(rig.device(2))?.outcome == .stored)
        rig.phones.remove("p")
        #expect(late(rig).count == 1)
    }

    @Test("an alert is shown, the same collapse id takes its place, and a background push wakes the app in silence")
    func alerts() throws {
        let rig = try PhoneRig { $0.budgets.background = 1 }
        #expect(rig.notify(rig.device()) == PhoneVerdict(.shown))
        for outcome in [Outcome.shown, .replaced] { #expect(rig.notify(rig.device()) { $0.collapseMark = 5 }?.outcome == outcome) }
        for outcome in [Outcome.silent, .throttled] {
            #expect(rig.notify(rig.device()) { ($0.pushType, $0.payload.isContentAvailable) = (.background, true) }?.outcome == outcome)
        }
    }

    @Test("a background push does not start an app that its user has ended, and costs nothing; an alert is shown")
    func killedApp() throws {
        let rig = try PhoneRig { $0.budgets.background = 1 }
        let background = {
            rig.notify(rig.device()) { ($0.pushType, $0.payload.isContentAvailable) = (.background, true) }
        }
        try rig.act(.kill(app: PhoneRig.app))
        #expect(background() == PhoneVerdict(.discarded, .appKilled))
        #expect(rig.notify(rig.device()) == PhoneVerdict(.shown))
        try rig.act(.relaunch(app: PhoneRig.app))
        #expect(background()?.outcome == .silent)
    }

    @Test("tokens that a phone has leave the tokens that are nobody's")
    func strangers() throws {
        let rig = try PhoneRig({ $0.registration = .any }, phone: nil)
        #expect(rig.standing(rig.start()) == .active && rig.fleet.tokenCount == 1)
        try rig.phones.make(PhoneSetup("p", apps: [AppSetup(PhoneRig.app)]), now: rig.time.wall())
        #expect(rig.standing(rig.start()) == .activeOnPhone && rig.fleet.tokenCount == 0)
        #expect(rig.standing(rig.activity(1)) == .active, "not minted yet, so as any other")
        rig.push(.start, to: rig.start())
        #expect(rig.standing(rig.activity(1)) == .activeOnPhone && rig.fleet.tokenCount == 0)
        rig.fleet.reset()
        #expect(rig.phones.isEmpty && rig.standing(rig.start()) == .active)
    }
}
