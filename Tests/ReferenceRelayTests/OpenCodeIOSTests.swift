import Basics
import Pushes
import Testing

@testable import ReferenceRelay

/// The dialect opencode-ios: states that are told piece by piece (claims R2).
@Suite struct OpenCodeIOSTests {
    private func rig(start: String? = "p1", defects: Set<Defect> = []) -> Rig {
        let rig = Rig(hosts: 1) {
            $0.dialect = .opencodeIOS
            $0.defects = defects
        }
        rig.device(start: start)
        return rig
    }

    /// What is said beside the ids.
    @discardableResult
    private func say(_ rig: Rig, _ type: String, _ more: String = "", session: String = "s1") throws -> EventTicket {
        let text = #"{"secret":"x","eventType":"\#(type)","sessionID":"\#(session)","eventID":"[e]"\#(more)}"#
        var event = try OpenCodeIOSDialect(defects: rig.core.options.defects).event(Array(text.utf8).span)
        event.secret = Rig.secret
        let ticket = EventTicket()
        rig.core.handle(event, ticket: ticket, now: rig.now)
        rig.settle()
        return ticket
    }

    private func progress(_ rig: Rig, _ state: String) throws {
        try say(rig, "progress", #","contentState":{\#(state)}"#)
        rig.pass(.seconds(11))
    }

    /// Started, registered, and at 0.6.
    private func running(defects: Set<Defect> = []) throws -> Rig {
        let rig = rig(defects: defects)
        try say(rig, "start", #","sessionType":"Build Process""#)
        rig.activity()
        try progress(rig, #""status":"Building","progress":0.6,"currentFile":"a.swift","operationCount":3"#)
        return rig
    }

    private func last(_ rig: Rig) -> JSONValue { rig.state(rig.attempts.count - 1) }

    private func texts(_ state: JSONValue) -> [String] {
        ["status", "progress", "currentFile", "operationCount", "statusEmoji"].map { state[$0]?.text ?? "-" }
    }

    @Test(arguments: [[], [Defect.countsOnInNextTurn]])
    func theNextTurnBeginsAnew(defects: Set<Defect>) throws {
        let rig = try running(defects: defects)
        try say(rig, "complete")
        rig.pass(.seconds(11))
        rig.forgetSeen()
        try say(rig, "start")
        #expect(rig.seen == ["start p1"])
        #expect(texts(rig.state(0)) == [#""Initializing""#, "0.0", "null", defects.isEmpty ? "0" : "3", #""🚀""#])
    }

    @Test func aStartShowsTheBeginning() throws {
        let rig = rig()
        try say(rig, "start", #","sessionType":"Build Process""#)
        #expect(rig.seen == ["start p1"])
        #expect(texts(rig.state(0)) == [#""Initializing""#, "0.0", "null", "0", #""🚀""#])
        let aps = rig.aps(0)
        #expect(aps["attributes-type"] == "SessionActivityAttributes")
        #expect(aps.at(pointer: "/attributes/sessionID") == "s1")
        #expect(aps.at(pointer: "/attributes/sessionType") == "Build Process")
        #expect(aps.at(pointer: "/attributes/startTime")?.double == Double(rig.stamp(0)! - 978_307_200))
        #expect(aps["input-push-token"] == 1 && aps["alert"] != nil)
        #expect(Rig.payload(rig.attempts[0])["eventID"] == "[e]")
    }

    @Test func aTimeThatIsGivenIsPassedOn() throws {
        let rig = rig()
        try say(rig, "start", #","startTime":795312000.5"#)
        #expect(rig.aps(0).at(pointer: "/attributes/startTime")?.double == 795_312_000.5)
    }

    @Test func whatIsLeftOutStays() throws {
        let rig = try running()
        try progress(rig, #""currentFile":"b.swift""#)
        #expect(texts(last(rig)) == [#""Building""#, "0.6", #""b.swift""#, "3", #""🔨""#])
        try progress(rig, #""currentFile":null"#)
        #expect(texts(last(rig)) == [#""Building""#, "0.6", "null", "3", #""🔨""#])
        // Nor does anything fall.
        try progress(rig, #""progress":0.2,"operationCount":1"#)
        #expect(texts(last(rig)) == [#""Building""#, "0.6", "null", "3", #""🔨""#])
    }

    @Test func whatIsThrottledIsMerged() throws {
        let rig = try running()
        for state in [#""progress":0.7"#, #""currentFile":"c""#, #""operationCount":4"#, #""status":"Completing""#] {
            try say(rig, "progress", #","contentState":{\#(state)}"#)
        }
        rig.pass(.seconds(11))
        #expect(texts(last(rig)) == [#""Completing""#, "0.7", #""c""#, "4", #""🏁""#])
        #expect(rig.attempts.count == 4)
    }

    @Test func goingToTheBackgroundIsToldAtOnce() throws {
        let rig = try running()
        try progress(rig, #""progress":0.65"#)
        rig.forgetSeen()
        try say(rig, "background")
        #expect(rig.seen == ["update a1 Running in background"])
        #expect(texts(rig.state(0)) == [#""Running in background""#, "0.65", #""a.swift""#, "3", #""💻""#])
        #expect(rig.attempts[0].priority == "5")
    }

    @Test func anEndCompletesAndAnErrorDoesNot() throws {
        let done = try running()
        try say(done, "complete")
        #expect(done.seen.last == "end a1 Completed")
        #expect(texts(last(done)) == [#""Completed""#, "1.0", "null", "3", #""✅""#])
        #expect(done.aps(done.attempts.count - 1)["dismissal-date"] == nil)
        let failed = try running()
        try say(failed, "error")
        #expect(failed.seen.last == "end a1 Error")
        #expect(texts(last(failed)) == [#""Error""#, "0.6", #""a.swift""#, "3", #""❌""#])
    }

    @Test func whatRunsIsNotStarted() throws {
        let rig = rig()
        try say(rig, "start")
        try say(rig, "start")
        rig.activity()
        try progress(rig, #""progress":0.5"#)
        try say(rig, "start")
        rig.pass(.seconds(11))
        #expect(rig.seen == ["start p1", "update a1 Initializing"])
        #expect(last(rig)["progress"] == 0.5)
    }

    @Test func aStartThatWasRefusedHasStartedNothing() throws {
        let rig = rig()
        rig.answer = { _ in Rig.refusal(400, "BadTopic") }
        try say(rig, "start")
        rig.answer = { _ in Rig.accepted }
        #expect(try say(rig, "progress", #","contentState":{"progress":0.5}"#).refusal != nil)
        try say(rig, "start")
        #expect(rig.seen == ["start p1", "start p1"])
        rig.activity()
        try progress(rig, #""status":"Active""#)
        #expect(texts(last(rig)) == [#""Active""#, "0.0", "null", "0", #""⚡""#])
    }

    @Test func withoutATokenItSaysSoAndSendsNothing() throws {
        let rig = rig(start: nil)
        for type in ["start", "progress", "background", "complete", "error"] {
            guard case .noToken = try say(rig, type).refusal else {
                Issue.record("\(type) was taken")
                continue
            }
        }
        #expect(rig.attempts.isEmpty)
        // A phone that started its activity itself has a token for it.
        rig.activity()
        #expect(try say(rig, "progress").refusal == nil)
        // What is over is no news; that it cannot begin again is.
        try say(rig, "complete")
        #expect(try say(rig, "complete").refusal == nil)
        #expect(try say(rig, "start").refusal != nil)
    }

    @Test func aRelaunchedAppGoesOn() throws {
        let rig = try running()
        rig.activity()
        try progress(rig, #""currentFile":"b""#)
        #expect(last(rig)["progress"] == 0.6)
        #expect(rig.seen.filter { $0.hasPrefix("start") }.count == 1)
    }

    /// The state is on disk with each event: the next process merges into it, however this one ended.
    @Test func aRestartedRelayGoesOn() throws {
        let rig = try running()
        let next = Rig(hosts: 1, time: rig.time) { $0.dialect = .opencodeIOS }
        next.core.restore(rig.rows, now: next.now)
        next.settle()
        next.pass(.seconds(11))
        #expect(next.seen.isEmpty)
        try progress(next, #""currentFile":"b""#)
        #expect(texts(last(next)) == [#""Building""#, "0.6", #""b""#, "3", #""🔨""#])
        try say(next, "complete")
        #expect(next.writes.contains(.deleteHeld(Rig.secret, sessionID: "s1")))
    }

    @Test(arguments: ["a", "é", "漢", "🍎", "\u{1}", "\"", "\\"])
    func aLongPathIsCut(character: String) throws {
        let rig = try running()
        let path = JSONValue.string(String(repeating: character, count: 3_000)).text
        try progress(rig, #""currentFile":\#(path)"#)
        #expect(rig.attempts.last!.payload.count <= 4_096)
        let shown = try #require(last(rig)["currentFile"]?.string)
        #expect((shown.hasSuffix("…") || shown.count == 3_000) && shown.count >= 200)
    }

    @Test(
        arguments: [
            #""progress":1.1"#, #""progress":-0.1"#, #""progress":"1""#, #""operationCount":-1"#, #""operationCount":1.5"#,
            #""status":"""#, #""status":null"#, #""currentFile":3"#,
        ])
    func whatTheAppCouldNotShowIsRefused(state: String) {
        #expect(throws: InvalidBody.self) { try say(rig(), "progress", #","contentState":{\#(state)}"#) }
    }

    @Test func otherDialectsEventsAreRefused() {
        #expect(throws: InvalidBody.self) { try say(rig(), "permission") }
        let background = #"{"secret":"x","eventType":"background","sessionID":"s1"}"#
        #expect(throws: InvalidBody.self) { try Requests.event(Array(background.utf8).span) }
    }

    /// A path of one byte to a character fills it to the last byte; a defect goes one further.
    @Test(arguments: [([], 4_096), ([.cutsOneOver], 4_097), ([.uncutPaths], 5_000)] as [(Set<Defect>, Int)])
    func aPathFillsThePayload(defects: Set<Defect>, bytes: Int) throws {
        let rig = try running(defects: defects)
        try progress(rig, #""currentFile":"\#(String(repeating: "x", count: 5_000))""#)
        let count = rig.attempts.last!.payload.count
        #expect(defects == [.uncutPaths] ? count > bytes : count == bytes)
    }

    // MARK: - Defects

    @Test(arguments: [([], "b"), ([.losesCoalescedValues], "a.swift")] as [(Set<Defect>, String)])
    func aDefectForgetsWhatWaits(defects: Set<Defect>, file: String) throws {
        let rig = try running(defects: defects)
        try say(rig, "progress", #","contentState":{"progress":0.7}"#)
        try say(rig, "progress", #","contentState":{"currentFile":"b"}"#)
        try say(rig, "progress", #","contentState":{"progress":0.8}"#)
        rig.pass(.seconds(11))
        #expect(last(rig)["progress"] == 0.8 && last(rig)["currentFile"]?.string == file)
    }

    @Test(arguments: [([], "1"), ([.losesHeldValues], "0")] as [(Set<Defect>, String)])
    func aDefectForgetsWhatWasHeld(defects: Set<Defect>, count: String) throws {
        let rig = rig(defects: defects)
        try say(rig, "start")
        try say(rig, "progress", #","contentState":{"operationCount":1}"#)
        try say(rig, "progress", #","contentState":{"progress":0.1}"#)
        rig.activity()
        #expect(last(rig)["operationCount"]?.text == count && last(rig)["progress"] == 0.1)
    }

    @Test(arguments: [([], "null"), ([.keepsClearedFile], #""a.swift""#)] as [(Set<Defect>, String)])
    func aDefectKeepsAFile(defects: Set<Defect>, file: String) throws {
        let rig = try running(defects: defects)
        try progress(rig, #""currentFile":null"#)
        #expect(last(rig)["currentFile"]?.text == file)
    }

    /// Merged while the window is closed; the same where it is open is as it should be.
    @Test(
        arguments: [
            (.keepsFileWhileThrottled, #""currentFile":null"#, "currentFile", "null", #""a.swift""#),
            (.lowersThrottledProgress, #""progress":0.5"#, "progress", "0.7", "0.5"),
        ] as [(Defect, String, String, String, String)])
    func aDefectShowsInAClosedWindow(defect: Defect, state: String, key: String, right: String, wrong: String) throws {
        for (defects, isOpen, wanted) in [([] as Set, false, right), ([defect], false, wrong), ([defect], true, right)] {
            let rig = try running(defects: defects)
            try say(rig, "progress", #","contentState":{"progress":0.7}"#)
            if isOpen { rig.pass(.seconds(11)) }
            try progress(rig, state)
            #expect(last(rig)[key]?.text == wanted, "\(defects)")
        }
    }

    @Test(arguments: [([], "null"), ([.keepsFileWhileHeld], #""b""#)] as [(Set<Defect>, String)])
    func aDefectKeepsAFileBeforeTheToken(defects: Set<Defect>, file: String) throws {
        let rig = rig(defects: defects)
        try say(rig, "start")
        try say(rig, "progress", #","contentState":{"currentFile":"b"}"#)
        try say(rig, "progress", #","contentState":{"currentFile":null}"#)
        rig.activity()
        #expect(last(rig)["currentFile"]?.text == file)
    }

    @Test(arguments: [([], "4"), ([.losesPendingAtEnd], "3")] as [(Set<Defect>, String)])
    func aDefectForgetsAtTheEndWhatWaits(defects: Set<Defect>, count: String) throws {
        let rig = try running(defects: defects)
        try say(rig, "progress", #","contentState":{"progress":0.7}"#)
        try say(rig, "progress", #","contentState":{"operationCount":4}"#)
        try say(rig, "complete")
        #expect(last(rig)["operationCount"]?.text == count && last(rig)["progress"]?.text == "1.0")
    }

    @Test(arguments: [([], "Running in background"), ([.forgetsBackground], "Building")] as [(Set<Defect>, String)])
    func aDefectGoesBackToTheFront(defects: Set<Defect>, status: String) throws {
        let rig = try running(defects: defects)
        try say(rig, "background")
        try progress(rig, #""progress":0.7"#)
        #expect(last(rig)["status"]?.string == status)
        try progress(rig, #""status":"Syncing""#)
        #expect(last(rig)["status"]?.string == "Syncing")
    }

    @Test func aDefectMovesDatesOrTakesWhatItDoesNotKnow() throws {
        let now = Double(rig().now.wall.seconds - 978_307_200)
        for (defects, shift) in [([] as Set<Defect>, 0.0), ([.misdatesStart], 31_536_000)] {
            let rig = rig(defects: defects)
            try say(rig, "start")
            #expect(rig.aps(0).at(pointer: "/attributes/startTime")?.double == now - shift)
        }
        let redated = rig(defects: [.redatesStart])
        try say(redated, "start", #","startTime":795312000.5"#)
        #expect(redated.aps(0).at(pointer: "/attributes/startTime")?.double == 0)
        let ended = try running(defects: [.dismissesAtOnce])
        try say(ended, "complete")
        #expect(ended.aps(ended.attempts.count - 1)["dismissal-date"] != nil)
        let lingering = rig(defects: [.failedStartLingers])
        lingering.answer = { _ in Rig.refusal(400, "BadTopic") }
        try say(lingering, "start")
        #expect(try say(lingering, "progress").refusal == nil)
        let credulous = rig(defects: [.takesUnknownSessions])
        #expect(try say(credulous, "progress").refusal == nil && credulous.attempts.isEmpty)
    }

    @Test(
        arguments: [
            (.startsActive, "start", #""status":"Active""#), (.isoStartTime, "start", #""startTime":""#),
            (.manglesEmoji, "start", "ð\u{9F}\u{9A}\u{80}"), (.resetsCountAtEnd, "complete", #""operationCount":0"#),
            (.hidesError, "error", "Completed"),
        ] as [(Defect, String, String)])
    func aDefectShowsInOnePush(defect: Defect, type: String, text: String) throws {
        for (defects, isSeen) in [([] as Set, false), ([defect] as Set, true)] {
            let rig = type == "start" ? rig(defects: defects) : try running(defects: defects)
            try say(rig, type)
            #expect(String(decoding: rig.attempts.last!.payload, as: UTF8.self).contains(text) == isSeen)
        }
    }

    @Test(
        arguments: [
            (.resetsOmitted, #""currentFile":"b""#, "0.0"), (.lowersProgress, #""progress":0.5"#, "0.5"),
            (.forgetsAtRelaunch, #""currentFile":"b""#, "0.0"),
        ] as [(Defect, String, String)])
    func aDefectLosesProgress(defect: Defect, state: String, shown: String) throws {
        for (defects, wanted) in [([] as Set, "0.6"), ([defect] as Set, shown)] {
            let rig = try running(defects: defects)
            rig.activity()
            try progress(rig, state)
            #expect(last(rig)["progress"]?.text == wanted)
        }
    }

    @Test func aDefectStartsOrSendsOrKeepsSilent() throws {
        let beside = try running(defects: [.startsWhileActive])
        try say(beside, "start")
        #expect(beside.seen.last == "start p1")
        let counted = rig(defects: [.failedStartCounts])
        counted.answer = { _ in Rig.refusal(400, "BadTopic") }
        try say(counted, "start")
        try say(counted, "start")
        #expect(counted.seen == ["start p1"])
        let deaf = try running(defects: [.ignoresBackground])
        let count = deaf.attempts.count
        try say(deaf, "background")
        #expect(deaf.attempts.count == count)
        let blind = rig(start: nil, defects: [.sendsToDeviceToken])
        #expect(try say(blind, "progress").refusal == nil)
        #expect(blind.seen == ["update d1 Initializing"])
        let uncut = try running(defects: [.uncutPaths])
        try progress(uncut, #""currentFile":"\#(String(repeating: "x", count: 5_000))""#)
        #expect(uncut.attempts.last!.payload.count > 4_096)
    }
}
