// Which tokens a relay holds, as its tables say: one look at them, by what has changed since the look before.

package import Basics

package struct StateNote: Hashable, Sendable {
    /// When it was begun; the note's own instant is its end.
    package var began: Instant
    /// Tables that were asked: `activity`, `start`, `device`.
    package var tables: [String]
    /// Tokens by table.
    package var added: [String: [String]]
    package var removed: [String: [String]]

    package init(began: Instant, tables: [String], added: [String: [String]] = [:], removed: [String: [String]] = [:]) {
        self.began = began
        self.tables = tables
        self.added = added
        self.removed = removed
    }
}

extension JournalWriter {
    package func append(_ note: StateNote, at instant: Instant) {
        func lists(_ lists: [String: [String]]) -> JSONValue {
            var object = JSONObject()
            for (table, tokens) in lists.sorted(by: { $0.key < $1.key }) {
                object[table] = .array(tokens.map { .string($0) })
            }
            return .object(object)
        }
        append(
            .state,
            [
                "beganNanoseconds": .integer(note.began.nanoseconds), "tables": .array(note.tables.map { .string($0) }),
                "added": lists(note.added), "removed": lists(note.removed),
            ], at: instant)
    }

    /// Why a look came to nothing. `wasGivenUp`: it asked for more time or room than it may take.
    package func append(stateFailure words: String, wasGivenUp: Bool = false, at instant: Instant) {
        append(.other, ["state": .string(words), "wasGivenUp": .bool(wasGivenUp)], at: instant)
    }
}

extension NoteEntry {
    /// Nil for every note but that of a look that came to nothing.
    package var stateFailure: String? {
        json(of: .other)?["state"]?.string
    }

    /// It is the note of a look that was given up.
    package var isLookGivenUp: Bool { json(of: .other)?["wasGivenUp"]?.bool ?? false }

    /// Nil for every other note, and for one that is not whole.
    package var state: StateNote? {
        guard let json = json(of: .state), let began = json["beganNanoseconds"]?.int,
            let tables = json["tables"]?.array?.compactMap(\.string), let added = json["added"]?.object,
            let removed = json["removed"]?.object
        else { return nil }
        func lists(_ object: JSONObject) -> [String: [String]] {
            var lists: [String: [String]] = [:]
            for (table, tokens) in object { lists[table] = tokens.array?.compactMap(\.string) ?? [] }
            return lists
        }
        return StateNote(
            began: Instant(nanoseconds: began), tables: tables, added: lists(added), removed: lists(removed))
    }
}
