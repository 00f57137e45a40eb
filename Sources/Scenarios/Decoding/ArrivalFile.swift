// A file of arrivals: an instant a line, as seconds (`12.5`) or with its unit (`1m30s`), none earlier than the one before.

import Basics

enum ArrivalFile {
    static let mostInstants = 1_000_000

    /// Since the stage's beginning. The first line may be a header; empty lines are passed over. Throws the first mistake,
    /// with line and column.
    static func instants(_ file: DataText) throws(Failure) -> [Interval] {
        var instants: [Interval] = []
        var (line, lastLine) = (0, 0)
        for text in file.bytes.split(separator: 10, omittingEmptySubsequences: false) {
            line += 1
            let cell = trimmed(text)
            if cell.isEmpty { continue }
            func mistake(_ words: String, _ hint: String) -> Failure {
                let column = text.distance(from: text.startIndex, to: cell.startIndex) + 1
                return Failure(.usage, words, hint: hint, place: "\(file.path):\(line):\(column)")
            }
            guard let instant = seconds(cell) ?? Interval(parsing: String(decoding: cell, as: UTF8.self)) else {
                if line == 1, !startsNumber(cell.first!) { continue }
                let words = String(decoding: cell.prefix(40), as: UTF8.self)
                throw mistake(
                    "`\(words)` is no instant", "a line has one, in seconds such as `12.5`, or with its unit such as `1m30s`")
            }
            guard instant <= Fields.longest else {
                throw mistake("this instant lies beyond \(Fields.longest)", "count from the start of the load")
            }
            guard instant >= instants.last ?? .zero else {
                throw mistake(
                    "this instant is earlier than that of line \(lastLine)",
                    "put the lines in order of time, such as by `sort -n`")
            }
            guard instants.count < mostInstants else {
                throw mistake("the file has more than \(mostInstants) instants", "shorten it")
            }
            instants.append(instant)
            lastLine = line
        }
        guard instants.isEmpty else { return instants }
        throw Failure(.usage, "the file has no instant", hint: "write one a line, such as `12.5`", place: file.path)
    }

    private static func startsNumber(_ byte: UInt8) -> Bool { (48...57).contains(byte) || [43, 45, 46].contains(byte) }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
        var cell = line
        while let last = cell.last, isBlank(last) { cell.removeLast() }
        return cell.drop(while: isBlank)
    }

    /// Digits with at most one point, exact to the nanosecond; nil for all else.
    private static func seconds(_ cell: ArraySlice<UInt8>) -> Interval? {
        var nanoseconds: Int64 = 0
        var (digits, places) = (0, 0)
        var hasPoint = false
        for byte in cell {
            if byte == 46, !hasPoint {
                hasPoint = true
                continue
            }
            guard (48...57).contains(byte) else { return nil }
            digits += 1
            if hasPoint { places += 1 }
            if places <= 9 { nanoseconds = nanoseconds.saturating(times: 10).saturating(plus: Int64(byte - 48)) }
        }
        guard digits > 0 else { return nil }
        for _ in min(places, 9)..<9 { nanoseconds = nanoseconds.saturating(times: 10) }
        return Interval(nanoseconds: nanoseconds)
    }
}
