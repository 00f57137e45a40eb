// A Live Activity by way of FCM has two tokens, the app's registration and the activity's: where each goes, and of what it dies.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

extension History {
    /// The session's three messages name its activity's token, which is replaced before the third.
    static var byWayOfFCM: History {
        forApple.with { history in
            history.call(1, .registerActivity, at: 1)
            history.registers(1, .activity, .activity)
            history.call(4, .registerActivity, at: 120)
            history.registers(4, .rotated, .activity)
            for (index, token) in [TokenHash.activity, .activity, .rotated].enumerated() {
                history.pushes[index].activityToken = token
            }
        }
    }

    /// What was said of the activity's token of a message.
    mutating func disable(_ index: Int, _ reason: String = "APNS_TOKEN_DISABLED", status: UInt16 = 400, byFault: Bool = true) {
        pushes[index].status = status
        pushes[index].reason = text(reason)
        pushes[index].outcome = nil
        pushes[index].flags.insert(.isWordOfAPNs)
        guard byFault else { return }
        pushes[index].faultRule = 1
        run.circumstances.faults = [.init(rule: 1, label: "disabled", windows: [])]
    }
}

@Suite("The tokens of a Live Activity by way of FCM")
struct MessageActivityTokenTests {
    private let rules = [
        "live-activity-messages-fit", "sessions-kept-apart", "new-token-used", "nothing-unexpected", "states-delivered",
        "dead-registration-dropped", "disabled-token-dropped", "living-registration-kept", "other-token-kept",
    ]

    private func broken(_ history: History) -> [String] { rules.filter { history.verdict(of: $0).isBroken } }

    @Test("an honest relay breaks nothing, and its new token is used")
    func honest() {
        #expect(broken(.byWayOfFCM) == [])
        for id in ["live-activity-messages-fit", "sessions-kept-apart", "new-token-used"] {
            #expect(History.byWayOfFCM.isKept(id), "\(id)")
        }
    }

    @Test("the token of another session's activity, or of another user's, breaks sessions-kept-apart")
    func apart() {
        let other = History.byWayOfFCM.with { history in
            history.call(1, .registerActivity, at: 1, session: 2)
            history.registers(1, .activity2, .activity, session: 2)
            history.pushes[1].activityToken = .activity2
        }
        #expect(broken(other) == ["sessions-kept-apart"])
        let foreign = History.byWayOfFCM.with { history in
            history.pushes[1].activityToken = .stranger
            history.pushes[1].owner = 2
        }
        #expect(broken(foreign) == ["live-activity-messages-fit", "sessions-kept-apart"])
    }

    @Test("a token that is no activity's is told", arguments: [TokenHash.registration, .device, .stranger])
    func kind(token: TokenHash) {
        let history = History.byWayOfFCM.with { history in
            history.registers(0, .device, .device)
            history.pushes[1].activityToken = token
        }
        #expect(broken(history) == ["live-activity-messages-fit"])
        // Nobody knows what an app registers of whose activities nothing is said.
        let unknown = History.forApple.with { $0.pushes[1].activityToken = .stranger }
        #expect(broken(unknown) == [])
    }

    @Test("the start token goes with a start alone")
    func start() {
        func named(_ token: TokenHash) -> History {
            History.byWayOfFCM.with { history in
                history.registers(0, .start, .start)
                history.rows[0].event = .start
                history.pushes[0].event = .start
                history.pushes[0].activityToken = token
            }
        }
        #expect(broken(named(.start)) == [])
        #expect(broken(named(.activity)) == ["live-activity-messages-fit"])
    }

    @Test("a token that another has replaced breaks new-token-used")
    func replaced() {
        #expect(broken(History.byWayOfFCM.with { $0.pushes[2].activityToken = .activity }) == ["new-token-used"])
    }

