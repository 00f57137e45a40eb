// A file of arrivals: an instant a line, as seconds (`12.5`) or with its unit (`1m30s`), none earlier than the one before.

import Basics

enum ArrivalFile {
    static let mostInstants = 1_000_000

    /// Since the stage's beginning. The first line may be a header; empty lines are passed over. Throws the first mistake,
    /// with line and column.
    static func instants(_ file: DataText) throws(Failure) -> [Interval] {
        var instants: [Interval] = []
        var lastLine = 0
        try file.forEachLine { number, line throws(Failure) in
            let cell = file.trimmed(line)
            if cell.isEmpty { return }
            func mistake(_ words: String, _ hint: String) -> Failure { file.failure(words, hint: hint, at: cell.lowerBound) }
            let text = file.text(cell)
            guard let instant = instant(text) else {
                // `nan` and `inf` are numbers, too, and no header.
                if number == 1, !startsNumber(file.bytes[cell.lowerBound]), Double(text) == nil { return }
                throw mistake(
                    "`\(file.shown(cell))` is no instant",
                    "a line has one, in seconds such as `12.5`, or with its unit such as `1m30s`")
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
            lastLine = number
        }
        guard instants.isEmpty else { return instants }
        throw Failure(.usage, "the file has no instant", hint: "write one a line, such as `12.5`", place: file.path)
    }

    private static func startsNumber(_ byte: UInt8) -> Bool { (48...57).contains(byte) || [43, 45, 46].contains(byte) }

    private static func instant(_ text: String) -> Interval? {
        let isBare = text.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 } && Double(text) != nil
        // So large that no interval holds it, it is beyond all bounds.
        return isBare ? Interval(parsing: text + "s") ?? .nanoseconds(.max) : Interval(parsing: text)
    }
}
