// The one error of the house for things a user can mend: one line of what happened, and how to fix it.

/// Something a user can act on. `message` is one clear line; `hint` says how to fix it; `place` is `file:line:column`
/// where there is one.
package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which exit code fits (see `pushrig --help`): bad input is 2, trouble while running is 1.
    package enum Kind: Hashable, Sendable { case usage, run }

    package var kind: Kind
    package var message: String
    package var hint: String?
    package var place: String?

    package init(_ kind: Kind, _ message: String, hint: String? = nil, place: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.place = place
    }

    package var description: String {
        (place.map { $0 + ": " } ?? "") + message + (hint.map { " (\($0))" } ?? "")
    }
}
