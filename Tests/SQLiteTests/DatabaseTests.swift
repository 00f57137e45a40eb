import Basics
import Glibc
import SQLite
import Testing

@Suite struct DatabaseTests {
    /// Runs `body` with the path of a database file that is removed afterwards.
    private func withFile(_ body: (String) throws -> Void) rethrows {
        let path = newFile()
        defer { removeFile(path) }
        try body(path)
    }

    private func newFile() -> String {
        var name = Array("/tmp/pushrig-sqlite-XXXXXX".utf8CString)
        close(mkstemp(&name))
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func removeFile(_ path: String) { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }

    @Test func whoeverReadsMakesNoFile() throws {
        try withFile { path in
            let copy = path + ".copy"
            defer { removeFile(copy) }
            try Database(path: path).execute("CREATE TABLE thing (name TEXT)")
            let reader = try Database(reading: path)
            for sql in ["VACUUM INTO '\(copy)'", "ATTACH '\(copy)' AS other", "PRAGMA query_only = OFF"] {
                #expect(throws: Failure.self, "\(sql)") { try reader.prepare(sql).run() }
            }
            #expect(access(copy, F_OK) != 0)
            let names = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT max(i), lower('A') FROM n"
            #expect(try reader.prepare(names).step(), "what only reads may read")
        }
    }

    @Test func whoeverReadsDoesNotWrite() throws {
        try withFile { path in
            let writer = try Database(path: path)
            try writer.execute("CREATE TABLE thing (name TEXT); INSERT INTO thing VALUES ('one')")
            let reader = try Database(reading: path)
            let query = try reader.prepare("SELECT name FROM thing")
            #expect(try query.step() && query.text(0) == "one")
            query.reset()
            try writer.execute("UPDATE thing SET name = 'two'")
            #expect(try query.step() && query.text(0) == "two")
            query.reset()
            #expect(throws: Failure.self) { try reader.execute("DELETE FROM thing") }
            #expect(throws: Failure.self) { try Database(reading: path + ".none") }
        }
    }

    @Test(.timeLimit(.minutes(10))) func aQueryOfSomebodyElseHasLimits() throws {
        try withFile { path in
            let writer = try Database(path: path)
            try writer.execute("CREATE TABLE thing (name TEXT); INSERT INTO thing VALUES ('one'), (hex(zeroblob(4096)))")
            let reader = try Database(reading: path)
            var questions = 0
            reader.limit(bytes: 4_096) {
                questions += 1
                return questions % 20 != 0
            }
            func refused(_ query: String) throws -> String {
                let statement = try reader.prepare(query)
                defer { statement.reset() }
                let failure = #expect(throws: Failure.self) { while try statement.step() {} }
                #expect(reader.isLimit, "\(query)")
                return failure?.message ?? ""
            }
            let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
            #expect(try refused(endless).contains("interrupted") && questions == 20)
            for query in ["SELECT name FROM thing", "SELECT zeroblob(200000000)", "SELECT group_concat(name) FROM thing"] {
                #expect(try refused(query).contains("too big"), "\(query)")
            }
            #expect(throws: Failure.self) { _ = try reader.prepare("SELECT 1 FROM nothing") }
            #expect(!reader.isLimit)
            // It goes on behind that.
            let query = try reader.prepare("SELECT name FROM thing WHERE length(name) < 9")
            #expect(try query.step() && query.text(0) == "one")
        }
    }

    @Test(.timeLimit(.minutes(10))) func aPipeIsNoDatabase() {
        withFile { path in
            unlink(path)
            #expect(mkfifo(path, 0o600) == 0)
            for open in [{ try Database(reading: path) }, { try Database(path: path) }] as [() throws -> Database] {
                let failure = #expect(throws: Failure.self) { _ = try open() }
                #expect(failure?.message.contains("no plain file") == true)
            }
        }
    }

    private func makeTable() throws -> Database {
        let database = try Database(path: ":memory:")
        try database.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, weight REAL, image BLOB)")
        return database
    }

