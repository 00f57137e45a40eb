// What PostgREST answers where a request comes to nothing: a status, and a body of code, message, details and hint. Codes of
// five characters are PostgreSQL's own.

import Basics

struct RowError: Error {
    var status: Int
    var code: String
    var message: String
    var details: String?

    init(_ status: Int, _ code: String, _ message: String, details: String? = nil) {
        (self.status, self.code, self.message, self.details) = (status, code, message, details)
    }

    static let noKey = RowError(401, "PGRST301", "No API key found in request")
    static let badToken = RowError(401, "PGRST301", "JWT cryptographic operation failed")
    static let expiredToken = RowError(401, "PGRST303", "JWT expired")
    static let badBody = RowError(400, "PGRST102", "Empty or invalid json")
    static let badFilter = RowError(400, "PGRST100", "failed to parse filter")
    static let failed = RowError(500, "XX000", "internal error")

    static func denied(_ table: String) -> RowError {
        RowError(403, "42501", "new row violates row-level security policy for table \"\(table)\"")
    }

    static func badUUID(_ text: String) -> RowError {
        RowError(400, "22P02", "invalid input syntax for type uuid: \"\(shortened(text, to: 80))\"")
    }

    static func missing(_ column: String, of table: String) -> RowError {
        RowError(400, "23502", "null value in column \"\(column)\" of relation \"\(table)\" violates not-null constraint")
    }

    static func badValue(_ column: String, of table: String) -> RowError {
        RowError(400, "23514", "new row for relation \"\(table)\" violates check constraint \"\(table)_\(column)_check\"")
    }

    static func duplicate(_ table: String, _ column: String, _ value: String) -> RowError {
        RowError(
            409, "23505", "duplicate key value violates unique constraint \"\(table)_pkey\"",
            details: "Key (\(column))=(\(value)) already exists.")
    }

    init(_ reason: Refusal) {
        switch reason {
        case .notFound: self.init(404, "PGRST205", "Could not find the table in the schema cache")
        case .invalidBody: self = .badBody
        case .noToken: self.init(409, "23503", "No token")
        case .tooManyForSecret: self.init(429, "54000", "Too many rows for this device")
        case .full: self.init(503, "53000", "No room for more rows")
        case .internalError: self = .failed
        }
    }

    var reply: Reply {
        .json(
            status,
            [
                "code": .string(code), "details": details.map { .string($0) } ?? .null, "hint": .null,
                "message": .string(message),
            ])
    }
}
