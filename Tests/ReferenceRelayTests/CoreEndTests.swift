import Basics
import Testing

@testable import ReferenceRelay

@Suite struct CoreEndTests {
    private struct Remains {
        weak var account: Account?
        weak var device: Device?
        weak var session: Session?
        weak var lane: Lane?
        weak var push: Push?

        init(_ rig: Rig) {
            account = rig.core.registry.accounts[Rig.secret]
            device = account?.devices.first
            session = account?.sessions["s1"]
            lane = session?.lanes.first
            push = rig.attempts.last
        }

        var isWhole: Bool { account != nil && device != nil && session != nil && lane != nil && push != nil }
        var isNothing: Bool { account == nil && device == nil && session == nil && lane == nil && push == nil }
    }

    /// A core with a phone, an activity and a push to it, of which `answer` says what becomes.
    private func live(_ answer: PushOutcome?, then: (Rig) -> Void = { _ in }) -> Remains {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.answer = { _ in answer }
        rig.event(.permission)
        let remains = Remains(rig)
        #expect(remains.isWhole)
        then(rig)
        return remains
    }

    @Test func nothingOutlivesACoreAtRest() {
        #expect(live(Rig.accepted).isNothing)
    }

    @Test func norOneThatAwaitsAnAnswer() {
        #expect(live(nil).isNothing)
    }

    @Test func norOneWhosePushWaitsForItsNextAttempt() {
        #expect(live(Rig.refusal(503, "ServiceUnavailable")).isNothing)
    }

    @Test func norOneThatEndsTheActivityMeanwhile() {
        let busy = Rig.refusal(503, "ServiceUnavailable")
        #expect(live(busy) { $0.event(.complete) }.isNothing)
    }
}
