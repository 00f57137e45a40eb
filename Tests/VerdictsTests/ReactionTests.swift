// What sessions did beyond the plan is judged with it: a reaction's call makes tokens known, and pushes owed.

import Basics
import Conformance
import Journal
import Metrics
import Planning
import Pushes
import Testing
import Verdicts

@Suite("A reaction in the journal")
struct ReactionTests {
    private static let scenario = """
        name: synthetic
        relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1" }
        workload:
          arrivals: [{ rate: 1, for: 1s }]
          phones: {}
          scripts:
            - script:
                steps:
                  - call: registerDevice
                  - { call: start, after: 1s }
                  - { call: permission, after: 1s }
                  - { call: permission, after: 10s }
                reactions:
                  - { on: token, call: registerActivity, within: 5s }
        """
    private static let token = String(repeating: "ab", count: 80)

    /// The third event has had its turn when the phone tells its token; or it never does.
    private func note(cause: UInt64 = 7, after seconds: Double = 4) -> ReactionNote {
        ReactionNote(
            session: 0, step: EventNumber.reaction(1, after: 3), reaction: 0, event: .token, cause: cause,
            plannedAt: SyntheticRun.origin + .seconds(seconds), phone: 0, token: cause == 0 ? "" : Self.token)
    }

    /// The honest run with that reaction; `keeps` says which pushes to the phone's token are sent.
    private func judge(
        _ note: ReactionNote?, status: UInt16 = 200, failure: EventFailure? = nil, delay: Double = 0,
        phone: [(Double, String)] = [],
        keeps: (Sending) -> Bool = { _ in true }
    ) throws -> RunRecord {
        try withDirectory { directory in
            let run = try SyntheticRun(Self.scenario, directory: directory)
            let made = note.map { [MadeReaction($0)] } ?? []
            try run.write(spoil: { sendings, number in
                let account = run.plan.account(number: UInt32(number), origin: SyntheticRun.origin, reactions: made)
                sendings = run.sendings(of: account).compactMap { sending in
                    // Nobody knows its token.
                    if sending.row.flags.contains(.waitsInVain) { return nil }
                    guard sending.token.isEmpty else { return sending }
                    var sending = sending
                    sending.token = Self.token
                    sending.at = sending.at + .seconds(delay)
                    return keeps(sending) ? sending : nil
                }
            })
            if let note {
                let time = ManualTime()
                time.advance(by: .seconds(1))
                let writer = try JournalWriter(directory: directory + "/journal", name: "load-1", time: time)
                writer.append(note, at: note.plannedAt)
                if !note.isInVain {
                    writer.append(
                        event: EventDraft(
                            session: 0, step: note.step, kind: UInt16(run.plan.kinds.firstIndex(of: "registerActivity")!),
                            plannedAt: note.plannedAt, sentAt: note.plannedAt + .microseconds(100),
                            answeredAt: note.plannedAt + .milliseconds(2), status: status,
                            failure: failure?.rawValue ?? 0,
                            answer: failure == nil ? [] : Array("the phone has no token of that activity".utf8)))
                }
                #expect(writer.commit())
            }
            if !phone.isEmpty {
                let time = ManualTime()
                time.advance(by: .seconds(1))
                let writer = try JournalWriter(directory: directory + "/journal", name: "apns-1", time: time)
                for (number, (seconds, told)) in phone.enumerated() {
                    let text = #"{"event":\#(number + 1),"phone":"phone-0-1","app":"app","activity":1,\#(told)}"#
                    writer.append(note: .phone, text: text, at: SyntheticRun.origin + .seconds(seconds))
                }
                #expect(writer.commit())
            }
            return try Verdicts.judge(directory)
        }
    }

    @Test("makes known what it registers: held states are owed from then on, and those that follow")
    func registers() throws {
        let record = try judge(note())
        let c = record.correlation
        // A start, two alerts, and both questions on the card.
        #expect(c.expected == 5 && c.count(.delivered) == 5, "\(c.totals)")
        #expect(c.count(.unexpected) == 0 && c.count(.misdirected) == 0)
        #expect(record.exit.code == 0, "\(record.exit.reasons)")
        #expect(c.events == 5)
    }

    @Test("without it nothing of the card is owed")
    func without() throws {
        let c = try judge(nil).correlation
        #expect(c.expected == 3 && c.count(.delivered) == 3)
    }

    @Test("what the relay keeps from the token that it was told is lost")
    func lost() throws {
        let record = try judge(note()) { $0.row.step != 3 }
        #expect(record.correlation.count(.lost) == 1)
        #expect(record.correlation.examples[.lost]?.first?.step == 3)
        #expect(record.exit.code == 4, "\(record.exit.reasons)")
    }

