import Basics
import Testing

@testable import ReferenceRelay

/// A start that APNs refused brings no card: what is registered behind it is the old one's (R4.1, R4.22).
@Suite struct RefusedStartTests {
    private typealias Say = EpilogueRig

    private static let age = EpilogueRig.after + EpilogueRig.within

    /// Behind a start of a successor that APNs has answered so.
    private func refused(_ outcome: PushOutcome) throws -> Rig {
        let rig = try Say.running()
        rig.answer = { _ in outcome }
        Say.passAge(rig, Self.age)
        rig.answer = { _ in Rig.accepted }
        #expect(Say.starts(rig).count == 1)
        return rig
    }

    private func restarted(_ rig: Rig) -> Rig {
        let next = Rig(hosts: 1, time: rig.time) { $0.dialect = .epilogue }
        next.core.restore(rig.rows, now: next.now)
        next.settle()
        return next
    }

    @Test func aTokenBehindItIsARotation() throws {
        let rig = try refused(Rig.refusal(429, "TooManyRequests"))
        Say.register(rig, "a1b")
        #expect(!rig.seen.contains("end a1 ?") && rig.rows.activities.map(\.token) == ["a1b"])
        rig.pass(.seconds(300))
        #expect(Say.starts(rig).count == 2)
        Say.register(rig, "a2")
        #expect(rig.seen.contains("end a1b ?") && rig.rows.starts.isEmpty)
    }

    @Test(arguments: [false, true])
    func soItIsBehindARestart(rotatesBefore: Bool) throws {
        let rig = try refused(Rig.refusal(429, "TooManyRequests"))
        if rotatesBefore { Say.register(rig, "a1b") }
        #expect(rig.rows.starts.map(\.out) == [0])
        let next = restarted(rig)
        if !rotatesBefore { Say.register(next, "a1b") }
        #expect(next.seen == [])
        next.pass(.seconds(400))
        #expect(Say.starts(next).count == 1)
        Say.register(next, "a2")
        #expect(next.seen.contains("end a1b ?"))
    }

    /// The card may be there: nobody knows what APNs made of it.
    @Test func aStartWithoutAnAnswerIsNotRefused() throws {
        let rig = try Say.running()
        rig.answer = { push in
            if case .start = push.target { .failed(isSafeToResend: false, words: "no answer") } else { Rig.accepted }
        }
        Say.passAge(rig, Self.age)
        rig.pass(.seconds(150))
        rig.answer = { _ in Rig.accepted }
        Say.register(rig, "a2")
        #expect(rig.seen.contains("end a1 ?"))
    }

    /// Of two starts the one that was accepted has led to it, however the other went.
    @Test func anAcceptedStartBeforeARefusedOneIsAdopted() throws {
        let rig = try Say.running()
        Say.passAge(rig, Self.age)
        rig.answer = { _ in Rig.refusal(429, "TooManyRequests") }
        rig.pass(.seconds(310))
        rig.answer = { _ in Rig.accepted }
        #expect(Say.starts(rig).count == 2 && rig.rows.starts.map(\.out) == [1])
        Say.register(rig, "a2")
        #expect(rig.seen.contains("end a1 ?"))
    }

    /// The old card's token is dead: what comes next is that card's own, and the pauses go on.
    @Test func behindADeadTokenItIsTheSameCard() throws {
        let rig = try refused(Rig.refusal(429, "TooManyRequests"))
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        try Say.update(rig, #""pagesRead":8"#)
        Say.register(rig, "a1b")
        rig.pass(.seconds(100))
        #expect(Say.starts(rig).count == 1, "its pause is not over")
        rig.pass(.seconds(200))
        #expect(Say.starts(rig).count == 2)
        Say.register(rig, "a2")
        #expect(rig.seen.contains("end a1b ?") && rig.rows.starts.isEmpty)
    }

    /// The answer comes when another token has followed: nothing is left of the hand-over.
    @Test func aRefusalThatComesLateLeavesNothingOnDisk() throws {
        let rig = try Say.running()
        rig.answer = { push in
            if case .start = push.target { nil } else { Rig.refusal(410, "Unregistered") }
        }
        Say.passAge(rig, Self.age)
        try Say.tell(rig, .progress, #","pagesRead":8"#)
        rig.answer = { _ in Rig.accepted }
        Say.register(rig, "a2")
        rig.answerOldest(Rig.refusal(429, "TooManyRequests"))
        #expect(rig.rows.starts.isEmpty)
    }
}
