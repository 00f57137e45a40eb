// The table of actions: what a row says of an action is so.

import Basics
import Glibc
import Testing

@testable import Faults

@Suite struct ActionRowTests {
    private func action(_ text: String) throws -> FaultAction { try FaultAction(json: JSONValue(parsing: text), at: "") }

    @Test("numbers in journals never change")
    func codes() {
        let codes = ActionRow.all.map { "\($0.code) \($0.name)" }.sorted()
        #expect(
            codes == [
                "1 respond", "10 raw", "2 delay", "3 silence", "4 reset-stream", "5 goaway", "6 max-streams", "7 window",
                "8 close", "9 refuse-tls",
            ])
    }

    @Test(
        "what becomes of the request that is met",
        arguments: [
            (#"{"respond":{"reason":"BadTopic"}}"#, .refused), (#"{"respond":{"status":502}}"#, .refused),
            (#"{"delay":"1s"}"#, .processed), (#"{"silence":true}"#, .dropped), (#"{"reset-stream":true}"#, .dropped),
            (#"{"reset-stream":{"after":"headers"}}"#, .processed), (#"{"goaway":"Shutdown"}"#, .processed),
            (#"{"goaway":{"last":"before"}}"#, .dropped), (#"{"goaway":{"last":9}}"#, .processed),
            (#"{"goaway":{"last":7}}"#, .dropped), (#"{"max-streams":1}"#, .processed),
            (#"{"window":{"initial":16}}"#, .processed), (#"{"close":"reset"}"#, .dropped),
            (#"{"close":{"when":"half-answer"}}"#, .cutOff), (#"{"close":{"when":"after-answer"}}"#, .processed),
            (#"{"refuse-tls":"alert"}"#, .dropped), (#"{"raw":{"hex":"00"}}"#, .dropped),
            (#"{"raw":{"hex":"00","place":"after"}}"#, .processed),
        ] as [(String, RequestFate)])
    func fates(text: String, fate: RequestFate) throws {
        #expect(try action(text).fate(ofStream: 9) == fate)
        #expect(fate.isProcessed == [.processed, .cutOff].contains(fate))
        #expect(fate.isAnswered == [.processed, .refused].contains(fate))
    }

    @Test("what it can be done to follows from where it strikes")
    func stages() {
        for row in ActionRow.all {
            switch row.stage {
            case .accept: #expect(row.targets == [.connection], "\(row.name)")
            case .connection: #expect(row.targets == FaultTarget.allCases, "\(row.name)")
            case .request: #expect(row.targets == [.push, .broadcast] && !row.endsConnection, "\(row.name)")
            }
        }
    }

    @Test(
        "an object with another key than the row's is refused where it stands",
        arguments: ActionRow.all.filter { !$0.keys.isEmpty }.map(\.name))
    func keys(name: String) throws {
        let error = #expect(throws: FaultRuleError.self) { try action(#"{"\#(name)":{"frobnicate":1}}"#) }
        #expect(error?.pointer == "/\(name)/frobnicate")
    }

    @Test("the scenario schema has the actions of the table, each with the row's keys")
    func schema() throws {
        let actions = try #require(try Self.schema()["$defs"]?["faultAction"]?["properties"]?.object)
        #expect(Set(actions.keys) == Set(ActionRow.all.map(\.name)))
        for row in ActionRow.all {
            let written = Self.members(actions[row.name] ?? .null)
            // Of distributions the schema only has the names.
            if row.name == "delay" { continue }
            #expect(written == Set(row.keys), "\(row.name): \(written.sorted())")
        }
    }

    /// Of every object that may stand there, not of those within.
    private static func members(_ schema: JSONValue) -> Set<String> {
        var found = Set(schema["properties"]?.object?.keys.map { $0 } ?? [])
        for key in ["oneOf", "anyOf"] {
            for part in schema[key]?.array ?? [] { found.formUnion(members(part)) }
        }
        return found
    }

    private static func schema() throws -> JSONValue {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let file = try #require(fopen(root + "/docs/scenario.schema.json", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&room, 1, room.count, file), count > 0 { bytes += room[..<count] }
        return try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
    }
}
