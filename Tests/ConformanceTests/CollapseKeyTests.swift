// Under which key messages of two activities wait for one device.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

extension History {
    /// Another session of the same app beside `messages`, and the keys under which the messages of each may wait; 0: none.
    static func keyed(_ first: UInt64, _ second: UInt64) -> History {
        messages.with { history in
            for index in history.pushes.indices { history.pushes[index].waitsUnder = first }
            let lane = Lane(role: .registration)
            history.call(0, .register, at: 1, session: 2)
            history.registers(0, .registration, lane, session: 2)
            for (step, seconds) in [(2, 40.0), (3, 120.0)] as [(UInt32, Double)] {
                history.call(step, .progress, at: seconds, session: 2)
                history.expect(step, .progress, at: seconds, token: .registration, lane: lane, session: 2)
                history.rows[history.rows.count - 1].provider = .fcm
                history.message(step, at: seconds + 0.02) { ($0.session, $0.waitsUnder) = (2, second) }
            }
        }
    }
}

@Suite("A collapse key")
struct CollapseKeyTests {
    private let id = "collapse-keys-apart"

    @Test("of two activities on one device breaks collapse-keys-apart, a SHOULD, once, and names both sessions")
    func shared() {
        #expect(RuleBook.rule(named: id)?.level == .should)
        let verdict = History.keyed(7, 7).verdict(of: id)
        #expect(verdict.findings.count == 1)
        #expect(verdict.findings.first?.seen.contains("one for sessions 1 and 2") == true)
        #expect(verdict.findings.first?.entries.count == 2)
    }

    @Test("of one activity, one for each, or none is right")
    func apart() {
        #expect(History.keyed(7, 8).isKept(id) && History.keyed(0, 0).isKept(id) && History.keyed(7, 0).isKept(id))
        let alone = History.messages.with { for index in $0.pushes.indices { $0.pushes[index].waitsUnder = 7 } }
        #expect(alone.verdict(of: id) == .notExercised, "there is no other")
    }

    @Test("is asked of Live Updates that were accepted, device by device")
    func meant() {
        func second(_ turn: (inout SeenPush) -> Void) -> Bool {
            History.keyed(7, 7).with { history in
                for index in history.pushes.indices where history.pushes[index].session == 2 { turn(&history.pushes[index]) }
            }.verdict(of: id).isBroken
        }
        #expect(second { _ in })
        #expect(!second { $0.token = .stranger })
        #expect(!second { ($0.type, $0.event) = (.alert, nil) })
        #expect(!second { $0.flags.insert(.isForApple) })
        #expect(!second { $0.status = 503 })
    }
}
