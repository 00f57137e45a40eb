// What `pushrig replay` makes of a recorded run: the part that is played, the check of its plan, the verdict beside it.

import Basics
import Conformance
import Faults
import Foundation
import HTTP
import Journal
import OperatingSystem
import Planning
import Pushes
import Scenarios
import Testing
import Verdicts

@testable import Harness

/// A run of some sessions, as far as a replay looks at it: its plan, calls that were made on time, pushes that faults met.
struct RecordedHistory {
    static let origin = Instant(nanoseconds: 5_000_000_000)
    static let text = """
        name: recorded
        relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1" }
        workload:
          arrivals: [{ rate: 0.5, for: 20s }]
          scripts: [{ script: sessions/S0-happy.yaml }]
        faults:
          - { id: shared, at: 30s, action: { respond: { reason: TooManyRequests } }, times: 5, after: 1 }
          - { id: others, at: 30s, action: { respond: { reason: TooManyRequests } }, times: 5 }
          - { id: each, at: 30s, action: { respond: { reason: TooManyRequests } }, times: 1, per: token }
        gates: [lost == 0]
        """

    let directory: String
    let plan: Plan
    private(set) var note: PlanNote

    /// `late`: how far calls of session 3 stand from their plan.
    init(_ folder: String, late: Interval = .zero, _ turn: (inout PlanNote) -> Void = { _ in }) throws {
        let scenario = try Scenario.parse(
            text: Self.text, path: Place.root + "/Scenarios/recorded.yaml", searchPath: [Place.root + "/Scenarios"])
        plan = Plan(scenario: scenario, seed: Seed(7), run: 0x1a2b_3c4d)
        var note = PlanNote(
            files: scenario.sources.map { PlanNote.File(path: $0.path, text: $0.text) }, gates: ["late == 0"], seed: 7,
            run: plan.run, digest: plan.digest(), toolVersion: "0.0.1")
        turn(&note)
        (self.note, directory) = (note, folder)
        let time = ManualTime()
        let run = try JournalWriter(directory: folder + "/journal", name: "run", time: time)
        let load = try JournalWriter(directory: folder + "/journal", name: "load-0", time: time)
        let mock = try JournalWriter(directory: folder + "/journal", name: "apns-0", time: time)
        run.append(.plan(note), at: Self.origin - .seconds(1))
        run.append(.phase("measure"), at: Self.origin)
        load.append(note: .kinds, text: JSONValue.array(plan.kinds.map { .string($0) }).text, at: Self.origin)
        for number in 0..<3 {
            let given = FaultNote(number: number, rule: UInt32(number) + 10, label: "429")
            run.append(.faultGiven(given), at: Self.origin + .seconds(30))
        }
        for event in plan.events(ofSession: 3) {
            let at = Self.origin + event.at + late
            load.append(
                event: EventDraft(
                    session: 3, step: event.step, kind: UInt16(event.call), plannedAt: at, sentAt: at,
                    answeredAt: at + .milliseconds(1), status: 200))
        }
        // Of session 3: one passes, two are met; of session 4 others.
        for (session, second, rule) in [(3, 31.0, 0), (3, 32, 10), (4, 33, 10), (4, 33, 11), (3, 34, 10)] {
            Self.push(mock, plan, UInt32(session), at: Self.origin + .seconds(second), rule: UInt32(rule))
        }
        guard run.commit(), load.commit(), mock.commit() else { throw Failure(.run, "cannot write") }
    }

