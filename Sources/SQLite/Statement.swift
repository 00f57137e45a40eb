// A compiled statement: bind its parameters, step through its rows, read their columns.

package import Basics
import CSQLite

/// Belongs to its database's thread. Parameters count from 1, columns from 0, as in SQLite.
package final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    init(_ handle: OpaquePointer, of database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    /// SQLite copies what is bound, so that nothing has to outlive the call.
    private static var copying: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    package func bind(_ value: Int64, at index: Int32) { check(sqlite3_bind_int64(handle, index, value)) }

    package func bind(_ value: Double, at index: Int32) { check(sqlite3_bind_double(handle, index, value)) }

    package func bindNull(at index: Int32) { check(sqlite3_bind_null(handle, index)) }

    /// Nil binds NULL.
    package func bind(_ text: String?, at index: Int32) {
        guard var text else { return bindNull(at: index) }
        text.withUTF8 { bytes in
            // An empty string has no address, and SQLite takes no address for NULL.
            let start = bytes.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
            if let start, !bytes.isEmpty {
                check(sqlite3_bind_text(handle, index, start, Int32(bytes.count), Self.copying))
            } else {
                check(sqlite3_bind_text(handle, index, "", 0, Self.copying))
            }
        }
    }

    /// A blob.
    package func bind(_ bytes: Span<UInt8>, at index: Int32) {
        bytes.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress, !bytes.isEmpty {
                check(sqlite3_bind_blob(handle, index, start, Int32(bytes.count), Self.copying))
            } else {
                check(sqlite3_bind_zeroblob(handle, index, 0))
            }
        }
    }

    /// The next row. False at the end, where the statement is ready to be bound and run again.
    package func step() throws(Failure) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            let failure = database.failure()
            sqlite3_reset(handle)
            throw failure
        }
    }

    /// Runs a statement whose rows, if any, are of no interest.
    package func run() throws(Failure) {
        while try step() {}
    }

    /// Ends a walk before its last row.
    package func reset() { sqlite3_reset(handle) }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// 0 for NULL.
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// 0 for NULL.
    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Nil for NULL.
    package func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Empty for NULL.
    package func bytes(_ column: Int32) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A wrong index is our mistake, and so is binding in the middle of a walk.
    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, "cannot bind: \(String(cString: sqlite3_errstr(code)))")
    }
}
