// Who is asked which tokens a relay holds: an SQLite file, a PostgreSQL server, or an endpoint of the relay's own.

import Basics
import EventLoop
import LoadGenerator
import Net
import PostgreSQL
import SQLite
import Scenarios

/// Confined to its loop.
protocol StateSource: AnyObject {
    /// One question at a time. Calls `then` once, now or later.
    func ask(_ tables: [StateSpec.Table], _ then: @escaping (Result<[SessionVariable: Set<String>], Failure>) -> Void)
}

/// One that has its answer at once.
private protocol TableSource: StateSource {
    /// The tokens that a query gives, without those that are empty.
    func tokens(_ query: String) throws(Failure) -> [String]
}

extension TableSource {
    func ask(_ tables: [StateSpec.Table], _ then: @escaping (Result<[SessionVariable: Set<String>], Failure>) -> Void) {
        var found: [SessionVariable: Set<String>] = [:]
        do throws(Failure) {
            for table in tables { found[table.role] = try Self.few(tokens(table.query)) }
        } catch {
            return then(.failure(error))
        }
        then(.success(found))
    }
}

extension StateSource {
    fileprivate static func few(_ tokens: [String]) throws(Failure) -> Set<String> {
        guard tokens.count <= StateSpec.mostRows else {
            throw Failure(.run, "a query of `state` gives more than \(StateSpec.mostRows) rows")
        }
        return Set(tokens)
    }
}

final class SQLiteSource: TableSource {
    private let file: String
    private var database: Database?

    init(file: String) { self.file = file }

    func tokens(_ query: String) throws(Failure) -> [String] {
        let database: Database
        if let open = self.database { database = open } else { database = try Database(reading: file) }
        self.database = database
        let statement = try database.prepare(query)
        defer { statement.reset() }
        var tokens: [String] = []
        while tokens.count <= StateSpec.mostRows, try statement.step() {
            if let token = statement.text(0), !token.isEmpty { tokens.append(token) }
        }
        return tokens
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

    func tokens(_ query: String) throws(Failure) -> [String] {
        let connection: PostgreSQLConnection
        if let open = self.connection {
            connection = open
        } else {
            connection = try PostgreSQLConnection(address, hostAddress: hostAddress)
        }
        // What has failed once is opened anew for the next look.
        self.connection = nil
        let tokens = try connection.texts(query, atMost: StateSpec.mostRows)
        self.connection = connection
        return tokens
    }
}

final class EndpointSource: StateSource {
    private let question: StateQuestion

    init(_ question: StateQuestion) { self.question = question }

    func ask(_ tables: [StateSpec.Table], _ then: @escaping (Result<[SessionVariable: Set<String>], Failure>) -> Void) {
        question.ask { result in
            then(
                result.flatMap { rows in
                    do throws(Failure) {
                        _ = try Self.few(rows.map(\.token))
                        var found: [SessionVariable: Set<String>] = [:]
                        for table in tables {
                            let own = rows.filter { table.query == StateSpec.allKinds || $0.kind == table.query }
                            found[table.role] = Set(own.map(\.token))
                        }
                        return .success(found)
                    } catch {
                        return .failure(error)
                    }
                })
        }
    }
}
