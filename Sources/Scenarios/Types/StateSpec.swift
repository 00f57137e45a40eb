// How a relay is asked which tokens it holds: its database, or an endpoint of its own.

package import Basics

package struct StateSpec: Sendable {
    package enum Source: Sendable {
        /// Path of a file, as a template of `LaunchTemplate`.
        case sqlite(file: String)
        /// A connection string.
        case postgres(KeptSecret)
        case http(Endpoint)
    }

    /// What the relay answers on its own address: JSON with a row for each token.
    package struct Endpoint: Sendable {
        package var request: ProfileCall
        /// Where the rows stand in the answer, and what they say of themselves.
        package var rows: JSONPointerPath
        package var token: JSONPointerPath
        /// Nil: all rows are of one kind.
        package var kind: JSONPointerPath?
    }

    package struct Table: Hashable, Sendable {
        /// `.activityToken`, `.startToken`, `.deviceToken` or `.registrationToken`.
        package var role: SessionVariable
        /// SQL that gives one token a row, in its first column; of an endpoint, the kind of its rows, or `*` for all.
        package var query: String

        package init(role: SessionVariable, query: String) {
            self.role = role
            self.query = query
        }
    }

    package var source: Source
    /// From one look to the next. At least 100 ms.
    package var every: Interval
    package var tables: [Table]

    /// Rows of one query that are read.
    package static let mostRows = 20_000
    /// Of an endpoint's answer, and of all rows of a look.
    package static let mostBytes = 8 << 20
    /// Of one value that a query makes or gives.
    package static let longestValue = 1 << 20
    /// Of one look, at all tables. Our choice: of a file it takes milliseconds.
    package static let patience = Interval.seconds(3)
    /// All rows of an endpoint.
    package static let allKinds = "*"

    package init(source: Source, every: Interval = .seconds(1), tables: [Table]) {
        self.source = source
        self.every = every
        self.tables = tables
    }
}
