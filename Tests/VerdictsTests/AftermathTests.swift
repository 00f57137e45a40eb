// What comes when its session has long been over: what was still owed, a card's that goes on, and what nothing called for.

import Basics
import Conformance
import Journal
import Metrics
import Pushes
import Testing

@testable import Verdicts

@Suite("What comes for a session that is over")
struct AftermathTests {
    private static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
    private static let card = Lane(role: .activity)
    private static let token = TokenHash("a1")
    private static let rotated = TokenHash("a2")
    private static let startToken = TokenHash("51")

    private static func push(
        _ step: UInt32, at seconds: Double, event: ActivityEvent? = .update, status: UInt16 = 200, _ turn: (inout SeenPush) -> Void = { _ in }
    ) -> SeenPush {
        var push = SeenPush(
            id: UInt64(seconds * 1000), arrivedAt: instant(seconds), answeredAt: instant(seconds),
            arrivedWall: WallTime(seconds: 1_760_000_000), token: token, status: status, type: .liveactivity)
        (push.session, push.step, push.flags, push.event) = (1, step, .isMarked, event)
        push.outcome = status == 200 ? .updated : nil
        turn(&push)
        return push
    }

    private static func call(_ step: UInt32, _ kind: UInt16, at seconds: Double) -> SeenCall {
        var call = SeenCall(session: 1, step: step, kind: kind, plannedAt: instant(seconds))
        (call.state, call.sentAt, call.answeredAt) = (.sent, instant(seconds), instant(seconds + 0.01))
        (call.status, call.wasTaken) = (200, true)
        return call
    }

    /// A card that is registered at 0 (again at 1), told a state at 10, its end at 20, and over at 60. The end meets a fault.
    private struct Life {
        private typealias Own = AftermathTests

        var account = Account(number: 0)
        var circumstances = Circumstances()

        init() {
            circumstances.faults = [.init(rule: 4, label: "away", windows: [])]
            circumstances.finalKinds = [2]
            circumstances.end = Own.instant(60)
            account.calls = [Own.call(0, 0, at: 0), Own.call(1, 0, at: 1), Own.call(2, 1, at: 10), Own.call(3, 2, at: 20)]
            for (step, token) in [(0, Own.token), (1, Own.rotated)] as [(UInt32, TokenHash)] {
                account.tokenCalls.append(
                    TokenCall(place: EventNumber.place(session: 1, step: step), token: token, lane: Own.card, isRegistration: true))
            }
            account.tokenCalls.append(
                TokenCall(place: 1 << 32, token: Own.startToken, lane: Lane(role: .start), isRegistration: true))
            for (step, event, flags) in [(2, .update, .mayBeSuperseded), (3, .end, .isFinal)]
                as [(UInt32, ActivityEvent, Metrics.Expectation.Flags)]
            {
                account.rows.append(
                    Metrics.Expectation(
                        session: 1, step: step, kind: UInt16(step - 1), type: .liveactivity, event: event, lane: Own.card, flags: flags,
                        plannedAt: Own.instant(Double(step - 1) * 10), deadline: .seconds(5), token: Own.token))
            }
            account.pushes = [Own.push(2, at: 10.1), Own.push(3, at: 20.1, event: .end, status: 503) { $0.faultRule = 4 }]
        }

        func aftermath(_ turn: (inout Life) -> Void = { _ in }) -> Kept {
            var life = self
            turn(&life)
            life.account.settle(late: [:], undelivered: [:])
            var aftermath = Aftermath()
            aftermath.remember(JoinedAccount(life.account, life.circumstances) { $0.status == 410 }, life.circumstances)
            return Kept(aftermath)
        }
    }

    /// So that what is asked in an expectation may change it.
    private final class Kept {
        private var aftermath: Aftermath

        init(_ aftermath: Aftermath) { self.aftermath = aftermath }

        func explains(_ push: SeenPush) -> Bool { aftermath.explains(push) }
        func learn(_ token: TokenHash, of session: UInt32) { aftermath.learn(token, of: session) }
    }

    @Test("is what was owed, under its token or the one that its phone has besides, and once")
    func owed() {
        for token in [Self.token, Self.rotated] {
            let aftermath = Life().aftermath()
            let end = Self.push(3, at: 150, event: .end) { $0.token = token }
            #expect(!aftermath.explains(Self.push(2, at: 140)), "it had come")
            #expect(aftermath.explains(end) && !aftermath.explains(end), "once")
        }
        let aftermath = Life().aftermath()
        #expect(!aftermath.explains(Self.push(3, at: 150, event: .end) { $0.token = TokenHash("ff") }), "to nobody's token")
        #expect(!aftermath.explains(Self.push(3, at: 150, event: .end) { $0.type = .alert }))
        #expect(!aftermath.explains(Self.push(3, at: 150, event: .end) { $0.flags = [] }), "whose it is nobody knows")
        #expect(!aftermath.explains(Self.push(4, at: 150, event: .end)), "no call")
        #expect(aftermath.explains(Self.push(3, at: 150, event: .end) { $0.faultRule = 4 }), "its answer may not arrive")
        #expect(aftermath.explains(Self.push(3, at: 190, event: .end)))
    }

