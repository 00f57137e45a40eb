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

    @Test("for the rest behind 429 and 5xx of a fault, until something goes to that token", arguments: [Provider.apns, .fcm])
    func rests(provider: Provider) {
        let account = OpenAccount(Account(number: 0))
        account.note(push(provider, 400, at: 1), wait: nil)
        #expect(account.restsUntil == nil)
        account.note(push(provider, 0, at: 2), wait: .seconds(30))
        #expect(account.restsUntil == Self.instant(32))
        account.note(push(provider, 200, at: 3, fault: 0), wait: nil)
        account.note(push(provider, 429, at: 5, fault: 0), wait: .seconds(60))
        #expect(account.restsUntil == Self.instant(65))
        account.note(push(provider, 200, at: 30, fault: 0), wait: nil)
        #expect(account.restsUntil == nil)
    }

    @Test("as long again as the pauses before took, for they grow")
    func grows() {
        let account = OpenAccount(Account(number: 0))
        for seconds in [0, 10, 30, 70] as [Double] { account.note(push(.fcm, 503, at: seconds), wait: .seconds(20)) }
        #expect(account.restsUntil == Self.instant(160))
        account.note(push(.fcm, 200, at: 100), wait: nil)
        account.note(push(.fcm, 503, at: 110), wait: .seconds(20))
        #expect(account.restsUntil == Self.instant(130), "counted anew")
    }

    @Test("for one message that FCM refuses again and again, whatever else gets through there", arguments: [
        (Provider.fcm, 80), (.apns, nil),
    ] as [(Provider, Double?)])
    func ofOneMessage(provider: Provider, until: Double?) {
        let account = OpenAccount(Account(number: 0))
        var other = push(provider, 200, at: 0, fault: 0)
        (other.flags, other.session, other.step) = (.isMarked, 1, 2)
        for seconds in [0, 10, 30] as [Double] {
            account.note(push(provider, 503, at: seconds), wait: .seconds(20))
            account.note(other, wait: nil)
        }
        #expect(account.restsUntil == until.map(Self.instant))
        account.note(push(provider, 200, at: 60), wait: nil)
        #expect(account.restsUntil == nil)
    }

    @Test("for what waits behind an answer that a fault holds back")
    func delayed() {
        let circumstances = Circumstances()
        var held = push(.apns, 200, at: 1)
        #expect(circumstances.longestWait(behind: held) == nil)
        held.answeredAt = Self.instant(20)
        #expect(circumstances.longestWait(behind: held) == .seconds(30))
        held.faultRule = 0
        #expect(circumstances.longestWait(behind: held) == nil)
    }

    @Test("for what an activity's age asks for, by the pauses of the rules", arguments: [
        (429, true, false, 600), (503, true, false, 1_800), (503, false, false, 0), (429, false, true, 1_800), (400, true, true, nil),
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
        #expect(circumstances.longestWait(behind: end) == seconds.map { .seconds($0) })
        end.type = .alert
        #expect(circumstances.longestWait(behind: end) ?? .zero == .zero)
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
            return OpenAccount(account).reconnectsUntil(circumstances, .seconds(30))
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
        (.apns, 503, 900), (.fcm, 503, 20), (.fcm, 429, 120), (.apns, 0, 30), (.fcm, 0, 30),
    ] as [(Provider, UInt16, Double)])
    func asks(provider: Provider, status: UInt16, seconds: Double) {
        var circumstances = Circumstances()
        circumstances.rest = .seconds(900)
        #expect(circumstances.allowedRest(after: push(provider, status, at: 1)) == .seconds(seconds))
        // Who waits as usual though FCM would let him come sooner is right.
        for (said, rest) in [(7.0, seconds), (80, provider == .fcm && status != 0 ? 160 : seconds)] {
            circumstances.faults = [.init(rule: 4, label: "later", windows: [], retryAfter: .seconds(said))]
            #expect(circumstances.allowedRest(after: push(provider, status, at: 1)) == .seconds(rest))
        }
        circumstances.faults = [.init(rule: 4, label: "cut", windows: [], cutsOff: true)]
        let cut = provider == .fcm && status == 0 ? 20 : seconds
        #expect(circumstances.allowedRest(after: push(provider, status, at: 1)) == .seconds(cut))
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