    private static func push(_ mock: JournalWriter, _ plan: Plan, _ session: UInt32, at instant: Instant, rule: UInt32) {
        let head = HeaderBlock()
        head.append(":method", "POST")
        head.append(":path", "/3/device/" + plan.token(.activityToken, session: session))
        head.append("authorization", "bearer eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJURUFNIn0.c2lnbmF0dXJl")
        head.append("apns-push-type", "liveactivity")
        var draft = PushDraft(
            arrivedAt: instant, status: rule == 0 ? 200 : 429, reason: rule == 0 ? nil : "TooManyRequests",
            outcome: rule == 0 ? .shown : nil, faultRule: rule)
        let marker = Marker(run: plan.run, session: session, step: 3)
        let body = ByteBuffer()
        body.append(#"{"aps":{"alert":""#)
        marker.write(into: body)
        body.append(#""}}"#)
        draft.marker = marker
        _ = mock.append(push: draft, head: head, body: body.bytes)
    }
}

func withRecorded(
    late: Interval = .zero, _ turn: (inout PlanNote) -> Void = { _ in }, _ body: (RecordedHistory) throws -> Void
) throws {
    try Place.withFolder { try body(try RecordedHistory($0, late: late, turn)) }
}

@Suite("What is replayed of a recorded run")
struct ReplayTests {
    private func failure(_ body: () throws -> Void) -> Failure? {
        do { try body() } catch { return error as? Failure }
        return nil
    }

    @Test("is all of its plan, or one session with the faults that it met")
    func cut() throws {
        try withRecorded { history in
            #expect(try RecordedRun(history.directory, session: nil).cut == nil)
            let cut = try #require(try RecordedRun(history.directory, session: 3).cut)
            #expect(cut.users == [3] && cut.speed == 1 && cut.faults.count == 3)
            let token = history.plan.token(.activityToken, session: 3)
            #expect(cut.faults[0] == ReplayedFault(mayRest: true, tokens: [token], after: 1, times: 2))
            #expect(cut.faults[1] == ReplayedFault(isLeftOut: true))
            #expect(cut.faults[2] == ReplayedFault(mayRest: true))
            // Sessions begin each two seconds; the faults come later.
            #expect(cut.skipped == .seconds(5))
        }
    }

    @Test("is no session that there is none of, and no journal of a mock alone")
    func nothing() throws {
        try withRecorded { history in
            let missing = failure { _ = try RecordedRun(history.directory, session: 10) }
            #expect(missing?.kind == .usage && missing?.message == "the run in \(history.directory) has no session 10")
            #expect(missing?.hint?.hasPrefix("it has 10 sessions") == true)
            FileSystem.remove(history.directory + "/journal/run.journal")
            FileSystem.remove(history.directory + "/journal/load-0.journal")
            let mock = failure { _ = try RecordedRun(history.directory, session: nil) }
            #expect(mock?.kind == .usage && mock?.message.contains("holds no plan") == true)
        }
        #expect(failure { _ = try RecordedRun("/nowhere", session: nil) }?.message == "/nowhere holds no journal")
    }

    @Test("is refused where this version makes another plan, with the first call that differs")
    func otherPlan() throws {
        try withRecorded { try RecordedRun($0.directory, session: nil).check() }
        try withRecorded(late: .milliseconds(5), { $0.digest = "other" }) { history in
            let failure = failure { try RecordedRun(history.directory, session: nil).check() }
            let words = failure?.message ?? ""
            #expect(failure?.kind == .usage && words.contains("pushrig 0.0.1 recorded it"), "\(words)")
            #expect(words.contains("session 3 step 0, `registerDevice` at +6.005 s, is due at +6.000 s now"), "\(words)")
        }
        try withRecorded({ $0.digest = "other" }) { history in
            let words = failure { try RecordedRun(history.directory, session: nil).check() }?.message ?? ""
            #expect(words.contains("calls now, of another digest"), "\(words)")
        }
    }

    @Test("comes to the same when the same rules are red")
    func comparison() throws {
        let red = RecordedVerdict(exitCode: 4, word: "conformance broken", broken: ["new-token-used", "states-delivered"])
        #expect(red.isSame(as: RecordedVerdict(exitCode: 4, word: "", broken: ["states-delivered", "new-token-used"])))
        #expect(!red.isSame(as: RecordedVerdict(exitCode: 4, word: "", broken: ["states-delivered"])))
        #expect(!red.isSame(as: RecordedVerdict(exitCode: 4, word: "", broken: red.broken, breached: ["lost == 0"])))
        let green = RecordedVerdict(exitCode: 0, word: "passed", broken: [])
        let doubtful = RecordedVerdict(exitCode: 5, word: "inconclusive", broken: [])
        #expect(green.isSame(as: green) && !green.isSame(as: doubtful))
        let part = RecordedVerdict(exitCode: 0, word: "nothing of it broken", broken: [], isOfPart: true)
        #expect(part.isSame(as: green) && part.isSame(as: doubtful) && !part.isSame(as: red))
        #expect(try RecordedVerdict(JSONReading(red.json, of: "verdict")) == red)
        #expect(try RecordedVerdict(JSONReading(part.json, of: "verdict")) == part)
        #expect(red.words == "conformance broken (4): new-token-used, states-delivered" && green.words == "passed (0)")
    }

    @Test("says of what differs whether a race may have decided")
    func race() throws {
        try withRecorded { history in
            let record = try Verdicts.judge(history.directory)
            let now = RecordedVerdict(record)
            #expect(now.comparison(with: record, isStepped: false) == ["same verdict: \(now.words)"])
            var then = now
            then.broken = ["throttle-respected", "new-token-used"]
            let running = then.comparison(with: record, isStepped: false)
            #expect(running[0] == "another verdict" && running[1] == "  then: \(then.words)" && running[2] == "  now:  \(now.words)")
            let timing = "  throttle-respected was broken, and is not exercised: it turns on timing, so a race may have decided"
            #expect(running.contains(timing) && running.contains("  new-token-used was broken, and is not exercised"), "\(running)")
            then.broken = ["new-token-used"]
            #expect(then.comparison(with: record, isStepped: false).last?.hasPrefix("  the clock runs: ") == true)
            #expect(then.comparison(with: record, isStepped: true).last?.contains("clock runs") == false)
            let other = then.comparison(with: record, isStepped: false, isOther: true)
            #expect(other.last == "  relay or settings are others than those that were recorded")
        }
    }

    @Test("a relay of another kind is told by overrides, or in one line why not")
    func relay() throws {
        var options = ReplayOptions(path: "run")
        options.launch = ["./relay", "--port", "{{relay.port}}"]
        #expect(try options.relayOverrides().map { "\($0.path)=\($0.value)" } == [#"relay.launch=["./relay", "--port", "{{relay.port}}"]"#])
        options.relayURL = "http://127.0.0.1:8787"
        #expect(failure { _ = try options.relayOverrides() }?.hint == "give one of both")
        options.launch = []
        #expect(failure { _ = try options.relayOverrides() }?.hint?.contains("--mock-address") == true)
        options.mockAddress = "127.0.0.1:2197"
        #expect(
            try options.relayOverrides().map { "\($0.path)=\($0.value)" }
                == [#"relay.url="http://127.0.0.1:8787""#, "relay.launch=null", #"mock.apns="127.0.0.1:2197""#])
        options.relayURL = "127.0.0.1:8787"
        #expect(failure { _ = try options.relayOverrides() }?.message.hasPrefix("--relay is no URL") == true)
    }
}
