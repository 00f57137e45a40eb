// How long an account waits for what rests behind a refusal for now.

import Basics
import Metrics
import Pushes
import Testing

@testable import Verdicts

@Suite("An account stays open")
struct OpenAccountTests {
    private static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    private func push(_ provider: Provider, _ status: UInt16, at seconds: Double, fault: UInt32 = 4) -> SeenPush {
        var push = SeenPush(
            id: 1, arrivedAt: Self.instant(seconds), answeredAt: Self.instant(seconds), arrivedWall: WallTime(seconds: 1),
            token: TokenHash("a"), status: status, type: .alert)
        (push.provider, push.faultRule) = (provider, fault)
        return push
    }

    /// Everything of the plan has five seconds.
    private func note(_ account: OpenAccount, _ push: SeenPush) { account.note(push, Circumstances(), deadline: .seconds(5)) }

    @Test("for what waits behind a fault's refusal, until something goes to that token", arguments: [
        (Provider.apns, 503, 7, 30), (.apns, 0, 37, 60), (.fcm, 503, 25, 35), (.fcm, 429, 125, 135),
    ] as [(Provider, UInt16, Double, Double)])
    func rests(provider: Provider, status: UInt16, once: Double, again: Double) {
        let account = OpenAccount(Account(number: 0))
        note(account, push(provider, 400, at: 1))
        #expect(account.restsUntil == nil)
        note(account, push(provider, status, at: 10))
        #expect(account.restsUntil == Self.instant(10 + once))
        note(account, push(provider, status, at: 20))
        #expect(account.restsUntil == Self.instant(20 + again))
        note(account, push(provider, 200, at: 30, fault: 0))
        #expect(account.restsUntil == nil)
        note(account, push(provider, status, at: 110))
        #expect(account.restsUntil == Self.instant(110 + once), "counted anew")
    }

    @Test("for what waits behind an answer that a fault holds back")
    func delayed() {
        let circumstances = Circumstances()
        var held = push(.apns, 200, at: 1)
        func wait() -> Interval? { circumstances.longestWait(behind: held, RefusalRows.Before()) }
        #expect(wait() == nil)
        held.answeredAt = Self.instant(20)
        #expect(wait() == .zero)
        held.flags = .isAnswerUndelivered
        #expect(wait() == .seconds(11), "30 from its arrival on")
        held.faultRule = 0
        #expect(wait() == nil)
    }

    @Test("for what an activity's age asks for, by the pauses of the rules", arguments: [
        (429, true, false, 600), (503, true, false, 1_800), (503, false, false, 2), (429, false, true, 1_800), (400, true, true, nil),
    ] as [(UInt16, Bool, Bool, Double?)])
    func age(status: UInt16, isReplaced: Bool, isEnded: Bool, seconds: Double?) {
        var circumstances = Circumstances()
        if isReplaced {
            circumstances.restart = RestartTerms(
                after: .seconds(3_000), within: .seconds(60), before: .seconds(3_600), adoptWithin: .seconds(60),
                pause: .seconds(300), longestPause: .seconds(600))
        }
        if isEnded { circumstances.ageing = AgeTerms(after: .seconds(3_000), within: .seconds(60)) }
        var end = push(.apns, status, at: 1)
        (end.type, end.event) = (.liveactivity, .end)
        #expect(circumstances.longestWait(behind: end, RefusalRows.Before()) == seconds.map { .seconds($0) })
        end.type = .alert
        #expect(circumstances.longestWait(behind: end, RefusalRows.Before()) ?? .zero <= .seconds(2))
    }

    @Test("for a relay that has to connect again, as long as it owes what nothing replaces")
    func reconnects() {
        var account = Account(number: 0)
        account.endsAt = Self.instant(109)
        account.rows = [
            Metrics.Expectation(
                session: 1, step: 2, kind: 0, type: .liveactivity, event: .end, lane: Lane(role: .activity), flags: .isFinal,
                plannedAt: Self.instant(104), deadline: .seconds(5), token: TokenHash("a"))
        ]
        func until(_ account: Account, _ firings: Double...) -> Instant? {
            var circumstances = Circumstances()
            circumstances.connectionFirings = firings.map { (at: Self.instant($0), rule: 4) }
            return OpenAccount(account).reconnectsUntil(circumstances, .seconds(30), deadline: .zero)
        }
        #expect(until(account) == nil && until(account, 79) == nil && until(account, 80) == Self.instant(110))
        #expect(until(account, 100, 131, 150) == Self.instant(161), "what comes later has nothing to do with it")
        var served = account
        served.pushes = [push(.apns, 200, at: 105)]
        (served.pushes[0].type, served.pushes[0].session, served.pushes[0].step) = (.liveactivity, 1, 2)
        #expect(until(served, 131) == nil)
        account.rows[0].flags = .mayBeSuperseded
        #expect(until(account, 131) == nil)
    }

    @Test("as long as the provider asks for", arguments: [
        (.apns, 503, 900), (.fcm, 503, 20), (.fcm, 429, 120), (.apns, 0, 32), (.fcm, 0, 32),
    ] as [(Provider, UInt16, Double)])
    func asks(provider: Provider, status: UInt16, seconds: Double) {
        var circumstances = Circumstances()
        circumstances.rest = .seconds(900)
        func wait() -> Interval? { circumstances.longestWait(behind: push(provider, status, at: 1), RefusalRows.Before()) }
        #expect(wait() == .seconds(seconds))
        // Who waits as usual though FCM would let him come sooner is right.
        for (said, rest) in [(7.0, seconds), (80, provider == .fcm && status != 0 ? 160 : seconds)] {
            circumstances.faults = [.init(rule: 4, label: "later", windows: [], retryAfter: .seconds(said))]
            #expect(wait() == .seconds(rest))
        }
        circumstances.faults = [.init(rule: 4, label: "cut", windows: [], cutsOff: true)]
        #expect(wait() == .seconds(status != 0 ? seconds : provider == .fcm ? 20 : 2))
    }

    @Test("while a call is under way, and until what it owes is due")
    func calls() {
        var account = Account(number: 0)
        account.calls = [SeenCall(session: 1, step: 0, kind: 0, plannedAt: Self.instant(10))]
        let held = OpenAccount(account)
        #expect(!held.isWaiting(at: Self.instant(9)) && held.isWaiting(at: Self.instant(10)))
        held.account.calls[0].state = .sent
        #expect(!held.isWaiting(at: Self.instant(10)) && held.answeredUntil == nil)
        held.account.calls[0].sentAt = Self.instant(11)
        held.account.calls[0].answeredAt = Self.instant(70)
        held.note(held.account.calls[0], deadline: .seconds(5))
        #expect(held.answeredUntil == Self.instant(75))
    }
}
