// One honest history and one defect for each rule about provider tokens, connections and retries.

import Basics
import Conformance
import Metrics
import Testing

@Suite struct `Provider tokens` {
    @Test func `are kept when one is shared`() {
        #expect(History.honest.verdict(of: "P1") == .kept(evidenceCount: 5))
    }

    @Test func `break the rule when each push signs its own`() {
        let wasteful = History.honest.with { history in
            for index in history.pushes.indices { history.pushes[index].authorization = bearer(serial: index) }
        }
        #expect(wasteful.verdict(of: "R0.33").findings.count == 4)
    }

    @Test func `may be renewed after twenty minutes, a restart or a refusal`() {
        let renewed = History.honest.with { history in
            history.pushes.append(Sent(1_201, step: 3).with { $0.authorization = bearer(serial: 1) })
        }
        #expect(renewed.verdict(of: "P1").isKept)
        let restarted = History.honest.with { history in
            for index in 2..<5 { history.pushes[index].authorization = bearer(serial: 1) }
        }
        #expect(restarted.verdict(of: "P1").isBroken)
        #expect(restarted.with { $0.facts.relayRestarts = [at(15)] }.verdict(of: "P1").isKept)
        let refused = restarted.with { history in
            history.pushes[1].status = 403
            history.pushes[1].reason = "ExpiredProviderToken"
        }
        #expect(refused.verdict(of: "P1").isKept)
    }

    @Test func `are allowed one per process of the relay`() {
        let two = History.honest.with { history in
            for index in [1, 3] { history.pushes[index].authorization = bearer(serial: 1) }
        }
        #expect(two.verdict(of: "P1").isBroken)
        #expect(two.with { $0.facts.relayProcesses = 2 }.verdict(of: "P1").isKept)
    }

    @Test func `are kept when a connection serves one team`() {
        #expect(History.honest.verdict(of: "P3") == .kept(evidenceCount: 1))
    }

    @Test func `break the rule when a connection serves two`() {
        let mixed = History.honest.with { $0.pushes[3].authorization = bearer(team: "OTHER12345") }
        #expect(mixed.verdict(of: "P3").findings.first?.entries == [1, 4])
    }
}

@Suite struct `Connections` {
    private func pushes(_ count: Int, perConnection: Int) -> History {
        History().with { history in
            history.pushes = (0..<count).map { index in
                Sent(Double(index), step: 1).with { $0.connection = UInt64(index / perConnection) }
            }
        }
    }

    @Test func `are kept when they carry many pushes`() {
        #expect(pushes(100, perConnection: 20).verdict(of: "P6") == .kept(evidenceCount: 5))
    }

    @Test func `break the rule when each push opens one`() {
        #expect(pushes(100, perConnection: 1).verdict(of: "R0.35").findings.first?.seen == "1.0")
    }

    @Test func `are not blamed for those we closed`() {
        let closed = pushes(100, perConnection: 5).with { $0.facts.connectionsClosedByFaults = 16 }
        #expect(closed.verdict(of: "P6").isKept)
    }

    @Test func `are not judged on a few pushes`() {
        #expect(pushes(49, perConnection: 1).verdict(of: "P6") == .notExercised)
    }
}

@Suite struct `Retries` {
    /// A push meets a 503 at 0 s and is sent again two seconds later, under the same id.
    private var retried: History {
        let id = UUIDBytes(high: 1, low: 2)
        return History().with { history in
            history.pushes = [
                Sent(0, step: 1).with {
                    $0.status = 503
                    $0.reason = "ServiceUnavailable"
                    $0.apnsID = id
                },
                Sent(2, step: 1).with { $0.apnsID = id },
            ]
        }
    }

    @Test func `are kept when they wait and carry the same id`() {
        #expect(retried.verdict(of: "P13") == .kept(evidenceCount: 1))
        #expect(retried.verdict(of: "P15") == .kept(evidenceCount: 2))
    }

    @Test func `break the rule when they come at once`() {
        #expect(retried.with { $0.pushes[1].seconds = 0.1 }.verdict(of: "P13").findings.first?.entries == [1, 2])
    }

    @Test func `break the rule when they carry another id`() {
        let renamed = retried.with { $0.pushes[1].apnsID = UUIDBytes(high: 3, low: 4) }
        #expect(renamed.verdict(of: "P15").isBroken)
    }

    @Test func `break the rule when two pushes share an id`() {
        #expect(retried.with { $0.pushes[1].step = 2 }.verdict(of: "P15").isBroken)
    }

    @Test func `are known by their payload where there is no marker`() {
        let unmarked = retried.with { history in
            for index in history.pushes.indices {
                history.pushes[index].hasMarker = false
                history.pushes[index].timestamp = nil
            }
        }
        #expect(unmarked.verdict(of: "P13") == .kept(evidenceCount: 1))
    }

    @Test func `are not judged on ids when the relay leaves them to Apple`() {
        let nameless = retried.with { history in
            for index in history.pushes.indices { history.pushes[index].apnsID = nil }
        }
        #expect(nameless.verdict(of: "P15") == .notExercised)
    }
}