    @Test("what its phone tells of a dismissed card explains what does not reach it")
    func dismissed() throws {
        let told = [
            (1.2, #""kind":"started""#), (3, #""kind":"token","token":"\#(Self.token)""#), (8, #""kind":"dismissed""#),
        ]
        let c = try judge(note(), phone: told) { $0.row.step != 3 }.correlation
        #expect(c.count(.lost) == 0 && c.excuses == ["dismissed by the user": 1], "\(c.totals)")
    }

    @Test("the deadline of a held state counts from it")
    func deadline() throws {
        // Eight seconds after the question: late, had the deadline of 5 s counted from there.
        #expect(try judge(note(after: 10)).correlation.count(.late) == 0)
    }

    @Test("long behind its session's last step keeps the session open for what it owes")
    func late() throws {
        let c = try judge(note(after: 45), delay: 20).correlation
        #expect(c.count(.unexpected) == 0 && c.count(.lost) == 0, "\(c.totals)")
        #expect(c.count(.late) + c.count(.delivered) == c.expected - c.count(.superseded), "\(c.totals)")
        #expect(c.count(.late) > 0)
    }

    @Test("that waited in vain decides nothing, and says so")
    func inVain() throws {
        let record = try judge(note(cause: 0, after: 5))
        let c = record.correlation
        #expect(c.count(.undecided) == 1 && c.count(.lost) == 0, "\(c.totals)")
        #expect(record.exit.code == 5)
        #expect(record.exit.reasons.contains { $0.contains("waited in vain for `token` within 5s") }, "\(record.exit.reasons)")
        #expect(!record.exit.reasons.contains { $0.contains("drain") })
    }

    @Test("that had nothing to say leaves the run without a verdict, and says what it lacked")
    func withheld() throws {
        let record = try judge(note(), failure: .withheld) { $0.row.step != 3 && $0.row.step != 2 }
        #expect(record.correlation.withheld == 1 && record.correlation.count(.lost) == 0, "\(record.correlation.totals)")
        #expect(record.exit.code == 5)
        let reason = "1 had nothing to say and were not sent, 1 of them because the phone has no token of that activity"
        #expect(record.exit.reasons.contains { $0.hasSuffix(reason) }, "\(record.exit.reasons)")
    }

    @Test("of a script that has none is passed over")
    func foreign() throws {
        var note = note()
        note.reaction = 3
        #expect(try judge(note).correlation.expected == 3)
    }

    /// What the reaction's own call said is known only with the token that the phone told.
    private static let telling = """
        name: synthetic
        relay:
          profile:
            name: telling
            topic: com.example.app
            deadlines: { default: 5s }
            passes: [{ channel: alert, at: /aps/alert/title, from: /title }]
            calls:
              registerDevice: { path: /device, registers: [deviceToken], json: { deviceToken: "{{deviceToken}}" } }
              tell:
                path: /tell
                registers: [activityToken]
                json: { title: "{{activityToken}}", body: "{{marker}}" }
                pushes: [{ channel: alert }]
          url: "http://127.0.0.1:1"
        workload:
          arrivals: [{ rate: 1, for: 1s }]
          phones: {}
          scripts:
            - script:
                steps: [{ call: registerDevice }, { call: registerDevice, after: 1s }, { call: registerDevice, after: 1s }]
                reactions: [{ on: token, call: tell, within: 5s }]
        """

    @Test("says what the phone told, and so does its push", arguments: [true, false])
    func told(isTold: Bool) throws {
        try withDirectory { directory in
            let run = try SyntheticRun(Self.telling, directory: directory)
            let note = note(after: 3)
            try run.write(spoil: { sendings, number in
                let account = run.plan.account(
                    number: UInt32(number), origin: SyntheticRun.origin, reactions: [MadeReaction(note)])
                sendings = run.sendings(of: account).map { sending in
                    var sending = sending
                    let title = isTold ? Self.token : "another"
                    let marker = Marker(run: run.plan.run, session: 0, step: note.step).text
                    sending.payload = #"{"aps":{"alert":{"title":"\#(title)","body":"\#(marker)"}}}"#
                    return sending
                }
            })
            let time = ManualTime()
            time.advance(by: .seconds(1))
            let writer = try JournalWriter(directory: directory + "/journal", name: "load-1", time: time)
            writer.append(note, at: note.plannedAt)
            writer.append(
                event: EventDraft(
                    session: 0, step: note.step, kind: UInt16(run.plan.kinds.firstIndex(of: "tell")!),
                    plannedAt: note.plannedAt, sentAt: note.plannedAt + .microseconds(100),
                    answeredAt: note.plannedAt + .milliseconds(2), status: 200))
            #expect(writer.commit())
            let c = try Verdicts.judge(directory).correlation
            #expect(c.expected == 1 && c.count(.altered) == (isTold ? 0 : 1), "\(c.totals)")
        }
    }
}
