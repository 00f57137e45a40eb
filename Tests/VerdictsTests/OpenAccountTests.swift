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
        account.note(push(provider, 429, at: 2, fault: 0), rest: .seconds(60))
        #expect(account.restsUntil == nil)
        account.note(push(provider, 429, at: 5), rest: .seconds(60))
        #expect(account.restsUntil == Self.instant(65))
        account.note(push(provider, 200, at: 30, fault: 0), rest: .seconds(60))
        #expect(account.restsUntil == nil)
    }

    @Test("as long as the provider asks for", arguments: [
        (.apns, 503, 900), (.fcm, 503, 20), (.fcm, 429, 120),
    ] as [(Provider, UInt16, Double)])
    func asks(provider: Provider, status: UInt16, seconds: Double) {
        var circumstances = Circumstances()
        circumstances.rest = .seconds(900)
        #expect(circumstances.longestRest(after: push(provider, status, at: 1)) == .seconds(seconds))
        circumstances.faults = [.init(rule: 4, label: "later", windows: [], retryAfter: .seconds(7))]
        #expect(circumstances.longestRest(after: push(provider, status, at: 1)) == .seconds(provider == .fcm ? 14 : 900))
    }
}
