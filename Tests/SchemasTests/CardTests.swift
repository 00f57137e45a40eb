// What a card shows of a state, and what an `x-card` may name.

import Basics
import Testing

@testable import Schemas

@Suite("A card")
struct CardTests {
    private static func text(_ name: String, _ state: String, _ attributes: String = "{}") throws -> CardText {
        let schemas = (try Files.schema(name + ".content-state"), try Files.schema(name + ".attributes"))
        #expect(schemas.0.cardMistake(attributes: schemas.1) == nil)
        let renderer = try #require(CardRenderer(schemas.0, attributes: schemas.1))
        let text = withBytes(of: state) { state in withBytes(of: attributes) { renderer.text(state: state, attributes: $0) } }
        // Nothing of one state stays for the next.
        let again = withBytes(of: state) { state in withBytes(of: attributes) { renderer.text(state: state, attributes: $0) } }
        #expect(text == again)
        return text
    }

    private static func texts(_ card: CardText) -> [String?] {
        [card.title, card.status, card.body, card.progress, card.since]
    }

    @Test("OpenCode: title, badge and last message, of either variant")
    func openCode() throws {
        let working = ["Refactor the parser", "Working", "[pr:1:2:3] Reading", nil, nil]
        #expect(try Self.texts(Self.text("opencode-a", Files.stateA)) == working)
        let widget = #"{"name":"SessionActivity","props":\#(JSONValue.string(Files.stateA).text)}"#
        #expect(try Self.texts(Self.text("opencode-b", widget)) == working)
        let retry = Files.stateA.replacing(#""working""#, with: #""retry""#).replacing(":null", with: #":"Retry 2/5 in 8s""#)
        #expect(
            try Self.texts(Self.text("opencode-a", retry))
                == ["Refactor the parser", "Retrying", "Retry 2/5 in 8s: [pr:1:2:3] Reading", nil, nil])
        for (status, word) in [("permission", "Needs input"), ("complete", "Done"), ("error", "Failed")] {
            #expect(try Self.text("opencode-a", Files.stateA.replacing("working", with: status)).status == word)
        }
    }

