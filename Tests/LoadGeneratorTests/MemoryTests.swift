// Sessions remember what answers held and react to their phones; what is not there is not sent; nothing waits for ever.

import Basics
import EventLoop
import Glibc
import Journal
import Metrics
import Net
@testable import Planning
import PlanKnobs
import Pushes
import Scenarios
import Synchronization
import Testing

@testable import LoadGenerator

/// A scenario whose first call captures, and whose script may react.
private enum Remembering {
    static let id = Capture(name: 0, pointer: JSONPointerPath("/activity/id")!)

    /// 0 open (captures), 1 use (needs what was captured), 2 register (the activity's token), 3 note (nothing)
    static let calls: [ProfileCall] = {
        var open = Knobs.call("open")
        open.captures = [id]
        var use = Knobs.call(
            "use",
            body: Template(segments: [
                .literal(Array(#"{"id":"#.utf8)), .variable(.captured(0), .jsonValue), .literal([125]),
            ]))
        use.path = Template(segments: [.literal(Array("/v1/use/".utf8)), .variable(.captured(0), .url)])
        let register = Knobs.call(
            "register", registers: [.activityToken],
            body: Template(segments: [
                .literal(Array(#"{"token":"#.utf8)), .variable(.session(.activityToken), .jsonValue),
                .literal(Array(#","phone":"#.utf8)), .variable(.event(.phone), .jsonValue),
                .literal(Array(#","told":"#.utf8)), .variable(.event(.phoneToken), .jsonValue), .literal([125]),
            ]))
        return [open, use, register, Knobs.call("note")]
    }()

    static func step(_ call: Int, _ seconds: Double) -> ScriptStep {
        ScriptStep(kind: calls[call].name, call: call, time: .at(.constant(seconds)), values: [StepValue(choices: [.null])])
    }

    static func plan(
        _ steps: [ScriptStep], reactions: [Reaction] = [], acts: [ScriptedAct] = [], listen: Double = 0.2, sessions: Double = 1,
        order: Profile.Order = .answered, sessionsPerUser: Int = 1
    ) -> Plan {
        let script = SessionScript(name: "one", steps: steps, reactions: reactions, acts: acts, listen: listen)
        var scenario = Knobs.scenario(
            arrivals: [.constant(rate: sessions, duration: .seconds(1))],
            scripts: [WeightedScript(weight: 1, script: script)], sessionsPerUser: sessionsPerUser, calls: calls, order: order)
        scenario.relay.profile.captures = ["activityID"]
        return Knobs.plan(scenario)
    }

    static func reaction(
        _ kind: PhoneEvent.Kind = .token, call: Int = 2, phone: Int? = nil, after: Double = 0, times: Int = 10,
        within: Double? = nil, probability: Double = 1
    ) -> Reaction {
        Reaction(
            on: kind, phone: phone, kind: calls[call].name, call: call, delay: .constant(after), probability: probability,
            times: times, within: within, values: [StepValue(choices: [.null])])
    }

    static func event(
        _ number: UInt64, _ kind: PhoneEvent.Kind = .token, phone: String = "phone-0-1", activity: UInt32 = 1,
        token: String? = "abcd", session: UInt32? = 0
    ) -> PhoneEvent {
        PhoneEvent(
            number: number, kind: kind, at: WallTime(nanoseconds: 0), phone: phone, app: "com.example.app", activity: activity,
            token: token, marker: session.map { Marker(run: 7, session: $0, step: 1) })
    }
}

/// A plan driven against a small relay, with a mailbox for its phones.
private struct Remembered {
    var snapshot = LoadSnapshot()
    var isDone = false
    var requests: [TinyRelay.Request] = []
    var events: [EventEntry] = []
    var captures: [CaptureNote] = []
    var reactions: [ReactionNote] = []
    /// What users did, in order.
    var deeds: [PhoneDeed] = []

    /// `tell` is called every few milliseconds with what the relay was asked so far.
    init(
        _ plan: Plan, says: String = #"{"activity":{"id":"a/1"}}"#, loops: Int = 1,
        tell: (PhoneMailbox, [TinyRelay.Request]) -> Void = { _, _ in }
    ) throws {
        let relay = try TinyRelay(.says(says))
        defer { relay.stop() }
        try withFolder { folder in
            let done = Done()
            let mailbox = PhoneMailbox { deed in done.deeds.withLock { $0.append(deed) } }
            let service = try LoadService(
                plan: plan, target: TargetPolicy.loopback(relay.origin), connections: 4, journalDirectory: folder,
                loops: loops, phones: mailbox)
            service.start(at: SystemTime().now())
            let deadline = SystemTime().now() + .seconds(20)
            while !service.snapshot().isDone, SystemTime().now() < deadline {
                tell(mailbox, relay.requests)
                usleep(5_000)
            }
            isDone = service.snapshot().isDone
            service.stop()
            snapshot = service.snapshot()
            deeds = done.deeds.withLock { $0 }
            _ = try JournalReader(directory: folder).forEach(since: nil) { entry in
                switch entry {
                case .event(let event): events.append(event)
                case .note(let note):
                    if let capture = note.capture { captures.append(capture) }
                    if let reaction = note.reaction { reactions.append(reaction) }
                case .push, .broadcast: break
                }
                return true
            }
        }
        requests = relay.requests
    }
}

private final class Done: Sendable {
    let deeds = Mutex<[PhoneDeed]>([])
}

struct PhoneActTests {
    @Test func `acts have their time or follow their first event, once in a session`() throws {
        let acts = [
            ScriptedAct(.offline, .at(.constant(0.02))), ScriptedAct(.kill, .at(.constant(0.01)), phone: 1),
            ScriptedAct(.dismiss, .on(.token, after: .constant(0.05))), ScriptedAct(.open, .on(.token, after: .constant(0)), phone: 1),
            ScriptedAct(.online, .at(.constant(0.03)), probability: 0),
        ]
        let steps = [Remembering.step(3, 0), Remembering.step(3, 0.3)]
        let plan = Remembering.plan(steps, acts: acts)
        #expect(plan.hasActs && !plan.hasReactions)
        #expect(plan.digest() == Remembering.plan(steps).digest(), "no part of the plan")
        var isTold = false
        let drive = try Remembered(plan) { mailbox, requests in
            guard !isTold, !requests.isEmpty else { return }
            isTold = true
            for number in 5..<8 { mailbox.post(Remembering.event(UInt64(number), activity: UInt32(number))) }
        }
        #expect(drive.isDone && drive.reactions.isEmpty)
        let words = drive.deeds.map { "\($0.deed) \($0.session) \($0.phone) \($0.activity.map { "\($0)" } ?? "-")" }
        #expect(Set(words) == ["kill 0 phone-0-2 -", "offline 0 phone-0-1 -", "dismiss 0 phone-0-1 5"] && words.count == 3, "\(words)")
    }

    @Test func `an act on an Android device names its registration`() throws {
        let acts = [ScriptedAct(.open, .at(.constant(0.02)), isOnAndroid: true), ScriptedAct(.open, .at(.constant(0.03)))]
        let plan = Remembering.plan([Remembering.step(3, 0), Remembering.step(3, 0.2)], acts: acts)
        let drive = try Remembered(plan)
        let registration = plan.token(.registrationToken, session: 0)
        #expect(drive.deeds.map(\.phone) == [registration, "phone-0-1"] && drive.deeds.map(\.isOnAndroid) == [true, false])
    }

    @Test(arguments: [
        // Ended before the event; between the event and the reaction; and opened again before that is due, or before both.
        ([(.kill, 0.02)], 0.1, 0, 0), ([(.kill, 0.25)], 0.1, 0.3, 0), ([(.kill, 0.25), (.open, 0.3)], 0.1, 0.4, 0),
        ([(.kill, 0.02), (.open, 0.04)], 0.2, 0, 1), ([(.kill, 0.02), (.relaunch, 0.04)], 0.2, 0, 1), ([(.offline, 0.02)], 0.1, 0, 1),
    ] as [([(ScriptedAct.Deed, Double)], Double, Double, Int)])
    func `an app that its user has ended runs no code`(
        acts: [(ScriptedAct.Deed, Double)], event: Double, after: Double, reactions: Int
    ) throws {
        let plan = Remembering.plan(
            [Remembering.step(3, 0), Remembering.step(3, 0.9)], reactions: [Remembering.reaction(.dismissed, after: after)],
            acts: acts.map { ScriptedAct($0.0, .at(.constant($0.1))) })
        var begun: Instant?
        var isTold = false
        let drive = try Remembered(plan) { mailbox, requests in
            guard !requests.isEmpty, !isTold else { return }
            begun = begun ?? SystemTime().now()
            isTold = SystemTime().now() - begun! >= .seconds(event)
            if isTold { mailbox.post(Remembering.event(5, .dismissed)) }
        }
        #expect(drive.isDone && drive.deeds.count == acts.count)
        #expect(drive.reactions.count == reactions && drive.snapshot.reactions == reactions && drive.snapshot.planned == 2 + reactions)
    }

    @Test func `an act that is due after the last step is done all the same`() throws {
        let plan = Remembering.plan([Remembering.step(3, 0)], acts: [ScriptedAct(.kill, .at(.constant(0.5)))], listen: 0.1)
        let drive = try Remembered(plan)
        #expect(drive.isDone && drive.deeds.map(\.deed) == [.kill])
    }
}

struct CaptureTests {
    @Test func `what an answer held is said by a later call of the session`() throws {
        let drive = try Remembered(Remembering.plan([Remembering.step(0, 0), Remembering.step(1, 0.05)]))
        #expect(drive.isDone)
        #expect(drive.requests.map(\.path) == ["/v1/open", "/v1/use/a%2F1"])
        #expect(drive.requests.last?.body == #"{"id":"a/1"}"#)
        #expect(drive.captures.map(\.value) == ["a/1"])
        #expect(drive.captures.first.map { $0.session == 0 && $0.step == 0 && $0.name == "activityID" } == true)
    }

    @Test func `a number stays a number`() throws {
        let drive = try Remembered(
            Remembering.plan([Remembering.step(0, 0), Remembering.step(1, 0.05)]), says: #"{"activity":{"id":17}}"#)
        #expect(drive.requests.last?.body == #"{"id":17}"#)
    }

    @Test(arguments: [
        ("no", "the answer is no JSON"), ("{}", "the answer has nothing at /activity/id"),
        (#"{"activity":{"id":null}}"#, "what the answer has at /activity/id is neither text nor number"),
        (#"{"activity":{"id":["a"]}}"#, "what the answer has at /activity/id is neither text nor number"),
        (#"{"activity":{"id":"a\r\nx: y"}}"#, "what the answer has at /activity/id holds control characters"),
        (
            #"{"activity":{"id":"\#(String(repeating: "a", count: 257))"}}"#,
            "what the answer has at /activity/id is longer than 256 bytes"
        ),
    ])
    func `what is not found is on record, and what needs it is not sent`(says: String, words: String) throws {
        let drive = try Remembered(
            Remembering.plan([Remembering.step(0, 0), Remembering.step(1, 0.05), Remembering.step(3, 0.1)]), says: says)
        #expect(drive.isDone)
        #expect(drive.captures.map(\.failure) == [words])
        #expect(drive.requests.map(\.path) == ["/v1/open", "/v1/note"])
        let withheld = drive.events.filter { $0.failure == EventFailure.withheld.rawValue }
        #expect(withheld.map(\.step) == [1])
        #expect(withheld.map { String(decoding: $0.answer, as: UTF8.self) } == ["no value of `activityID` was captured"])
        #expect(drive.snapshot.withheld == 1 && drive.snapshot.dropped == 0 && drive.snapshot.failed == 0)
        #expect(drive.snapshot.missedCaptures == 1 && drive.snapshot.planned == 3)
        let answered = try #require(drive.events.first { $0.step == 0 })
        #expect(answered.failure == 0 && String(decoding: answered.answer, as: UTF8.self) == says, "the answer is on record")
    }

    @Test func `the last event of all may be withheld, and the load ends`() throws {
        let drive = try Remembered(Remembering.plan([Remembering.step(0, 0), Remembering.step(1, 0)]), says: "{}")
        #expect(drive.isDone && drive.snapshot.withheld == 1)
    }

    @Test func `values of 256 bytes are taken`() throws {
        let text = String(repeating: "a", count: 256)
        let drive = try Remembered(Remembering.plan([Remembering.step(0, 0)]), says: #"{"activity":{"id":"\#(text)"}}"#)
        #expect(drive.captures.map(\.value) == [text])
    }

    @Test func `a pointer leads into lists`() throws {
        let reader = CaptureReader()
        let answer = Array(#"{"a":[{"b":1},{"b":true}]}"#.utf8)
        reader.read(answer.span)
        func value(_ pointer: String) -> String? {
            try? String(decoding: reader.value(at: JSONPointerPath(pointer)!).get().bytes, as: UTF8.self)
        }
        #expect(["/a/0/b", "/a/1/b", "/a/2/b", "/a/-1/b", "/a/01/b", "/a/b"].map(value) == ["1", "true", nil, nil, nil, nil])
    }
}

struct PhoneReactionTests {
    /// Posts the events once, when the relay was asked so often.
    private func once(after count: Int, _ events: [PhoneEvent]) -> (PhoneMailbox, [TinyRelay.Request]) -> Void {
        var isTold = false
        return { mailbox, requests in
            guard !isTold, requests.count >= count else { return }
            isTold = true
            for event in events { mailbox.post(event) }
        }
    }

    @Test(arguments: Profile.Order.allCases.filter { $0 != .stream })
    func `a token is registered when the phone has it`(order: Profile.Order) throws {
        let drive = try Remembered(
            Remembering.plan(
                [Remembering.step(3, 0), Remembering.step(3, 1.5)], reactions: [Remembering.reaction()], order: order),
            tell: once(after: 1, [Remembering.event(5)]))
        #expect(drive.isDone)
        #expect(drive.requests.map(\.path) == ["/v1/note", "/v1/register", "/v1/note"])
        #expect(drive.requests[1].body == #"{"token":"abcd","phone":"phone-0-1","told":"abcd"}"#)
        let note = try #require(drive.reactions.first)
        #expect(note.cause == 5 && note.token == "abcd" && note.phone == 0 && !note.isInVain && drive.reactions.count == 1)
        #expect(note.step == EventNumber.reaction(1, after: 1) && EventNumber.isReaction(note.step))
        #expect(drive.events.map(\.step).contains(note.step))
        #expect(drive.snapshot.inverted == 0 && drive.snapshot.planned == 3 && drive.snapshot.reactions == 1)
    }

    @Test func `the plan is the same with and without`() {
        let steps = [Remembering.step(3, 0), Remembering.step(3, 0.3)]
        #expect(
            Remembering.plan(steps).digest() == Remembering.plan(steps, reactions: [Remembering.reaction()]).digest())
    }

    @Test(arguments: [
        (listen: 0.2, within: nil, ends: 1.2), (0.2, 5, 5), (9, 5, 10),
    ] as [(listen: Double, within: Double?, ends: Double)])
    func `a user's account stays open while its phones are heeded`(listen: Double, within: Double?, ends: Double) {
        let plan = Remembering.plan(
            [Remembering.step(3, 0), Remembering.step(3, 1)], reactions: [Remembering.reaction(within: within)], listen: listen)
        let origin = Instant(nanoseconds: 1_000_000_000)
        let begun = origin + plan.start(ofAccount: 0)
        #expect(plan.account(0, origin: origin).endsAt == begun + .seconds(ends))
    }

    @Test func `only its own kind and phone, and so often at most`() throws {
        let drive = try Remembered(
            Remembering.plan(
                [Remembering.step(3, 0)], reactions: [Remembering.reaction(.rotated, phone: 1, times: 2)], listen: 0.5),
            tell: once(
                after: 1,
                [
                    Remembering.event(1, phone: "phone-0-2"), Remembering.event(2, .rotated),
                    Remembering.event(3, .rotated, phone: "phone-0-2", token: "11"),
                    Remembering.event(4, .rotated, phone: "phone-0-2", token: "22"),
                    Remembering.event(5, .rotated, phone: "phone-0-2", token: "33"),
                ]))
        #expect(drive.reactions.map(\.cause) == [3, 4])
        #expect(drive.reactions.map(\.token) == ["11", "22"])
    }

    @Test func `a registration may overtake an older one, which still says what it said`() throws {
        let drive = try Remembered(
            Remembering.plan(
                [Remembering.step(3, 0)],
                reactions: [Remembering.reaction(.token, after: 0.3), Remembering.reaction(.rotated)], listen: 0.5),
            tell: once(after: 1, [Remembering.event(1, token: "aa"), Remembering.event(2, .rotated, token: "bb")]))
        #expect(drive.reactions.map(\.token) == ["bb", "aa"])
    }

    @Test func `an end that tells no token speaks of the last one known of its activity`() throws {
        let drive = try Remembered(
            Remembering.plan([Remembering.step(3, 0)], reactions: [Remembering.reaction(.ended)], listen: 0.5),
            tell: once(
                after: 1,
                [
                    Remembering.event(1, token: "aa"), Remembering.event(2, activity: 2, token: "bb"),
                    Remembering.event(3, .ended, token: nil), Remembering.event(4, .ended, activity: 9, token: nil),
                ]))
        #expect(drive.reactions.map(\.token) == ["aa", ""])
        // Nobody knows the other one's token, so there is nothing to say.
        let withheld = drive.events.filter { $0.failure == EventFailure.withheld.rawValue }
        #expect(withheld.map { String(decoding: $0.answer, as: UTF8.self) } == ["the phone has no token of that activity"])
    }

    @Test func `what never comes is given up in time, and the load ends`() throws {
        let drive = try Remembered(
            Remembering.plan([Remembering.step(3, 0)], reactions: [Remembering.reaction(within: 0.3)]),
            tell: { mailbox, requests in
                // Too late by far: the reaction is over.
                if requests.count > 1_000 { mailbox.post(Remembering.event(1)) }
            })
        #expect(drive.isDone && drive.snapshot.waitedInVain == 1)
        #expect(drive.reactions.map(\.isInVain) == [true])
        #expect(drive.requests.count == 1)
    }

    @Test func `a time limit that was kept holds nothing up`() throws {
        let began = SystemTime().now()
        let drive = try Remembered(
            Remembering.plan([Remembering.step(3, 0)], reactions: [Remembering.reaction(within: 1_000)]),
            tell: once(after: 1, [Remembering.event(1)]))
        #expect(drive.isDone && drive.snapshot.waitedInVain == 0 && drive.reactions.count == 1)
        #expect(SystemTime().now() - began < .seconds(20))
    }

    @Test func `events of nobody are counted, and gaps in their numbers`() throws {
        let drive = try Remembered(
            Remembering.plan([Remembering.step(3, 0)], reactions: [Remembering.reaction()], listen: 0.5), loops: 2,
            tell: once(
                after: 1,
                [
                    Remembering.event(1, phone: "phone-9-1", session: nil), Remembering.event(2, phone: "somebody"),
                    Remembering.event(5, session: 44),
                ]))
        #expect(drive.snapshot.unclaimedPhoneEvents == 3 && drive.snapshot.missedPhoneEvents == 2)
        #expect(drive.reactions.isEmpty)
    }

    @Test func `without a marker the user's newest session is meant`() {
        let plan = Remembering.plan([Remembering.step(3, 0)], sessions: 8, sessionsPerUser: 4)
        func session(_ event: PhoneEvent, _ seconds: Double) -> UInt32? { plan.session(of: event, elapsed: .seconds(seconds)) }
        let unmarked = Remembering.event(1, phone: "phone-1-2", session: nil)
        #expect([0.1, 0.51, 0.7, 5].map { session(unmarked, $0) } == [nil, 4, 5, 7])
        #expect(session(Remembering.event(1, phone: "phone-1-1", session: 6), 5) == 6)
        #expect(session(Remembering.event(1, phone: "phone-0-1", session: 6), 5) == nil, "another user's phone")
    }

    @Test func `phones are named by user and number, in one way`() {
        #expect(PhoneName("phone-12-2") == PhoneName(user: 12, phone: 1))
        #expect(PhoneName(user: 12, phone: 1).text == "phone-12-2")
        for text in ["phone-012-1", "phone-12-3", "phone-12-0", "phone-12", "phone-+1-1", "Phone-1-1", "phone-1-1-1", ""] {
            #expect(PhoneName(text) == nil, "\(text)")
        }
    }

    @Test func `a session that remembers nothing has no entry in the side table`() {
        let workload = Knobs.plan().workload
        #expect(!workload.hasMemory && !workload.remembers(0))
        var memory = LoadMemory(workload)
        let entry = memory.begin(0, script: 0, at: .zero)
        #expect(entry == nil && memory.isEmpty)
        #expect(SessionTable.bytesPerSession < 192)
    }
}
