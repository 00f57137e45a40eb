// Files of rows: CSV (RFC 4180, with a header) and JSON lines (an object a line).

import Basics

/// Which of the two a file is, by the ending of its name.
enum FeedReader {
    static func rows(_ file: DataText) throws(Failure) -> FeedRows {
        let path = file.path.lowercased()
        if path.hasSuffix(".csv") {
            var reader = CSVReader(file)
            return try reader.rows()
        }
        if path.hasSuffix(".jsonl") || path.hasSuffix(".ndjson") { return try JSONLinesReader(file: file).rows() }
        throw Failure(
            .usage, "a file of rows ends in .csv, .jsonl or .ndjson, by which its form is known",
            hint: "CSV has a header, JSON lines have an object a line", place: file.path)
    }

    /// Throws what is wrong with the name of a column, which stands at `offset`.
    static func check(_ name: String, _ columns: [String], _ file: DataText, at offset: Int) throws(Failure) {
        let isName = 1...128 ~= name.utf8.count && !name.utf8.contains { $0 < 32 } && !name.contains { "{}|".contains($0) }
        guard isName else {
            throw file.failure(
                "a column cannot be named `\(name.prefix(60))`", hint: "one line of 1 to 128 bytes without braces and bars",
                at: offset)
        }
        if columns.contains(name) {
            throw file.failure("two columns are named `\(name)`", hint: "give each a name of its own", at: offset)
        }
        if columns.count == FeedRows.mostColumns {
            throw file.failure("there are more than \(FeedRows.mostColumns) columns", hint: "leave some out", at: offset)
        }
    }

    static func checkCount(_ rows: Int, _ file: DataText, at offset: Int) throws(Failure) {
        guard rows >= FeedRows.mostRows else { return }
        throw file.failure("there are more than 1000000 rows", hint: "leave out what no session takes", at: offset)
    }
}

/// RFC 4180: fields parted by commas, records by LF or CRLF, quotes around a whole field, doubled within it.
private struct CSVReader {
    let file: DataText
    private var place = 0
    /// How the field that was read last ended.
    private var end = End.file

    private enum End { case comma, line, file }

    init(_ file: DataText) { self.file = file }

    mutating func rows() throws(Failure) -> FeedRows {
        guard !file.bytes.isEmpty else {
            throw file.failure("the file is empty", hint: "the first line names the columns", at: 0)
        }
        var draft = FeedRows.Draft(columns: try header())
        let count = draft.columns.count
        while place < file.bytes.count {
            try FeedReader.checkCount(draft.count, file, at: place)
            let begin = place
            if isLineEnd(at: place) {
                throw file.failure(
                    "the line is empty", hint: "strike it" + (count == 1 ? ", or write `\"\"` for an empty value" : ""),
                    at: place)
            }
            var fields = 0
            repeat {
                let start = place
                let value = try field()
                fields += 1
                if fields > count {
                    throw file.failure(
                        "this row has more than the header's \(count) field\(count == 1 ? "" : "s")",
                        hint: "put quotes around a value with a comma", at: start)
                }
                draft.add(value, .text)
            } while end == .comma
            if fields < count {
                throw file.failure(
                    "this row has \(fields) field\(fields == 1 ? "" : "s"), and the header \(count)",
                    hint: "write an empty field for what it lacks", at: begin)
            }
        }
        guard draft.count > 0 else {
            throw file.failure("the file has a header and no rows", hint: "write a row for each session", at: file.bytes.count)
        }
        return draft.finish()
    }

    private mutating func header() throws(Failure) -> [String] {
        var columns: [String] = []
        repeat {
            let start = place
            let name = String(decoding: try field(), as: UTF8.self)
            if end != .comma, columns.isEmpty, name.contains(where: { ";\t".contains($0) }) {
                throw file.failure(
                    "the columns are not parted by commas", hint: "save it as CSV with commas (RFC 4180)", at: start)
            }
            try FeedReader.check(name, columns, file, at: start)
            columns.append(name)
        } while end == .comma
        return columns
    }

    private func isLineEnd(at place: Int) -> Bool {
        file.bytes[place] == 10 || file.bytes[place] == 13 && place + 1 < file.bytes.count && file.bytes[place + 1] == 10
    }

    /// The next field, and what ends it, passed over.
    private mutating func field() throws(Failure) -> ArraySlice<UInt8> {
        if place < file.bytes.count, file.bytes[place] == 34 { return try quoted() }
        let start = place
        while place < file.bytes.count {
            switch file.bytes[place] {
            case 44, 10: return finish(start..<place)
            case 13 where isLineEnd(at: place): return finish(start..<place)
            case 34:
                throw file.failure(
                    "a quote stands within a field", hint: "put quotes around the whole field, and double those in it",
                    at: place)
            case let byte: try check(byte)
            }
            place += 1
        }
        return finish(start..<place)
    }

    private mutating func finish(_ range: Range<Int>) -> ArraySlice<UInt8> {
        if place >= file.bytes.count {
            end = .file
        } else {
            end = file.bytes[place] == 44 ? .comma : .line
            place += file.bytes[place] == 13 ? 2 : 1
        }
        return file.bytes[range]
    }

    private mutating func quoted() throws(Failure) -> ArraySlice<UInt8> {
        let opening = place
        var value: [UInt8] = []
        place += 1
        while place < file.bytes.count {
            let byte = file.bytes[place]
            if byte != 34 {
                if byte != 13, byte != 10 { try check(byte) }
                value.append(byte)
                place += 1
                continue
            }
            place += 1
            if place < file.bytes.count, file.bytes[place] == 34 {
                value.append(34)
                place += 1
                continue
            }
            guard place == file.bytes.count || file.bytes[place] == 44 || isLineEnd(at: place) else {
                throw file.failure(
                    "something stands behind the quote that closes the field", hint: "double a quote that is part of the value",
                    at: place)
            }
            _ = finish(place..<place)
            return value[...]
        }
        throw file.failure(
            "this quote is never closed", hint: "close it, or double it where it is part of a value", at: opening)
    }

    /// So that what is put on record stays within its bounds, and no file of another form passes for one.
    private func check(_ byte: UInt8) throws(Failure) {
        guard byte < 32, byte != 9 else { return }
        throw file.failure(
            byte == 13 ? "a carriage return stands alone" : "a control character stands here",
            hint: byte == 13 ? "end lines with LF or CRLF" : "strike it", at: place)
    }
}

/// Objects of text, numbers, true, false and null; all with the members of the first.
private struct JSONLinesReader {
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