    @Test("opencode-ios: a bar of progress, and the time since an attribute")
    func openCodeIOS() throws {
        let state = #"{"status":"Building","progress":0.425,"currentFile":"a.swift","operationCount":3,"statusEmoji":"🔨"}"#
        let attributes = #"{"sessionID":"a","sessionType":"Build Process","startTime":812345678.5}"#
        let card = try Self.text("opencode-ios", state, attributes)
        #expect(
            Self.texts(card) == ["Build Process", "🔨 Building", "a.swift (3 operations)", "43 %", "2026-09-29T03:34:38.500Z"])
        #expect(card.fraction == 0.425)
        #expect(card.sinceAt == WallTime(iso8601: "2026-09-29T03:34:38.5Z"))
        let without = try Self.text("opencode-ios", state.replacing(#""a.swift""#, with: "null").replacing("0.425", with: "7"))
        #expect(Self.texts(without) == [nil, "🔨 Building", "3 operations", "100 %", nil])
        #expect(without.fraction == 1)
    }

    @Test("Busymate, Sendora and Epilogue")
    func others() throws {
        #expect(
            try Self.texts(Self.text("busymate", #"{"mode":"vpn","requestsPerSec":0,"note":"back at five"}"#))
                == ["0 requests/s", "VPN", "back at five", nil, nil])
        #expect(
            try Self.texts(
                Self.text("sendora-order", #"{"status":"out_for_delivery","minutesAway":12,"driverName":"Ada"}"#, #"{"orderId":"7"}"#))
                == ["Order 7", "Out for delivery", "Ada, 12 min away", nil, nil])
        let state =
            #"{"bookTitle":"","sessionDuration":3725.9,"capturedCount":2,"isListening":false,"lastTranscript":"and","pagesRead":9}"#
        let card = try Self.text("epilogue", state)
        #expect(Self.texts(card) == ["2 captured", "Paused", "and", "2 captured, 9 pages", "1:02:05"])
        #expect(card.sinceAt == nil && card.fraction == nil)
        #expect(try Self.text("epilogue", state.replacing("3725.9", with: "59")).since == "0:59")
    }

    @Test(
        "Of a state that does not decode it shows what is there, and of none nothing",
        arguments: [
            (#"{"status":7,"sessionTitle":"a"}"#, ["a", "7", nil]), (#"{"status":{"a":1},"lastMessage":"b"}"#, [nil, nil, "b"]),
            ("{", [nil, nil, nil]), ("", [nil, nil, nil]), ("[]", [nil, nil, nil]), (#""text""#, [nil, nil, nil]),
        ])
    func strange(state: String, shows: [String?]) throws {
        #expect(try Array(Self.texts(Self.text("opencode-a", state)).prefix(3)) == shows)
    }

    @Test("No number stops it", arguments: ["1e308", "-1e308", "9e18", "-0.0", "1e-300", "123456789012345678901234567890"])
    func numbers(number: String) throws {
        let state = #"{"status":"a","progress":\#(number),"operationCount":\#(number),"statusEmoji":"b"}"#
        let card = try Self.text("opencode-ios", state, #"{"startTime":\#(number)}"#)
        #expect(card.progress == "0 %" || card.progress == "100 %")
        #expect(card.since != nil && (card.sinceAt == nil) == ((Double(number) ?? 0).magnitude > 1e10))
        _ = try Self.text("epilogue", #"{"sessionDuration":\#(number)}"#)
    }

    private static let properties =
        #""properties":{"a":{"type":"string","enum":["x","y"]},"n":{"type":"number"},"o":{"type":"object"},"l":{"type":"array","items":{"type":"string"}}}"#

    @Test(
        "A mistake in `x-card` is told with line and column",
        arguments: [
            (#""/a""#, "s.json:3:1: `x-card` is an object that names what a card shows"),
            ("{}", "s.json:3:1: `x-card` is an object that names what a card shows"),
            (#"{"titel":"/a"}"#, "s.json:3:11: a card has no `titel` (did you mean `title`?)"),
            (#"{"title":"/b"}"#, "s.json:3:11: `x-card`: `/b` leads nowhere: there is no `b` (did you mean `a`?)"),
            (#"{"title":"/a/b"}"#, "s.json:3:11: `x-card`: `/a/b` leads nowhere: there is no `b`"),
            (#"{"title":"{/a} {/c}"}"#, "s.json:3:11: `x-card`: `/c` leads nowhere: there is no `c`"),
            (#"{"title":["/a","{/d}"]}"#, "s.json:3:25: `x-card`: `/d` leads nowhere"),
            (#"{"title":"/o"}"#, "s.json:3:11: `x-card`: `/o` leads to no single value"),
            (#"{"title":"/l"}"#, "s.json:3:11: `x-card`: `/l` leads to no single value"),
            (#"{"title":"a"}"#, "s.json:3:11: `a` names no key, or more than 32 (such as \"/status\""),
            (#"{"title":"{/a"}"#, "s.json:3:11: a `{` is never closed (write {/key})"),
            (#"{"title":"{a}"}"#, "s.json:3:11: `a` is no JSON pointer"),
            (#"{"title":7}"#, "s.json:3:11: `title` is a template"),
            (#"{"title":[]}"#, "s.json:3:11: `title` has 1 to 8 templates"),
            (#"{"title":{"at":"/a"}}"#, "s.json:3:11: `title` needs `at` and `words`"),
            (#"{"title":{"at":"/a","words":{"z":"Z"}}}"#, "s.json:3:39: `/a` is never `z` (did you mean `x`?)"),
            (#"{"title":{"at":"{/a}{/a}","words":{"x":"Z"}}}"#, "s.json:3:45: `words` are for one pointer alone"),
            (#"{"title":{"at":"/a","words":{"x":1}}}"#, "s.json:3:39: the word for `x` is text"),
            (#"{"since":"/a"}"#, "s.json:3:11: `x-card`: `/a` is no number (`since` is a Date, or seconds"),
            (#"{"since":"{/n} s"}"#, "s.json:3:11: `since` is one pointer"),
        ])
    func mistakes(card: String, says: String) {
        let text = "{\n\"type\":\"object\",\(Self.properties),\n\"x-card\":\(card)}"
        let failure = #expect(throws: Failure.self) { try Schema(SchemaFile(name: "s.json", parsing: text)) }
        #expect(failure?.description.hasPrefix(says) == true, "\(failure?.description ?? "")")
    }

    @Test("What it takes from the attributes is looked for in their schema")
    func attributes() throws {
        let card = "{\n\"type\":\"object\",\"x-card\":{\"since\":\n\"attributes#/startTime\"}}"
        let state = try Schema(SchemaFile(name: "s.json", parsing: card))
        func mistake(_ attributes: String) throws -> String? {
            state.cardMistake(attributes: try Schema(Files.json(attributes), name: "a.json"))?.description
        }
        #expect(try mistake(#"{"type":"object","properties":{"startTime":{"type":"number"}}}"#) == nil)
        #expect(
            try mistake(#"{"type":"object","properties":{"startedTime":{"type":"number"}}}"#)
                == "s.json:2:27: `x-card`: in the attributes `/startTime` leads nowhere: there is no `startTime` (did you mean `startedTime`?)")
        #expect(try mistake(#"{"type":"object","properties":{"startTime":{"type":"string"}}}"#)?.contains("is no number") == true)
        #expect(state.cardMistake(attributes: nil)?.message.hasSuffix("there is no schema of them") == true)
    }

    @Test("Only the root of a file has a card")
    func root() {
        let failure = #expect(throws: Failure.self) {
            try Schema(
                SchemaFile(name: "s.json", parsing: #"{"type":"object","properties":{"a":{"type":"string","x-card":{}}}}"#))
        }
        #expect(failure?.description == "s.json:1:53: `x-card` belongs to the root of the file (move it there)")
    }
}
