// How a relay's own tables are asked which tokens it holds.

package import Basics

package struct StateSpec: Sendable {
    package struct Table: Hashable, Sendable {
        /// `.activityToken`, `.startToken` or `.deviceToken`.
        package var role: SessionVariable
        /// Gives one token a row, in its first column.
        package var query: String

        package init(role: SessionVariable, query: String) {
            self.role = role
            self.query = query
        }
    }

    /// Path of an SQLite file, as a template of `LaunchTemplate`.
    package var file: String
    /// From one look to the next. At least 100 ms.
    package var every: Interval
    package var tables: [Table]

    /// Rows of one query that are read.
    package static let mostRows = 20_000

    package init(file: String, every: Interval = .seconds(1), tables: [Table]) {
        self.file = file
        self.every = every
        self.tables = tables
    }
}
