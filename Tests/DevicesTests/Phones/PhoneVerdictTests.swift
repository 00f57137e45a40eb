// Each push has one outcome and a reason in words that a person understands (apns.md §10, §12).

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct PhoneVerdictTests {
    private func words(_ verdict: PhoneVerdict?) -> String { verdict?.reason?.words ?? "-" }

    @Test("the start budget goes below zero, for refused starts are charged too, and grows back with the time")
    func startBudget() throws {
        let rig = try PhoneRig { ($0.budgets.starts, $0.budgets.startWindow) = (10, .seconds(1000)) }
        for _ in 0..<10 { #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started)) }
        for left in [-1, -2, -3, -4, -5] {
            #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.throttled, .startBudget(left: left, of: 10)))
        }
        #expect(words(rig.push(.start, to: rig.start())) == "start budget of 10 spent, with 6 charged beyond it")
        // One each 100 s: six are owed, so the next that is paid comes after 700 s.
        rig.wait(.seconds(599))
        #expect(rig.push(.start, to: rig.start())?.outcome == .throttled)
        rig.wait(.seconds(201))
        #expect(rig.push(.start, to: rig.start())?.outcome == .started)
    }

    @Test("frequent updates do not touch the start budget, and raise that of priority 10; priority 5 is free")
    func urgentBudget() throws {
        let rig = try PhoneRig { ($0.budgets.urgentActivity, $0.budgets.frequentActivity) = (2, 3) }
        rig.push(.start, to: rig.start())
        for outcome in [Outcome.updated, .updated, .throttled] {
            #expect(rig.push(.update, to: rig.activity(1))?.outcome == outcome)
        }
        #expect(words(rig.push(.update, to: rig.activity(1))) == "budget for priority 10 spent")
        try rig.act(.setFrequentUpdates(app: PhoneRig.app, true))
        rig.priority = 5
        #expect(rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.updated))
        rig.priority = 10
        rig.wait(.seconds(3600))
        for outcome in [Outcome.updated, .updated, .updated, .throttled] {
            #expect(rig.push(.update, to: rig.activity(1))?.outcome == outcome)
        }
    }

    @Test("a start whose stale-date has passed is never shown, nor is what follows")
    func pastStaleDate() throws {
        let rig = try PhoneRig()
        let now = rig.time.wall().seconds
        let verdict = rig.push(.start, to: rig.start()) { $0.staleDate = now }
        #expect(verdict == PhoneVerdict(.neverShown, .pastStaleDate))
        #expect(words(verdict) == "its stale-date had passed when it started")
        #expect(rig.card()?.wasShown == false && rig.card()?.state == .stale)
        #expect(rig.push(.update, to: rig.activity(1), ahead: 1)?.outcome == .neverShown)
        for act in [PhoneAction.dismiss(app: PhoneRig.app, activity: 1), .tap(app: PhoneRig.app, activity: 1)] {
            #expect(throws: PhoneRefusal.neverShown(1, app: PhoneRig.app)) { try rig.act(act) }
        }
        #expect(rig.card()?.goneAt == nil && !rig.kinds().contains(.dismissed))
        #expect(rig.push(.start, to: rig.start()) { $0.staleDate = now + 1 } == PhoneVerdict(.started))
    }

    @Test("a stale-date of 0 or less is one of 1970, of an update as of a start", arguments: [0, -5, 1] as [Int64])
    func ancientStaleDate(date: Int64) throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        #expect(rig.push(.update, to: rig.activity(1)) { $0.staleDate = date } == PhoneVerdict(.updated))
        #expect(rig.card()?.state == .stale && rig.card()?.staleAt == WallTime(seconds: 1))
        #expect(rig.push(.start, to: rig.start()) { $0.staleDate = date } == PhoneVerdict(.neverShown, .pastStaleDate))
        #expect(rig.card(2)?.state == .stale && rig.card(2)?.wasShown == false)
    }

    @Test("a stale-date flips the state and leaves the card")
    func stale() throws {
        let rig = try PhoneRig()
        let now = rig.time.wall().seconds
        rig.push(.start, to: rig.start()) { $0.staleDate = now + 60 }
        rig.wait(.seconds(60))
        #expect(rig.card()?.state == .stale && rig.card()?.wasShown == true)
        #expect(rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.updated))
        #expect(rig.card()?.state == .active)
    }

    @Test("a push-to-start token that has gone stale is answered 200 and starts nothing, until it is replaced")
    func staleStartToken() throws {
        let rig = try PhoneRig()
        try rig.act(.setStaleStart(app: PhoneRig.app, true))
        #expect(rig.standing(rig.start()) == .activeOnPhone)
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.notStarted, .staleStartToken))
        #expect(rig.events().isEmpty)
        try rig.act(.rotateStart(app: PhoneRig.app))
        var fresh = rig.start()
        fresh.rotation = 1
        #expect(rig.push(.start, to: fresh) == PhoneVerdict(.started))
        #expect(rig.standing(rig.start()) != .activeOnPhone)
    }

    @Test("Live Activities that are switched off end and do not start")
    func switchedOff() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        try rig.act(.allowActivities(app: PhoneRig.app, false))
        #expect(rig.kinds() == [.started, .dismissed])
        let late = rig.push(.update, to: rig.activity(1), ahead: 1)
        #expect(late?.outcome == .ignoredEnded && words(late) == "removed when Live Activities were switched off")
        #expect(words(rig.push(.start, to: rig.start())) == "Live Activities are switched off")
        try rig.act(.allowActivities(app: PhoneRig.app, true))
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started))
    }

    @Test("an older iOS starts nothing by push, and nothing with a channel")
    func oldSystem() throws {
        let rig = try PhoneRig()
        try rig.act(.setSystem(SystemVersion(17, 1)))
        #expect(words(rig.push(.start, to: rig.start())) == "iOS 17.1 is older than 17.2")
        try rig.act(.setSystem(SystemVersion(17, 2)))
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started))
        let verdict = rig.push(.start, to: rig.start()) { $0.inputChannel = .unreadable }
        #expect(verdict?.outcome == .notStarted && words(verdict) == "iOS 17.2 is older than 18.0")
    }

    @Test("a card is drawn once per 15 s: what comes in between is taken, and the newest of it drawn next")
    func drawing() throws {
        let rig = try PhoneRig { $0.phones.drawingInterval = .seconds(15) }
        rig.push(.start, to: rig.start())
        let first = rig.time.wall().seconds
        rig.wait(.seconds(10))
        let verdict = rig.push(.update, to: rig.activity(1))
        #expect(verdict?.outcome == .coalesced)
        #expect(words(verdict) == "drawn 5s later unless a newer one comes: a card is drawn once per 15 s")
        #expect(rig.card()?.drawnStamp == first && rig.card()?.takenStamp == first + 10)
        rig.wait(.seconds(2))
        #expect(rig.push(.update, to: rig.activity(1))?.outcome == .coalesced)
        rig.wait(.seconds(3))
        #expect(rig.card()?.drawnStamp == first + 12, "the newest is drawn, 15 s after the start")
        rig.wait(.seconds(14))
        #expect(rig.push(.update, to: rig.activity(1))?.outcome == .coalesced)
        rig.wait(.seconds(16))
        #expect(rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.updated))
        #expect(rig.push(.end, to: rig.activity(1)) == PhoneVerdict(.ended), "an end does not wait")
    }

    @Test("what is taken seconds before the 8 h are over is drawn with the end")
    func lastDrawing() throws {
        let rig = try PhoneRig { $0.phones.drawingInterval = .seconds(15) }
        rig.push(.start, to: rig.start())
        let first = rig.time.wall().seconds
        rig.wait(.seconds(28_790))
        #expect(rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.updated))
        rig.wait(.seconds(5))
        #expect(rig.push(.update, to: rig.activity(1))?.outcome == .coalesced && rig.card()?.drawnStamp == first + 28_790)
        rig.wait(.seconds(5))
        #expect(rig.card()?.state == .ended && rig.card()?.drawnStamp == first + 28_795)
        #expect(rig.card()?.drawnAt == rig.time.wall())
    }

    @Test("what the app's type does not decode leaves the card, and starts nothing")
    func undecodable() throws {
        var setup = AppSetup(PhoneRig.app)
        setup.schema = 1
        let rig = try PhoneRig(phone: PhoneSetup("p", apps: [setup]))
        rig.mistake = #"missing key "retryInfo""#
        #expect(words(rig.push(.start, to: rig.start())) == #"does not decode: missing key "retryInfo""#)
        #expect(rig.record()?.apps[0].activities.isEmpty == true && rig.events().isEmpty)
        rig.mistake = nil
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started))
        rig.mistake = "status is a number, not a string"
        let before = rig.card()
        #expect(rig.push(.update, to: rig.activity(1), ahead: 1)?.outcome == .undecodable)
        #expect(rig.card()?.takenStamp == before?.takenStamp && rig.card()?.state == .active)
        // The app's next version reads it; without a schema any content is read.
        try rig.act(.update(app: PhoneRig.app, schema: 0))
        #expect(rig.push(.update, to: rig.activity(1), ahead: 1) == PhoneVerdict(.updated))
    }

    @Test("a push without what §10 requires says what is missing")
    func shapeless() throws {
        let rig = try PhoneRig()
        for (defect, expected) in [
            (ActivityDefect.missingAlert, #"does not decode: missing key "alert""#),
            (.dataTooLarge, "does not decode: attributes and content-state have more than 4 KB"),
        ] {
            #expect(words(rig.push(.start, to: rig.start()) { $0.defect = defect }) == expected)
        }
        let kinds = ActivityDefect.allCases.filter { $0 != .timestampInMilliseconds }
        for defect in kinds {
            #expect(rig.push(.start, to: rig.start()) { $0.defect = defect }?.outcome == .undecodable, "\(defect)")
        }
        #expect(rig.push(.start, to: rig.start()) { $0.event = nil; $0.defect = .unknownEvent }?.outcome == .undecodable)
    }

    @Test("an update older than the start or than the card's state is ignored; as old as it is decided by the setting")
    func older() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start(), ahead: 10)
        #expect(words(rig.push(.update, to: rig.activity(1), ahead: 9)) == "older than the start")
        #expect(rig.push(.update, to: rig.activity(1), ahead: 20) == PhoneVerdict(.updated))
        #expect(words(rig.push(.update, to: rig.activity(1), ahead: 19)) == "older than the state that the card has")
        #expect(rig.push(.update, to: rig.activity(1), ahead: 20) == PhoneVerdict(.updated))
        #expect(rig.card()?.ignored == 2 && rig.card()?.shown == 3)
        let strict = try PhoneRig { $0.equalTimestamps = .ignore }
        strict.push(.start, to: strict.start())
        #expect(strict.push(.update, to: strict.activity(1)) == PhoneVerdict(.ignoredOlder, .asOldAsState))
    }

    @Test("a timestamp too far ahead or back is dropped, and an end back there is not")
    func farAway() throws {
        let rig = try PhoneRig { $0.pastLimit = .seconds(50) }
        rig.push(.start, to: rig.start(), ahead: -1000)
        #expect(words(rig.push(.update, to: rig.activity(1), ahead: 28_801)) == "its timestamp lies more than 8 h ahead")
        #expect(words(rig.push(.update, to: rig.activity(1), ahead: -51)) == "its timestamp lies more than 50 s back")
        #expect(rig.push(.update, to: rig.activity(1), ahead: -50) == PhoneVerdict(.updated))
        #expect(rig.push(.end, to: rig.activity(1), ahead: -900) == PhoneVerdict(.ended))
        #expect(rig.push(.start, to: rig.start(), ahead: 28_801)?.outcome == .ignoredFuture)
    }

    @Test("a start on an activity's token and an update on a start token do nothing")
    func wrongTokens() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        #expect(rig.push(.start, to: rig.activity(1)) == PhoneVerdict(.unknownActivity, .startOnActivity))
        #expect(rig.push(.update, to: rig.start()) == PhoneVerdict(.unknownActivity, .updateOnStart))
        #expect(rig.kinds() == [.started])
    }

    @Test("an app keeps so many activities; gone ones make room, living ones do not")
    func room() throws {
        let rig = try PhoneRig()
        for _ in 0..<PhoneSettings.activityLimit { #expect(rig.push(.start, to: rig.start())?.outcome == .started) }
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.notStarted, .tooManyActivities))
        try rig.act(.dismiss(app: PhoneRig.app, activity: 9))
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started))
        #expect(rig.card(9) == nil && rig.card(UInt32(PhoneSettings.activityLimit) + 1) != nil)
        let died = rig.time.wall().milliseconds
        rig.wait(.seconds(60))
        #expect(rig.standing(rig.activity(9)) == .unregistered(sinceMilliseconds: died), "issued once, so not unknown")
    }

    @Test("the phones of one of the 64 shards have room for their share of all activities and one more")
    func roomInAll() throws {
        let rig = try PhoneRig({ $0.phones.activityLimitInAll = 2 * 64 })
        for _ in 0..<2 {
            for _ in 0..<3 { #expect(rig.push(.start, to: rig.start())?.outcome == .started) }
            #expect(rig.push(.start, to: rig.start())?.outcome == .notStarted)
            // Those of a phone that is removed leave theirs.
            try rig.phones.make(PhoneSetup("p", apps: [AppSetup(PhoneRig.app)]), now: rig.time.wall())
        }
    }

    @Test("no reason is without words")
    func allWords() {
        let reasons: [PhoneReason] = [
            .doesNotDecode("x"), .olderThanStart, .olderThanState, .asOldAsState, .tooFarBack(limit: .seconds(90)),
            .tooFarAhead(limit: .seconds(60)), .endedByAge(.seconds(1.5)), .endedByPush, .endedByApp, .dismissed, .removed,
            .drawnLater(.seconds(1), every: .seconds(15)), .startBudget(left: -1, of: 10), .urgentBudget, .backgroundBudget,
            .switchedOff, .staleStartToken, .tooManyActivities, .systemTooOld(major: 17, minor: 0, wants: "17.2"),
            .pastStaleDate, .notAwake, .offline, .lowPower, .batched, .oneAttempt, .displaced, .tooLate, .tokenReplaced,
            .appGone, .appKilled, .startOnActivity, .updateOnStart,
        ]
        #expect(Set(reasons.map(\.words)).count == reasons.count && reasons.allSatisfy { $0.words.count > 9 })
        #expect(PhoneReason.tooFarBack(limit: .seconds(90)).words == "its timestamp lies more than 90 s back")
        #expect(PhoneReason.tooFarAhead(limit: .seconds(60)).words == "its timestamp lies more than 1 min ahead")
    }
}
