import Basics
import Testing

@testable import ReferenceRelay

/// What is known of an activity whose token died outlives the process (R4.3, R4.5, R0.18).
@Suite struct DeadCardTests {
    private typealias Say = EpilogueRig

    private static let age = EpilogueRig.after + EpilogueRig.within

    private func restarted(_ rig: Rig, _ dialect: RelayDialect = .epilogue, isDrained: Bool = false) -> Rig {
        if isDrained {
            rig.core.leaveHeldStates()
            rig.settle()
        }
        let next = Rig(hosts: 1, time: rig.time) { $0.dialect = dialect }
        next.core.restore(rig.rows, now: next.now)
        next.settle()
        return next
    }

    /// An update that met a dead token, behind `time` of the session.
    private func dead(at time: Interval = .seconds(3_600), reason: String = "Unregistered") throws -> Rig {
        let rig = try Say.running()
        rig.pass(time)
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, reason) : Rig.accepted }
        try Say.update(rig, #""pagesRead":8"#)
        #expect(rig.rows.activities.isEmpty && rig.rows.dead.map(\.token) == ["a1"])
        return rig
    }

    @Test(arguments: [false, true])
    func whatIsOwedLeavesWithTheNextTokenBehindARestart(isDrained: Bool) throws {
        let next = restarted(try dead(), isDrained: isDrained)
        next.pass(.seconds(60))
        #expect(next.seen == [])
        Say.register(next, "a1b")
        try #require(next.seen == ["update a1b ?"] && next.rows.dead.isEmpty)
        let state = next.state(0)
        #expect(state["bookTitle"] == "Emma" && state["capturedCount"] == 3 && state["pagesRead"] == 8)
        #expect(try #require(state["sessionDuration"]?.int) > 3_600)
        try Say.update(next, #""pagesRead":9"#)
        try #require(next.seen.count == 2)
        #expect(next.state(1)["bookTitle"] == "Emma" && next.state(1)["pagesRead"] == 9)
    }

    @Test func whatIsSaidBeforeTheNextTokenBuildsOnIt() throws {
        let next = restarted(try dead())
        try Say.update(next, #""capturedCount":4"#)
        #expect(next.seen == [])
        Say.register(next, "a1b")
        try #require(next.seen == ["update a1b ?"])
        #expect(next.state(0)["pagesRead"] == 8 && next.state(0)["capturedCount"] == 4)
    }

    @Test(arguments: [("Unregistered", 1), ("ExpiredToken", 0)])
    func theAgeOutlivesTheTokenAndTheRelay(reason: String, starts: Int) throws {
        let next = restarted(try dead(reason: reason))
        Say.register(next, "a1b")
        next.pass(Self.age - .seconds(3_600))
        #expect(Say.starts(next).count == starts)
    }

    /// The start of a successor is out: the next token is its, and nothing is started again.
    @Test(arguments: [false, true])
    func theSuccessorOfADeadOneIsKnownBehindARestart(isFollowedBefore: Bool) throws {
        let rig = try dead(at: Self.age)
        #expect(rig.rows.starts.map(\.out) == [1])
        if isFollowedBefore { Say.register(rig, "a2") }
        let next = restarted(rig)
        if !isFollowedBefore { Say.register(next, "a2") }
        next.pass(Self.age * 0.9)
        #expect(Say.starts(next).isEmpty && !next.seen.contains("end a2 ?"))
        let all = rig.writes + next.writes
        #expect(all.contains(.deleteStarts(Rig.secret, sessionID: "s1", deviceID: nil)))
    }

    @Test func aSessionThatIsOverLeavesNoDeadBehind() throws {
        let rig = try dead()
        let next = restarted(rig)
        for rig in [rig, next] {
            try Say.tell(rig, .complete)
            #expect(rig.writes.contains(.deleteDead(Rig.secret, sessionID: "s1", token: "a1")))
        }
    }

    /// Of two phones the one whose token lives has seen it.
    @Test func aDrainedProcessLeavesItForTheDeadAlone() throws {
        let rig = Rig(hosts: 1)
        rig.device("d1")
        rig.device("d2")
        rig.activity("a1")
        rig.activity("a2")
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.permission, "may I?")
        let next = restarted(rig, .opencode, isDrained: true)
        next.pass(.seconds(20))
        #expect(next.seen == [])
        next.activity("a3")
        try #require(next.seen == ["update a3 permission"])
        #expect(next.message(0) == "may I?")
    }

    /// A row of a table that apps keep themselves follows none, in the next process either.
    @Test func aTokenRowFollowsNoneThatDied() throws {
        let rig = try dead()
        let row = ActivityRegistration(secret: Rig.secret, sessionID: "s1", token: "b1")
        #expect(rig.core.addToken(row, now: rig.now) == nil)
        rig.settle()
        #expect(rig.rows.dead.isEmpty && rig.rows.activities.map(\.token) == ["b1"])
    }
}
