// What a number looks like that stands where Unix seconds belong.

package import Basics

/// A number read as Unix seconds, at an instant. Which numbers count as which mistake is our choice: no date that anybody
/// means today lies within the first year of 1970, and none in seconds beyond the year 5138.
package enum DateForm: Sendable, Equatable {
    /// Zero itself: often a word of its own.
    case zero
    case ahead
    /// More than a year ahead.
    case farAhead
    case passed
    /// Seconds from now.
    case relative
    /// Minutes since 1970.
    case minutes
    /// Milliseconds since 1970, or finer.
    case milliseconds

    package static let year: Int64 = 366 * 86_400
    /// No date in seconds is that large, and none in milliseconds that small.
    package static let millisecondsFrom: Int64 = 100_000_000_000

    package init(_ number: Int64, at now: WallTime) {
        let ahead = number.saturating(minus: now.seconds)
        self =
            switch number {
            case ..<0: .passed
            case 0: .zero
            case Self.millisecondsFrom...: .milliseconds
            case _ where ahead > Self.year: .farAhead
            case _ where ahead > 0: .ahead
            case _ where number.saturating(times: 60).saturating(minus: now.seconds).magnitude <= Self.year: .minutes
            case 1...Self.year: .relative
            default: .passed
            }
    }

    /// What is counted otherwise than in seconds since 1970, in words; nil where nothing is.
    package var otherUnit: String? {
        switch self {
        case .relative: "seconds from now"
        case .minutes: "minutes since 1970"
        case .milliseconds: "milliseconds since 1970"
        case .zero, .ahead, .farAhead, .passed: nil
        }
    }
}
