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
        account.note(push(provider, 400, at: 1), rest: .seconds(60))
        #expect(account.restsUntil == nil)
        account.note(push(provider, 0, at: 2), rest: .seconds(30))
        #expect(account.restsUntil == Self.instant(32))
        account.note(push(provider, 200, at: 3, fault: 0), rest: .seconds(60))
        account.note(push(provider, 429, at: 5, fault: 0), rest: .seconds(60))
        #expect(account.restsUntil == Self.instant(65))
        account.note(push(provider, 200, at: 30, fault: 0), rest: .seconds(60))
        #expect(account.restsUntil == nil)
    }

    @Test("as long as the provider asks for", arguments: [
        (.apns, 503, 900), (.fcm, 503, 20), (.fcm, 429, 120), (.apns, 0, 30), (.fcm, 0, 30),
    ] as [(Provider, UInt16, Double)])
    func asks(provider: Provider, status: UInt16, seconds: Double) {
        var circumstances = Circumstances()
        circumstances.rest = .seconds(900)
        #expect(circumstances.allowedRest(after: push(provider, status, at: 1)) == .seconds(seconds))
        circumstances.faults = [.init(rule: 4, label: "later", windows: [], retryAfter: .seconds(7))]
        let said = status == 0 ? 30.0 : provider == .fcm ? 14 : 900
        #expect(circumstances.allowedRest(after: push(provider, status, at: 1)) == .seconds(said))
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
