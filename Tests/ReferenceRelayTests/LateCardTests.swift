import Basics
import Pushes
import Testing

@testable import ReferenceRelay

/// Each accepted start whose card has no token yet is owed an end when its turn is over (R4.6, G20).
@Suite struct LateCardTests {
    private typealias Say = EpilogueRig

    private static let age = EpilogueRig.after + EpilogueRig.within

    /// Behind the start of a successor, with an old token that APNs has called dead.
    private func orphaned() throws -> Rig {
        let rig = try Say.running()
        rig.forgetSeen()
        Say.passAge(rig, Self.age)
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        try Say.update(rig, #""pagesRead":8"#)
        rig.answer = { _ in Rig.accepted }
        #expect(rig.seen == ["start p1", "update a1 ?"])
        return rig
    }

    @Test func ofTwoLivesEachCardIsEnded() throws {
        let rig = Say.rig()
        for _ in 1...2 {
            try Say.start(rig)
            rig.pass(.seconds(30))
            try Say.tell(rig, .complete)
            rig.pass(.seconds(10))
        }
        rig.forgetSeen()
        Say.register(rig, "a1")
        rig.pass(.seconds(40))
        Say.register(rig, "a2")
        #expect(rig.seen == ["end a1 ?", "end a2 ?"])
        // None is left: the next is the app's own.
        Say.register(rig, "a3")
        try Say.update(rig, #""pagesRead":8"#)
        #expect(rig.seen.suffix(1) == ["update a3 ?"])
    }

    /// What APNs refused has no card.
    @Test func aRefusedStartOfALifeThatIsOverOwesNothing() throws {
        let rig = Say.rig()
        rig.answer = { _ in nil }
        try Say.start(rig)
        try Say.tell(rig, .complete)
        rig.answerOldest(Rig.refusal(400, "BadTopic"))
        rig.answer = { _ in Rig.accepted }
        try Say.start(rig)
        try Say.tell(rig, .complete)
        rig.forgetSeen()
        Say.register(rig, "a1")
        Say.register(rig, "a2")
        #expect(rig.seen == ["end a1 ?"])
    }

    /// In the next life nobody knows whose the first token is: the second is another card's all the same.
    @Test func inTheNextLifeOneOfTwoCardsIsEnded() throws {
        let rig = Say.rig()
        try Say.start(rig)
        try Say.tell(rig, .complete)
        try Say.start(rig)
        Say.register(rig, "a1")
        rig.pass(.seconds(20))
        Say.register(rig, "a2")
        #expect(rig.seen.contains("end a1 ?") && !rig.seen.contains("end a2 ?"))
        try Say.tell(rig, .complete)
        #expect(rig.seen.suffix(1) == ["end a2 ?"])
        // A card that is hours late is not expected.
        let late = Say.rig()
        try Say.start(late)
        try Say.tell(late, .complete)
        late.pass(.seconds(2 * 3_600))
        try Say.start(late)
        Say.register(late, "a1")
        Say.register(late, "a2")
        #expect(!late.seen.contains("end a1 ?"))
    }

    @Test func aSuccessorIsEndedWhereTheOldTokenWasDead() throws {
        let rig = try orphaned()
        try Say.tell(rig, .complete)
        rig.pass(.seconds(30))
        Say.register(rig, "a2")
        #expect(rig.seen.suffix(1) == ["end a2 ?"] && rig.rows.activities.isEmpty)
    }

    @Test func andWhereTheNextLifeHasBegun() throws {
        let rig = try orphaned()
        try Say.tell(rig, .complete)
        try Say.start(rig)
        Say.register(rig, "a2")
        rig.pass(.seconds(30))
        Say.register(rig, "a3")
        #expect(rig.seen.contains("end a2 ?") && !rig.seen.contains("end a3 ?"))
    }

    @Test func aRefusedSuccessorIsNotExpected() throws {
        let rig = try Say.running()
        rig.answer = { _ in nil }
        Say.passAge(rig, Self.age)
        try Say.tell(rig, .progress, #","pagesRead":8"#)
        rig.answerOldest(Rig.refusal(410, "Unregistered"))
        rig.answerOldest(Rig.refusal(410, "Unregistered"))
        rig.answer = { _ in Rig.accepted }
        try Say.tell(rig, .complete)
        rig.forgetSeen()
        Say.register(rig, "a2")
        #expect(rig.seen == [])
    }

    /// Its phone tells of all cards when its app is launched again: the old one's token leads nowhere any more.
    @Test func aDeadTokenThatASuccessorFollowedDoesNotComeBack() throws {
        let rig = try orphaned()
        rig.answer = { $0.token == "a2" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        Say.register(rig, "a2")
        rig.answer = { _ in Rig.accepted }
        rig.forgetSeen()
        Say.register(rig, "a2")
        Say.register(rig, "a1")
        rig.pass(.seconds(11))
        #expect(rig.seen == ["update a2 ?"])
    }

    /// Told again before any other, it is the card of before.
    @Test func aDeadTokenThatIsToldAgainIsServed() throws {
        let rig = try orphaned()
        rig.forgetSeen()
        Say.register(rig, "a1")
        rig.pass(.seconds(11))
        #expect(rig.seen.contains("update a1 ?"))
        Say.register(rig, "a2")
        #expect(rig.seen.contains("end a1 ?"))
    }
}
