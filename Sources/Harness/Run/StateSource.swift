// Who is asked which tokens a relay holds: an SQLite file, a PostgreSQL server, or an endpoint of the relay's own.

import Basics
import EventLoop
import LoadGenerator
import Net
import PostgreSQL
import SQLite
import Scenarios

/// Why a look came to nothing.
struct LookFailure: Error {
    var words: String
    /// It asked for more time or room than it may take.
    var wasGivenUp = false

    init(_ words: String, wasGivenUp: Bool = false) {
        self.words = words
        self.wasGivenUp = wasGivenUp
    }
}

/// Confined to its loop.
protocol StateSource: AnyObject {
    /// One question at a time. Calls `then` once, now or later.
    func ask(_ tables: [StateSpec.Table], _ then: @escaping (Result<[SessionVariable: Set<String>], LookFailure>) -> Void)
}

/// Tokens of a look, up to its bounds.
private struct LookedTokens {
    private var bytes = 0
    private var tokens: [SessionVariable: Set<String>] = [:]
    private var rows: [SessionVariable: Int] = [:]

    mutating func add(_ token: String, to table: SessionVariable) throws(LookFailure) {
        bytes += token.utf8.count
        rows[table, default: 0] += 1
        guard rows[table, default: 0] <= StateSpec.mostRows else {
            throw LookFailure("a query of `state` gives more than \(StateSpec.mostRows) rows", wasGivenUp: true)
        }
        guard bytes <= StateSpec.mostBytes else {
            throw LookFailure("the queries of `state` give more than \(StateSpec.mostBytes) bytes", wasGivenUp: true)
        }
        tokens[table, default: []].insert(token)
    }

    subscript(table: SessionVariable) -> Set<String> { tokens[table] ?? [] }
}

/// One that has its answer at once.
private protocol TableSource: StateSource {
    /// A look begins.
    func begin()
    /// Gives the tokens that a query finds to `take`, without those that are empty.
    func tokens(_ query: String, _ take: (String) throws(LookFailure) -> Void) throws(LookFailure)
}

extension TableSource {
    func ask(_ tables: [StateSpec.Table], _ then: @escaping (Result<[SessionVariable: Set<String>], LookFailure>) -> Void) {
        begin()
        var looked = LookedTokens()
        do throws(LookFailure) {
            for table in tables {
                try tokens(table.query) { token throws(LookFailure) in try looked.add(token, to: table.role) }
            }
        } catch {
            return then(.failure(error))
        }
        then(.success(Dictionary(uniqueKeysWithValues: tables.map { ($0.role, looked[$0.role]) })))
    }
}

final class SQLiteSource: TableSource {
    private let file: String
    private let patience: Interval
    private var database: Database?
    private let time = SystemTime()
    private var until = Instant.distantFuture

    init(file: String, patience: Interval = StateSpec.patience) { (self.file, self.patience) = (file, patience) }

    fileprivate func begin() { until = time.now() + patience }

    fileprivate func tokens(_ query: String, _ take: (String) throws(LookFailure) -> Void) throws(LookFailure) {
        let database: Database
        do throws(Failure) { database = try open() } catch { throw LookFailure(error.message) }
        let statement: Statement
        do throws(Failure) { statement = try database.prepare(query) } catch { throw failure(error, database) }
        defer { statement.reset() }
        while true {
            do throws(Failure) { guard try statement.step() else { return } } catch { throw failure(error, database) }
            if let token = statement.text(0), !token.isEmpty { try take(token) }
        }
    }

    private func open() throws(Failure) -> Database {
        if let database { return database }
        let database = try Database(reading: file)
        database.limit(bytes: StateSpec.longestValue) { [unowned self] in time.now() < until }
        self.database = database
        return database
    }

    private func failure(_ failure: Failure, _ database: Database) -> LookFailure {
        guard database.isLimit else { return LookFailure(failure.message) }
        let words =
            time.now() < until ? "a value has more than \(StateSpec.longestValue) bytes" : "a look took more than \(patience)"
        return LookFailure("the queries of `state` ask too much of \(file): \(words)", wasGivenUp: true)
    }
}

final class PostgreSQLSource: TableSource {
    private let address: PostgreSQLAddress
    private let hostAddress: String?
    private var connection: PostgreSQLConnection?

    init(_ address: PostgreSQLAddress, hostAddress: String?) {
        self.address = address
        self.hostAddress = hostAddress
    }

    /// Looks up where it is, and whether it may be asked. Throws a `Failure` where not, or where this machine has no libpq.
    static func place(
        of url: KeptSecret, allowHosts: Set<String>
    ) throws(Failure) -> (PostgreSQLAddress, hostAddress: String?) {
        let address = try PostgreSQLAddress(String(decoding: url.bytes, as: UTF8.self))
        guard let host = address.host else { return (address, nil) }
        let origin = Origin(isTLS: false, host: host, port: address.port)
        return (address, try TargetPolicy.check(origin, allowHosts: allowHosts).addresses[0].host)
    }

    fileprivate func begin() {}

    fileprivate func tokens(_ query: String, _ take: (String) throws(LookFailure) -> Void) throws(LookFailure) {
        // What has failed once is opened anew for the next look.
        let open = connection
        connection = nil
        let (found, used) = try look(open, query)
        connection = used
        for token in found { try take(token) }
    }

    private func look(
        _ open: PostgreSQLConnection?, _ query: String
    ) throws(LookFailure) -> ([String], PostgreSQLConnection) {
        var used = open
        do throws(Failure) {
            let connection: PostgreSQLConnection
            if let open { connection = open } else { connection = try PostgreSQLConnection(address, hostAddress: hostAddress) }
            used = connection
            return (try connection.texts(query, atMost: StateSpec.mostRows, bytes: StateSpec.mostBytes), connection)
        } catch {
            throw LookFailure(error.message, wasGivenUp: used?.isLimit ?? false)
        }
    }
}

final class EndpointSource: StateSource {
    private let question: StateQuestion

    init(_ question: StateQuestion) { self.question = question }

    func ask(_ tables: [StateSpec.Table], _ then: @escaping (Result<[SessionVariable: Set<String>], LookFailure>) -> Void) {
        question.ask { result in
            do throws(LookFailure) {
                var looked = LookedTokens()
                let rows: [StateQuestion.Row]
                do throws(StateQuestion.Refusal) { rows = try result.get() } catch {
                    throw LookFailure(error.words, wasGivenUp: error.isLimit)
                }
                for row in rows {
                    for table in tables where table.query == StateSpec.allKinds || row.kind == table.query {
                        try looked.add(row.token, to: table.role)
                    }
                }
                then(.success(Dictionary(uniqueKeysWithValues: tables.map { ($0.role, looked[$0.role]) })))
            } catch {
                then(.failure(error))
            }
        }
    }
}
