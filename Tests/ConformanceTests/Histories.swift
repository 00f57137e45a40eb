// Honest histories that put particular rules to the test: something goes wrong, and the relay does what it should.

import Basics
import Conformance
import Metrics
import Pushes

extension History {
    /// The first push to that token from then on is answered 410, and none comes afterwards.
    static func died(
        _ token: TokenHash, at seconds: Double, status: UInt16 = 410, reason: String = "Unregistered"
    ) -> History {
        honest.with { history in
            let first = history.pushes.indices.filter {
                history.pushes[$0].token == token && history.pushes[$0].arrivedAt >= at(seconds)
            }.min { history.pushes[$0].arrivedAt < history.pushes[$1].arrivedAt }!
            history.pushes[first].status = status
            history.pushes[first].reason = history.text(reason)
            history.pushes[first].outcome = nil
            let death = history.pushes[first]
            history.pushes.removeAll { $0.token == token && $0.arrivedAt > death.arrivedAt }
        }
    }

    /// A fault of ours refuses the second step's push once.
    static func refused(status: UInt16, reason: String) -> History {
        honest.with { history in
            history.refuse(0, status: status, reason: reason)
        }
    }

    mutating func refuse(_ index: Int, status: UInt16, reason: String) {
        pushes[index].status = status
        pushes[index].reason = text(reason)
        pushes[index].outcome = nil
        pushes[index].faultRule = 1
        let at = pushes[index].arrivedAt
        run.circumstances.faults = [
            .init(rule: 1, label: "\(status) \(reason)", windows: [at - .milliseconds(500)..<at + .milliseconds(500)])
        ]
    }

    /// The push that is there is refused with 503 and comes again, under the same apns-id.
    static func retried(after pause: Double, attempts: Int = 1) -> History {
        honest.with { history in
            history.pushes[0].flags.insert(.gaveAPNsID)
            history.pushes[0].apnsID = UUIDBytes(high: 7, low: 7)
            for number in 0..<attempts {
                history.push(2, at: 2.02 + pause * Double(number + 1)) {
                    $0.flags.insert(.gaveAPNsID)
                    $0.apnsID = UUIDBytes(high: 7, low: 7)
                }
            }
            history.refuse(0, status: 503, reason: "ServiceUnavailable")
            for index in history.pushes.indices.suffix(attempts).dropLast() {
                history.pushes[index].status = 503
                history.pushes[index].faultRule = 1
            }
        }
    }

    /// A 410 that speaks of a time before the run.
    static var oldReport: History {
        refused(status: 410, reason: "Unregistered").with { $0.pushes[0].diedMilliseconds = (epoch - 100) * 1000 }
    }

    /// The phone has a new token from second 27 on.
    static var rotated: History {
        honest.with { history in
            history.call(7, .registerActivity, at: 27)
            history.registers(7, .rotated, .activity)
            history.call(9, .progress, at: 40)
            history.expect(9, .progress, at: 40, token: .rotated, flags: [.mayBeSuperseded, .isThrottled])
            history.push(9, at: 40.02, token: .rotated)
        }
    }

    /// A 410 is on its way for two seconds, and meanwhile that token is registered instead, or again.
    static func changed(_ token: TokenHash) -> History {
        honest.with { history in
            history.call(7, .registerActivity, at: 40)
            history.registers(7, token, .activity)
            history.push(8, at: 39, status: 410, reason: "Unregistered") {
                $0.answeredAt = at(41)
                $0.faultRule = 1
            }
            history.call(9, .progress, at: 50)
            history.expect(9, .progress, at: 50, token: token, flags: [.mayBeSuperseded, .isThrottled])
            history.push(9, at: 50.02, token: token)
        }
    }

    /// The activity was taken back, and the session goes on.
    static var goneOn: History {
        takenBack.with { history in
            history.call(9, .permission, at: 40)
            history.expect(9, .permission, at: 40, .alert)
            history.push(9, at: 40.02, .alert)
        }
    }

    /// Afterwards the older activity's unregistering comes.
    static var overtaken: History { rotated.with { $0.call(8, .lateUnregister, at: 28) } }

    /// The device registers again without its start token, and the next session is started by it all the same.
    static var relaunched: History {
        honest.with { history in
            history.call(7, .register, at: 30)
            history.registers(7, .device, .device)
            history.call(9, .start, at: 40)
            history.expect(9, .start, at: 40, event: .start, token: .start, lane: .start)
            history.push(9, at: 40.02, event: .start, token: .start) {
                $0.flags.insert(.asksForToken)
                $0.outcome = .started
            }
        }
    }

