// Rules about messages to FCM: what a Live Activity goes with, how load rises, and which access tokens are asked for.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

extension History {
    /// The session's three messages are of a Live Activity on an iPhone.
    static var forApple: History {
        messages.with { history in
            for index in history.pushes.indices {
                history.pushes[index].flags.insert(.isForApple)
                history.pushes[index].stamp = history.pushes[index].arrivedWall.seconds
            }
        }
    }

    /// Six hundred messages behind the first three, to ten devices, so many calls a second; each message leaves at once, or all
    /// of them at the same instant.
    static func rising(by rate: Double = 250, savedUp: Bool = false) -> History {
        messages.with { history in
            for number in 0..<10 {
                history.registers(0, TokenHash("cdef:APA91c\(number)"), Lane(role: .registration, phone: UInt8(number + 1)))
            }
            let last = 200 + 600 / rate
            for number in 0..<600 {
                let (step, seconds) = (UInt32(6 + number), 200 + Double(number) / rate)
                let (token, phone) = (TokenHash("cdef:APA91c\(number % 10)"), UInt8(number % 10 + 1))
                history.call(step, .progress, at: seconds)
                history.expect(
                    step, .progress, at: seconds, token: token, lane: Lane(role: .registration, phone: phone), deadline: 300)
                history.rows[history.rows.count - 1].provider = .fcm
                history.message(step, at: savedUp ? last : seconds + 0.02) { $0.token = token }
            }
        }
    }
}

@Suite("Live Activities by way of FCM")
struct MessageActivityRuleTests {
    private let rule = "live-activity-messages-fit"

    @Test("what a message lacks is told")
    func lack() {
        let history = History.forApple.with { $0.pushes[1].startLack = $0.text("no live_activity_token") }
        guard case .broken(let findings, let count) = history.verdict(of: rule) else {
            Issue.record("not broken")
            return
        }
        #expect(count == 1 && findings[0].seen == "no live_activity_token" && findings[0].step == 3)
    }

    @Test("a timestamp that goes back is told, and one in milliseconds", arguments: [epoch, epoch * 1_000])
    func stamps(stamp: Int64) {
        #expect(History.forApple.with { $0.pushes[1].stamp = stamp }.verdict(of: rule).isBroken)
        #expect(!History.messages.with { $0.pushes[1].stamp = stamp }.verdict(of: rule).isBroken)
    }

    @Test("what is asked of Android is not asked of them", arguments: ["live-update-high", "live-update-data-only"])
    func other(id: String) {
        let history = History.forApple.with { history in
            history.pushes[1].priority = 5
            history.pushes[1].flags.insert(.hasNotification)
        }
        #expect(!history.verdict(of: id).isBroken)
        #expect(history.with { $0.pushes[1].flags.remove(.isForApple) }.verdict(of: id).isBroken)
    }
}

@Suite("Load that rises")
struct RampUpTests {
    private let rule = "messages-ramp-up"

    @Test("what is saved up and leaves at once is told, where the calls came slowly", arguments: [
        (20.0, true), (100.0, true), (150.0, false), (250.0, false),
    ])
    func leap(rate: Double, isBroken: Bool) {
        let history = History.rising(by: rate, savedUp: true)
        #expect(history.verdict(of: rule).isBroken == isBroken, "\(history.verdict(of: rule))")
        #expect(!History.rising(by: rate).verdict(of: rule).isBroken)
    }

    @Test("a leap is one wherever a second of ours begins", arguments: [0, 0.2, 0.4, 0.6, 0.8])
    func anywhere(offset: Double) {
        // Over half a second.
        let history = History.rising(by: 100, savedUp: true).with { history in
            for index in history.pushes.indices.dropFirst(3) {
                history.pushes[index].arrivedAt = history.pushes[index].arrivedAt + .seconds(offset + Double(index) / 1_200)
            }
        }
        #expect(history.verdict(of: rule).isBroken)
    }

    @Test("below two hundred in a second nothing is said")
    func few() {
        let few = History.rising(by: 20, savedUp: true).with { history in
            for index in history.pushes.indices.dropFirst(202) {
                history.pushes[index].arrivedAt = history.pushes[index].arrivedAt + .seconds(Double(index))
            }
        }
        #expect(few.verdict(of: rule) == .notExercised)
    }

    @Test("trouble of FCM, or of ours, in the two minutes before excuses a leap", arguments: [429, 503, 401, 0] as [UInt16])
    func trouble(status: UInt16) {
        let history = History.rising(by: 20, savedUp: true)
        #expect(!history.with { $0.pushes[2].status = status }.verdict(of: rule).isBroken)
        #expect(history.with { $0.pushes[1].status = status }.verdict(of: rule).isBroken, "80 seconds earlier")
        #expect(history.with { $0.pushes[2].status = 404 }.verdict(of: rule).isBroken, "nobody waits for that")
        #expect(!history.with { $0.pushes[2].faultRule = 1 }.verdict(of: rule).isBroken)
    }

    @Test("so does a relay that was down")
    func down() {
        let history = History.rising(by: 20, savedUp: true)
        history.run.circumstances.outages = [.init(from: at(205), until: at(229))]
        #expect(!history.verdict(of: rule).isBroken)
    }

    @Test("the same message again is no part of it")
    func again() {
        let history = History.rising(by: 20).with { history in
            for _ in 0..<300 {
                history.message(605, at: 230) { $0.token = TokenHash("cdef:APA91c9") }
            }
        }
        #expect(!history.verdict(of: rule).isBroken)
    }

    @Test("without a plan nobody knows what was asked for")
    func unplanned() {
        let history = History.rising(by: 20, savedUp: true).with { history in
            history.rows = []
            history.calls = []
        }
        #expect(history.verdict(of: rule) == .notExercised)
    }
}

@Suite("Access tokens and the key for APNs")
struct AccessTokenKeptTests {
    private let rule = "access-token-kept"

    private func renewed(_ reason: String, _ turn: (inout History) -> Void = { _ in }) -> History {
        History.answered(401, reason).with { history in
            for index in 1...2 { history.pushes[index].authorization = history.text("Bearer ya29.two") }
            turn(&history)
        }
    }

    @Test("another one behind THIRD_PARTY_AUTH_ERROR is told, and one behind the end of the old is not")
    func reasons() {
        #expect(renewed("THIRD_PARTY_AUTH_ERROR").verdict(of: rule).isBroken)
        #expect(renewed("ACCESS_TOKEN_EXPIRED").verdict(of: rule) == .notExercised)
        #expect(History.answered(401, "THIRD_PARTY_AUTH_ERROR").verdict(of: rule) == .kept(evidenceCount: 1))
    }

    @Test("nobody is blamed where the old one had ended as well, or was due")
    func excused() {
        let both = renewed("THIRD_PARTY_AUTH_ERROR") { history in
            history.pushes[1].authorization = history.pushes[0].authorization
            history.pushes[1].status = 401
            history.pushes[1].reason = history.text("ACCESS_TOKEN_EXPIRED")
        }
        #expect(!both.verdict(of: rule).isBroken)
        let due = renewed("THIRD_PARTY_AUTH_ERROR") { history in
            for index in 1...2 { history.pushes[index].arrivedAt = at(3_020 + Double(index)) }
        }
        #expect(!due.verdict(of: rule).isBroken)
    }

    @Test("each of two processes has its own")
    func processes() {
        let history = renewed("THIRD_PARTY_AUTH_ERROR")
        history.run.circumstances.relayProcesses = 2
        #expect(!history.verdict(of: rule).isBroken)
    }
}
