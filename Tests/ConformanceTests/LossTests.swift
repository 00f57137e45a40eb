// What is told of a push that never came.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("A loss tells")
struct LossTests {
    /// The question of step 4 has reached the user, and never the card.
    private let lost = History.honest.with { $0.pushes.removeAll { $0.step == 4 && $0.type == .liveactivity } }

    private func seen(_ history: History) -> String {
        history.verdict(of: "states-delivered").findings.first?.seen ?? "nothing lost"
    }

    @Test("what its card was told last")
    func card() {
        #expect(seen(lost).contains("the last push that reached this token was `progress` of step 3, "), "\(seen(lost))")
        let never = lost.with { $0.pushes.removeAll { $0.token == .activity } }
        #expect(seen(never).contains("no earlier state had reached its token either"))
        let later = lost.with { history in
            history.pushes.removeAll { $0.token == .activity && $0.step < 4 }
            history.push(5, at: 16)
        }
        #expect(seen(later).contains("no earlier state had reached"))
    }

    @Test("how the push before it was refused, by no fault of ours")
    func refusal() {
        let refused = lost.with { history in
            let before = history.pushes.lastIndex { $0.step == 3 && $0.type == .liveactivity }!
            (history.pushes[before].status, history.pushes[before].outcome) = (400, nil)
            history.pushes[before].reason = history.text("BadTopic")
        }
        #expect(seen(refused).contains("the last push to this token was answered 400 BadTopic, "), "\(seen(refused))")
        let again = refused.with { $0.push(9, at: 14, status: 503, reason: "Shutdown", session: 2) }
        #expect(seen(again).contains("the last push to this token was answered 503 Shutdown, "), "\(seen(again))")
        let accepted = refused.with { $0.push(9, at: 14, session: 2) }
        #expect(seen(accepted).contains("the last push of its kind to this token was answered 400 BadTopic, "))
        #expect(!seen(lost).contains("was answered"))
    }

    @Test("that no start was sent at all")
    func start() {
        let never = History.started.with { $0.pushes.removeAll { $0.event == .start } }
        #expect(seen(never).contains("no start at all was sent in this session"), "\(seen(never))")
    }

    @Test("that the user's other phone got it")
    func otherPhone() {
        let two = lost.with { history in
            let lane = Lane(role: .activity, phone: 1)
            history.registers(2, .activity2, lane)
            history.expect(4, .permission, at: 15, token: .activity2, lane: lane)
            history.push(4, at: 15.1, token: .activity2)
        }
        #expect(seen(two).contains("the user's other phone got it"), "\(seen(two))")
        let message = two.verdict(of: "states-delivered").findings.first?.message
        #expect(message?.hasSuffix("as liveactivity update on the user's phone 1") == true)
        #expect(!seen(lost).contains("other phone"))
    }

    @Test("that the session had been over")
    func again() {
        let again = lost.with { $0.run.circumstances.finalKinds = [Kind.progress.rawValue] }
        #expect(seen(again).contains("the session had ended at step 3, and gone on"), "\(seen(again))")
    }

    @Test("that another token of its card was registered meanwhile, or the same one again")
    func registered() {
        #expect(!seen(lost).contains("registered"), "\(seen(lost))")
        let rotated = lost.with { history in
            history.call(20, .registerActivity, at: 15.5)
            history.registers(20, .activity2, .activity)
        }
        #expect(seen(rotated).contains("; another token of its card was registered 500ms after this state's call"), "\(seen(rotated))")
        let again = lost.with { history in
            history.call(20, .registerActivity, at: 14.5)
            history.registers(20, .activity, .activity)
        }
        #expect(seen(again).contains("; its token was registered again 500ms before this state's call"), "\(seen(again))")
        let refused = History.honest.with { history in
            let push = history.pushes.lastIndex { $0.step == 4 && $0.type == .liveactivity }!
            (history.pushes[push].status, history.pushes[push].outcome) = (503, nil)
            history.call(20, .registerActivity, at: 16)
            history.registers(20, .activity, .activity)
        }
        #expect(seen(refused).contains("that token was registered again"), "\(seen(refused))")
    }
}