    @Test func whatIsBoundComesBack() throws {
        let database = try makeTable()
        let insert = try database.prepare("INSERT INTO thing (name, weight, image) VALUES (?, ?, ?)")
        let image: [UInt8] = [0, 1, 255]
        for name in ["plain", "", "zwölf 🍎", "nul\0inside"] {
            insert.bind(name, at: 1)
            insert.bind(1.5, at: 2)
            insert.bind(image.span, at: 3)
            try insert.run()
        }
        let select = try database.prepare("SELECT name, weight, image FROM thing ORDER BY id")
        var names: [String?] = []
        while try select.step() {
            names.append(select.text(0))
            #expect(select.double(1) == 1.5)
            #expect(select.bytes(2) == image)
        }
        #expect(names == ["plain", "", "zwölf 🍎", "nul\0inside"])
        #expect(database.lastInsertedRow == 4)
    }

    @Test func nullIsNotTheEmptyString() throws {
        let database = try makeTable()
        let insert = try database.prepare("INSERT INTO thing (name, image) VALUES (?, ?)")
        insert.bind(nil as String?, at: 1)
        insert.bind([UInt8]().span, at: 2)
        try insert.run()
        let select = try database.prepare("SELECT name, image FROM thing")
        #expect(try select.step())
        #expect(select.text(0) == nil)
        #expect(select.isNull(0))
        #expect(!select.isNull(1))
        #expect(select.bytes(1) == [])
    }

    @Test func aStatementRunsAgainAfterItsLastRow() throws {
        let database = try makeTable()
        try database.execute("INSERT INTO thing (name) VALUES ('a'), ('b')")
        let select = try database.prepare("SELECT name FROM thing WHERE name >= ?")
        for (floor, expected) in [("a", 2), ("b", 1), ("c", 0)] {
            select.bind(floor, at: 1)
            var rows = 0
            while try select.step() { rows += 1 }
            #expect(rows == expected)
        }
    }

    @Test func aTransactionThatThrowsLeavesNothing() throws {
        let database = try makeTable()
        #expect(throws: Failure.self) {
            try database.transaction { () throws(Failure) in
                try database.execute("INSERT INTO thing (id) VALUES (1)")
                try database.execute("INSERT INTO thing (id) VALUES (1)")
            }
        }
        let count = try database.prepare("SELECT count(*) FROM thing")
        #expect(try count.step())
        #expect(count.integer(0) == 0)
        count.reset()
        try database.transaction { () throws(Failure) in try database.execute("INSERT INTO thing (id) VALUES (1)") }
        let again = try database.prepare("SELECT count(*) FROM thing")
        #expect(try again.step() && again.integer(0) == 1)
    }

    @Test func aFailureHasSQLitesWords() throws {
        let database = try makeTable()
        #expect(throws: Failure(.run, ":memory:: no such table: nowhere")) {
            try database.prepare("SELECT * FROM nowhere")
        }
    }

    @Test func committedRowsSurviveReopening() throws {
        try withFile { path in
            do {
                let database = try Database(path: path)
                try database.execute("CREATE TABLE thing (name TEXT)")
                try database.transaction { () throws(Failure) in
                    try database.execute("INSERT INTO thing VALUES ('kept')")
                }
                let mode = try database.prepare("PRAGMA journal_mode")
                #expect(try mode.step())
                #expect(mode.text(0) == "wal")
            }
            let again = try Database(path: path)
            let select = try again.prepare("SELECT name FROM thing")
            #expect(try select.step())
            #expect(select.text(0) == "kept")
        }
    }

    /// SQLite's busy timeout does not cover the step to WAL; without asking again one in some dozens of rounds fails.
    @Test func manyOpenANewFileAtOnce() async throws {
        for _ in 0..<60 {
            let path = newFile()
            defer { removeFile(path) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try Database(path: path) } }
                try await group.waitForAll()
            }
        }
    }

    @Test func aFileOfAnotherKindIsAUsageError() throws {
        withFile { path in
            let descriptor = open(path, O_WRONLY)
            let text = Array(String(repeating: "this is no database. ", count: 100).utf8)
            #expect(write(descriptor, text, text.count) == text.count)
            close(descriptor)
            #expect { try Database(path: path) } throws: { ($0 as? Failure)?.kind == .usage }
        }
    }

    @Test func aMissingDirectoryIsAUsageError() {
        #expect { try Database(path: "/nonexistent/relay.db") } throws: { ($0 as? Failure)?.kind == .usage }
    }
}
