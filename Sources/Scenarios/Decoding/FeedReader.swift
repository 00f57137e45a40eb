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
