// Exact tests by rearrangement, and the interval that belongs to them.
//
// Were there no difference, each rearrangement of what was measured (signs of pairs flipped, runs dealt to the sides anew)
// would have been as likely as the one that was seen. A rearrangement gives a mean at least as great as the seen one exactly
// where the mean of what it moves is at most 0; so the sorted means of what can be moved hold both the test and, read as
// shifts, its inversion (J. A. Hartigan, "Using subsample values as typical values", JASA 64, 1969).

package import Basics

/// All rearrangements of two samples or of pairs, or so many of them by chance where there are too many.
package struct Rearrangements: Sendable {
    /// The means of what each rearrangement moves, sorted: the shifts at which it ties with what was seen. The one that
    /// moves nothing is left out.
    let shifts: [Double]
    /// All there are; else drawn by chance.
    package let isExact: Bool

    /// More than these are drawn by chance.
    private static let most = 1 << 20
    private static let drawn = 99_999

    /// Pairs, as new minus base of each: their signs are flipped. At least one.
    package init(pairs: [Double], chance: Seed) {
        precondition(!pairs.isEmpty, "pairs to flip")
        isExact = pairs.count <= 20
        guard isExact else {
            shifts = Self.drawn(chance) { generator in
                let moved = pairs.filter { _ in generator.next() >> 63 == 0 }
                return moved.isEmpty ? nil : moved.reduce(0, +) / Double(moved.count)
            }
            return
        }
        let sums = Self.sums(pairs)
        shifts = (1...pairs.count).flatMap { size in sums[size].map { $0 / Double(size) } }.sorted()
    }

    /// Two samples, at least one figure in each: they are dealt to the sides anew.
    package init(base: [Double], new: [Double], chance: Seed) {
        precondition(!base.isEmpty && !new.isEmpty, "samples to deal")
        isExact = base.count <= 20 && new.count <= 20 && Self.deals(base.count, new.count) <= Double(Self.most)
        guard isExact else {
            let all = base.map { ($0, false) } + new.map { ($0, true) }
            shifts = Self.drawn(chance) { generator in
                let dealt = all.shuffled(using: &generator)
                let given = dealt[..<base.count].filter(\.1).map(\.0)
                let taken = dealt[base.count...].filter { !$0.1 }.map(\.0)
                return given.isEmpty ? nil : (given.reduce(0, +) - taken.reduce(0, +)) / Double(given.count)
            }
            return
        }
        let (ours, theirs) = (Self.sums(base), Self.sums(new))
        var shifts: [Double] = []
        for size in 1...min(base.count, new.count) {
            for one in ours[size] { shifts += theirs[size].map { ($0 - one) / Double(size) } }
        }
        self.shifts = shifts.sorted()
    }

    /// How likely a difference as great as the seen one, either way, is without any: twice the smaller of the one-sided
    /// chances, at most 1.
    package var pValue: Double {
        let reach = max(abs(shifts.first ?? 0), abs(shifts.last ?? 0)) * 1e-12
        let least = min(shifts.count { $0 <= reach }, shifts.count { $0 >= -reach })
        return min(1, 2 * Double(least + 1) / Double(shifts.count + 1))
    }

    /// The shifts that the test at `alpha` (between 0 and 1) does not refuse; without an end where there are too few runs.
    package func interval(alpha: Double) -> ClosedRange<Double> {
        let refused = Int((alpha / 2 * Double(shifts.count + 1) + 1e-9).rounded(.down))
        guard refused > 0, refused <= shifts.count - refused + 1 else { return -Double.infinity ... .infinity }
        return shifts[refused - 1]...shifts[shifts.count - refused]
    }

    /// The smallest p there can be with so many: what a test of them can ever show.
    package static func leastP(pairs count: Int) -> Double { min(1, 2 / Double(UInt64(1) << UInt64(min(count, 60)))) }
    package static func leastP(base: Int, new: Int) -> Double { min(1, 2 / deals(base, new)) }

    /// In how many ways so many runs can be dealt to sides of these sizes.
    private static func deals(_ base: Int, _ new: Int) -> Double {
        (1...min(base, new)).reduce(1.0) { $0 * Double(max(base, new) + $1) / Double($1) }
    }

    /// The sums of all parts of the figures, by the parts' sizes.
    private static func sums(_ figures: [Double]) -> [[Double]] {
        var sums: [[Double]] = [[0]]
        for figure in figures {
            sums.append([])
            for size in stride(from: sums.count - 1, to: 0, by: -1) { sums[size] += sums[size - 1].map { $0 + figure } }
        }
        return sums
    }

    private static func drawn(_ chance: Seed, _ draw: (inout Generator) -> Double?) -> [Double] {
        var generator = chance.child("rearrangements").generator()
        var shifts: [Double] = []
        while shifts.count < drawn { if let shift = draw(&generator) { shifts.append(shift) } }
        return shifts.sorted()
    }
}
