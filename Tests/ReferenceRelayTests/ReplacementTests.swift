import Basics
import Pushes
import Testing

@testable import ReferenceRelay

/// Activities that are replaced before they grow too old (R4.1 to R4.28).
@Suite struct ReplacementTests {
    private typealias Say = EpilogueRig

    private static let age = EpilogueRig.after + EpilogueRig.within
    private static let quiet = EpilogueRig.after - EpilogueRig.within

    /// Just behind the start of the successor, whose stamp is `bornAt`.
    private func replacing(seed: UInt64 = 1, defects: Set<Defect> = [], keepsSeen: Bool = false) throws -> Rig {
        let rig = try Say.running(seed: seed, defects: defects)
        if !keepsSeen { rig.forgetSeen() }
        Say.passAge(rig, Self.age)
        return rig
    }

    @Test func atItsAgeASuccessorIsStarted() throws {
        let rig = try Say.running()
        rig.forgetSeen()
        Say.passAge(rig, Self.quiet)
        #expect(rig.seen == [])
        rig.pass(Say.within * 2)
        #expect(rig.seen == ["start p1"])
        let aps = rig.aps(0)
        let state = aps["content-state"]
        #expect(state?["bookTitle"] == "Emma" && state?["capturedCount"] == 3 && state?["nudgeMessage"] == "Go on")
        #expect((24_500...24_700).contains(try #require(state?["sessionDuration"]?.double)))
        // The new activity's own beginning, in seconds since 2001.
        #expect(aps.at(pointer: "/attributes/startTime")?.double == Double(rig.stamp(0)! - 978_307_200))
        #expect(aps["input-push-token"] == 1 && aps["alert"] != nil && rig.attempts[0].priority == "10")
    }

