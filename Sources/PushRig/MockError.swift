// The one error of the public face.

import Basics

/// An error of the library: what went wrong, and how to mend it.
public struct MockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error in one line.
    public var message: String
    /// The way to mend it; nil: none is known.
    public var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    init(_ failure: Failure) {
        self.init((failure.place.map { $0 + ": " } ?? "") + failure.message, hint: failure.hint)
    }

    /// The message, with the hint in brackets.
    public var description: String { message + (hint.map { " (\($0))" } ?? "") }
}

extension Interval {
    /// The same length; beyond some 292 years the longest there is.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let whole = seconds.saturating(times: 1_000_000_000)
        self.init(nanoseconds: whole.saturating(plus: attoseconds / 1_000_000_000))
    }
}
