// Histories whose ends were computed by hand from the fact sheet, against both models.

import Basics
import Devices
import Pushes
import Testing

@Suite struct NaivePhoneTests {
    private let start = PhoneToken(.start, phone: "p", app: PhoneWalk.apps[0])
    private let first = PhoneToken(.activity, phone: "p", app: PhoneWalk.apps[0])

    @Test("a start, its token 7 s later, an update, an end, and nothing after it", arguments: NaiveSide.allCases)
    func life(side: NaiveSide) {
        let history = NaiveHistory(side)
        #expect(history.push(.start, to: start) == .started)
        history.wait(6.9)
        #expect(history.kinds() == [.started])
        history.wait(0.1)
        #expect(history.kinds() == [.token])
        #expect(history.push(.update, to: first) == .updated)
        #expect(history.push(.end, to: first) == .ended && history.card()?.state == .ended)
        #expect(history.push(.update, to: first, ahead: 9) == .ignoredEnded)
        #expect(history.kinds() == [.ended])
    }

    @Test(
        "timestamps 10, 30, 20, 30, 28,801 ahead: the fourth is shown or not, by the setting",
        arguments: NaiveSide.allCases, [true, false])
    func timestamps(side: NaiveSide, isApplied: Bool) {
        let history = NaiveHistory(side) { $0.equalTimestamps = isApplied ? .apply : .ignore }
        #expect(history.push(.start, to: start, ahead: 10) == .started)
        #expect(history.push(.update, to: first, ahead: 9) == .ignoredOlder)
        #expect(history.push(.update, to: first, ahead: 30) == .updated)
        #expect(history.push(.update, to: first, ahead: 20) == .ignoredOlder)
        #expect(history.push(.update, to: first, ahead: 30) == (isApplied ? .updated : .ignoredOlder))
        #expect(history.push(.update, to: first, ahead: 28_801) == .ignoredFuture)
        #expect(history.push(.end, to: first, ahead: -500) == .ended)
        #expect(history.card()?.shown == PhoneWalk.begin.seconds + 30, "an older end ends, and its state is not shown")
    }

    @Test("8 h active, 4 h ended on the Lock Screen, and then its token is dead", arguments: NaiveSide.allCases)
    func age(side: NaiveSide) {
        let history = NaiveHistory(side)
        #expect(history.push(.start, to: start) == .started)
        history.wait(28_799)
        #expect(history.card()?.state == .active)
        history.wait(1)
        #expect(history.card()?.state == .ended && history.kinds() == [.started, .token, .ended])
        history.wait(14_399)
        #expect(history.card()?.state == .ended && history.push(.update, to: first) == .ignoredEnded)
        history.wait(1)
        #expect(history.card()?.state == .dismissed && history.push(.update, to: first) == nil)
    }

    @Test(
        "a dismissal date: past, in a minute, and in 5 h, which is 4 h",
        arguments: NaiveSide.allCases, [(-1, 0), (60, 60), (18_000, 14_400)] as [(Int64, Double)])
    func dismissal(side: NaiveSide, date: (ahead: Int64, stays: Double)) {
        let history = NaiveHistory(side)
        #expect(history.push(.start, to: start) == .started)
        let seconds = history.now.seconds + date.ahead
        #expect(history.push(.end, to: first) { $0.dismissalDate = seconds } == .ended)
        if date.stays > 0 {
            history.wait(date.stays - 1)
            #expect(history.card()?.state == .ended)
            history.wait(1)
        }
        #expect(history.card()?.state == .dismissed)
    }

    @Test(
        "a stale-date flips the state and an update flips it back; a start whose stale-date has passed is never seen",
        arguments: NaiveSide.allCases)
    func stale(side: NaiveSide) {
        let history = NaiveHistory(side)
        let date = history.now.seconds + 60
        #expect(history.push(.start, to: start) { $0.staleDate = date } == .started)
        history.wait(60)
        #expect(history.card()?.state == .stale)
        #expect(history.push(.update, to: first) == .updated && history.card()?.state == .active)
        #expect(history.push(.start, to: start) { $0.staleDate = date } == .neverShown && history.card(2)?.state == .stale)
    }

    @Test(
        "offline for 100 s, three pushes: one place, or three, and what expires on the way",
        arguments: NaiveSide.allCases, [true, false])
    func storage(side: NaiveSide, isShared: Bool) {
        let history = NaiveHistory(side) { $0.activitySlots = isShared ? .shared : .own }
        let soon = history.now.seconds + 50
        history.act(.setOffline(true))
        #expect(history.push(.start, to: start) { $0.expiration = 0 } == .discarded)
        #expect(history.push(.start, to: start) == .stored)
        #expect(history.push(.start, to: start) == .stored)
        #expect(history.push(.start, to: start) { $0.expiration = soon } == .stored)
        history.wait(100)
        history.act(.setOffline(false))
        #expect(history.late() == (isShared ? [.superseded, .superseded, .expired] : [.expired, .started, .started]))
    }

