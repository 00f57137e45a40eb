// The phone behind the token: what a start makes, what the app learns, and what happens to both (apns.md §10).

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct PhoneTests {
    @Test("a start makes an activity with a token that anybody can compute, and wakes its app after the delay")
    func start() throws {
        let rig = try PhoneRig { $0.phones.wake = PhoneWake(delay: .constant(2)) }
        let payload = #"{"aps":{"alert":"[pr:0000002a:7:1]"}}"#
        #expect(rig.push(.start, to: rig.start(), payload: payload) == PhoneVerdict(.started))
        let started = try #require(rig.events().first)
        #expect(started.kind == .started && started.phone == "p" && started.app == PhoneRig.app && started.activity == 1)
        #expect(started.marker == Marker(run: 0x2A, session: 7, step: 1) && started.token == nil)
        #expect(rig.phones.nextDue == rig.time.wall() + .seconds(2))
        rig.wait(.milliseconds(1999))
        #expect(rig.events().isEmpty && rig.card()?.isTokenKnown == false)
        rig.wait(.milliseconds(1))
        let token = try #require(rig.events().first)
        #expect(token.kind == .token && token.token == rig.activity(1).text(PhoneRig.seed) && token.at == rig.time.wall())
        #expect(token.marker == started.marker && rig.card()?.isTokenKnown == true)
        #expect(rig.push(.update, to: rig.activity(1), ahead: 1) == PhoneVerdict(.updated))
    }

    @Test("activities live one after another and side by side, each with its token")
    func several() throws {
        let rig = try PhoneRig()
        for _ in 0..<2 { #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started)) }
        #expect(rig.push(.end, to: rig.activity(1)) == PhoneVerdict(.ended))
        #expect(rig.push(.update, to: rig.activity(2)) == PhoneVerdict(.updated))
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started))
        #expect(rig.record()?.apps[0].activities.map(\.state) == [.ended, .active, .active])
        #expect(Set([1, 2, 3].map { rig.activity($0).text(PhoneRig.seed) }).count == 3)
    }

    @Test("an app that is not woken never gets the token, until the user opens it")
    func neverWoken() throws {
        let rig = try PhoneRig { $0.phones.wake = PhoneWake(never: 1) }
        let verdict = rig.push(.start, to: rig.start())
        #expect(verdict == PhoneVerdict(.started, .notAwake) && verdict?.reason?.words == "not awake: no token was sent")
        rig.wait(.seconds(3600))
        #expect(rig.kinds() == [.started])
        try rig.act(.open(app: PhoneRig.app))
        #expect(rig.kinds() == [.token])
    }

    @Test("a share of the apps is never woken, drawn from the seed alone")
    func share() throws {
        let rig = try PhoneRig({ $0.phones.wake = PhoneWake(never: 9.0 / 14) }, phone: nil)
        for number in 0..<600 {
            try rig.phones.make(PhoneSetup("p\(number)", apps: [AppSetup(PhoneRig.app)]), now: rig.time.wall())
            rig.push(.start, to: rig.start("p\(number)"))
        }
        rig.wait(.seconds(10))
        let tokens = rig.kinds().count { $0 == .token }
        #expect(160...270 ~= tokens, "\(tokens) of 600, and 214 are expected")
    }

    @Test("an app in the foreground has the token at once, a killed one when it is started again, and then of all")
    func states() throws {
        let rig = try PhoneRig()
        try rig.act(.open(app: PhoneRig.app))
        rig.push(.start, to: rig.start())
        #expect(rig.kinds() == [.started, .token])
        try rig.act(.kill(app: PhoneRig.app))
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started, .notAwake))
        rig.wait(.seconds(100))
        #expect(rig.kinds() == [.started])
        try rig.act(.background(app: PhoneRig.app))
        #expect(rig.record()?.apps.first?.state == .killed, "nothing but its start brings a killed app back")
        try rig.act(.relaunch(app: PhoneRig.app))
        #expect(rig.events().map { [$0.kind.rawValue, UInt8($0.activity)] } == [[2, 1], [2, 2]])
    }

    @Test("an update token is replaced: the app is told, and the old one is dead at once")
    func rotation() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        rig.wait(.seconds(1))
        try rig.act(.rotate(app: PhoneRig.app, activity: 1))
        rig.wait(.seconds(1))
        let events = rig.events()
        #expect(events.map(\.kind) == [.started, .token, .rotated])
        #expect(events.last?.token == rig.activity(1, rotation: 1).text(PhoneRig.seed))
        #expect(rig.standing(rig.activity(1)) == .unregistered(sinceMilliseconds: rig.time.wall().milliseconds - 1000))
        #expect(rig.push(.update, to: rig.activity(1, rotation: 1)) == PhoneVerdict(.updated))
    }

    @Test("the system replaces an activity's first token by itself, once, so long after the app has had it")
    func rotatesByItself() throws {
        let rig = try PhoneRig { $0.phones.wake = PhoneWake(delay: .constant(1), rotate: .constant(5)) }
        rig.push(.start, to: rig.start())
        rig.wait(.milliseconds(5_999))
        #expect(rig.kinds() == [.started, .token] && rig.standing(rig.activity(1)) == .activeOnPhone)
        rig.wait(.milliseconds(1))
        #expect(rig.standing(rig.activity(1)) == .unregistered(sinceMilliseconds: rig.time.wall().milliseconds))
        #expect(rig.kinds() == [], "the app is not awake yet")
        rig.wait(.seconds(1))
        let turned = try #require(rig.events().first)
        #expect(turned.kind == .rotated && turned.token == rig.activity(1, rotation: 1).text(PhoneRig.seed))
        rig.wait(.seconds(3600))
        #expect(rig.kinds() == [] && rig.standing(rig.activity(1, rotation: 1)) == .activeOnPhone)
        // One that has ended keeps the token it has.
        rig.push(.start, to: rig.start())
        rig.wait(.seconds(1))
        rig.push(.end, to: rig.activity(2))
        rig.wait(.seconds(10))
        #expect(rig.kinds() == [.started, .token, .ended] && rig.standing(rig.activity(2)) == .activeOnPhone)
    }

    @Test("a replaced token is answered 200 for a while where the setting says so, and does nothing")
    func replacedLate() throws {
        let rig = try PhoneRig { $0.unregisteredDelay = .seconds(60) }
        rig.push(.start, to: rig.start())
        try rig.act(.rotate(app: PhoneRig.app, activity: 1))
        #expect(rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.notDelivered, .tokenReplaced))
        rig.wait(.seconds(60))
        #expect(rig.push(.update, to: rig.activity(1)) == nil)
    }

    @Test("a token learned while the phone is offline waits for the network")
    func offlineWake() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        try rig.act(.setOffline(true))
        rig.wait(.seconds(60))
        #expect(rig.kinds() == [.started])
        try rig.act(.setOffline(false))
        #expect(rig.kinds() == [.token])
    }

    @Test("an activity ends 8 h after its start to the millisecond, tells it, and its token is 410 after 12 h")
    func age() throws {
        let rig = try PhoneRig()
        rig.time.advance(by: .milliseconds(345))
        rig.push(.start, to: rig.start())
        let leaves = rig.time.wall() + .seconds(12 * 3600)
        rig.wait(.milliseconds(8 * 3_600_000 - 1))
        #expect(rig.card()?.state == .active && rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.updated))
        #expect(rig.card()?.goneAt == nil)
        _ = rig.events()
        rig.wait(.milliseconds(1))
        #expect(rig.kinds() == [.ended] && rig.card()?.state == .ended && rig.card()?.goneAt == leaves)
        let late = rig.push(.update, to: rig.activity(1))
        #expect(late?.outcome == .ignoredEnded && late?.reason?.words == "ended 8 h after its start")
        rig.wait(.milliseconds(4 * 3_600_000 - 1))
        #expect(rig.card()?.state == .ended && rig.standing(rig.activity(1)) == .activeOnPhone)
        rig.wait(.milliseconds(1))
        #expect(rig.card()?.state == .dismissed)
        #expect(rig.standing(rig.activity(1)) == .expired(sinceMilliseconds: rig.time.wall().milliseconds))
        #expect(rig.events().isEmpty)
    }

    @Test("an end by push is told once, and the card stays as long as it says, at most 4 h", arguments: [nil, -5, 60, 99_999])
    func end(dismissal: Int64?) throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        let now = rig.time.wall().seconds
        #expect(rig.push(.end, to: rig.activity(1), ahead: -500) { $0.dismissalDate = dismissal.map { now + $0 } } == PhoneVerdict(.ended))
        #expect(rig.kinds() == [.started, .ended])
        #expect(rig.card()?.goneAt == rig.time.wall() + .seconds(Double(min(max(dismissal ?? 14_400, 0), 14_400))))
        #expect(rig.push(.update, to: rig.activity(1), ahead: 5) == PhoneVerdict(.ignoredEnded, .endedByPush))
        rig.wait(.seconds(9 * 3600))
        #expect(rig.events().isEmpty)
    }

    @Test("the user dismisses: told, and nothing is shown any more")
    func dismissal() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        try rig.act(.dismiss(app: PhoneRig.app, activity: 1))
        #expect(rig.kinds() == [.started, .dismissed])
        #expect(rig.push(.update, to: rig.activity(1), ahead: 1) == PhoneVerdict(.ignoredEnded, .dismissed))
        rig.wait(.seconds(9 * 3600))
        #expect(rig.events().isEmpty, "neither a token nor an end by age")
    }

    @Test("an app starts an activity itself in the foreground only, and ends it")
    func ownStart() throws {
        let rig = try PhoneRig()
        #expect(throws: PhoneRefusal.notInForeground(PhoneRig.app)) { try rig.act(.start(app: PhoneRig.app)) }
        try rig.act(.open(app: PhoneRig.app))
        try rig.act(.start(app: PhoneRig.app))
        #expect(rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.updated))
        try rig.act(.end(app: PhoneRig.app, activity: 1, dismissal: .seconds(5)))
        #expect(rig.kinds() == [.started, .token, .ended])
        #expect(rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.ignoredEnded, .endedByApp))
        #expect(rig.card()?.goneAt?.seconds == rig.time.wall().seconds + 5)
    }

    @Test("an app that is removed and comes back has new tokens, and pushes to the old ones show nothing")
    func reinstalled() throws {
        let rig = try PhoneRig { $0.unregisteredDelay = .seconds(300) }
        rig.push(.start, to: rig.start())
        try rig.act(.uninstall(app: PhoneRig.app))
        #expect(rig.kinds() == [.started, .ended])
        #expect(rig.notify(rig.device()) == PhoneVerdict(.notDelivered, .appGone))
        try rig.act(.install(AppSetup(PhoneRig.app)))
        #expect(rig.notify(rig.device()) == PhoneVerdict(.notDelivered, .tokenReplaced))
        #expect(rig.notify(rig.device(2)) == PhoneVerdict(.shown))
        #expect(rig.push(.update, to: rig.activity(1)) == PhoneVerdict(.notDelivered, .tokenReplaced))
        rig.wait(.seconds(200))
        // It leaves once more, which makes nothing of what is dead younger.
        try rig.act(.uninstall(app: PhoneRig.app))
        rig.wait(.seconds(100))
        for token in [rig.device(), rig.activity(1)] {
            #expect(rig.standing(token) == .unregistered(sinceMilliseconds: rig.time.wall().milliseconds), "410 by now")
        }
    }

    @Test("what its user had switched goes with the app")
    func switchesGo() throws {
        let rig = try PhoneRig { $0.unregisteredDelay = .seconds(300) }
        for act in [
            PhoneAction.setFrequentUpdates(app: PhoneRig.app, true), .setStaleStart(app: PhoneRig.app, true),
            .allowActivities(app: PhoneRig.app, false), .uninstall(app: PhoneRig.app),
        ] { try rig.act(act) }
        let app = try #require(rig.record()?.apps.first)
        #expect(app.isGone && app.allowsActivities && !app.hasFrequentUpdates && !app.hasStaleStart)
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.notDelivered, .appGone))
    }

    @Test("an app that its user has ended ends no activity, for its code does not run")
    func endKilled() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        try rig.act(.kill(app: PhoneRig.app))
        let end = PhoneAction.end(app: PhoneRig.app, activity: 1, dismissal: nil)
        #expect(throws: PhoneRefusal.notRunning(PhoneRig.app)) { try rig.act(end) }
        try rig.act(.relaunch(app: PhoneRig.app))
        try rig.act(end)
        #expect(rig.card()?.state == .ended)
    }

    @Test("a token that is dead for two reasons is told so for the first of them, and is never 200 again")
    func deadTwice() throws {
        let rig = try PhoneRig { ($0.unregisteredDelay, $0.activeLife) = (.seconds(300), .seconds(12 * 3600)) }
        for _ in 0..<2 { rig.push(.start, to: rig.start()) }
        rig.wait(.seconds(12 * 3600 - 600))
        try rig.act(.rotate(app: PhoneRig.app, activity: 2))
        rig.wait(.seconds(600))
        let aged = rig.time.wall().milliseconds
        for _ in 0..<2 {
            #expect(rig.standing(rig.activity(1)) == .expired(sinceMilliseconds: aged))
            #expect(rig.standing(rig.activity(2)) == .unregistered(sinceMilliseconds: aged - 300_000))
            try? rig.act(.uninstall(app: PhoneRig.app))
        }
    }

    @Test("what cannot be done is said, and changes nothing")
    func refusals() throws {
        let rig = try PhoneRig()
        let other = "com.example.other"
        #expect(throws: PhoneRefusal.noPhone("q")) { try rig.act(.setOffline(true), on: "q") }
        #expect(throws: PhoneRefusal.noApp(other)) { try rig.act(.open(app: other)) }
        #expect(throws: PhoneRefusal.noActivity(1, app: PhoneRig.app)) {
            try rig.act(.dismiss(app: PhoneRig.app, activity: 1))
        }
        #expect(throws: PhoneRefusal.appExists(PhoneRig.app)) { try rig.act(.install(AppSetup(PhoneRig.app))) }
        #expect(throws: PhoneRefusal.badName) { try rig.phones.make(PhoneSetup("a b"), now: rig.time.wall()) }
        #expect(throws: PhoneRefusal.badName) { try rig.phones.make(PhoneSetup("events"), now: rig.time.wall()) }
        let many = (0...PhoneSettings.appLimit).map { AppSetup("com.example.a\($0)") }
        #expect(throws: PhoneRefusal.tooManyApps) { try rig.phones.make(PhoneSetup("q", apps: many), now: rig.time.wall()) }
        let twice = [AppSetup(PhoneRig.app), AppSetup(PhoneRig.app)]
        #expect(throws: PhoneRefusal.appExists(PhoneRig.app)) {
            try rig.phones.make(PhoneSetup("p", apps: twice), now: rig.time.wall())
        }
        #expect(rig.events().isEmpty && rig.phones.phoneCount == 1 && rig.record()?.apps.count == 1)
        rig.push(.start, to: rig.start())
        try rig.act(.dismiss(app: PhoneRig.app, activity: 1))
        #expect(throws: PhoneRefusal.activityGone(1, app: PhoneRig.app)) { try rig.act(.rotate(app: PhoneRig.app, activity: 1)) }
    }

    @Test("a phone that is removed is unknown to APNs, and one of its name begins anew")
    func removed() throws {
        let rig = try PhoneRig()
        rig.push(.start, to: rig.start())
        #expect(rig.phones.remove("p") && !rig.phones.remove("p") && rig.phones.isEmpty)
        #expect(rig.standing(rig.start()) == .unknown && rig.standing(rig.activity(1)) == .unknown)
        try rig.phones.make(PhoneSetup("p", apps: [AppSetup(PhoneRig.app)]), now: rig.time.wall())
        #expect(rig.record()?.apps[0].activities.isEmpty == true)
        #expect(rig.push(.start, to: rig.start()) == PhoneVerdict(.started))
    }

    @Test("a token belongs to its app, its topic and its environment")
    func topics() throws {
        var setup = AppSetup(PhoneRig.app)
        setup.environment = .sandbox
        let rig = try PhoneRig(phone: PhoneSetup("p", apps: [setup]))
        #expect(rig.standing(rig.start()) == .unknown, "asked in production")
        try rig.phones.make(PhoneSetup("p", apps: [AppSetup(PhoneRig.app)]), now: rig.time.wall())
        #expect(rig.standing(rig.start()) == .activeOnPhone)
        #expect(rig.standing(rig.start(), topic: PhoneRig.app) == .otherTopic)
        #expect(rig.standing(rig.device(), topic: PhoneRig.app + ".push-type.liveactivity") == .otherTopic)
        #expect(rig.standing(rig.start(), topic: "com.example.other.push-type.liveactivity") == .otherTopic)
    }

    @Test("pushes to each token are counted, whatever the phone makes of them")
    func counts() throws {
        let rig = try PhoneRig()
        for _ in 0..<2 { rig.push(.start, to: rig.start()) }
        rig.push(.update, to: rig.activity(1), ahead: -100)
        _ = rig.notify(rig.device())
        let counts = [rig.start(), rig.activity(1), rig.activity(2), rig.device(), rig.activity(3)].map { token in
            withBytes(of: token.text(PhoneRig.seed)) { rig.phones.pushCount(of: $0, hash: Hash128(hex: $0)) }
        }
        #expect(counts == [2, 1, 0, 1, nil])
    }

    @Test("no number from outside stops a phone", arguments: [Int64.min, -1, 0, 1, Int64.max])
    func extremes(number: Int64) throws {
        let rig = try PhoneRig {
            $0.futureLimit = Interval(nanoseconds: .max)
            $0.phones.wake = PhoneWake(delay: .constant(Double(number)))
            $0.phones.drawingInterval = Interval(nanoseconds: .max)
            $0.activityTokenExpiry = .afterEnd(Interval(nanoseconds: .max))
            $0.budgets.starts = 1
        }
        rig.expiration = number
        for event in [ActivityEvent.start, .update, .end] {
            rig.push(event, to: event == .start ? rig.start() : rig.activity(1)) {
                ($0.timestamp, $0.staleDate, $0.dismissalDate) = (number, number, number)
            }
        }
        rig.wait(Interval(nanoseconds: .max))
        #expect(rig.record()?.name == "p")
    }
}
