// The one error of the public face.

import Basics

/// What went wrong, in one line, and how to mend it.
public struct MockError: Error, Hashable, Sendable, CustomStringConvertible {
    public var message: String
    public var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    init(_ failure: Failure) {
        self.init((failure.place.map { $0 + ": " } ?? "") + failure.message, hint: failure.hint)
    }

    public var description: String { message + (hint.map { " (\($0))" } ?? "") }
}

extension Interval {
    /// At most some 292 years.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let whole = seconds.saturating(times: 1_000_000_000)
        self.init(nanoseconds: whole.saturating(plus: attoseconds / 1_000_000_000))
    }
}
