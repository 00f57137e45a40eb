// What a card is to show when each call says only what has changed.

import Basics
import Scenarios
import Schemas
import Testing

@Suite("A state that is told piece by piece")
struct CarriedStateTests {
    private static let text = Sample.with(
        "coalescing: { window: 10s }",
        """
        coalescing: { window: 10s }
            truncates: { /file: 20 }
            carries:
              status: { at: /status, from: /status }
              progress: { at: /progress, from: /progress, rises: true }
              file: { at: /file, from: /file }
              emoji: { at: /emoji, follows: status, as: { Building: 🔨 }, else: 💻 }
        """
    ).replacing(
        #"extra: "{{extra|json}}" }"#,
        with: #"extra: "{{extra|json}}", status: a, progress: 0, file: a }\#n        sets: { progress: 1 }"#)

    private static let full = #"{"status":"Building","progress":0.6,"file":"a.swift"}"#

    /// The calls' bodies in order, each of the call `register`, which sets nothing itself.
    private static func differences(
        _ bodies: [String], _ payload: String, last: String? = nil
    ) throws -> (said: [String], kept: [String]) {
        let profile = try Sample.load(text).relay.profile
        let checker = try #require(CarriedChecker(profile))
        var state = checker.beginning
        for (index, body) in bodies.enumerated() {
            let name = index == bodies.count - 1 ? last ?? "register" : "register"
            let call = try #require(profile.call(named: name))
            withBytes(of: body) { checker.take(call: call, body: $0, into: &state) }
        }
        let found = withBytes(of: payload) { checker.differences($0, state) }
        return (found.said.map(\.description), found.kept.map(\.description))
    }

    @Test("is whole where it is told whole")
    func whole() throws {
        let right = #"{"status":"Building","progress":0.6,"file":"a.swift","emoji":"🔨"}"#
        #expect(try Self.differences([Self.full], right) == ([], []))
        let wrong = try Self.differences([Self.full], right.replacing("0.6", with: "0.5"))
        #expect(wrong == (["/progress is 0.5, not 0.6"], []))
    }

    @Test("keeps what an update leaves out")
    func kept() throws {
        let calls = [Self.full, #"{"file":"b.swift"}"#]
        let right = #"{"status":"Building","progress":0.6,"file":"b.swift","emoji":"🔨"}"#
        #expect(try Self.differences(calls, right) == ([], []))
        let reset = try Self.differences(calls, right.replacing("0.6", with: "0"))
        #expect(reset == ([], ["/progress is 0, not 0.6"]))
        let stale = try Self.differences(calls, right.replacing("b.swift", with: "a.swift"))
        #expect(stale.said.count == 1 && stale.kept.isEmpty)
    }

    @Test("shows what one value makes of another")
    func follows() throws {
        let calls = [Self.full, #"{"status":"Dreaming"}"#]
        let right = #"{"status":"Dreaming","progress":0.6,"file":"a.swift","emoji":"💻"}"#
        #expect(try Self.differences(calls, right) == ([], []))
        let wrong = try Self.differences(calls, right.replacing("💻", with: "🔨"))
        #expect(wrong.said == [#"/emoji is "🔨", not "💻""#])
    }

    @Test("takes a null for a key that is not there, and cuts what may be cut")
    func nullAndCut() throws {
        let none = [Self.full, #"{"file":null}"#]
        let right = #"{"status":"Building","progress":0.6,"emoji":"🔨"}"#
        #expect(try Self.differences(none, right) == ([], []))
        #expect(try Self.differences(none, right.replacing("{", with: #"{"file":null,"#)) == ([], []))
        #expect(try Self.differences(none, right.replacing("{", with: #"{"file":"a.swift","#)).said.count == 1)
        let long = [Self.full, #"{"file":"a/very/long/path/indeed.swift"}"#]
        let cut = right.replacing("{", with: #"{"file":"a/very/long/pa…","#)
        #expect(try Self.differences(long, cut) == ([], []))
    }

    @Test("leaves it open what a number that must not fall becomes when it is told to")
    func disputed() throws {
        let calls = [Self.full, #"{"progress":0.2}"#]
        for shown in ["0.6", "0.2"] {
            let payload = #"{"status":"Building","progress":\#(shown),"file":"a.swift","emoji":"🔨"}"#
            #expect(try Self.differences(calls, payload) == ([], []))
        }
        // The next one is held against what stood before.
        let after = try Self.differences(
            calls + [#"{"file":"b"}"#], #"{"status":"Building","progress":0.2,"file":"b","emoji":"🔨"}"#)
        #expect(after.kept == ["/progress is 0.2, not 0.6"])
    }

    @Test("is set by a call whatever its body says")
    func sets() throws {
        let payload = #"{"status":"Building","progress":1,"file":"a.swift","emoji":"🔨"}"#
        #expect(try Self.differences([Self.full, "{}"], payload, last: "update") == ([], []))
        let wrong = try Self.differences([Self.full, "{}"], payload.replacing(":1,", with: ":0.6,"), last: "update")
        #expect(wrong.said == ["/progress is 0.6, not 1"])
    }

    @Test("is not judged before anything is said")
    func unknown() throws {
        #expect(try Self.differences([], #"{"status":"?","progress":-1}"#) == ([], []))
        #expect(CarriedChecker(try Sample.load().relay.profile) == nil)
    }

    @Test("does not fall")
    func fall() throws {
        let checker = try #require(CarriedChecker(try Sample.load(Self.text).relay.profile))
        func numbers(_ text: String) -> [Double?] { withBytes(of: text) { checker.numbers($0).rising } }
        #expect(checker.judgesNumbers && numbers(#"{"progress":0.5}"#) == [0.5])
        #expect(checker.fall(from: [0.5], to: [0.25])?.description == "/progress fell from 0.5 to 0.25")
        for (before, after) in [(0.5, 0.5), (0.5, 0.75), (nil, 0.1), (0.5, nil)] as [(Double?, Double?)] {
            #expect(checker.fall(from: [before], to: [after]) == nil)
        }
        #expect(numbers("{}") == [nil])
    }

    @Test("names in `sets` are those that the profile carries")
    func mistakes() {
        let text = Self.text.replacing("sets: { progress: 1 }", with: "sets: { progres: 1 }")
        #expect(
            Sample.complaint(text).contains(
                "`sets` names no value that the profile carries: `progres` (did you mean `progress`?)"))
        let none = Sample.with("path: /register", "path: /register\n        sets: { a: 1 }")
        #expect(Sample.complaint(none).contains("`a` (add it to `carries`)"))
    }
}