    @Test func anAdoptedCardTakesTheOldOnesPlace() throws {
        let rig = try replacing()
        Say.register(rig, "a2")
        #expect(rig.seen == ["start p1", "end a1 ?"])
        let end = rig.aps(1)
        #expect(end["dismissal-date"]?.int == rig.stamp(1))
        #expect(end.at(pointer: "/content-state/capturedCount") == 3)
        // No session is over: it goes on listening, by the new token alone.
        #expect(end.at(pointer: "/content-state/isListening") == true)
        try Say.update(rig, #""pagesRead":8"#)
        #expect(rig.seen.last == "update a2 ?" && rig.seen.count == 3)
        #expect(rig.rows.activities.map(\.token) == ["a2"] && rig.rows.starts.isEmpty)
    }

    @Test func acceptedIsNotAdopted() throws {
        let rig = try replacing()
        try Say.update(rig, #""pagesRead":8"#)
        #expect(rig.seen == ["start p1", "update a1 ?"])
    }

    @Test func whatWasSaidMeanwhileIsShownByTheNewCard() throws {
        let rig = try replacing()
        try Say.tell(rig, .progress, #","pagesRead":8"#)
        try Say.tell(rig, .progress, #","pagesRead":9"#)
        Say.register(rig, "a2")
        #expect(rig.seen == ["start p1", "update a1 ?", "end a1 ?"])
        rig.pass(.seconds(11))
        #expect(rig.seen.last == "update a2 ?" && rig.state(3)["pagesRead"] == 9)
    }

    @Test func nobodyAdoptsSoItIsTriedAgainWithPausesThatDouble() throws {
        let rig = try replacing()
        rig.pass(.seconds(4 * 3_600))
        let times = Say.starts(rig).map { Rig.payload($0).at(pointer: "/aps/timestamp")?.int ?? 0 }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(gaps == [300, 600, 1_200, 2_400, 3_600, 3_600])
        #expect(rig.told.filter { $0.hasPrefix("alarm: 4 starts of session s1") }.count == 1)
        #expect(!rig.seen.contains { $0.hasPrefix("end") })
        // Late, but adopted.
        Say.register(rig, "a2")
        #expect(rig.seen.last == "end a1 ?")
    }

    @Test func aRefusedStartHasTheSamePauses() throws {
        let rig = try Say.running()
        rig.answer = { _ in Rig.refusal(429, "TooManyRequests") }
        Say.passAge(rig, Self.age + .seconds(290))
        #expect(Say.starts(rig).count <= 2)
        rig.answer = { _ in Rig.accepted }
        rig.pass(.seconds(300))
        #expect(Say.starts(rig).count == 2)
    }

    @Test func aDeadStartTokenIsClearedAndANewOneUsedAtOnce() throws {
        let rig = try Say.running()
        rig.answer = { _ in Rig.refusal(410, "Unregistered") }
        Say.passAge(rig, Self.age)
        rig.answer = { _ in Rig.accepted }
        #expect(rig.rows.devices.map(\.startToken) == [nil])
        rig.pass(.seconds(1_000))
        #expect(Say.starts(rig).count == 1)
        rig.device(start: "p2")
        rig.pass(.seconds(1))
        #expect(Say.starts(rig).map(\.token) == ["p1", "p2"])
    }

    @Test func aRegistrationWithoutAStartTokenTakesNoneAway() throws {
        let rig = try Say.running()
        rig.device()
        Say.passAge(rig, Self.age)
        #expect(Say.starts(rig).map(\.token) == ["p1"])
    }

    @Test func theCurrentStartTokenIsUsed() throws {
        let rig = try Say.running()
        rig.device(start: "p2")
        Say.passAge(rig, Self.age)
        #expect(Say.starts(rig).map(\.token) == ["p2"])
    }

    @Test func aLateRegistrationOfTheOldActivityReplacesNothing() throws {
        let rig = try replacing()
        Say.register(rig, "a2")
        rig.pass(.seconds(1_800))
        Say.register(rig, "a1")
        rig.forgetSeen()
        try Say.update(rig, #""pagesRead":8"#)
        #expect(rig.seen == ["update a2 ?"])
    }

    /// The old activity's own token rotates while the successor's start is out: the app's date tells it.
    @Test func aRotationIsNoAdoption() throws {
        let rig = try Say.running()
        let born = rig.time.wall() - .seconds(12)
        Say.passAge(rig, Self.age)
        rig.forgetSeen()
        Say.register(rig, "a1b", bornAt: born)
        try Say.update(rig, #""pagesRead":8"#)
        #expect(rig.seen == ["update a1b ?"])
        Say.register(rig, "a2", bornAt: rig.time.wall())
        #expect(rig.seen.contains("end a1b ?"))
    }

    /// A dead token says nothing of the card's age; that the activity has expired does.
    @Test(arguments: [("Unregistered", 1), ("ExpiredToken", 0)])
    func theAgeOutlivesTheToken(reason: String, starts: Int) throws {
        let rig = try Say.running()
        rig.pass(.seconds(2 * 3_600))
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, reason) : Rig.accepted }
        try Say.update(rig, #""pagesRead":8"#)
        Say.register(rig, "a2")
        rig.pass(Self.age - .seconds(2 * 3_600))
        #expect(Say.starts(rig).count == starts)
    }

    /// Unless a successor has been started: the next token is its.
    @Test func aSuccessorBehindADeadTokenIsYoung() throws {
        let rig = try replacing()
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        try Say.update(rig, #""pagesRead":8"#)
        Say.register(rig, "a2")
        let starts = Say.starts(rig).count
        rig.pass(Self.age * 0.9)
        #expect(Say.starts(rig).count == starts)
    }

    /// An app that is launched again hours later tells of cards that nobody knew: one of them stays.
    @Test func aCardThatTurnsUpHoursLaterEndsTheOther() throws {
        let rig = try replacing()
        rig.pass(.seconds(400))
        Say.register(rig, "a2")
        rig.pass(.seconds(3 * 3_600))
        Say.register(rig, "a3")
        #expect(Say.starts(rig).count == 2)
        #expect(rig.seen.suffix(2).contains("end a2 ?"))
    }

    @Test func theNextOneCountsFromTheNewActivitysBeginning() throws {
        let rig = try replacing()
        Say.register(rig, "a2")
        rig.pass(Self.quiet - .seconds(200))
        #expect(Say.starts(rig).count == 1)
        rig.pass(Say.within * 4 + .seconds(200))
        #expect(Say.starts(rig).count == 2)
        Say.register(rig, "a3")
        try Say.tell(rig, .complete)
        #expect(rig.seen.suffix(2) == ["end a2 ?", "end a3 ?"])
    }

    @Test func anAppsOwnActivityCountsFromItsOwnDate() throws {
        let rig = Say.rig()
        Say.register(rig, "a1", bornAt: rig.time.wall() - .seconds(6 * 3_600))
        try Say.start(rig)
        rig.pass(.seconds(51 * 60 + 1))
        #expect(Say.starts(rig).count == 1)
        // Older than that already: at once.
        let old = Say.rig()
        Say.register(old, "a1", bornAt: old.time.wall() - .seconds(7 * 3_600))
        old.pass(.seconds(1))
        #expect(Say.starts(old).count == 1)
    }

    @Test func whatIsOverIsNotReplaced() throws {
        let rig = try Say.running()
        try Say.tell(rig, .complete)
        Say.passAge(rig, Self.age)
        #expect(Say.starts(rig).isEmpty)
        // A card that appears when the session is over has its end to come.
        let late = try replacing()
        try Say.tell(late, .complete)
        Say.register(late, "a2")
        #expect(late.seen == ["start p1", "end a1 ?", "end a2 ?"])
    }

    @Test func startingAgainDoesNothing() throws {
        let rig = try Say.running()
        rig.forgetSeen()
        try Say.start(rig)
        #expect(rig.seen == [])
    }

    @Test func sessionsAreSpreadOverTheWindowByTheSeed() throws {
        let ages = try (UInt64(1)...40).map { seed in
            let rig = try Say.running(seed: seed)
            Say.passAge(rig, Self.age)
            let stamps = [rig.attempts.first!, Say.starts(rig).first!].map { Rig.payload($0).at(pointer: "/aps/timestamp")!.int! }
            return stamps[1] - stamps[0]
        }
        #expect(Set(ages).count > 20)
        #expect(ages.allSatisfy { abs($0 - 24_600) <= 60 })
        let again = try Say.running(seed: 1)
        Say.passAge(again, Self.age)
        #expect(Say.starts(again).first.map { Rig.payload($0).at(pointer: "/aps/timestamp")!.int! - again.stamp(0)! } == ages[0])
    }

    // MARK: - A restart of the relay

    private func restarted(_ rig: Rig) -> Rig {
        let next = Rig(hosts: 1, time: rig.time) { $0.dialect = .epilogue }
        next.core.restore(rig.rows, now: next.now)
        next.settle()
        return next
    }

    @Test func agesOutliveTheRelay() throws {
        let rig = try Say.running()
        rig.pass(.seconds(3 * 3_600))
        let next = restarted(rig)
        next.pass(Self.age - .seconds(3 * 3_600 + 12))
        #expect(next.seen == ["start p1"])
    }

    @Test func aStartThatIsOutIsAdoptedBehindARestart() throws {
        let rig = try replacing(keepsSeen: true)
        let next = restarted(rig)
        Say.register(next, "a2")
        #expect(next.seen.contains("end a1 ?"))
    }

    @Test func whatWasReplacedStaysReplacedBehindARestart() throws {
        let rig = try replacing(keepsSeen: true)
        Say.register(rig, "a2")
        let next = restarted(rig)
        Say.register(next, "a1")
        next.pass(.seconds(11))
        try Say.update(next, #""pagesRead":8"#)
        #expect(next.seen == ["update a2 ?"])
        // When the session is over and forgotten, so is that.
        try Say.tell(next, .complete)
        next.pass(.seconds(1_200))
        #expect(next.writes.contains(.deleteReplaced(Rig.secret, sessionID: "s1")))
    }

    @Test func pausesOutliveTheRelay() throws {
        let rig = try replacing(keepsSeen: true)
        rig.pass(.seconds(310))
        #expect(rig.rows.starts.map(\.number) == [2])
        let next = restarted(rig)
        next.pass(.seconds(400))
        #expect(Say.starts(next).isEmpty)
        next.pass(.seconds(300))
        #expect(Say.starts(next).count == 1)
    }

    @Test func anEndThatWasUnderWayIsSentBehindARestart() throws {
        let rig = try replacing(keepsSeen: true)
        rig.answer = { _ in nil }
        Say.register(rig, "a2")
        #expect(rig.rows.activities.map(\.token) == ["a1", "a2"])
        let next = restarted(rig)
        #expect(next.seen.contains("end a1 ?") && !next.seen.contains("end a2 ?"))
    }

    // MARK: - Defects

    @Test func defectsOfTime() throws {
        let late = try Say.running(defects: [.restartsLate])
        Say.passAge(late, .seconds(7 * 3_600))
        #expect(Say.starts(late).isEmpty)
        late.pass(.seconds(400))
        #expect(Say.starts(late).count == 1)

        let once = try replacing(defects: [.restartsOnce])
        Say.register(once, "a2")
        once.pass(.seconds(9 * 3_600))
        #expect(Say.starts(once).count == 1)

        let session = try replacing(defects: [.countsSessionAge])
        Say.register(session, "a2")
        session.pass(.seconds(7_300))
        #expect(Say.starts(session).count == 2)

        let together = try (UInt64(1)...5).map { seed in
            let rig = try Say.running(seed: seed, defects: [.restartsAllAtOnce])
            Say.passAge(rig, Self.age)
            return Rig.payload(Say.starts(rig)[0]).at(pointer: "/aps/timestamp")!.int!
        }
        #expect(Set(together).count == 1)

        let mute = try replacing(defects: [.givesUpRestart])
        mute.pass(.seconds(7_200))
        #expect(Say.starts(mute).count == 1)
        let hammer = try replacing(defects: [.hammersStarts])
        hammer.pass(.seconds(600))
        #expect(Say.starts(hammer).count >= 10)
    }

    @Test func defectsOfWhatTheNewCardShows() throws {
        let lost = try replacing(defects: [.losesStateAtRestart])
        #expect(lost.state(0)["bookTitle"] == nil && lost.state(0)["capturedCount"] == 0)
        let listening = try replacing(defects: [.dropsNudgeAtRestart])
        #expect(listening.state(0)["nudgeMessage"] == nil && listening.state(0)["capturedCount"] == 3)
        let anew = try replacing(defects: [.restartsDuration])
        #expect(anew.state(0)["sessionDuration"] == 0)
        let unix = try replacing(defects: [.unixStartTime])
        #expect(unix.aps(0).at(pointer: "/attributes/startTime")?.double == Double(unix.stamp(0)!))
    }

    @Test func defectsOfTheOldCard() throws {
        let early = try replacing(defects: [.endsBeforeAdoption])
        #expect(early.seen == ["start p1", "end a1 ?"])
        let both = try replacing(defects: [.keepsReplacedCard])
        Say.register(both, "a2")
        #expect(both.seen == ["start p1"])
        let word = try replacing(defects: [.sendsRestartNeeded])
        #expect(word.aps(0)["event"] == "restart-needed" && Say.starts(word).isEmpty)
        let obedient = try replacing(defects: [.obeysLateRegistration])
        Say.register(obedient, "a2")
        Say.register(obedient, "a1")
        obedient.forgetSeen()
        try Say.update(obedient, #""pagesRead":8"#)
        #expect(obedient.seen == ["update a1 ?"])
        let old = try Say.running(defects: [.restartsByOldToken])
        old.device(start: "p2")
        Say.passAge(old, Self.age)
        #expect(Say.starts(old).map(\.token) == ["p1"])
    }
}
