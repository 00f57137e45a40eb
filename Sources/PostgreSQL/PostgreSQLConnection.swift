// A connection to a PostgreSQL server, for reading only. It waits for the server, for seconds at most.

package import Basics
import Glibc

/// Confined to one thread, which it keeps waiting. Owns a connection of libpq.
package final class PostgreSQLConnection {
    /// Seconds until a server has to let us in, and until a statement is over by its own clock; twice as many by ours.
    private let patience: Int
    /// Of libpq's codes.
    private static let (commandDone, rowsCame): (Int32, Int32) = (1, 2)

    /// Characters of one value that come over the network.
    private static let longestValue = 4_096
    /// Rows that come at once.
    private static let batch = 500
    /// SQLSTATE query_canceled: the statement's own time is over (PostgreSQL, appendix A).
    private static let canceled = "57014"

    /// Whether what failed last had gone beyond a limit.
    package private(set) var isLimit = false
    /// Until then all that is asked has to be answered, on the host's clock.
    private var deadline: Int64 = 0
    private let library: PostgreSQLLibrary
    private let connection: OpaquePointer?

    /// `hostAddress`: where its host is, looked up by whoever calls; nil for a socket in the file system. Throws a run
    /// `Failure` that holds nothing of the connection string.
    package init(_ address: PostgreSQLAddress, hostAddress: String?, patience: Int = 5) throws(Failure) {
        library = try PostgreSQLLibrary.load()
        self.patience = patience
        // What stands behind `dbname` counts more than what is in it.
        var parameters = [
            ("dbname", address.text), ("connect_timeout", "\(patience)"), ("client_encoding", "UTF8"),
            ("application_name", "pushrig"), ("tcp_user_timeout", "\(2 * patience)000"),
            ("port", "\(address.port)"),
        ]
        if let hostAddress { parameters.append(("hostaddr", hostAddress)) }
        if let folder = address.socketFolder { parameters.append(("host", folder)) }
        let library = library
        connection = Self.withTexts(parameters.map(\.0)) { keywords in
            Self.withTexts(parameters.map(\.1)) { values in library.connect(keywords, values, 1) }
        }
        // What is thrown from here on ends the connection by `deinit`.
        guard library.status(connection) == 0 else {
            throw Failure(
                .run, "PostgreSQL cannot be reached, or does not let us in", hint: "try psql with the same connection string")
        }
        begin()
        try run("SET statement_timeout = '\(patience)s'")
    }

    deinit { library.finish(connection) }

    /// The first column of what a query gives, at most so many rows and one more, and until they have more than `bytes`;
    /// without nulls.
    package func texts(_ query: String, atMost most: Int, bytes: Int = 8 << 20) throws(Failure) -> [String] {
        begin()
        try run("BEGIN READ ONLY")
        defer { try? run("ROLLBACK") }
        // The server cuts what is too long: here it would have come whole.
        var bare = query[...]
        while let last = bare.last, last == ";" || last.isWhitespace { bare.removeLast() }
        let cut = "SELECT left(value::text, \(Self.longestValue + 1)) FROM (\(bare)\n) AS looked(value)"
        try run("DECLARE state NO SCROLL CURSOR FOR \(cut)")
        var (texts, rows, count) = ([String](), 0, 0)
        while rows <= most, count <= bytes {
            let (came, found) = try fetch(min(Self.batch, most + 1 - rows))
            guard found.allSatisfy({ $0.unicodeScalars.count <= Self.longestValue }) else {
                isLimit = true
                throw Failure(.run, "a value that PostgreSQL gives has more than \(Self.longestValue) characters")
            }
            texts += found
            rows += came
            count += found.reduce(0) { $0 + $1.utf8.count }
            if came < Self.batch { break }
        }
        return texts
    }

    private func begin() {
        isLimit = false
        deadline = Self.milliseconds() + 2_000 * Int64(patience)
    }

    private func run(_ statement: String) throws(Failure) { _ = try rows(statement) }

    private func fetch(_ count: Int) throws(Failure) -> (rows: Int, texts: [String]) { try rows("FETCH \(count) FROM state") }

    /// How many rows there are, and their first column where it is not empty.
    private func rows(_ statement: String) throws(Failure) -> (rows: Int, texts: [String]) {
        let isSent = statement.withCString { library.send(connection, $0, 0, nil, nil, nil, nil, 0) }
        guard isSent == 1 else { throw Self.lost }
        let result = try answer()
        defer { library.clear(result) }
        let status = library.resultStatus(result)
        guard status == Self.commandDone || status == Self.rowsCame else { throw failure(result) }
        let count = library.rowCount(result)
        let texts = (0..<count).map { library.value(result, $0, 0).map { String(cString: $0) } ?? "" }
        return (Int(count), texts.filter { !$0.isEmpty })
    }

    private static let lost = Failure(.run, "the connection to PostgreSQL is lost")

    /// What the statement under way gives, which is to be cleared. A server that falls silent is given up: nobody else ends the
    /// wait, for its own limit is its own to keep. Behind that the connection is of no more use.
    private func answer() throws(Failure) -> OpaquePointer? {
        var first: OpaquePointer?
        while true {
            while library.isBusy(connection) == 1 {
                let left = deadline - Self.milliseconds()
                var waiting = pollfd(fd: library.descriptor(connection), events: Int16(POLLIN), revents: 0)
                let woken = left > 0 ? poll(&waiting, 1, Int32(clamping: left)) : 0
                if woken < 0, errno == EINTR { continue }
                guard woken > 0, library.consume(connection) == 1 else {
                    library.clear(first)
                    isLimit = woken == 0
                    throw woken == 0 ? Failure(.run, "PostgreSQL has not answered within \(2 * patience) s") : Self.lost
                }
            }
            guard let next = library.result(connection) else { return first }
            if first == nil { first = next } else { library.clear(next) }
        }
    }

    private static func milliseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }

    private func failure(_ result: OpaquePointer?) -> Failure {
        guard let words = library.errorField(result, Int32(UInt8(ascii: "M"))) else {
            return Self.lost
        }
        isLimit = library.errorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } == Self.canceled
        return Failure(.run, "PostgreSQL answers: \(String(cString: words))")
    }

    /// Lends the texts as C has them: pointers, the last one null.
    private static func withTexts<R>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        let copies = texts.map { Array($0.utf8CString) }
        var pointers: [UnsafePointer<CChar>?] = []
        func lend(_ index: Int) -> R {
            guard index < copies.count else {
                pointers.append(nil)
                return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
            }
            return copies[index].withUnsafeBufferPointer { copy in
                pointers.append(copy.baseAddress)
                return lend(index + 1)
            }
        }
        return lend(0)
    }
}