    @Test("the death of an activity's token is not its registration's")
    func death() {
        let died = History.byWayOfFCM.with { $0.disable(0) }
        let left = died.with { $0.pushes.remove(at: 1) }
        #expect(broken(left) == [], "what the dead token missed is excused, and the new one is told")
        #expect(left.joined.deliveries.map(\.outcome) == [.excused, .excused, .delivered])
        #expect(left.joined.deliveries[1].excuse == "dead token of its activity (disabled)")
        #expect(left.isKept("disabled-token-dropped"))
        #expect(broken(died) == ["disabled-token-dropped"], "a push to the activity's token again")
        let forgotten = left.with { $0.pushes.removeLast() }
        #expect(broken(forgotten) == ["states-delivered", "living-registration-kept"])
        // FCM's own word for the registration lets it go.
        let gone = forgotten.with { $0.disable(0, "APNS_UNREGISTERED", status: 404) }
        #expect(broken(gone) == [])
        let ofOther = left.with { $0.disable(0, "APNS_UNREGISTERED", status: 404) }
        #expect(broken(ofOther) == [], "nor need it go, where another activity is told")
    }

    @Test("a registration that is refused as an activity's token is no dead one")
    func misplaced() {
        let history = History.byWayOfFCM.with { history in
            for index in history.pushes.indices {
                history.pushes[index].activityToken = .registration
                history.disable(index, "APNS_BAD_DEVICE_TOKEN", byFault: false)
            }
        }
        #expect(broken(history) == ["live-activity-messages-fit", "states-delivered"])
    }
}

@Suite("Registrations that are forgotten")
struct ForgottenRegistrationTests {
    /// Refused once, forgotten, and told again under the registration that takes its place; a second phone is told all.
    private func forgotten(_ status: UInt16 = 400, _ reason: String = "INVALID_ARGUMENT", toldAgain: Bool = true) -> History {
        History.answered(status, reason).with { history in
            let (next, lane) = (TokenHash("cdef:APA91b2"), Lane(role: .device, phone: 1))
            history.registers(0, .device2, lane)
            history.expect(3, .progress, at: 80, .alert, token: .device2, lane: lane)
            history.push(3, at: 80.02, .alert, token: .device2)
            history.call(4, .registerActivity, at: 120)
            history.registers(4, next, Lane(role: .registration))
            history.call(6, .progress, at: 118)
            history.expect(6, .progress, at: 118, token: .registration, lane: Lane(role: .registration))
            history.rows[history.rows.count - 1].provider = .fcm
            history.rows[2].token = next
            history.pushes[2].token = next
            history.pushes.remove(at: 1)
            if toldAgain { history.message(6, at: 120.02) { $0.token = next } }
        }
    }

    @Test("what the next one is told does not hide it")
    func toldAgain() {
        #expect(forgotten().verdict(of: "living-registration-kept").isBroken)
        #expect(forgotten(toldAgain: false).verdict(of: "living-registration-kept").isBroken)
        #expect(forgotten(404, "NOT_FOUND").verdict(of: "other-not-found-kept").isBroken)
        // All that was owed came, if to the next one.
        let waited = forgotten().with { history in
            history.rows.removeAll { $0.step == 3 }
            history.pushes.removeAll { $0.step == 3 }
        }
        #expect(!waited.verdict(of: "living-registration-kept").isBroken)
    }

    @Test("is no affair of another phone's")
    func otherPhone() {
        func shared(_ history: History) -> History {
            history.with { history in
                history.rows.removeAll { $0.token == .device2 }
                history.pushes.removeAll { $0.token == .device2 }
                history.expect(3, .progress, at: 80, token: .activity, lane: Lane(role: .activity, phone: 1))
                history.push(3, at: 80.02)
                history.registers(0, .activity, Lane(role: .activity, phone: 1))
            }
        }
        #expect(shared(forgotten()).findings("each-phone-served") == 0)
        #expect(shared(forgotten()).verdict(of: "states-delivered").isBroken)
        // Where nothing was refused before, one phone may have taken the other's place.
        let displaced = shared(forgotten()).with { history in
            history.pushes[0].status = 200
            history.pushes[0].outcome = .handedOver
        }
        #expect(displaced.findings("each-phone-served") == 1)
    }
}
