// Relays that keep no token: whether their callers are told of a death, and of no other.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about tokens that the callers keep")
struct CallerTokenRuleTests {
    /// Each progress names the activity's token. The push of the third is refused so; the call behind it is answered.
    private static func named(
        status: UInt16 = 410, reason: String = "Unregistered", answered: Double = 0.03, _ turn: (inout History) -> Void = { _ in }
    ) -> History {
        History.honest.with { history in
            history.run.circumstances.callersKeepTokens = true
            history.run.tellingKinds = [Kind.progress.rawValue]
            for index in history.calls.indices where history.calls[index].kind == Kind.progress.rawValue {
                history.calls[index].answeredAt = history.calls[index].sentAt + .seconds(answered)
            }
            for index in history.pushes.indices where history.pushes[index].step >= 3 && history.pushes[index].isLiveActivity {
                history.pushes[index].status = status
                history.pushes[index].reason = history.text(reason)
                history.pushes[index].outcome = nil
            }
            turn(&history)
        }
    }

    /// Nobody is called any more behind the answer that tells of the death.
    static var told: History {
        named { history in
            tell(3, &history)
            history.calls.removeAll { $0.step > 3 }
            history.rows.removeAll { $0.step > 3 }
            history.pushes.removeAll { $0.step > 3 }
        }
    }

    /// Each call is answered when its pushes are through.
    static var answeredLater: History {
        History.honest.with { history in
            history.run.tellsNo = true
            for index in history.calls.indices { history.calls[index].answeredAt = history.calls[index].sentAt + .milliseconds(50) }
        }
    }

    /// The answer to the call of that step says that its token is dead.
    private static func tell(_ step: UInt32, _ history: inout History) {
        let index = history.calls.firstIndex { $0.step == step }!
        history.calls[index].wasToldDead = true
        history.calls[index].wasTaken = false
    }

    @Test("a death that no answer tells breaks dead-token-told", arguments: [(410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken")] as [(UInt16, String)])
    func silence(status: UInt16, reason: String) {
        let silent = Self.named(status: status, reason: reason)
        #expect(silent.findings("dead-token-told") == 1)
        #expect(silent.with { Self.tell(3, &$0) }.findings("dead-token-told") == 0)
        #expect(silent.with { Self.tell(5, &$0) }.findings("dead-token-told") == 0, "who answers first tells the next call")
    }

    @Test("nothing is asked where the relay keeps the tokens, where no answer can say it, and of a refusal that is no death")
    func notAsked() {
        #expect(Self.named { $0.run.circumstances.callersKeepTokens = false }.findings("dead-token-told") == nil)
        #expect(Self.named { $0.run.tellingKinds = [] }.findings("dead-token-told") == nil)
        #expect(Self.named(status: 400, reason: "BadTopic").findings("dead-token-told") == nil)
    }

    @Test("a call that fails by a dead token has to say why; one that came before the death, and none behind it, is no test")
    func failed() {
        func only(_ status: UInt16) -> History {
            Self.named { history in
                history.calls.removeAll { $0.step == 5 }
                history.pushes.removeAll { $0.step == 5 }
                history.calls[3].status = status
                history.calls[3].wasTaken = status == 200
            }
        }
        #expect(only(502).findings("dead-token-told") == 1)
        #expect(only(200).findings("dead-token-told") == nil)
    }

    @Test("whoever says of a living token that it is dead breaks living-token-not-told-dead", arguments: [
        (400, "BadTopic", 1), (503, "ServiceUnavailable", 1), (410, "Unregistered", 0), (400, "DeviceTokenNotForTopic", 0),
    ] as [(UInt16, String, Int)])
    func living(status: UInt16, reason: String, expected: Int) {
        let told = Self.named(status: status, reason: reason) { Self.tell(3, &$0) }
        #expect(told.findings("living-token-not-told-dead") == expected)
    }

    @Test("without any push it is the same, and a refusal that the caller is not told of as a death keeps the rule")
    func unsent() {
        let told = Self.named { history in
            history.pushes.removeAll { $0.isLiveActivity }
            Self.tell(2, &history)
        }
        #expect(told.findings("living-token-not-told-dead") == 1)
        #expect(Self.named(status: 400, reason: "BadTopic").findings("living-token-not-told-dead") == 0)
    }

    @Test("what binds relays that keep tokens is not asked of others")
    func keepers() {
        let again = History.died(.activity, at: 14).with { $0.push(5, at: 24.02) }
        #expect(again.findings("dead-token-dropped") == 1)
        #expect(again.with { $0.run.circumstances.callersKeepTokens = true }.findings("dead-token-dropped") == nil)
    }

    /// The second step's call is told that it failed.
    private static func toldNo(_ history: History) -> Int? {
        history.with { history in
            history.rows[0].flags = []
            history.calls[2].wasToldNo = true
            history.calls[2].wasTaken = false
        }.findings("states-delivered")
    }

    @Test("what a caller was told that it failed is its own again, where a fault refused that very push")
    func toldNo() {
        let refused = History.refused(status: 400, reason: "BadTopic")
        #expect(Self.toldNo(refused) == 0)
        let lost = refused.with { $0.rows[0].flags = [] }
        #expect(lost.findings("living-token-kept") == 0)
    }

    @Test("without a push, with one that no fault refused, and with a fault that the relay ends by itself, it is lost all the same")
    func unexplained() {
        #expect(Self.toldNo(History.honest.with { $0.pushes.removeFirst() }) == 1)
        let own = History.refused(status: 400, reason: "BadTopic").with { $0.pushes[0].faultRule = 0 }
        #expect(Self.toldNo(own) == 1)
        let curable = History.refused(status: 403, reason: "ExpiredProviderToken")
        curable.run.circumstances.faults[0].cureTakes = .zero
        #expect(Self.toldNo(curable) == 1)
    }

    @Test("of a call with two tokens the one alone is excused of which the provider has said that it is dead")
    func oneOfTwo() {
        let told = Self.named { history in
            history.expect(3, .progress, at: 13, .alert)
            history.rows[1].flags = []
            Self.tell(3, &history)
            history.calls.removeAll { $0.step > 3 }
            history.rows.removeAll { $0.step > 3 }
            history.pushes.removeAll { $0.step > 3 }
        }
        #expect(told.findings("states-delivered") == 1, "the alert to the living one")
    }

    @Test("a call that is told that it failed, though its push was accepted, breaks accepted-not-told-failed", arguments: [
        (15.02, 15.04, 1), (15.02, 15.01, nil),
    ] as [(Double, Double, Int?)])
    func accepted(pushed: Double, answered: Double, expected: Int?) {
        let history = History.honest.with { history in
            history.run.tellsNo = true
            history.calls = history.calls.filter { $0.step == 4 }
            history.rows.removeAll { $0.step != 4 || $0.type != .alert }
            history.pushes.removeAll { $0.step != 4 || $0.type != .alert }
            history.pushes[0].answeredAt = at(pushed)
            history.calls[0].answeredAt = at(answered)
            (history.calls[0].wasTaken, history.calls[0].wasToldNo) = (false, true)
        }
        #expect(history.findings("accepted-not-told-failed") == expected)
    }
}
