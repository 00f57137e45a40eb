// What a count of some among many says of their share, one bound at a time (Wilson, 95 % on either side).

package struct BinomialBounds: Hashable, Sendable {
    package let lower: Double
    package let upper: Double

    /// The 95 % quantile of the normal distribution.
    private static let quantile = 1.6448536

    /// `count` of `all`, which is at least 1.
    package init(_ count: Int, of all: Int) {
        precondition(0 <= count && count <= all && all > 0, "a share is of some")
        let (n, z) = (Double(all), Self.quantile)
        let share = Double(count) / n
        let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        let half = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot() / (1 + z * z / n)
        lower = count == 0 ? 0 : middle - half
        upper = count == all ? 1 : middle + half
    }

    /// How many are needed before none of them says that the share is at most `share`; 0<..<1.
    package static func fewest(for share: Double) -> Int {
        let z = quantile
        return Int((z * z * (1 - share) / share).rounded(.up))
    }
}
