import Basics
import Pushes
import Testing

@testable import ReferenceRelay

/// Defects that lose a push, or a token, where nothing else comes to hide it.
@Suite struct DefectLossTests {
    /// Pushes to an activity, beside the alerts to its phone.
    private func updates(_ rig: Rig) -> Int { rig.attempts.count(where: \.isActivity) }

    @Test func crossesStartTokens() {
        let (honest, broken) = pair(.crossesStartTokens) { rig in
            rig.device("d1", start: "s1")
            rig.device("d2", start: "s2")
            rig.event(.start)
        }
        #expect(honest.attempts.map(\.address) == ["s1", "s2"])
        #expect(broken.attempts.map(\.address) == ["s1", "s1"])
    }

    @Test func keepsStarts() {
        let (honest, broken) = pair(.keepsStarts) { rig in
            rig.device("d1", start: "s1")
            rig.event(.start)
        }
        #expect(honest.attempts.count == 1 && broken.attempts.isEmpty)
        broken.pass(.seconds(21))
        #expect(broken.attempts.count == 1)
    }

    @Test func forgetsHeld() {
        let (honest, broken) = pair(.forgetsHeld) { rig in
            rig.device("d1", start: "s1")
            rig.event(.start)
            rig.event(.permission)
            rig.activity()
        }
        #expect(honest.attempts.count { $0.token == "a1" } == 1)
        #expect(broken.attempts.count { $0.token == "a1" } == 0)
    }

    @Test func buriesTokens() {
        let (honest, broken) = pair(.buriesTokens) { rig in
            rig.activity()
            rig.answer = { $0.isActivity ? Rig.refusal(410, "Unregistered") : Rig.accepted }
            rig.event(.permission)
            rig.answer = { _ in Rig.accepted }
            rig.pass(.seconds(2))
            rig.activity()
            rig.event(.permission)
        }
        // What met the dead token, and then the question behind it.
        #expect(updates(honest) == 3 && updates(broken) == 1)
    }

    @Test(arguments: [(Defect.losesCutPushes, 503, 2), (.losesCutPushes, 0, 1), (.triesOnce, 503, 1), (.triesOnce, 0, 1)])
    func losesWhatIsNotAnswered(defect: Defect, status: Int, attempts: Int) {
        let (honest, broken) = pair(defect) { rig in
            rig.activity()
            var isFirst = true
            rig.answer = { push in
                guard push.isActivity, isFirst else { return Rig.accepted }
                isFirst = false
                return status == 0 ? .failed(isSafeToResend: false, words: "reset") : Rig.refusal(503, "ServiceUnavailable")
            }
            rig.event(.permission)
            rig.pass(.seconds(5))
        }
        #expect(updates(honest) == 2)
        #expect(updates(broken) == attempts)
    }

    @Test func givesUpSoon() {
        let (honest, broken) = pair(.givesUpSoon) { rig in
            rig.activity()
            rig.answer = { push in push.isActivity ? Rig.refusal(503, "ServiceUnavailable") : Rig.accepted }
            rig.event(.permission)
            rig.pass(.seconds(30))
        }
        #expect(updates(honest) > 4 && updates(broken) == 3)
    }

    @Test func prunesInDoubt() {
        let (honest, broken) = pair(hosts: 2, .prunesInDoubt) { rig in
            rig.activity()
            rig.answer = { push in
                guard push.isActivity else { return Rig.accepted }
                return push.environment == .production ? Rig.refusal(400, "BadDeviceToken") : Rig.refusal(503, "Shutdown")
            }
            rig.event(.permission)
            rig.answer = { _ in Rig.accepted }
            rig.pass(.seconds(5))
        }
        #expect(updates(honest) == 3 && updates(broken) == 2)
    }
}