    @Test("is what was accepted, where the relay may not have heard so")
    func unheard() {
        func again(_ turn: @escaping (inout SeenPush) -> Void) -> Bool {
            let aftermath = Life().aftermath { turn(&$0.account.pushes[0]) }
            return aftermath.explains(Self.push(2, at: 140))
        }
        #expect(!again { _ in })
        #expect(again { $0.flags.insert(.isAnswerUndelivered) })
        #expect(again { ($0.faultRule, $0.answeredAt) = (4, Self.instant(50)) })
        #expect(!again { $0.faultRule = 4 }, "it had its answer")
    }

    @Test("is no state that a newer one took the place of")
    func superseded() {
        let aftermath = Life().aftermath { life in
            life.account.pushes = [Self.push(3, at: 20.1, event: .end) { $0.outcome = .ended }]
            life.account.calls[2].plannedAt = Self.instant(19)
            life.account.calls[2].sentAt = Self.instant(19)
            life.account.rows[0].plannedAt = Self.instant(19)
        }
        #expect(!aftermath.explains(Self.push(2, at: 140)))
    }

    // MARK: Cards that go on

    /// Its end was not taken, and the relay tells it again each minute.
    private func refreshed(_ turn: (inout Life) -> Void = { _ in }) -> Kept {
        Life().aftermath { life in
            life.circumstances.refresh = .seconds(60)
            life.account.calls[3].wasTaken = false
            life.account.rows.removeLast()
            life.account.pushes.removeLast()
            turn(&life)
        }
    }

    @Test("is a card's that goes on, for its end was never taken: told again no sooner than declared")
    func refreshes() {
        let aftermath = refreshed()
        func told(at seconds: Double, _ turn: (inout SeenPush) -> Void = { _ in }) -> Bool {
            aftermath.explains(Self.push(2, at: seconds, turn))
        }
        #expect(told(at: 130) && told(at: 190) { $0.flags = [] } && !told(at: 200) && told(at: 260))
        #expect(!told(at: 320) { $0.event = .end } && !told(at: 380) { $0.token = TokenHash("ff") })
        #expect(!told(at: 440) { $0.session = 2 }, "another session's state")
        let over: [(inout Life) -> Void] = [
            { $0.account.calls[3].wasTaken = true }, { $0.circumstances.refresh = nil },
            { $0.account.pushes.append(Self.push(3, at: 20.2, event: .end) { $0.outcome = .ended }) },
            { $0.account.pushes.append(Self.push(2, at: 20.2, status: 410)) },
            { life in
                life.account.tokenCalls[0].isRegistration = false
            },
        ]
        for turn in over {
            let aftermath = refreshed(turn)
            #expect(!aftermath.explains(Self.push(2, at: 130) { $0.flags = [] }))
        }
        let withoutEnd = refreshed { $0.account.calls.removeLast() }
        #expect(withoutEnd.explains(Self.push(2, at: 130)))
    }

    @Test("is a successor's, where the relay replaces cards: a start behind each pause, and once an end and a state for a card")
    func restarts() {
        let aftermath = refreshed { life in
            life.circumstances.refresh = nil
            life.circumstances.restart = RestartTerms(
                after: .seconds(3_000), within: .seconds(60), before: .seconds(3_600), adoptWithin: .seconds(60),
                pause: .seconds(300), longestPause: .seconds(600))
        }
        func told(_ event: ActivityEvent, _ token: TokenHash, at seconds: Double) -> Bool {
            aftermath.explains(Self.push(2, at: seconds, event: event) { $0.token = token })
        }
        #expect(told(.start, Self.startToken, at: 3_000) && !told(.start, Self.startToken, at: 3_010))
        #expect(told(.start, Self.startToken, at: 3_310))
        #expect(!told(.start, Self.token, at: 4_000) && !told(.update, TokenHash("a3"), at: 4_000))
        aftermath.learn(TokenHash("a3"), of: 1)
        aftermath.learn(TokenHash("a4"), of: 2)
        #expect(told(.update, TokenHash("a3"), at: 4_001) && !told(.update, TokenHash("a3"), at: 4_002))
        #expect(told(.end, Self.token, at: 4_003) && !told(.end, Self.token, at: 4_004))
        #expect(!told(.update, TokenHash("a4"), at: 4_005), "a session that is over")
    }

    // MARK: A whole run

    @Test("is judged late, not unexpected, in a run, and what comes once more is")
    func run() throws {
        let text = smallScenario + "\nfaults: [{ at: 0s, action: { respond: { reason: ServiceUnavailable } } }]"
        func record(_ again: Double...) throws -> RunRecord {
            try judge(text, spoil: { sendings, account in
                guard account == 0, let end = sendings.lastIndex(where: { $0.event == .end }) else { return }
                let last = sendings[end]
                (sendings[end].status, sendings[end].reason, sendings[end].outcome, sendings[end].faultRule) =
                    (503, "ServiceUnavailable", nil, 1)
                for (number, seconds) in ([1.2, 3.6] + again).enumerated() {
                    var attempt = number < 2 ? sendings[end] : last
                    attempt.at = last.at + .seconds(seconds)
                    sendings.append(attempt)
                }
            })
        }
        let late = try record(2_500)
        #expect(try !result("nothing-unexpected", late).verdict.isBroken)
        #expect(late.correlation.count(.unexpected) == 0 && late.correlation.count(.excused) == 1)
        let twice = try record(2_500, 2_510)
        #expect(try result("nothing-unexpected", twice).verdict.findings.count == 1)
        #expect(twice.correlation.count(.unexpected) == 1)
    }
}