    @Test(
        "a budget of two starts in 100 s, which refused starts overdraw, is there again after 150 s",
        arguments: NaiveSide.allCases)
    func startBudget(side: NaiveSide) {
        let history = NaiveHistory(side) { ($0.budgets.starts, $0.budgets.startWindow) = (2, .seconds(100)) }
        for outcome in [Outcome.started, .started, .throttled, .throttled] {
            #expect(history.push(.start, to: start) == outcome)
        }
        // -2; one each 50 s: 0 after 100 s, 1 after 150 s.
        history.wait(150)
        #expect(history.push(.start, to: start) == .started)
        #expect(history.push(.start, to: start) == .throttled)
    }

    @Test(
        "a budget of two at priority 10 in an hour, to which priority 5 is free and ignored pushes are not",
        arguments: NaiveSide.allCases)
    func urgentBudget(side: NaiveSide) {
        let history = NaiveHistory(side) { $0.budgets.urgentActivity = 2 }
        #expect(history.push(.start, to: start) == .started)
        #expect(history.push(.update, to: first, ahead: -5) == .ignoredOlder)
        #expect(history.push(.update, to: first) == .updated)
        #expect(history.push(.update, to: first) == .throttled)
        #expect(history.push(.update, to: first) { $0.priority = 5 } == .updated)
        history.wait(1800)
        #expect(history.push(.update, to: first) == .updated)
        #expect(history.push(.update, to: first) == .throttled)
    }

    @Test("drawn at 0 s, taken at 10 s and 12 s, drawn at 15 s; the end draws at once", arguments: NaiveSide.allCases)
    func drawing(side: NaiveSide) {
        let history = NaiveHistory(side) { $0.phones.drawingInterval = .seconds(15) }
        let begin = history.now.seconds
        #expect(history.push(.start, to: start) == .started)
        history.wait(10)
        #expect(history.push(.update, to: first) == .coalesced)
        history.wait(2)
        #expect(history.push(.update, to: first) == .coalesced && history.card()?.shown == begin)
        history.wait(3)
        #expect(history.card()?.shown == begin + 12 && history.push(.update, to: first) == .coalesced)
        #expect(history.push(.end, to: first) == .ended && history.card()?.shown == begin + 15)
    }

    @Test(
        "a token replaced is dead at once or after its delay, and the app has the new one 7 s later",
        arguments: NaiveSide.allCases)
    func rotation(side: NaiveSide) {
        let history = NaiveHistory(side) { $0.unregisteredDelay = .seconds(5) }
        #expect(history.push(.start, to: start) == .started)
        history.wait(7)
        #expect(history.act(.rotate(app: history.app, activity: 1)))
        #expect(history.push(.update, to: first) == .notDelivered)
        history.wait(5)
        #expect(history.push(.update, to: first) == nil && history.kinds() == [.started, .token])
        history.wait(2)
        var second = first
        second.rotation = 1
        #expect(history.kinds() == [.rotated] && history.push(.update, to: second) == .updated)
        #expect(history.card()?.token == second)
    }

    // MARK: What walks come upon seldom

    @Test(
        "an update token that was 410, its app being gone, stays so when the app is back (§13)",
        arguments: NaiveSide.allCases)
    func reinstalled(side: NaiveSide) {
        let history = NaiveHistory(side)
        #expect(history.push(.start, to: start) == .started)
        history.act(.uninstall(app: history.app))
        #expect(history.push(.update, to: first) == nil)
        history.act(.install(AppSetup(history.app)))
        #expect(history.push(.update, to: first) == nil)
    }

    @Test(
        "an app that was killed while its phone was offline learns nothing when it is back (§10)",
        arguments: NaiveSide.allCases)
    func killedOffline(side: NaiveSide) {
        let history = NaiveHistory(side)
        #expect(history.push(.start, to: start) == .started)
        history.act(.setOffline(true))
        history.wait(60)
        history.act(.kill(app: history.app))
        history.act(.setOffline(false))
        #expect(history.kinds() == [.started])
        history.act(.relaunch(app: history.app))
        #expect(history.kinds() == [.token])
    }

    @Test("a stored push is decoded by the type that the app has when it arrives (§10)", arguments: NaiveSide.allCases)
    func updatedMeanwhile(side: NaiveSide) {
        let history = NaiveHistory(side)
        #expect(history.push(.start, to: start) == .started)
        history.act(.setOffline(true))
        #expect(history.push(.update, to: first) { $0.mistake = "missing key \"x\"" } == .stored)
        history.act(.update(app: history.app, schema: 1))
        history.act(.setOffline(false))
        #expect(history.late() == [.undecodable])
        history.act(.setOffline(true))
        #expect(history.push(.update, to: first) { $0.mistake = "missing key \"x\"" } == .stored)
        history.act(.update(app: history.app, schema: 0))
        history.act(.setOffline(false))
        #expect(history.late() == [.updated])
    }

    @Test(
        "a wake that its app has overtaken tells no later token: that is told when the app is woken for it (§10)",
        arguments: NaiveSide.allCases)
    func wokenAnew(side: NaiveSide) {
        let history = NaiveHistory(side)
        #expect(history.push(.start, to: start) == .started)
        history.wait(2)
        history.act(.kill(app: history.app))
        history.act(.relaunch(app: history.app))
        #expect(history.kinds() == [.started, .token])
        history.wait(3)
        #expect(history.act(.rotate(app: history.app, activity: 1)))
        history.wait(6.9)
        #expect(history.kinds() == [], "woken for the first token after 7 s, had it not been killed")
        history.wait(0.1)
        #expect(history.kinds() == [.rotated])
    }
}
