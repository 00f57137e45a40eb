// What a card goes on showing though no call says it again: values that stay as they were said last, or never fall, and those
// that a call sets by itself.

import Basics
import Journal
import Pushes

struct LearnedValues {
    struct Row: Hashable {
        /// The key in the card's state.
        var name: String
        /// Where calls say it.
        var from: String
        /// What is less than it is says nothing.
        var rises = false

        var at: String { LearnedValues.state + "/" + name }
    }

    /// A state that was shown by a call that says nothing of the value.
    private struct Silent {
        var kind: Int
        var shown: JSONValue
        /// As it was said or shown last in the session, and the greatest so far; nil: never before.
        var last: JSONValue?
        var highest: JSONValue?
    }

    private struct Current {
        var last: JSONValue?
        var highest: JSONValue?

        mutating func say(_ value: JSONValue) {
            last = value
            guard let number = value.double else { return }
            if number >= highest?.double ?? -.infinity { highest = value }
        }
    }

    private static let state = "/aps/content-state"
    /// Pushes from which it follows that a value stays.
    private static let fewest = 2

    private var silent: [Row: [Silent]] = [:]
    /// What a push showed otherwise than its own call had said, and otherwise than the greatest of what calls had said.
    private var contradicted: Set<Row> = []
    private var fallen: Set<Row> = []

    mutating func learn(_ played: PlayedCalls) {
        let rows = Self.candidates(played)
        for session in Set(played.calls.map(\.event.session)) {
            let calls = played.calls(of: session)
            let shown = calls.flatMap { call in
                played.pushes(of: call).filter { $0.status == 200 && $0.event != nil }.map { (call, $0) }
            }.sorted { $0.1.arrivedAt < $1.1.arrivedAt }
            var said = calls[...]
            // What is so by then: as a call has said it, or as it was shown.
            var current: [Row: Current] = [:]
            for (call, push) in shown {
                while let next = said.first, next.event.sentAt <= push.arrivedAt {
                    for row in rows {
                        if let value = next.body?.at(pointer: row.from) { current[row, default: Current()].say(value) }
                    }
                    said.removeFirst()
                }
                let payload = try? JSONValue(parsing: String(decoding: push.payload, as: UTF8.self))
                for row in rows { if let value = payload?.at(pointer: row.at) { see(value, of: call, row, &current) } }
            }
        }
    }

    private mutating func see(_ shown: JSONValue, of call: PlayedCalls.Call, _ row: Row, _ current: inout [Row: Current]) {
        if let said = call.body?.at(pointer: row.from) {
            if said != shown { contradicted.insert(row) }
            if current[row]?.highest?.double != shown.double { fallen.insert(row) }
        } else {
            let known = current[row]
            silent[row, default: []].append(
                Silent(kind: Int(call.event.kind), shown: shown, last: known?.last, highest: known?.highest))
        }
        current[row, default: Current()].say(shown)
    }

    /// Values of a card's state that calls say under the same key, at one place.
    private static func candidates(_ played: PlayedCalls) -> [Row] {
        var names: Set<String> = []
        for push in played.pushes where push.event != nil {
            let payload = try? JSONValue(parsing: String(decoding: push.payload, as: UTF8.self))
            for (name, value) in payload?.at(pointer: state)?.object ?? JSONObject() where value.isPlain {
                names.insert(name)
            }
        }
        var places: [String: Set<String>] = [:]
        for call in played.calls {
            for (pointer, value) in call.body?.nodes ?? [] where value.isPlain || value.isNull {
                guard let name = pointer.split(separator: "/").last.map(String.init), names.contains(name) else { continue }
                places[name, default: []].insert(pointer)
            }
        }
        return places.filter { $0.value.count == 1 }.map { Row(name: $0.key, from: $0.value.first!) }
    }

    /// Those that stay, with what calls set by themselves, by their numbers.
    var rows: [(row: Row, sets: [Int: JSONValue])] {
        silent.compactMap { row, seen in
            let isWord = row.name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            let isNumber = seen.contains { $0.shown.double != nil }
            // Where nothing was said that would make it fall, nobody knows whether it can.
            guard isWord, !contradicted.contains(row) || isNumber && !fallen.contains(row),
                !isNumber || contradicted.contains(row) || fallen.contains(row)
            else { return nil }
            var row = row
            row.rises = isNumber && contradicted.contains(row)
            var (sets, stays) = ([Int: JSONValue](), 0)
            for (kind, own) in Dictionary(grouping: seen, by: \.kind) {
                let later = own.filter { $0.last != nil }
                let isKept = later.allSatisfy { row.rises ? $0.shown.double == $0.highest?.double : $0.shown == $0.last }
                if !later.isEmpty, isKept {
                    stays += later.count
                } else if Set(own.map(\.shown)).count == 1, own.count >= Self.fewest {
                    sets[kind] = own[0].shown
                } else {
                    return nil
                }
            }
            return stays >= Self.fewest ? (row, sets) : nil
        }.sorted { $0.row.name < $1.row.name }
    }
}

extension JSONValue {
    /// A text, a number, true or false.
    fileprivate var isPlain: Bool {
        switch self {
        case .string, .integer, .number, .bool: true
        case .null, .array, .object: false
        }
    }
}
