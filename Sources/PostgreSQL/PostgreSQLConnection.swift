// A connection to a PostgreSQL server, for reading only. It waits for the server, for seconds at most.

package import Basics
import Glibc

/// Confined to one thread, which it keeps waiting. Owns a connection of libpq.
package final class PostgreSQLConnection {
    /// Seconds until a server has to let us in, and until a statement is over by its own clock; twice as many by ours.
    private let patience: Int
    /// Of libpq's codes.
    private static let (commandDone, rowsCame): (Int32, Int32) = (1, 2)

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
        _ = try run("SET statement_timeout = '\(patience)s'")
    }

    deinit { library.finish(connection) }

    /// The first column of what a query gives, at most so many rows and one more; without nulls.
    package func texts(_ query: String, atMost most: Int) throws(Failure) -> [String] {
        _ = try run("BEGIN READ ONLY")
        defer { _ = try? run("ROLLBACK") }
        _ = try run("DECLARE state NO SCROLL CURSOR FOR \(query)")
        return try run("FETCH \(most + 1) FROM state")
    }

    private func run(_ statement: String) throws(Failure) -> [String] {
        let isSent = statement.withCString { library.send(connection, $0, 0, nil, nil, nil, nil, 0) }
        guard isSent == 1 else { throw Self.lost }
        let result = try answer()
        defer { library.clear(result) }
        let status = library.resultStatus(result)
        guard status == Self.commandDone || status == Self.rowsCame else { throw failure(result) }
        return (0..<library.rowCount(result)).map { library.value(result, $0, 0).map { String(cString: $0) } ?? "" }
            .filter { !$0.isEmpty }
    }

    private static let lost = Failure(.run, "the connection to PostgreSQL is lost")

    /// What the statement under way gives, which is to be cleared. A server that falls silent is given up: nobody else ends the
    /// wait, for its own limit is its own to keep. Behind that the connection is of no more use.
    private func answer() throws(Failure) -> OpaquePointer? {
        let limit = Self.milliseconds() + 2_000 * Int64(patience)
        var first: OpaquePointer?
        while true {
            while library.isBusy(connection) == 1 {
                let left = limit - Self.milliseconds()
                var waiting = pollfd(fd: library.descriptor(connection), events: Int16(POLLIN), revents: 0)
                let woken = left > 0 ? poll(&waiting, 1, Int32(clamping: left)) : 0
                if woken < 0, errno == EINTR { continue }
                guard woken > 0, library.consume(connection) == 1 else {
                    library.clear(first)
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
