// One SQLite database and nothing about what is kept in it. No C pointer leaves this module; what goes wrong is a
// `Failure` with SQLite's own words.

package import Basics
import CSQLite
import Glibc
import OperatingSystem

/// A connection to one database file. Confined to one thread; the statements it prepared keep it open.
package final class Database {
    let handle: OpaquePointer
    /// The path it was opened with.
    package let path: String
    /// What may take its time, asked now and then while a statement runs; nil: everything.
    fileprivate var mayGoOn: (() -> Bool)?
    /// Of SQLite's virtual machine, from one question to the next: some 100 µs.
    private static let stepsPerQuestion: Int32 = 10_000
    /// A pattern of LIKE as long as that is matched in a moment, whatever it is matched with.
    private static let longestPattern: Int32 = 256

    /// Opens or creates `path`, readable by its owner only, in WAL mode: a killed process loses nothing that was
    /// committed. (A killed machine may lose the last commits: `synchronous` is NORMAL.) `:memory:` lives and dies with
    /// this object. Fails with a usage error when the path cannot be opened or holds something else.
    package init(path: String, busyTimeout: Interval = .seconds(5)) throws(Failure) {
        self.path = path
        if path != ":memory:" {
            do {
                _ = try Descriptor(opening: path, O_CREAT | O_RDWR | O_NONBLOCK, mode: 0o600)
                try FileSystem.mustBePlain(path)
            } catch {
                throw Failure(
                    .usage, "cannot open \(path): \(error.words)",
                    hint: "choose a path in a directory that exists and may be written to")
            }
        }
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let words = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(opened)
            throw Failure(.usage, "cannot open \(path): \(words)", hint: "choose another path")
        }
        handle = opened
        sqlite3_busy_timeout(opened, Int32(clamping: busyTimeout.nanoseconds / 1_000_000))
        do {
            try enterWAL(within: busyTimeout)
            try execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
        } catch {
            throw Failure(.usage, error.message, hint: "is \(path) a SQLite database? choose another path")
        }
    }

    /// Opens what somebody else keeps, to read and never to write. Fails with a run error when there is no such file, or
    /// when it is no database. A query waits for a lock no longer than `busyTimeout`.
    package init(reading path: String, busyTimeout: Interval = .milliseconds(500)) throws(Failure) {
        self.path = path
        // SQLite would wait for a pipe.
        do { try FileSystem.mustBePlain(path) } catch {
            throw Failure(.run, "cannot open \(path): \(error.words)", hint: "is it there by now?")
        }
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Failure(.run, "cannot open \(path): \(String(cString: sqlite3_errstr(code)))", hint: "is it there by now?")
        }
        handle = opened
        sqlite3_busy_timeout(opened, Int32(clamping: busyTimeout.nanoseconds / 1_000_000))
        try execute("PRAGMA query_only = ON")
        // VACUUM INTO makes a file all the same, and ATTACH opens another.
        sqlite3_set_authorizer(
            opened,
            { _, action, _, _, _, _ in
                [SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE].contains(action) ? SQLITE_OK : SQLITE_DENY
            }, nil)
    }

    /// Two that turn a new file to WAL at the same time would wait for each other for ever, so SQLite refuses one of them at
    /// once, whatever its busy timeout is. That one asks again.
    private func enterWAL(within timeout: Interval) throws(Failure) {
        let pause = Interval.milliseconds(5)
        var waited = Interval.zero
        while true {
            do { return try execute("PRAGMA journal_mode = WAL") } catch {
                guard sqlite3_errcode(handle) & 0xFF == SQLITE_BUSY, waited < timeout else { throw error }
                usleep(UInt32(pause.nanoseconds / 1_000))
                waited = waited + pause
            }
        }
    }

    /// For questions that somebody else has thought of: from now on no value may have more than `bytes`, and a statement ends
    /// when `mayGoOn` says no. Both are failures for which `isLimit` holds.
    package func limit(bytes: Int, mayGoOn: @escaping () -> Bool) {
        self.mayGoOn = mayGoOn
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes))
        sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, Self.longestPattern)
        // It does not keep the database alive, which lives as long as a statement of it runs.
        sqlite3_progress_handler(
            handle, Self.stepsPerQuestion,
            { database in
                let database = Unmanaged<Database>.fromOpaque(database!).takeUnretainedValue()
                return database.mayGoOn?() ?? true ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether what failed last had gone beyond a limit.
    package var isLimit: Bool { [SQLITE_INTERRUPT, SQLITE_TOOBIG].contains(sqlite3_errcode(handle) & 0xFF) }

    // close_v2 waits for statements that still live.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that return no rows, separated by semicolons.
    package func execute(_ sql: String) throws(Failure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure() }
    }

    /// Compiles one statement, to be bound and run many times.
    package func prepare(_ sql: String) throws(Failure) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure() }
        return Statement(statement, of: self)
    }

    /// Runs `body` between BEGIN and COMMIT; when it or the commit throws, nothing of it remains.
    package func transaction(_ body: () throws(Failure) -> Void) throws(Failure) {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            // Some errors have rolled back already; then this does nothing.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    /// The row id of the last insert on this connection.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    func failure() -> Failure {
        Failure(.run, "\(path): \(String(cString: sqlite3_errmsg(handle)))")
    }
}
