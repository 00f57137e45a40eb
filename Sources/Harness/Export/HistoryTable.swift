// The history as one table: a row for each entry, the same columns for all of them.

import Basics

enum HistoryTable {
    /// Names of columns, and the members of an entry's object of JSON that stand in them; whole numbers where SQLite is to
    /// count with them.
    static let columns: [(name: String, member: String, isNumber: Bool)] = [
        ("entry", "entry", true), ("time", "time", false), ("offset_ns", "offsetNanoseconds", true),
        ("kind", "kind", false), ("session", "session", true), ("step", "step", true), ("call", "call", false),
        ("planned_ns", "plannedNanoseconds", true), ("sent_ns", "sentNanoseconds", true),
        ("answered_ns", "answeredNanoseconds", true), ("lateness_ns", "latenessNanoseconds", true),
        ("attempts", "attempts", true), ("status", "status", true), ("reason", "reason", false),
        ("failure", "failure", false), ("answer", "answer", false), ("environment", "environment", false),
        ("connection", "connection", true), ("token", "token", false), ("topic", "topic", false),
        ("push_type", "pushType", false), ("priority", "priority", false), ("event", "event", false),
        ("outcome", "outcome", false), ("fault", "fault", false), ("delay_ns", "delayNanoseconds", true),
        ("headers", "headers", false), ("payload", "payload", false), ("note", "note", false), ("text", "text", false),
    ]

    /// What an entry has in a column; nil: nothing.
    static func text(_ value: JSONValue?) -> String? {
        switch value {
        case nil, .null?: nil
        case .string(let text)?: text
        case let value?: value.text
        }
    }

    // MARK: CSV (RFC 4180)

    static var csvHead: String { columns.map(\.name).joined(separator: ",") + "\r" }

    /// A line's end without its LF. Nothing stands for nothing; a text with a comma, a quote or a line's end is quoted.
    static func csv(_ object: JSONObject) -> String {
        columns.map { column in
            guard let text = text(object[column.member]) else { return "" }
            let isPlain = !text.utf8.contains { [34, 44, 10, 13].contains($0) } && !text.isEmpty
            return isPlain ? text : quoted(text)
        }.joined(separator: ",") + "\r"
    }

    /// By bytes: to Swift a quote under a combining accent is another character.
    private static func quoted(_ text: String) -> String {
        let doubled = text.utf8.flatMap { $0 == 34 ? [34, 34] : [$0] }
        return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
    }

    // MARK: SQLite

    static var definition: String {
        let parts = columns.map { "\($0.name) \($0.isNumber ? "INTEGER" : "TEXT")" }.joined(separator: ", ")
        return "CREATE TABLE history (\(parts)); "
            + "CREATE VIEW events AS SELECT * FROM history WHERE kind = 'event'; "
            + "CREATE VIEW pushes AS SELECT * FROM history WHERE kind = 'push'; "
            + "CREATE VIEW notes AS SELECT * FROM history WHERE kind = 'note'"
    }

    /// When all rows are there.
    static let indices =
        "CREATE INDEX history_session ON history (session, offset_ns); CREATE INDEX history_token ON history (token)"

    static var insertion: String {
        "INSERT INTO history VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    }
}
