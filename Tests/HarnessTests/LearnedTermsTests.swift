// What further plays of a draft tell: states that are left out, that wait, cards that are there, and pushes that were refused.

import Basics
@testable import Journal
import Pushes
import Testing

@testable import Harness

@Suite("What plays tell of a relay")
struct LearnedTermsTests {
    private static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    private static func call(_ session: UInt32, _ step: UInt32, _ kind: UInt16, at seconds: Double, status: UInt16 = 200, says: JSONValue? = nil)
        -> PlayedCalls.Call
    {
        var event = EventEntry(id: UInt64(session) << 8 | UInt64(step), session: session, step: step, plannedAt: at(seconds))
        (event.kind, event.status, event.sentAt) = (kind, status, at(seconds))
        return PlayedCalls.Call(event: event, body: says)
    }

    private static func push(
        _ session: UInt32, _ step: UInt32, at seconds: Double, status: UInt16 = 200, event: ActivityEvent = .update,
        priority: String = "10", shows: JSONValue = nil
    ) -> PushEntry {
        let marker = Marker(run: 1, session: session, step: step)
        var push = PushEntry(
            id: UInt64(seconds * 1_000), arrivedAt: at(seconds), status: status, token: "aa\(session)",
            topic: "com.example.app.push-type.liveactivity", pushType: "liveactivity", priority: priority, event: event,
            payload: JSONValue.object(["aps": ["content-state": shows]]).encoded())
        push.marker = marker
        return push
    }

    /// A phone, the start of a card, its token, a state, and a question.
    private static func draft() throws -> TourDraft {
        let calls = ["device {{token}}", "start {{text}}", "card {{activityToken}}", "state {{text}}", "ask {{text}}"].map {
            CurlCall(method: "POST", url: "http://h/\($0.prefix { $0 != " " })", headers: [], body: $0)
        }
        var draft = try TourDraft(calls, traits: calls.map { _ in TourDraft.Traits() }, topic: "com.example.app")
        let update = TourDraft.SeenPush(type: .liveactivity, event: .update, token: "activityToken")
        let start = TourDraft.SeenPush(type: .liveactivity, event: .start, token: "startToken")
        draft.seen = [[], [start], [], [update], [update]].map { TourDraft.Seen(statuses: [200], pushes: $0) }
        return draft
    }

    @Test("Each call that pushes is asked in a burst and before the card has its token, the start once more")
    func questions() throws {
        let plays = LearnPlays(try Self.draft())
        #expect(plays.opening == [0, 1, 2] && plays.registration == 2)
        #expect(plays.questions == [.burst(3), .burst(4), .early(3), .early(4), .again(1), .adopted(1), .backwards([4, 3])])
        let text = try #require(plays.terms(readyPath: nil))
        #expect(text.contains("draw: in-turn") && text.contains("{ call: state, after: 1500ms }, { call: card, after: 1s }"), "\(text)")
        #expect(try #require(plays.refused(readyPath: nil)).contains("reason: ServiceUnavailable"))
        #expect(try #require(plays.elsewhere(readyPath: nil)).contains("reason: BadDeviceToken"))
        // The card's token comes before its start; and the question before the state.
        #expect(text.contains("{ call: card, after: 700ms }, { call: start, after: 1500ms }]"), "\(text)")
        #expect(text.contains("{ call: ask, after: 1500ms }, { call: state, after: 1500ms }]"), "\(text)")
    }

