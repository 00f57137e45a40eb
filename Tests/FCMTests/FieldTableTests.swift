// Each field of the table, met by each fault that a field can have.

import Basics
import FCM
import Testing

/// A field and the objects that lead to it.
struct FieldPlace: CustomStringConvertible, Sendable {
    let path: [String]
    let row: FieldRow

    var description: String { (path + [row.name]).joined(separator: ".") }

    /// A body in which that field has that value.
    func body(_ value: String, key: String? = nil) -> String {
        var text = "{\"\(key ?? row.name)\":\(value)}"
        for name in path.reversed() { text = "{\"\(name)\":\(text)}" }
        return text
    }

    /// As errors name where its object is.
    var place: String { path.isEmpty ? "" : " at '\(path.joined(separator: "."))'" }

    static let all = places(of: .request, below: [])

    private static func places(of type: MessageType, below path: [String]) -> [FieldPlace] {
        type.fields.flatMap { row -> [FieldPlace] in
            let here = [FieldPlace(path: path, row: row)]
            guard case .message(let inner) = row.kind else { return here }
            return here + places(of: inner, below: path + [row.name])
        }
    }

    var goodValue: String {
        switch row.kind {
        case .text: "\"text\""
        case .flag: "true"
        case .int32: "3"
        case .float: "0.5"
        case .duration: "\"3.5s\""
        case .timestamp: "\"2026-11-24T00:00:00Z\""
        case .word: "\"\(row.words!.words[1])\""
        case .texts: "[\"a\",\"b\"]"
        case .durations: "[\"1s\"]"
        case .map: "{\"key\":\"value\"}"
        case .free: "{\"any\":{\"thing\":[1]}}"
        case .message: "{}"
        }
    }

    /// A value of another kind, as it stands in the error.
    var wrongValue: String {
        switch row.kind {
        case .text, .texts, .duration, .durations, .timestamp, .map, .free, .message: "12"
        case .flag, .int32, .float: "\"text\""
        case .word: "\"no-such-word\""
        }
    }
}

@Suite("The table of fields")
struct FieldTableTests {
    private func read(_ body: String) throws -> (isWellFormed: Bool, error: JSONValue?) {
        var send = Send()
        send.body = body
        let judge = Judge()
        guard judge.reason(send) == .invalidJSON else { return (true, nil) }
        return (false, try judge.answer(send)["error"])
    }

    @Test("has the fields of the sheet")
    func size() {
        #expect(FieldPlace.all.count > 110)
        #expect(Set(FieldPlace.all.map(\.description)).count == FieldPlace.all.count)
    }

    @Test("a right value is taken, by either name", arguments: FieldPlace.all)
    func right(_ field: FieldPlace) throws {
        #expect(try read(field.body(field.goodValue)).isWellFormed)
        #expect(try read(field.body(field.goodValue, key: field.row.camel)).isWellFormed)
    }

    @Test("null is as good as absent", arguments: FieldPlace.all)
    func null(_ field: FieldPlace) throws {
        #expect(try read(field.body("null")).isWellFormed)
    }

    @Test("a value of another kind is told with its place and type", arguments: FieldPlace.all)
    func wrong(_ field: FieldPlace) throws {
        let error = try #require(try read(field.body(field.wrongValue)).error)
        let message = try #require(error["message"]?.string)
        let name = field.description
        let said = field.wrongValue
        #expect(message == "Invalid value at '\(name)' (\(field.row.url)), \(said)", "\(message)")
        #expect(error["code"]?.int == 400)
        #expect(error["status"]?.string == "INVALID_ARGUMENT")
        let details = try #require(error["details"]?.array)
        #expect(details.count == 1, "faults of the body have no FcmError")
        #expect(details[0]["@type"]?.string == "type.googleapis.com/google.rpc.BadRequest")
        #expect(details[0]["fieldViolations"]?.array?.first?["field"]?.string == name)
        #expect(details[0]["fieldViolations"]?.array?.first?["description"]?.string == message)
    }

    @Test("a list where there is one value is told", arguments: FieldPlace.all)
    func list(_ field: FieldPlace) throws {
        let outcome = try read(field.body("[\(field.goodValue)]"))
        switch field.row.kind {
        case .texts, .durations: #expect(!outcome.isWellFormed)
        default:
            #expect(
                outcome.error?["message"]?.string
                    == "Invalid JSON payload received. Unknown name \"\(field.row.name)\"\(field.place): Proto field is not repeating, cannot start list.")
        }
    }

    @Test("a child that is none is told, at the root without a field", arguments: FieldPlace.all)
    func unknown(_ field: FieldPlace) throws {
        guard case .message = field.row.kind else {
            let outcome = try read(field.body(field.goodValue, key: field.row.name + "_x"))
            let violation = outcome.error?["details"]?.array?.first?["fieldViolations"]?.array?.first
            #expect(
                violation?["description"]?.string
                    == "Invalid JSON payload received. Unknown name \"\(field.row.name)_x\"\(field.place): Cannot find field.")
            #expect(violation?["field"]?.string == (field.path.isEmpty ? nil : field.path.joined(separator: ".")))
            return
        }
        #expect(
            try read(field.body("{\"nobody\":1}")).error?["message"]?.string
                == "Invalid JSON payload received. Unknown name \"nobody\" at '\(field.description)': Cannot find field.")
    }

    @Test("of a key that stands twice the last counts", arguments: FieldPlace.all)
    func twice(_ field: FieldPlace) throws {
        func body(_ first: String, _ second: String) -> String {
            var text = "{\"\(field.row.name)\":\(first),\"\(field.row.name)\":\(second)}"
            for name in field.path.reversed() { text = "{\"\(name)\":\(text)}" }
            return text
        }
        #expect(try read(body(field.goodValue, field.goodValue)).isWellFormed)
        #expect(try !read(body(field.goodValue, field.wrongValue)).isWellFormed)
        #expect(try read(body(field.wrongValue, field.goodValue)).isWellFormed)
    }

    @Test("of a field in both its spellings as well", arguments: FieldPlace.all.filter { $0.row.name != $0.row.camel })
    func twiceSpelled(_ field: FieldPlace) throws {
        func body(_ first: String, _ second: String, _ names: [String]) -> String {
            var text = "{\"\(names[0])\":\(first),\"\(names[1])\":\(second)}"
            for name in field.path.reversed() { text = "{\"\(name)\":\(text)}" }
            return text
        }
        for names in [[field.row.name, field.row.camel], [field.row.camel, field.row.name]] {
            #expect(try read(body(field.wrongValue, field.goodValue, names)).isWellFormed)
            #expect(try !read(body(field.goodValue, field.wrongValue, names)).isWellFormed)
        }
    }
}