    /// The start is refused for now and accepted later; the activity registers at 2, and the session ends at 26.
    static func refusedStart(acceptedAt seconds: Double) -> History {
        started.with { history in
            let first = history.pushes.count - 1
            history.pushes[first].status = 429
            history.pushes[first].outcome = nil
            history.push(1, at: seconds, event: .start, token: .start) {
                $0.flags.insert(.asksForToken)
                $0.outcome = .started
            }
        }
    }

    static var takenBack: History {
        honest.with { history in
            history.call(7, .unregister, at: 27)
            history.registers(7, .activity, .activity, isRegistration: false)
        }
    }

    /// The token lives in the sandbox, which is tried once production has refused it.
    static func otherEnvironment(_ reason: String) -> History {
        honest.with { history in
            history.run.hasBothEnvironments = true
            for index in history.pushes.indices where history.pushes[index].token == .activity {
                history.pushes[index].environment = .sandbox
            }
            history.push(2, at: 2.01, status: reason == "BadDeviceToken" ? 400 : 403, reason: reason)
        }
    }

    /// Fifty states that can wait, one a window.
    static var busy: History {
        honest.with { history in
            history.calls.removeAll { $0.step == 6 }
            history.rows.removeAll { $0.step == 6 }
            history.pushes.removeAll { $0.step == 6 }
            for number in 0..<50 as Range<UInt32> {
                let seconds = 37 + 11 * Double(number)
                history.call(7 + number, .progress, at: seconds)
                history.expect(7 + number, .progress, at: seconds, flags: [.mayBeSuperseded, .isThrottled])
                history.push(7 + number, at: seconds + 0.02)
            }
        }
    }

    /// Another session of the same user, a second later in all it does.
    static var twoSessions: History {
        honest.with { history in
            history.call(1, .registerActivity, at: 2, session: 2)
            history.registers(1, .activity2, .activity, session: 2)
            for (step, seconds) in [(2, 3.0), (3, 14.0), (4, 25.0)] as [(UInt32, Double)] {
                history.call(step, .progress, at: seconds, session: 2)
                history.expect(
                    step, .progress, at: seconds, token: .activity2, flags: [.mayBeSuperseded, .isThrottled], session: 2)
                history.push(step, at: seconds + 0.02, token: .activity2, session: 2)
            }
        }
    }

    /// A second phone, which gets the alerts too.
    static var twoPhones: History {
        honest.with { history in
            let lane = Lane(role: .device, phone: 1)
            history.registers(0, .device2, lane)
            for (step, kind, seconds) in [(4, .permission, 15.0), (6, .complete, 26.0)] as [(UInt32, Kind, Double)] {
                history.expect(step, kind, at: seconds, .alert, token: .device2, lane: lane)
                history.push(step, at: seconds + 0.015, .alert, token: .device2)
            }
        }
    }

    /// A connection goes away while the third step is on its way; the push comes over another one.
    static var goneAway: History {
        honest.with { history in
            history.pushes[1].connection = 2
            history.run.circumstances.faults = [.init(rule: 1, label: "goaway", windows: [at(13)..<at(13.5)])]
            history.run.circumstances.connectionFirings = [(at: at(13.01), rule: 1)]
        }
    }

    /// 403 ExpiredProviderToken, and so much later a new provider token.
    static func renewed(after pause: Double) -> History {
        honest.with { history in
            history.push(2, at: 2.02 + pause)
            let fresh = history.text(bearer(issuedAt: epoch + 2))
            for index in history.pushes.indices.dropFirst() {
                history.pushes[index].authorization = fresh
                history.pushes[index].connection = 2
            }
            history.refuse(0, status: 403, reason: "ExpiredProviderToken")
        }
    }

    /// The credential that was refused was more than an hour old in truth.
    mutating func expire(by age: Int64 = 3_700) {
        pushes[0].authorization = text(bearer(issuedAt: epoch - age))
        pushes[0].faultRule = 0
    }

    /// Of a mock's own journal: accepted pushes of one text and no marker, a second apart, with these apns-ids.
    static func alone(_ ids: [UInt64], _ turn: (inout SeenPush) -> Void = { _ in }) -> History {
        var history = History()
        history.run.kinds = []
        history.run.circumstances.isRelayOurs = false
        for (number, id) in ids.enumerated() {
            history.push(0, at: Double(number + 1), .alert, token: .device) {
                $0.flags.remove(.isMarked)
                $0.flags.insert(.gaveAPNsID)
                $0.apnsID = UUIDBytes(high: id, low: 0)
                turn(&$0)
            }
        }
        return history
    }
}