    @Test("What is left out of a burst is coalesced, what comes behind the token was held, and a card is begun once")
    func terms() throws {
        let plays = LearnPlays(try Self.draft())
        var calls: [PlayedCalls.Call] = []
        var pushes: [PushEntry] = []
        // The state: the first and the last of five, a second apart. The question: each.
        for place in UInt32(0)..<5 {
            calls.append(Self.call(0, place + 3, 3, at: 1 + Double(place) * 0.15))
            calls.append(Self.call(1, place + 3, 4, at: 1 + Double(place) * 0.15))
            pushes.append(Self.push(1, place + 3, at: 1.01 + Double(place) * 0.15))
        }
        pushes += [Self.push(0, 3, at: 1.01, priority: "5"), Self.push(0, 7, at: 2.04, priority: "5")]
        // Before its token: the state waits, the question is lost.
        calls += [Self.call(2, 2, 3, at: 1), Self.call(2, 3, 2, at: 2), Self.call(3, 2, 4, at: 1), Self.call(3, 3, 2, at: 2)]
        pushes.append(Self.push(2, 2, at: 2.1, priority: "5"))
        // Another start brings a state.
        calls.append(Self.call(4, 3, 1, at: 3))
        pushes.append(Self.push(4, 3, at: 3.1))
        var terms = LearnedTerms()
        terms.learn(plays, PlayedCalls(calls: calls, pushes: pushes.sorted { $0.arrivedAt < $1.arrivedAt }))
        #expect(terms.window == .milliseconds(1_030) && terms.lines.contains("coalescing: { window: 1s }"), "\(terms.lines)")
        func words(_ call: Int, _ event: ActivityEvent) -> String {
            terms.words(of: TourDraft.SeenPush(type: .liveactivity, event: event, token: ""), by: call)
        }
        #expect(words(3, .update) == ", coalesce: true, held: true" && words(4, .update) == ", urgent: true")
        #expect(words(1, .start) == ", unless: activityToken")
        #expect(terms.more[1]?.map(\.words) == ["liveactivity update"])
    }

    @Test("A relay that loses the last of a burst is no one that coalesces")
    func lost() throws {
        let plays = LearnPlays(try Self.draft())
        var terms = LearnedTerms()
        let calls = (UInt32(0)..<5).map { Self.call(0, $0 + 3, 3, at: 1 + Double($0) * 0.15) }
        terms.learn(plays, PlayedCalls(calls: calls, pushes: [Self.push(0, 3, at: 1.1)]))
        #expect(terms.window == nil && terms.terms.isEmpty)
    }

    @Test("What was refused for now comes again, is given back to its caller, or is lost")
    func refused() throws {
        let draft = try Self.draft()
        func lines(_ status: UInt16, again: Bool) -> String {
            var terms = LearnedTerms()
            let pushes = [Self.push(0, 3, at: 1.1, status: 503)] + (again ? [Self.push(0, 3, at: 2.3)] : [])
            terms.learn(refused: PlayedCalls(calls: [Self.call(0, 3, 3, at: 1, status: status)], pushes: pushes), draft)
            return terms.lines
        }
        #expect(lines(200, again: true).contains("rest: 5s"))
        #expect(LearnedTerms().lines.isEmpty, "nothing is said of what was not asked")
        #expect(!lines(200, again: false).contains("\nanswers:") && lines(200, again: false).contains("did not come again"))
        #expect(lines(502, again: false).contains("answers: [{ status: [502], means: permanent }]"))
    }

    @Test("A text that a card goes on showing is carried, and what a call sets by itself is its own")
    func values() {
        func told(_ session: UInt32) -> (calls: [PlayedCalls.Call], pushes: [PushEntry]) {
            let says: [(kind: UInt16, says: JSONValue, shows: JSONValue)] = [
                (1, [:], ["file": nil, "note": "ready", "other": "a"]),
                (2, ["state": ["file": "a.swift", "note": "so", "other": "b"]], ["file": "a.swift", "note": "so", "other": "b"]),
                (3, ["state": ["note": "now"]], ["file": "a.swift", "note": "now", "other": session == 0 ? "c" : "d"]),
                (4, [:], ["file": "a.swift", "note": "done", "other": "e"]),
            ]
            let calls = says.enumerated().map { Self.call(session, UInt32($0), $1.kind, at: Double($0) + 1, says: $1.says) }
            let pushes = says.enumerated().map { Self.push(session, UInt32($0), at: Double($0) + 1.1, shows: $1.shows) }
            return (calls, pushes)
        }
        let (one, other) = (told(0), told(1))
        var values = LearnedValues()
        values.learn(PlayedCalls(calls: one.calls + other.calls, pushes: one.pushes + other.pushes))
        // The third is said again by nobody, and is another each time; the second never stays.
        #expect(values.rows.map(\.row.name) == ["file"])
        #expect(values.rows[0].row.from == "/state/file" && values.rows[0].sets == [1: nil])
        #expect(values.rows[0].row.at == "/aps/content-state/file")
    }

