// Foundation's JSONDecoder with the app's own type is the measure: it and the checker must agree on whether a phone can
// read a state, over thousands of states with something changed in them.

import Basics
import Foundation
import Testing

@testable import Schemas

/// One type of an app, its schema and a state that is right.
struct AppType: CustomTestStringConvertible, Sendable {
    var name: String
    var schema: @Sendable () throws -> Schema
    var sample: Written
    /// Whether the type decodes from the text.
    var decodes: @Sendable (String) -> Bool

    var testDescription: String { name }

    /// A file in Scenarios/schemas.
    init<T: Decodable & SendableMetatype>(_ file: String, _ type: T.Type, _ sample: String) {
        self.init(file, type, sample: Written(Files.json(sample))) { try Files.schema(file) }
    }

    init<T: Decodable & SendableMetatype>(
        _ name: String, _ type: T.Type, sample: Written, schema: @escaping @Sendable () throws -> Schema
    ) {
        self.name = name
        self.schema = schema
        self.sample = sample
        decodes = { text in (try? JSONDecoder().decode(T.self, from: Data(text.utf8))) != nil }
    }

    static let all = [
        AppType("opencode-a.attributes", OpenCodeA.SessionActivityAttributes.self, #"{"sessionId":"ses_1"}"#),
        AppType("opencode-a.content-state", OpenCodeA.SessionActivityAttributes.ContentState.self, Files.stateA),
        AppType("opencode-b.attributes", OpenCodeB.LiveActivityAttributes.self, #"{"url":"/session/ses_1"}"#),
        AppType(
            "opencode-b.content-state", ReadWidgetState.self,
            sample: .object([
                (#""name""#, .raw(#""SessionActivity""#)), (#""props""#, .embedded(Written(Files.json(Files.stateA)))),
            ])
        ) { try Files.schema("opencode-b.content-state") },
        AppType(
            "opencode-ios.attributes", OpenCodeIOS.SessionActivityAttributes.self,
            #"{"sessionID":"a","sessionType":"File Sync","startTime":812345678.5}"#),
        AppType(
            "opencode-ios.content-state", OpenCodeIOS.SessionActivityAttributes.ContentState.self,
            #"{"status":"Active","progress":0.5,"currentFile":"a.swift","operationCount":3,"statusEmoji":"🚀"}"#),
        AppType(
            "busymate.content-state", Busymate.BusymateActivityAttributes.ContentState.self, #"{"mode":"vpn","requestsPerSec":0,"note":"back at five"}"#),
        AppType("sendora-order.attributes", Sendora.OrderAttributes.self, #"{"orderId":"a"}"#),
        AppType(
            "sendora-order.content-state", Sendora.OrderAttributes.ContentState.self,
            #"{"status":"preparing","minutesAway":12,"driverName":"Ada"}"#),
        AppType("epilogue.attributes", Epilogue.AmbientActivityAttributes.self, #"{"startTime":812345678,"coverImagePath":"a"}"#),
        AppType(
            "epilogue.content-state", Epilogue.AmbientActivityAttributes.ContentState.self,
            #"{"bookTitle":"Emma","sessionDuration":61.5,"capturedCount":2,"isListening":true,"lastTranscript":"and so"#
                + #" on","pagesRead":12,"coverAccentHex":"a0b0c0","nudgeMessage":null}"#),
        AppType("everything", Everything.self, sample: Written(Files.json(Everything.sample))) {
            try Schema(Files.json(Everything.schema), name: "everything")
        },
        AppType(
            "every kind, as read from its declaration", EveryKindAttributes.ContentState.self,
            sample: Written(Files.json(EveryKindAttributes.sample))
        ) { try Schema(.object(try Files.declared("EveryKind").contentState), name: "EveryKind") },
    ]
}

@Suite("Whether a phone can read it")
struct OracleTests {
    @Test("The sample of each type decodes, and keeps its contract", arguments: AppType.all)
    func sample(app: AppType) throws {
        let checker = SchemaChecker(try app.schema())
        #expect(app.decodes(app.sample.text))
        let verdict = withBytes(of: app.sample.text) { checker.check($0) }
        #expect(verdict.isKept, "\(verdict)")
    }

    @Test(
        "Ten thousand states with something changed in them are judged as Foundation judges them",
        arguments: AppType.all)
    func mutations(app: AppType) throws {
        let checker = SchemaChecker(try app.schema())
        let seed = Seed(0xC0DE)
        var counts = (read: 0, refused: 0, malformed: 0)
        for number in 0..<10_000 {
            var generator = seed.child(app.name).child(UInt64(number)).generator()
            var state = app.sample
            for _ in 0...Int(generator.next() % 3) { state = state.mutated(&generator) }
            let text = state.text
            let verdict = withBytes(of: text) { checker.check($0) }
            guard Self.isJSON(state) else {
                // Foundation looks no closer than it must, and passes over much that is no JSON in keys that nobody reads.
                counts.malformed += 1
                #expect(!verdict.decodes || app.name.hasPrefix("opencode-b"), "seed \(seed), case \(number): \(text)")
                continue
            }
            if verdict.decodes { counts.read += 1 } else { counts.refused += 1 }
            let agrees = verdict.decodes == app.decodes(text)
            #expect(agrees, "seed \(seed), case \(number): \(text)\n\(verdict.doesNotDecode)")
            if !agrees { break }
        }
        #expect(
            counts.read > 800 && counts.refused > 1_500 && counts.malformed > 100, "too mild or too wild: \(counts)")
    }

    /// By the rules of the grammar, at every level; keys may stand twice.
    private static func isJSON(_ state: Written) -> Bool {
        let scanner = JSONScanner(maxDepth: 8, maxNodes: 64, allowsRepeatedKeys: true)
        guard withBytes(of: state.text, { scanner.scan($0) }) == nil else { return false }
        return isInnerJSON(state)
    }

    private static func isInnerJSON(_ state: Written) -> Bool {
        switch state {
        case .object(let members): members.allSatisfy { isInnerJSON($0.value) }
        case .array(let items): items.allSatisfy(isInnerJSON)
        case .raw: true
        case .embedded(let value): isJSON(value)
        }
    }

    @Test(
        "A UUID, a URL and Data decode from the texts that Foundation takes",
        arguments: [
            "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f",
            "E621E1F8C36C495A93FC0C247A3E6E5F", "{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}",
            "E621E1F8-C36C-495A-93FC-0C247A3E6E5", "E621E1F8-C36C-495A-93FC-0C247A3E6E5G",
            "E621E1F8-C36C-495A-93FC0-C247A3E6E5F", "aGVsbG8=", "aGVsbG8", "aGVsbA==", "aGVs bG8=", "-_-_", "a",
            "", "https://example.com/a?b=c#d", "a b", "/x", "é", "http://[::1]/", "%zz",
        ])
    func forms(text: String) throws {
        struct Holder<T: Decodable>: Decodable { let value: T }
        func decodes<T: Decodable>(_ type: T.Type) -> Bool {
            (try? JSONDecoder().decode(Holder<T>.self, from: Data(#"{"value":"\#(text)"}"#.utf8))) != nil
        }
        for (form, known) in [
            (TextForm.uuid, decodes(UUID.self)), (.data, decodes(Data.self)), (.url, decodes(URL.self)),
        ] {
            let ask = try Ask(
                #"{"type":"object","required":["value"],"properties":{"value":{"type":"string","format":"\#(form.rawValue)"}}}"#)
            #expect(ask.say(#"{"value":"\#(text)"}"#).isEmpty == known, "\(form.rawValue)")
        }
        #expect(TextForm.uuid.isRead(text) == (UUID(uuidString: text) != nil))
    }

    @Test(
        "What is no JSON is read by neither",
        arguments: [
            "NaN", "Infinity", "-Infinity", "1e400", "01", "1.", ".5", "+1", "-", "0x10", "1e", "nul", "'a'", "",
        ])
    func malformed(number: String) throws {
        struct Holder: Decodable { let value: Double }
        let checker = SchemaChecker(
            try Schema(
                ["type": "object", "required": ["value"], "properties": ["value": ["type": "number"]]], name: "a"))
        let text = #"{"value":\#(number)}"#
        #expect((try? JSONDecoder().decode(Holder.self, from: Data(text.utf8))) == nil)
        #expect(withBytes(of: text) { checker.check($0) }.decodes == false)
    }
}
