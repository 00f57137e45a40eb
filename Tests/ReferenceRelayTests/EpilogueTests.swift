import Basics
import Pushes
import Testing

@testable import ReferenceRelay

/// The dialect epilogue: what is told, and what a card shows of it (claims R4).
@Suite struct EpilogueTests {
    private typealias Say = EpilogueRig

    private func last(_ rig: Rig) -> JSONValue { rig.state(rig.attempts.count - 1) }

    /// What is said behind a start that APNs refuses is held for the activity that the app then begins itself.
    @Test(arguments: [(410, "Unregistered"), (400, "BadDeviceToken")])
    func whatARefusedStartSaidIsHeld(status: Int, reason: String) throws {
        let rig = EpilogueRig.rig()
        rig.answer = { _ in Rig.refusal(status, reason) }
        try EpilogueRig.start(rig, #","bookTitle":"Emma""#)
        rig.answer = { _ in Rig.accepted }
        rig.pass(.seconds(100))
        let ticket = EventTicket()
        var event = try EpilogueTransport.event(
            .progress, Array(#"{"secret":"x","sessionID":"s1","pagesRead":7}"#.utf8).span, at: rig.time.wall())
        event.secret = Rig.secret
        rig.core.handle(event, ticket: ticket, now: rig.now)
        #expect(ticket.refusal == nil)
        rig.forgetSeen()
        EpilogueRig.register(rig, "a1")
        #expect(rig.seen == ["update a1 ?"])
        #expect(rig.state(0)["bookTitle"] == "Emma" && rig.state(0)["pagesRead"] == 7)
        #expect(rig.state(0)["sessionDuration"] == 100)
    }

    /// The next start is the first, and says all that was said before.
    @Test func aStartBehindARefusedOneIsSent() throws {
        let rig = EpilogueRig.rig()
        rig.answer = { _ in Rig.refusal(403, "Forbidden") }
        try EpilogueRig.start(rig, #","bookTitle":"Emma""#)
        rig.answer = { _ in Rig.accepted }
        rig.forgetSeen()
        try EpilogueRig.start(rig)
        #expect(rig.seen == ["start p1"] && rig.state(0)["bookTitle"] == "Emma")
    }

    @Test func aStartShowsTheBeginning() throws {
        let rig = Say.rig()
        try Say.start(rig, #","bookTitle":"Emma","startTime":795312000"#)
        #expect(rig.seen == ["start p1"])
        let aps = rig.aps(0)
        #expect(aps["attributes-type"] == "AmbientActivityAttributes")
        #expect(aps.at(pointer: "/attributes/startTime")?.double == 795_312_000)
        #expect(aps["input-push-token"] == 1 && aps.at(pointer: "/alert/body") != nil)
        #expect(rig.state(0)["bookTitle"] == "Emma" && rig.state(0)["isListening"] == true)
        #expect(rig.state(0)["nudgeMessage"] == nil)
        #expect(Rig.payload(rig.attempts[0])["eventID"] == "[e]")
    }

    @Test func whatIsLeftOutStaysAndNullTakesAway() throws {
        let rig = try Say.running()
        try Say.update(rig, #""nudgeMessage":"Wake up","nudgeIcon":"moon""#)
        #expect(last(rig)["nudgeMessage"] == "Wake up" && last(rig)["capturedCount"] == 3)
        try Say.update(rig, #""nudgeMessage":null,"isListening":false"#)
        #expect(last(rig)["nudgeMessage"] == nil && last(rig)["nudgeIcon"] == "moon")
        #expect(last(rig)["isListening"] == false)
        // Captures never fall; pages are turned both ways.
        try Say.update(rig, #""capturedCount":1,"pagesRead":2"#)
        #expect(last(rig)["capturedCount"] == 3 && last(rig)["pagesRead"] == 2)
    }

    @Test func aNudgeIsToldAtOnce() throws {
        let rig = try Say.running()
        try Say.tell(rig, .progress, #","pagesRead":5"#)
        rig.forgetSeen()
        try Say.tell(rig, .progress, #","nudgeMessage":"Wake up""#)
        #expect(rig.attempts.map(\.priority) == ["10"])
    }

    @Test func aStartOfWhatRunsIsNothing() throws {
        let (honest, broken) = (try Say.running(), try Say.running(defects: [.startsRunningSessions]))
        for rig in [honest, broken] {
            rig.forgetSeen()
            try Say.start(rig)
        }
        #expect(honest.seen.isEmpty && broken.seen == ["start p1"])
    }

    @Test func aLongTranscriptIsCutSoThatItFits() throws {
        let text = String(repeating: "Emma Woodhouse, handsome, clever and rich. ", count: 120)
        for defects in [[], [.uncutTranscripts]] as [Set<Defect>] {
            let rig = try Say.running(defects: defects)
            try Say.update(rig, #""lastTranscript":"\#(text)""#)
            let size = try #require(rig.attempts.last).payload.count
            #expect(defects.isEmpty ? size < 1_000 : size > 4_096)
        }
    }

    @Test func theSessionsTimeIsThatOfThePush() throws {
        let rig = try Say.running()
        rig.pass(.seconds(3_600))
        try Say.update(rig, #""pagesRead":9"#)
        let first = try #require(rig.state(0)["sessionDuration"]?.double)
        let now = try #require(last(rig)["sessionDuration"]?.double)
        #expect(first == 0 && (3_600...3_700).contains(now))
    }

    @Test func aDefectCountsFromWhenTheIDWasFirstUsed() throws {
        func told(_ session: String, at second: Int64, _ lives: FirstLives?) throws -> Int64? {
            let text = #"{"secret":"x","sessionID":"\#(session)"}"#
            let event = try EpilogueTransport.event(.start, Array(text.utf8).span, at: WallTime(seconds: second), lives)
            return (event.content.state(after: nil) as? EpilogueState)?.startedAt
        }
        let lives = FirstLives()
        #expect(try told("s1", at: 100, lives) == 100 && told("s1", at: 200, lives) == 100)
        #expect(try told("s2", at: 300, lives) == 300 && told("s1", at: 400, nil) == 400)
    }

    @Test func theEndGoesAfterFiveSeconds() throws {
        let rig = try Say.running()
        try Say.tell(rig, .complete)
        let aps = rig.aps(rig.attempts.count - 1)
        #expect(aps["event"] == "end" && aps.at(pointer: "/content-state/isListening") == false)
        #expect(aps["dismissal-date"]?.int == rig.stamp(rig.attempts.count - 1)! + 5)
    }

    @Test func aLongTranscriptIsCut() throws {
        let rig = try Say.running()
        try Say.update(rig, #""lastTranscript":"\#(String(repeating: "漢", count: 4_000))""#)
        let shown = try #require(last(rig)["lastTranscript"]?.string)
        #expect(shown.count == 200 && shown.hasSuffix("…"))
        #expect(rig.attempts.last!.payload.count < 4_096)
    }

    @Test(
        arguments: [
            #""capturedCount":-1"#, #""pagesRead":1.5"#, #""isListening":"yes""#, #""lastTranscript":null"#,
            #""bookTitle":7"#, #""startTime":"2026-01-01""#, #""startTime":-1"#,
        ])
    func whatTheAppCouldNotShowIsRefused(content: String) {
        #expect(throws: InvalidBody.self) { try Say.tell(Say.rig(), .progress, "," + content) }
    }

    @Test func aStateOutlivesItsProcess() throws {
        var state = EpilogueState(eventID: "e", startedAt: 7)
        state.bookTitle = "Emma"
        state.nudgeMessage = "Wake up"
        state.capturedCount = 4
        state.isListening = false
        let again = try #require(EpilogueState(stored: state.stored))
        #expect(again.stored == state.stored && again.startedAt == 7 && again.nudgeMessage == "Wake up")
    }
}

/// A relay of the dialect, and what an app says to it.
enum EpilogueRig {
    static let after = ReplacementPolicy().after
    static let within = ReplacementPolicy().within

    static func rig(time: ManualTime = ManualTime(), seed: UInt64 = 1, defects: Set<Defect> = []) -> Rig {
        let rig = Rig(hosts: 1, time: time) {
            $0.dialect = .epilogue
            $0.defects = defects
            $0.seed = Seed(seed)
        }
        rig.device(start: "p1")
        return rig
    }

    static func start(_ rig: Rig, _ more: String = "", session: String = "s1") throws {
        try tell(rig, .start, more, session: session)
    }

    static func tell(_ rig: Rig, _ type: EventType, _ more: String = "", session: String = "s1") throws {
        let text = #"{"secret":"x","sessionID":"\#(session)","eventID":"[e]"\#(more)}"#
        var event = try EpilogueTransport.event(type, Array(text.utf8).span, at: rig.time.wall())
        event.secret = Rig.secret
        rig.core.handle(event, ticket: EventTicket(), now: rig.now)
        rig.settle()
    }

    static func update(_ rig: Rig, _ content: String) throws {
        try tell(rig, .progress, "," + content)
        rig.pass(.seconds(11))
    }

    /// `bornAt`: as the app has it of its activity's attributes.
    static func register(_ rig: Rig, _ token: String, bornAt: WallTime? = nil) {
        var registration = ActivityRegistration(secret: Rig.secret, sessionID: "s1", token: token)
        registration.bornAt = bornAt
        #expect(rig.core.register(registration, now: rig.now) == nil)
        rig.settle()
    }

    /// Started, registered a second later, and with something to show.
    static func running(seed: UInt64 = 1, defects: Set<Defect> = []) throws -> Rig {
        let rig = rig(seed: seed, defects: defects)
        try start(rig, #","bookTitle":"Emma""#)
        rig.pass(.seconds(1))
        register(rig, "a1")
        try update(rig, #""capturedCount":3,"lastTranscript":"Handsome, clever","nudgeMessage":"Go on""#)
        return rig
    }

    /// As of the start push; the first 12 s of which `running` has used.
    static func passAge(_ rig: Rig, _ age: Interval) { rig.pass(age - .seconds(12)) }

    static func starts(_ rig: Rig) -> [Push] {
        rig.attempts.filter { if case .start(_, let attempt, _) = $0.target { attempt.replaces != nil } else { false } }
    }
}
