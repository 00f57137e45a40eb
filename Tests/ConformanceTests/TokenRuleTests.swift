// One honest history and one defect for each rule about tokens and deliveries.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite struct `A dead token` {
    /// The second push of the activity's token is refused for good, and nothing follows.
    private func dying(_ status: UInt16, _ reason: String) -> History {
        History.honest.with { history in
            history.pushes[1].status = status
            history.pushes[1].reason = reason
            history.pushes.removeAll { $0.token == History.token && $0.seconds > 11 }
        }
    }

    private static let deaths: [(UInt16, String)] = [
        (410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"),
    ]

    @Test(arguments: deaths)
    func `is kept dropped`(status: UInt16, reason: String) {
        #expect(dying(status, reason).verdict(of: "R0.22") == .kept(evidenceCount: 1))
    }

    @Test(arguments: deaths)
    func `breaks the rule when it is pushed to again`(status: UInt16, reason: String) {
        let stubborn = dying(status, reason).with { $0.pushes.append(Sent(20, step: 3)) }
        #expect(stubborn.verdict(of: "P9").findings.first?.entries == [2, 3])
    }

    @Test func `may see pushes that were already in flight`() {
        let racing = dying(410, "Unregistered").with { history in
            history.pushes[1].delay = .seconds(2)
            history.pushes.append(Sent(13, step: 3))
        }
        #expect(racing.verdict(of: "R0.22").isKept)
    }

    @Test func `may be tried in the other environment`() {
        let elsewhere = dying(400, "BadDeviceToken").with { history in
            history.pushes.append(Sent(20, step: 3).with { $0.environment = .sandbox })
        }
        #expect(elsewhere.verdict(of: "R0.22").isKept)
    }

    @Test func `lives again once it is registered again`() {
        let reborn = dying(410, "Unregistered").with { history in
            history.registrations = [(History.token, at(15))]
            history.pushes.append(Sent(20, step: 3))
        }
        #expect(reborn.verdict(of: "R0.22").isKept)
    }

    @Test func `did not die when the reply speaks of a time before its registration`() {
        let early = dying(410, "Unregistered").with { history in
            history.pushes[1].died = 1_760_000_004_000
            history.registrations = [(History.token, at(5))]
            history.pushes.append(Sent(20, step: 3))
        }
        #expect(early.verdict(of: "R0.22") == .notExercised)
        let before = dying(410, "Unregistered").with { history in
            history.pushes[1].died = 1_759_999_999_000
            history.pushes.append(Sent(20, step: 3))
        }
        #expect(before.verdict(of: "R0.22") == .notExercised)
    }

    @Test func `is not made by a passing refusal`() {
        let passing = dying(429, "TooManyRequests").with { $0.pushes.append(Sent(20, step: 3)) }
        #expect(passing.verdict(of: "R0.22") == .notExercised)
    }
}

@Suite struct `A living token` {
    /// The second push meets a 503.
    private var refused: History {
        History.honest.with { history in
            history.pushes[1].status = 503
            history.pushes[1].reason = "ServiceUnavailable"
        }
    }

    @Test func `is kept when pushes go on`() {
        #expect(refused.verdict(of: "R0.23") == .kept(evidenceCount: 1))
    }

    @Test func `breaks the rule when it is forgotten`() {
        let forgotten = refused.with { $0.pushes.removeAll { $0.token == History.token && $0.seconds > 11 } }
        #expect(forgotten.verdict(of: "living-token-kept").findings.first?.entries == [2])
    }

    @Test func `is not missed when the relay refused the later work or was stopped`() {
        let refusing = refused.with { history in
            history.pushes.removeAll { $0.token == History.token && $0.seconds > 11 }
            history.events = []
        }
        #expect(refusing.verdict(of: "R0.23") == .notExercised)
        let stopped = refused.with { history in
            history.pushes.removeAll { $0.token == History.token && $0.seconds > 11 }
            history.facts.relayRestarts = [at(15)]
        }
        #expect(stopped.verdict(of: "R0.23") == .notExercised)
    }
}

@Suite struct `Sessions` {
    private let other = String(repeating: "b2", count: 32)

    private var two: History {
        History.honest.with { history in
            history.plan.append(History.expectation(session: 2, step: 1, at: 1, token: other))
            history.pushes.append(Sent(1.1, session: 2, step: 1).with { $0.token = other })
        }
    }

    @Test func `are kept apart`() {
        #expect(two.verdict(of: "R0.39") == .kept(evidenceCount: 6))
    }

    @Test func `break the rule when a state reaches another's token`() {
        let crossed = two.with { $0.pushes[5].token = History.token }
        #expect(crossed.verdict(of: "R0.39").findings.count == 1)
    }
}

@Suite struct `Alerts` {
    @Test func `are kept to the events that call for them`() {
        #expect(History.honest.verdict(of: "R0.3") == .kept(evidenceCount: 3))
    }

    @Test func `break the rule on progress`() {
        let noisy = History.honest.with { history in
            history.pushes.append(
                Sent(0.01, step: 1).with {
                    $0.type = "alert"
                    $0.token = History.deviceToken
                })
        }
        #expect(noisy.verdict(of: "R0.3").findings.first?.entries == [1])
    }

    @Test func `are kept when they go first`() {
        #expect(History.honest.verdict(of: "R0.2") == .kept(evidenceCount: 1))
    }

    @Test func `break the rule when they go second, or not at all`() {
        let second = History.honest.with { $0.pushes[3].seconds = 25.5 }
        #expect(second.verdict(of: "R0.2").findings.first?.seen == "the alert afterwards")
        let missing = History.honest.with { _ = $0.pushes.remove(at: 3) }
        #expect(missing.verdict(of: "R0.2").findings.first?.seen == "no alert")
    }
}

@Suite struct `Requests` {
    @Test func `are kept within 4096 bytes`() {
        #expect(History.honest.with { $0.pushes[0].filler = 3_900 }.verdict(of: "R0.6") == .kept(evidenceCount: 5))
    }

    @Test func `break the rule above`() {
        #expect(History.honest.with { $0.pushes[0].filler = 4_096 }.verdict(of: "R0.6").isBroken)
    }

    @Test func `are kept when none is refused for its form`() {
        #expect(History.honest.verdict(of: "P18") == .kept(evidenceCount: 5))
    }

    @Test func `break the rule when refused for their form, unless a fault of ours said so`() {
        let malformed = History.honest.with { history in
            history.pushes[0].status = 400
            history.pushes[0].reason = "BadCollapseId"
        }
        #expect(malformed.verdict(of: "P23").findings.first?.seen == "400 BadCollapseId")
        #expect(malformed.with { $0.pushes[0].fault = 3 }.verdict(of: "P23").isKept)
    }
}