    @Test("A number that never falls rises, one that falls is carried, and of one that rose each time nobody knows")
    func numbers() {
        func told(_ session: UInt32, _ said: [(done: Int, count: Int, level: Int)]) -> (calls: [PlayedCalls.Call], pushes: [PushEntry]) {
            var (highest, last) = (0, (count: 0, level: 0))
            var (calls, pushes): ([PlayedCalls.Call], [PushEntry]) = ([], [])
            for (step, row) in (said + [(done: -1, count: -1, level: -1)]).enumerated() {
                let says: JSONValue =
                    row.done < 0
                    ? [:] : ["done": .integer(Int64(row.done)), "count": .integer(Int64(row.count)), "level": .integer(Int64(row.level))]
                highest = max(highest, row.done)
                if row.done >= 0 { last = (row.count, row.level) }
                calls.append(Self.call(session, UInt32(step), UInt16(step), at: Double(step) + 1, says: says))
                pushes.append(Self.push(session, UInt32(step), at: Double(step) + 1.1, shows: [
                    "done": .integer(Int64(highest)), "count": .integer(Int64(last.count)), "level": .integer(Int64(last.level)),
                ]))
            }
            return (calls, pushes)
        }
        let (one, other) = (told(0, [(3, 5, 1), (2, 4, 2)]), told(1, [(7, 1, 3), (6, 0, 4)]))
        var values = LearnedValues()
        values.learn(PlayedCalls(calls: one.calls + other.calls, pushes: one.pushes + other.pushes))
        #expect(values.rows.map(\.row.name) == ["count", "done"])
        #expect(values.rows.map(\.row.rises) == [false, true])
    }

    @Test("The types of a card are what all pushes held; what changes its kind has none")
    func schemas() throws {
        func learned(_ shows: [JSONValue]) -> [(key: String, name: String, text: String)] {
            var schemas = LearnedSchemas()
            schemas.learn(PlayedCalls(calls: [], pushes: shows.enumerated().map { Self.push(0, UInt32($0), at: Double($0), shows: $1) }))
            return schemas.files
        }
        let all: [JSONValue] = [
            ["note": "a", "count": 1, "file": nil, "more": ["x": true]], ["note": "b", "count": 2.5, "file": "f", "more": ["x": false]],
            ["note": "c", "count": 3, "file": nil, "more": ["x": true], "late": "l"],
        ]
        let file = try #require(learned(all).first)
        #expect(file.key == "contentState" && file.name == "content-state.json")
        let schema = try JSONValue(parsing: file.text)
        #expect(schema["required"] == nil && schema["additionalProperties"] == false)
        #expect(schema["properties"]?.object?.keys.sorted() == ["count", "file", "late", "more", "note"])
        #expect(schema.at(pointer: "/properties/file/type") == ["string", "null"])
        #expect(schema.at(pointer: "/properties/count/type") == "number")
        #expect(schema.at(pointer: "/properties/more/properties/x/type") == "boolean")
        #expect(learned(Array(all.dropLast())).isEmpty, "two pushes tell too little")
        #expect(learned(all + [["note": 3]]).isEmpty)
    }

    @Test("What stands in a push as its call said it is found, the whole before its parts, and no chance")
    func passes() {
        var passes = LearnedPasses()
        func said(_ text: String, _ count: Int) -> JSONValue {
            ["state": ["text": .string(text), "count": .integer(Int64(count)), "on": true], "title": "A title"]
        }
        let calls = [
            Self.call(0, 3, 3, at: 1, says: said("first", 1)), Self.call(0, 4, 3, at: 2, says: said("second", 2)),
            Self.call(0, 5, 3, at: 3, says: ["other": "A word"]),
        ]
        let pushes = [("first", 1), ("second", 2)].enumerated().map { place, said in
            Self.push(0, UInt32(place) + 3, at: 1.1 + Double(place), shows: [
                "state": ["text": .string(said.0), "count": .integer(Int64(said.1)), "on": true], "label": "A title", "is": true,
            ])
        }
        passes.learn(PlayedCalls(calls: calls, pushes: pushes + [Self.push(0, 5, at: 3.1, shows: ["label": "none"])]))
        #expect(passes.rows.map(\.at) == ["/aps/content-state/label", "/aps/content-state/state"])
        #expect(passes.rows.map(\.from) == ["/title", "/state"])
        // What a later push contradicts is gone.
        passes.learn(PlayedCalls(
            calls: [Self.call(1, 3, 3, at: 1, says: ["title": "Another"])], pushes: [Self.push(1, 3, at: 1.1, shows: ["label": "A title"])]))
        #expect(passes.rows.map(\.from) == ["/state"])
    }
}
