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
    /// Clamped to about 146 years.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let limit: Int64 = 1 << 62
        let clamped = overflow ? (seconds < 0 ? -limit : limit) : min(max(whole, -limit), limit)
        self.init(nanoseconds: clamped + attoseconds / 1_000_000_000)
    }
}
