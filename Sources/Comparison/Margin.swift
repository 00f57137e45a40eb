// How much of a difference is none worth speaking of, and on which scale differences are told.

package import Basics
import Glibc

/// What counts as the same: so much of the base's value, or, for durations, so long, whichever is more.
package struct Margin: Hashable, Sendable, CustomStringConvertible {
    /// A share of the base's value, at least 0.
    package var share = 0.05
    package var duration = Interval.milliseconds(5)

    package init() {}

    /// Reads `3%`, `2ms`, or both with a comma between them: what is not named is 0. Throws a usage `Failure`.
    package init(parsing text: String) throws(Failure) {
        (share, duration) = (0, .zero)
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let word = part.filter { $0 != " " }
            if word.hasSuffix("%"), let percent = Double(word.dropLast()), (0...100).contains(percent) {
                share = percent / 100
            } else if let interval = Interval(parsing: word), interval >= .zero {
                duration = interval
            } else {
                throw Failure(.usage, "'\(text)' is no margin", hint: "such as 5%, 5ms or 5%,5ms")
            }
        }
    }

    package var description: String {
        let percent = share * 100
        let words = percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
        return duration > .zero ? "\(words) or \(duration)" : words
    }

    /// On the scale of the shifts. `base` is the base's median.
    func reach(_ scale: ShiftScale, base: Double, isDuration: Bool) -> Double {
        let room = isDuration ? Double(duration.nanoseconds) : 0
        switch scale {
        case .ratio: return log1p(max(share, base > 0 ? room / base : 0))
        case .difference: return max(share * abs(base), room)
        }
    }
}

/// How a difference is told: as a ratio, by its logarithm, or, where a figure is 0, as a difference.
package enum ShiftScale: String, Hashable, Sendable {
    case ratio, difference

    /// That of these figures.
    init(_ figures: [Double]) { self = figures.allSatisfy { $0 > 0 && $0.isFinite } ? .ratio : .difference }

    func figure(_ value: Double) -> Double { self == .ratio ? log(value) : value }

    /// A shift as people read it: a ratio as such.
    package func told(_ shift: Double) -> Double { self == .ratio ? exp(shift) : shift }

    func shift(from base: Double, to new: Double) -> Double? {
        self == .difference ? new - base : base > 0 && new > 0 ? log(new / base) : nil
    }
}
