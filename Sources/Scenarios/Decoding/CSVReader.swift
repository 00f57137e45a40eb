// Rows as CSV, with a header.

import Basics

/// RFC 4180: fields parted by commas, records by LF or CRLF, quotes around a whole field, doubled within it.
struct CSVReader {
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
