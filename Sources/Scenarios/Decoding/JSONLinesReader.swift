// Rows as JSON lines, an object a line.

import Basics

/// Objects of text, numbers, true, false and null; all with the members of the first.
struct JSONLinesReader {
    let file: DataText

    func rows() throws(Failure) -> FeedRows {
        guard !file.bytes.isEmpty else {
            throw file.failure("the file is empty", hint: "write an object a line", at: 0)
        }
        var draft: FeedRows.Draft?
        try file.forEachLine { number, range throws(Failure) in
            let object = try object(range)
            if draft == nil { draft = FeedRows.Draft(columns: try columns(object, range)) }
            let known = draft!.columns
            try FeedReader.checkCount(draft!.count, file, at: range.lowerBound)
            for name in known {
                guard let value = object[name] else {
                    throw file.failure(
                        "this line lacks `\(name)`, which the first has", hint: "write `\(JSONValue.string(name).text): null`",
                        at: range.lowerBound)
                }
                try add(value, name, to: &draft!, range)
            }
            if object.count > known.count, let name = object.keys.first(where: { !known.contains($0) }) {
                throw file.failure(
                    "this line has `\(name)`, which the first has not", hint: "let all lines have the same members",
                    at: range.lowerBound)
            }
        }
        guard let draft else { throw file.failure("the file is empty", hint: "write an object a line", at: 0) }
        return draft.finish()
    }

    private func object(_ range: Range<Int>) throws(Failure) -> JSONObject {
        if range.isEmpty { throw file.failure("the line is empty", hint: "strike it", at: range.lowerBound) }
        let value: JSONValue
        let bytes = file.bytes
        do { value = try JSONValue(parsing: bytes.span.extracting(range)) } catch {
            throw file.failure(
                "the line is no JSON: \(error.message)", hint: "an object a line", at: range.lowerBound + error.offset)
        }
        guard let object = value.object, object.count > 0 else {
            throw file.failure(
                "the line is no object with members", hint: "such as `{\"user\": \"ada\"}`", at: range.lowerBound)
        }
        return object
    }

    private func columns(_ first: JSONObject, _ range: Range<Int>) throws(Failure) -> [String] {
        var columns: [String] = []
        for name in first.keys {
            try FeedReader.check(name, columns, file, at: range.lowerBound)
            columns.append(name)
        }
        return columns
    }

    private func add(
        _ value: JSONValue, _ name: String, to rows: inout FeedRows.Draft, _ range: Range<Int>
    ) throws(Failure) {
        switch value {
        case .string(let text): rows.add(text.utf8, .text)
        case .null: rows.add(EmptyCollection<UInt8>(), .null)
        case .integer, .number, .bool: rows.add(value.encoded(), .plain)
        case .array, .object:
            throw file.failure(
                "`\(name)` is no text, number, true, false or null", hint: "write it as text: \"{\\\"a\\\": 1}\"",
                at: range.lowerBound)
        }
    }
}
