// Rows of a file that sessions take: `{{feed.COLUMN}}` is a value of the session's row.

package import Basics

/// A file of rows, and which of them a session takes. A session has one row of each feeder, from its first event to its last.
package struct FeederSpec: Sendable {
    package enum Take: String, CaseIterable, Sendable {
        /// By the session's number over all shards: the first row again behind the last.
        case inOrder = "in-order"
        /// By the seed.
        case atRandom = "at-random"
        /// As `inOrder`, and no row twice: there have to be as many as sessions.
        case once
    }

    /// As the scenario names it.
    package var file: String
    package var take: Take
    package var rows: FeedRows
    /// Where the scenario names it: `file:line:column`.
    package var place: String

    package init(file: String, take: Take, rows: FeedRows, place: String = "") {
        self.file = file
        self.take = take
        self.rows = rows
        self.place = place
    }

    /// The row, from 0, of the session of that number. `seed`: the feeder's own.
    package func row(ofSession session: UInt32, seed: Seed) -> Int {
        switch take {
        case .inOrder, .once: Int(session) % rows.count
        case .atRandom: min(rows.count - 1, Int(seed.child(UInt64(session)).unit * Double(rows.count)))
        }
    }
}

/// The rows of a file, immutable and shared. All values lie in one block of bytes, so that a row costs four bytes for each of
/// its values beside what they say.
package final class FeedRows: Sendable {
    /// How a value is written where a whole JSON value stands.
    package enum Kind: UInt32, Sendable {
        /// In quotes.
        case text = 0
        /// As it is: a number, true or false.
        case plain = 1
        case null = 2
    }

    /// Names in the order of the file, each once.
    package let columns: [String]
    /// At least 1.
    package let count: Int
    /// Of all that the rows say.
    package let hash: Hash128
    private let bytes: [UInt8]
    /// By row and column: where the value ends, and its kind in the two highest bits.
    private let ends: [UInt32]

    package static let mostRows = 1_000_000
    package static let mostColumns = 100

    /// Values one after another, row by row; `ends` as they are kept.
    fileprivate init(columns: [String], bytes: [UInt8], ends: [UInt32]) {
        precondition(!columns.isEmpty && !ends.isEmpty && ends.count % columns.count == 0, "rows are whole, and there is one")
        self.columns = columns
        self.bytes = bytes
        self.ends = ends
        count = ends.count / columns.count
        var hashed = Array((columns.joined(separator: "\n") + "\n").utf8) + bytes
        for end in ends { withUnsafeBytes(of: end.littleEndian) { hashed.append(contentsOf: $0) } }
        hash = Hash128(hashing: hashed.span)
    }

    private static let endBits: UInt32 = (1 << 30) - 1

    private func kind(_ cell: Int) -> Kind { Kind(rawValue: ends[cell] >> 30) ?? .text }

    package func isNull(row: Int, column: Int) -> Bool { kind(row * columns.count + column) == .null }

    /// Appends the value as it is written where it stands; null is `null` as a whole JSON value, and else nothing.
    package func append(row: Int, column: Int, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        let cell = row * columns.count + column
        let isValue = encoding == .jsonValue || encoding == .urlJSONValue
        switch kind(cell) {
        case .null:
            if isValue { buffer.append("null" as StaticString) }
        case .text, .plain:
            let begin = cell == 0 ? 0 : Int(ends[cell - 1] & Self.endBits)
            let isPlain = isValue && kind(cell) == .plain
            let bytes = bytes
            (isPlain ? (encoding == .urlJSONValue ? .url : .raw) : encoding)
                .append(bytes.span.extracting(begin..<Int(ends[cell] & Self.endBits)), into: buffer)
        }
    }

    /// Rows being read.
    package struct Draft {
        package private(set) var columns: [String]
        private var bytes: [UInt8] = []
        private var ends: [UInt32] = []

        package init(columns: [String]) { self.columns = columns }

        /// Rows that are whole.
        package var count: Int { ends.count / columns.count }

        /// The next value of the row that is being filled.
        package mutating func add(_ value: some Sequence<UInt8>, _ kind: Kind) {
            bytes.append(contentsOf: value)
            precondition(bytes.count <= endBits, "a file of rows is no longer than a gigabyte")
            ends.append(UInt32(bytes.count) | kind.rawValue << 30)
        }

        package func finish() -> FeedRows { FeedRows(columns: columns, bytes: bytes, ends: ends) }
    }
}

extension WorkloadSpec {
    /// Of all feeders, in their order: the feeder, and the column in it.
    package var feedColumns: [(name: String, feeder: Int, column: Int)] {
        feeders.enumerated().flatMap { feeder, spec in
            spec.rows.columns.enumerated().map { (name: $1, feeder: feeder, column: $0) }
        }
    }
}
