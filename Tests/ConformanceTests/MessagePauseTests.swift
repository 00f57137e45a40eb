// How long a message to FCM waits behind 429 and 5xx: what the relay could not know, and what ends no rest.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("Rests that FCM asked for")
struct MessagePauseTests {
    /// The first message is refused at 2.02 by a fault; what comes then `turn` says.
    private func history(_ status: UInt16 = 429, _ turn: (inout History) -> Void) -> History {
        History.answered(status, status == 429 ? "QUOTA_EXCEEDED" : "UNAVAILABLE").with { history in
            turn(&history)
            history.pushes.sort { $0.arrivedAt < $1.arrivedAt }
        }
    }

    @Test("bind no copy that left before the answer was there", arguments: [("quota-obeyed", 429), ("failure-awaited", 503)] as [(String, UInt16)])
    func beforeAnswer(id: String, status: UInt16) {
        func again(at seconds: Double, answered: Double = 17) -> Bool {
            history(status) { history in
                history.pushes[0].answeredAt = at(answered)
                history.message(2, at: seconds)
            }.verdict(of: id).isBroken
        }
        #expect(!again(at: 14) && again(at: 17.1))
        #expect(again(at: 8, answered: 2.02))
    }

    @Test("bind no second message of a call that we posted twice, but what goes to the registration after 429 waits")
    func toldTwice() {
        func again(at seconds: Double, _ status: UInt16, _ id: String, attempts: UInt8) -> Bool {
            history(status) { history in
                history.calls[1].attempts = attempts
                history.message(2, at: seconds)
            }.verdict(of: id).isBroken
        }
        #expect(again(at: 2.024, 503, "failure-awaited", attempts: 1) && !again(at: 2.024, 503, "failure-awaited", attempts: 2))
        #expect(again(at: 2.024, 429, "quota-obeyed", attempts: 1) && !again(at: 2.024, 429, "quota-obeyed", attempts: 2))
        #expect(again(at: 20, 429, "quota-obeyed", attempts: 2))
    }

    @Test("bind nobody whom we ended right behind the answer, nor another message behind a restart")
    func ended() {
        func next(_ step: UInt32, down from: Double) -> Bool {
            history { history in
                history.run.circumstances.outages = [.init(from: at(from), until: at(from + 2))]
                history.message(step, at: from + 2.3)
            }.verdict(of: "quota-obeyed").isBroken
        }
        #expect(!next(2, down: 2.2) && !next(3, down: 2.2), "it may have lost the answer")
        #expect(next(2, down: 10), "the same message again, though it was told when it may come")
        #expect(!next(3, down: 10), "the rest of a registration may be in memory alone")
        let failed = history(503) { history in
            history.run.circumstances.outages = [.init(from: at(2.2), until: at(4.2))]
            history.message(2, at: 4.5)
        }
        #expect(!failed.verdict(of: "failure-awaited").isBroken)
        #expect(failed.with { $0.run.circumstances.outages = [] }.verdict(of: "failure-awaited").isBroken)
    }

    @Test("are not ended by what gets through meanwhile, and are told once")
    func goesOn() {
        func later(_ seconds: Double...) -> Int? {
            history { history in
                for (step, instant) in zip(10..., seconds) { history.message(UInt32(step), at: instant) }
            }.findings("quota-obeyed")
        }
        #expect(later(2.5) == 0 && later(2.5, 62.5) == 0)
        #expect(later(2.5, 3.5) == 1 && later(2.5, 3.5, 4.5, 5.5) == 1)
        #expect(later(2.5, 57, 58) == 0, "nine tenths of a minute have passed")
    }

    @Test("a push that left before its refusal was there repeats nothing, and one behind it does", arguments: [
        ("refusal-not-repeated", 400, "BadTopic"), ("retry-backs-off", 503, "ServiceUnavailable"),
    ] as [(String, UInt16, String)])
    func early(id: String, status: UInt16, reason: String) {
        func again(at seconds: Double) -> Bool {
            History.refused(status: status, reason: reason).with { history in
                history.pushes[0].answeredAt = at(10)
                history.push(2, at: seconds)
            }.verdict(of: id).isBroken
        }
        #expect(!again(at: 8) && again(at: 10.1))
    }
}
