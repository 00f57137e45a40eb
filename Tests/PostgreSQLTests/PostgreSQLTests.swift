// Questions to a PostgreSQL server that the tests start for themselves, in a folder of its own and without a name in the network.

import Basics
import Glibc
import OperatingSystem
import Testing

@testable import PostgreSQL

/// A server with one user and a password, as whoever runs it: nobody, where that is root, which PostgreSQL does not let run it.
private final class PostgreSQLServer {
    static let password = "a password of this test"
    let folder: String
    private var process: Int32 = 0

    /// Needs the package `postgresql` (`script/setup --tests`).
    init() throws {
        folder = try FileSystem.makeTemporaryFolder()
        let programs = try #require(Self.programs, "no PostgreSQL here: script/setup --tests installs it")
        let isRoot = getuid() == 0
        let nobody = try #require(getpwnam("nobody")).pointee
        if isRoot { #expect(chown(folder, nobody.pw_uid, nobody.pw_gid) == 0) }
        try FileSystem.replace(folder + "/password", with: Self.password + "\n", mode: 0o644)
        let wrapper = isRoot ? ["setpriv", "--reuid=nobody", "--regid=\(nobody.pw_gid)", "--clear-groups", "--"] : []
        func start(_ words: [String]) throws -> Int32 {
            let line = "exec \"$@\" >>\(folder)/log 2>&1"
            return try ChildProcess.spawn(
                "/bin/sh", ["sh", "-c", line, "sh"] + wrapper + words,
                environment: [("PATH", "/usr/bin:/bin"), ("LC_ALL", "C.UTF-8"), ("HOME", folder)])
        }
        let data = folder + "/data"
        let made = try start([
            programs + "/initdb", "-D", data, "-U", "rig", "--auth=scram-sha-256", "--pwfile=\(folder)/password", "--no-sync",
            "-E", "UTF8",
        ])
        var status: Int32 = 0
        waitpid(made, &status, 0)
        try #require(status == 0, "\(Self.log(folder))")
        process = try start([
            programs + "/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
            "unix_socket_permissions=0777",
        ])
        for _ in 0..<500 where !Self.log(folder).contains("ready to accept connections") { usleep(20_000) }
    }

    deinit {
        kill(process, SIGINT)
        waitpid(process, nil, 0)
        FileSystem.removeAll(folder)
    }

    func connect(password: String = password, patience: Int = 5) throws -> PostgreSQLConnection {
        let folder = folder.replacing("/", with: "%2F")
        let words = password.replacing(" ", with: "%20")
        let address = try PostgreSQLAddress("postgresql://rig:\(words)@\(folder)/postgres")
        #expect(address.host == nil)
        return try PostgreSQLConnection(address, hostAddress: nil, patience: patience)
    }

    private static func log(_ folder: String) -> String {
        (try? FileSystem.read(folder + "/log", limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Of the newest version.
    private static var programs: String? {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileSystem.names(in: root)) ?? []).compactMap { Int($0) }
        return versions.max().map { "\(root)/\($0)/bin" }
    }
}

@Suite("PostgreSQL", .serialized)
struct PostgreSQLTests {
    private func message(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return "nothing went wrong"
    }

    @Test("gives the first column of a query, for reading only and up to a limit, and says what is wrong")
    func rows() throws {
        let server = try PostgreSQLServer()
        let connection = try server.connect()
        #expect(try connection.texts("SELECT n::text, 'x' FROM generate_series(1, 3) n;", atMost: 5) == ["1", "2", "3"])
        #expect(try connection.texts("SELECT 'ü' UNION ALL SELECT null", atMost: 5) == ["ü"])
        #expect(try connection.texts("SELECT n::text FROM generate_series(1, 30) n", atMost: 5).count == 6)
        #expect(message { _ = try connection.texts("SELECT token FROM nowhere", atMost: 5) }.contains("\"nowhere\" does not exist"))
        // It goes on behind a mistake, and writes nothing.
        #expect(message { _ = try connection.texts("SELECT 1; DROP TABLE x", atMost: 5) }.contains("syntax error"))
        #expect(try connection.texts("SELECT current_setting('transaction_read_only')", atMost: 5) == ["on"])
        #expect(try connection.texts("SELECT current_user::text", atMost: 5) == ["rig"])
        // What is too long or takes too long is given up, and said to be so; behind that it goes on.
        #expect(!connection.isLimit)
        #expect(try connection.texts("SELECT repeat('ü', 4096) -- in full\n ;", atMost: 5).first?.count == 4_096)
        #expect(message { _ = try connection.texts("SELECT repeat('x', 200000000)", atMost: 5) }.contains("more than 4096 characters"))
        #expect(connection.isLimit)
        let impatient = try server.connect(patience: 1)
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*)::text FROM n"
        #expect(message { _ = try impatient.texts(endless, atMost: 5) }.contains("canceling statement due to statement timeout"))
        #expect(impatient.isLimit)
        #expect(try impatient.texts("SELECT 'more'", atMost: 5) == ["more"] && !impatient.isLimit)
        let many = try connection.texts("SELECT repeat('x', 4000) FROM generate_series(1, 20000)", atMost: 20_000, bytes: 1 << 20)
        #expect(many.count < 1_000 && many.count * 4_000 > 1 << 20)
        // A wrong password is in no word that is said.
        let refused = message { _ = try server.connect(password: "the wrong one") }
        #expect(refused.contains("PostgreSQL cannot be reached, or does not let us in"))
        #expect(!refused.contains("wrong one") && !refused.contains("rig"))
    }

    @Test("says in one line that there is no libpq, and how to get it")
    func missingLibrary() {
        #expect(PostgreSQLLibrary(named: "libpq.so.5.of-nobody") == nil)
        // One that is there, and is none.
        #expect(PostgreSQLLibrary(named: "libc.so.6") == nil)
        let said = message { _ = try PostgreSQLLibrary.present(nil) }
        #expect(said.contains("no libpq.so.5") && said.contains("libpq5") && !said.contains("\n"), "\(said)")
    }

    @Test("gives up a server that lets us in and then says nothing")
    func silent() throws {
        let server = try SilentServer()
        let address = try PostgreSQLAddress("host=\(server.folder) user=rig")
        let said = message { _ = try PostgreSQLConnection(address, hostAddress: nil, patience: 1) }
        #expect(said.contains("PostgreSQL has not answered within 2 s"), "\(said)")
    }

    @Test("says that a connection is lost which the server ends")
    func ended() throws {
        let server = try SilentServer(hangsUp: true)
        let address = try PostgreSQLAddress("host=\(server.folder) user=rig")
        let said = message { _ = try PostgreSQLConnection(address, hostAddress: nil, patience: 1) }
        #expect(said.contains("the connection to PostgreSQL is lost"), "\(said)")
    }

    @Test("says where a connection string leads, and of one that leads nowhere nothing that is in it", arguments: [
        ("postgresql://me:hidden@db.example:5433/x", "db.example:5433"), ("host=10.0.0.1 password=hidden", "10.0.0.1:5432"),
        ("hostaddr=10.0.0.2 host=db.example", "10.0.0.2:5432"), ("dbname=x", "a socket"), ("host=/run/pg", "a socket"),
        ("postgresql://me:hidden@a,b/x", "name one server"), ("service=hidden", "a `service` hides"),
        ("host=a port=hidden", "name one server"), ("host=a,b password=hidden", "name one server"), ("hidden", "no connection string"), ("postgresql://me:hidden@[x", "no connection string"),
    ])
    func addresses(text: String, words: String) {
        var said = ""
        do throws(Failure) {
            let address = try PostgreSQLAddress(text)
            said = address.host.map { "\($0):\(address.port)" } ?? "a socket"
        } catch {
            said = "\(error)"
        }
        #expect(said.contains(words) && !said.contains("hidden"), "\(said)")
    }
}
