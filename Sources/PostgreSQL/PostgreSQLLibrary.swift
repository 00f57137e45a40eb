// libpq, as it is found when somebody first asks for it: nothing is linked to it, and nobody else has to have it. The only
// file that knows its functions.

import Basics
import Glibc

/// The functions of libpq 5. Loaded once; never unloaded.
struct PostgreSQLLibrary: @unchecked Sendable {
    // Unchecked: pointers to functions, which never change; libpq may be called from any thread, a connection from one at a
    // time.
    typealias Text = UnsafePointer<CChar>

    let connect: @convention(c) (UnsafePointer<Text?>, UnsafePointer<Text?>, Int32) -> OpaquePointer?
    let status: @convention(c) (OpaquePointer?) -> Int32
    let finish: @convention(c) (OpaquePointer?) -> Void
    let send:
        @convention(c) (
            OpaquePointer?, Text, Int32, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, Int32
        ) -> Int32
    let descriptor: @convention(c) (OpaquePointer?) -> Int32
    let consume: @convention(c) (OpaquePointer?) -> Int32
    let isBusy: @convention(c) (OpaquePointer?) -> Int32
    let result: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let resultStatus: @convention(c) (OpaquePointer?) -> Int32
    let errorField: @convention(c) (OpaquePointer?, Int32) -> Text?
    let rowCount: @convention(c) (OpaquePointer?) -> Int32
    let value: @convention(c) (OpaquePointer?, Int32, Int32) -> Text?
    let clear: @convention(c) (OpaquePointer?) -> Void
    let parse: @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> UnsafeMutableRawPointer?
    let freeParsed: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    private static let loaded = PostgreSQLLibrary(named: "libpq.so.5")

    /// Throws a run `Failure` where this machine has no such library.
    static func load() throws(Failure) -> PostgreSQLLibrary { try present(loaded) }

    static func present(_ library: PostgreSQLLibrary?) throws(Failure) -> PostgreSQLLibrary {
        if let library { return library }
        throw Failure(
            .run, "this machine has no libpq.so.5, by which PostgreSQL is asked", hint: "install Debian's package libpq5")
    }

    /// Nil where there is none of that name, or one that lacks a function.
    init?(named name: String) {
        do throws(Missing) { self = try PostgreSQLLibrary(loading: name) } catch { return nil }
    }

    private struct Missing: Error {}

    private init(loading name: String) throws(Missing) {
        guard let handle = dlopen(name, RTLD_NOW) else { throw Missing() }
        func function<F>(_ name: String) throws(Missing) -> F {
            guard let symbol = dlsym(handle, name) else { throw Missing() }
            return unsafeBitCast(symbol, to: F.self)
        }
        connect = try function("PQconnectdbParams")
        status = try function("PQstatus")
        finish = try function("PQfinish")
        send = try function("PQsendQueryParams")
        descriptor = try function("PQsocket")
        consume = try function("PQconsumeInput")
        isBusy = try function("PQisBusy")
        result = try function("PQgetResult")
        resultStatus = try function("PQresultStatus")
        errorField = try function("PQresultErrorField")
        rowCount = try function("PQntuples")
        value = try function("PQgetvalue")
        clear = try function("PQclear")
        parse = try function("PQconninfoParse")
        freeParsed = try function("PQconninfoFree")
        free = try function("PQfreemem")
    }
}
