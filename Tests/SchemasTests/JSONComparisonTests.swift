// What was handed to a relay against what it sent on: one knob at a time.

import Basics
import Testing

@testable import Schemas

@Suite("What a relay passes on")
struct JSONComparisonTests {
    private static let call = #"""
        {"id":"s1","state":{"status":"working","title":"Refactor","text":"[pr:1:2:3] Reading the parser","info":null,
        "count":3,"list":[1,{"a":true}]}}
        """#
    private static let push = #"""
        {"aps":{"event":"update","content-state":{"status":"working","title":"Refactor","text":"[pr:1:2:3] Reading the parser","info":null,"count":3,"list":[1,{"a":true}]}},"id":"s1"}
        """#

    private static func path(_ text: String) -> JSONPointerPath { JSONPointerPath(text)! }

    private static func compare(
        _ push: String, _ call: String = call, at place: String = "/aps/content-state", from: String = "/state",
        cut: [String: Int] = [:], ofTexts: Bool = false
    ) -> [String] {
        let comparison = JSONComparison(truncations: cut.map { Truncation(at: path($0.key), length: $0.value) })
        let began = withBytes(of: call) { call in withBytes(of: push) { comparison.begin(sent: call, pushed: $0, ofTexts: ofTexts) } }
        if began { comparison.compare(path(place), with: path(from)) }
        return comparison.end().map(\.description)
    }

    @Test("is the same, in whatever order and spelling")
    func same() {
        #expect(Self.compare(Self.push) == [])
        #expect(Self.compare(Self.push, at: "/id", from: "/id") == [])
        let other =
            #"{"aps":{"content-state":{"list":[1.0,{"a":true}],"count":3e0,"info":null,"text":"\u005bpr:1:2:3] Reading the parser","title":"Refactor","status":"working"}}}"#
        #expect(Self.compare(other) == [])
    }

    /// A form says `percent=10`, and the push has the number.
    @Test("is the same number or boolean, where the call was a form of texts", arguments: [
        ("10", "10", true), ("10", "10.0", true), ("10", "11", false), ("x", "10", false), ("true", "true", true),
        ("true", "false", false), ("1", "true", false), ("", "0", false),
    ])
    func texts(said: String, pushed: String, isSame: Bool) {
        func differences(ofTexts: Bool) -> [String] {
            Self.compare(#"{"p":\#(pushed)}"#, #"{"p":"\#(said)"}"#, at: "/p", from: "/p", ofTexts: ofTexts)
        }
        #expect(differences(ofTexts: true).isEmpty == isSame)
        #expect(differences(ofTexts: false) == [#"/p is \#(pushed), not "\#(said)""#])
    }

    @Test(
        "or differs at a place",
        arguments: [
            Knob(#""working""#, #""Working""#, #"/aps/content-state/status is "Working", not "working""#),
            Knob(#""title":"Refactor","#, "", #"/aps/content-state lacks the key "title""#),
            Knob(
                #""title""#, #""Title""#, #"/aps/content-state lacks the key "title""#,
                "/aps/content-state/Title is not in the call"),
            Knob("null", #""x""#, #"/aps/content-state/info is "x", not null"#),
            Knob(#":3,"#, #":4,"#, "/aps/content-state/count is 4, not 3"),
            Knob(#":3,"#, #":"3","#, #"/aps/content-state/count is "3", not 3"#),
            Knob("[1,", "[1,2,", "/aps/content-state/list has 3 items, not 2"),
            Knob("true", "false", "/aps/content-state/list/1/a is false, not true"),
            Knob(
                "the parser", "a parser",
                #"/aps/content-state/text is "…:3] Reading a parser", not "…:3] Reading the parser""#),
            Knob(
                "] Reading the parser", "]",
                #"/aps/content-state/text is "[pr:1:2:3]", not "[pr:1:2:3] Reading the parser""#),
            Knob("content-state", "contentState", "/aps/content-state is missing"),
            Knob("{\"aps\"", "{aps", "is not JSON: a byte that does not belong here, at byte 1"),
        ])
    func differs(knob: Knob) throws { #expect(Self.compare(try knob.turned(in: Self.push)) == knob.says) }

    @Test("What the call does not have need not arrive")
    func absent() { #expect(Self.compare(Self.push, at: "/nothing", from: "/state/nothing") == []) }

    @Test("JSON text counts as what it says, and a pointer leads on into it")
    func embedded() {
        let state =
            #"{\"status\":\"working\",\"title\":\"Refactor\",\"text\":\"[pr:1:2:3] Reading the parser\",\"info\":null,\"count\":3,\"list\":[1,{\"a\":true}]}"#
        let push = #"{"aps":{"content-state":{"name":"a","props":"\#(state)"}}}"#
        let place = "/aps/content-state/props"
        #expect(Self.compare(push, at: place) == [])
        #expect(Self.compare(push, at: place + "/title", from: "/state/title") == [])
        #expect(Self.compare(push, at: place + "/list/1/a", from: "/state/list/1/a") == [])
        #expect(Self.compare(push, at: place + "/list/01", from: "/id") == [place + "/list/01 is missing"])
        #expect(
            Self.compare(push.replacing("Refactor", with: "Rewrite"), at: place) == [
                #"/aps/content-state/props/title is "Rewrite", not "Refactor""#
            ])
        #expect(
            Self.compare(push.replacing("]}", with: "]"), at: place) == [
                place + " holds no JSON text: the text ends too early, at byte 121"
            ])
    }

    @Test("Large objects are compared by key as well")
    func large() {
        let members = (0..<2_000).map { #""k\#($0)":\#($0)"# }
        let call = #"{"state":{\#(members.joined(separator: ","))}}"#
        let push = #"{"aps":{"content-state":{\#(members.reversed().joined(separator: ","))}}}"#
        #expect(Self.compare(push, call) == [])
        #expect(Self.compare(push.replacing(#""k77":77"#, with: #""K77":77"#), call).count == 2)
        #expect(Self.compare(#"{"aps":{"content-state":{"x":1}}}"#, call).count == 8)
    }

    private static let words = "[pr:1:2:3] " + (0..<40).map { "word\($0)" }.joined(separator: " ")

    private static func start(_ count: Int, _ ending: String = "") -> String { String(words.prefix(count)) + ending }

    private static let cuts: [(text: String, says: String)] = [
        (words, ""), (start(120), ""), (start(120, "…"), ""), (start(80, " ..."), ""), (words + "…", ""),
        (start(28, "…"), "is cut to 28 characters, though about 120 fit"),
        ("[pr:1:2:3]", "is cut to 10 characters, though about 120 fit"),
        (start(100, "x…"), "\", not \""), (String(words.dropFirst(2)), "\", not \""),
    ]

    @Test("A text that may be cut arrives as its beginning", arguments: cuts)
    func cut(text: String, says: String) {
        let call = #"{"state":\#(JSONValue.string(Self.words).text)}"#
        let push = #"{"a":\#(JSONValue.string(text).text)}"#
        let differences = Self.compare(push, call, at: "/a", cut: ["/a": 120])
        if says.isEmpty {
            #expect(differences == [])
        } else {
            #expect(differences.first?.contains(says) == true, "\(differences)")
        }
        #expect(Self.compare(push, call, at: "/a").isEmpty == (text == Self.words))
    }

    @Test("A text that fits may not be cut, however its characters are counted")
    func fits() {
        let short = String(repeating: "word ", count: 24)
        #expect(CutText("word…", of: short, length: 120).flaw?.contains("has only 120 bytes") == true)
        let emoji = String(repeating: "👩🏽‍🚀", count: 31)
        #expect(CutText(emoji.prefix(30) + "…", of: emoji, length: 120).flaw == nil)
        // By a relay that counts bytes, and by one that cuts in the middle of what a reader sees as one.
        #expect(CutText(emoji.prefix(8) + "…", of: emoji, length: 120).flaw == nil)
        let half = String(String.UnicodeScalarView(emoji.unicodeScalars.prefix(50)))
        #expect(CutText(half + "…", of: emoji, length: 120).flaw == nil)
    }
}
