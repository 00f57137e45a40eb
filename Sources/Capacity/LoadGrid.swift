// The loads that a search may try: each a fixed factor above the one before, so that a width is a number of places.

import Glibc

package struct LoadGrid: Hashable, Sendable {
    /// The least load, events per second, above 0.
    package let first: Double
    package let last: Double
    /// Between neighbours; at most 1.01, and half of the width that is promised.
    package let factor: Double
    /// The place of `last`.
    package let end: Int

    /// `width`: how far apart final bounds may be, above 0: 0.02 is two per cent. `last` is at least `first`.
    package init(from first: Double, to last: Double, width: Double) {
        precondition(first > 0 && last >= first && width > 0, "a grid of loads goes up from above 0")
        self.first = first
        self.last = last
        factor = min(1.01, (1 + width).squareRoot())
        end = last > first ? max(1, Int((log(last / first) / log(factor)).rounded(.up))) : 0
    }

    /// Events per second at that place, to four digits.
    package func rate(_ place: Int) -> Double {
        if place <= 0 { return first }
        if place >= end { return last }
        let exact = first * pow(factor, Double(place))
        let digit = pow(10, floor(log10(exact)) - 3)
        return (exact / digit).rounded() * digit
    }

    /// The most places that two loads may be apart which are no further than `ratio` from each other; at least 1.
    package func places(within ratio: Double) -> Int { max(1, Int(log(1 + ratio) / log(factor) + 1e-6)) }
}
