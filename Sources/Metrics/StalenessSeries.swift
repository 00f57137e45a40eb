// How old cards were over the time of a run: for each of some two hundred stretches of it the ages of all cards that lived,
// weighted by time, so that a card that was seen for longer counts for more.

package import Basics

/// Ages by how long they were seen, each known to within a 32nd of itself.
struct AgeCounts {
    private static let fineBits = 5
    /// By the bin of the age in microseconds; the time seen, in microseconds.
    private var counts: [Int64] = []
    private(set) var total: Int64 = 0
    /// The greatest age, exactly; nil: no card lived.
    private(set) var most: Interval?

    mutating func add(_ age: Interval, microseconds: Int64) {
        guard microseconds > 0 else { return }
        let bin = Self.bin(max(0, age.nanoseconds / 1_000))
        if bin >= counts.count { counts += [Int64](repeating: 0, count: bin + 1 - counts.count) }
        counts[bin] += microseconds
        total += microseconds
    }

    mutating func merge(_ other: AgeCounts) {
        if counts.count < other.counts.count { counts += [Int64](repeating: 0, count: other.counts.count - counts.count) }
        for (bin, count) in other.counts.enumerated() { counts[bin] += count }
        total += other.total
        if let age = other.most { reach(age) }
    }

    mutating func reach(_ age: Interval) { most = max(most ?? .zero, age) }

    /// The age at or below which cards were for so many hundredths of their life; 0...100. Never above `most`.
    func age(at percentile: Double) -> Interval {
        let wanted = Double(total) * percentile / 100
        var seen: Int64 = 0
        for (bin, count) in counts.enumerated() {
            seen += count
            if count > 0, Double(seen) >= wanted { return min(Self.highest(bin), most ?? .zero) }
        }
        return .zero
    }

    private static func bin(_ microseconds: Int64) -> Int {
        let magnitude = max(0, 63 - microseconds.leadingZeroBitCount - fineBits)
        return magnitude << fineBits + Int(microseconds >> Int64(magnitude))
    }

    private static func highest(_ bin: Int) -> Interval {
        let magnitude = max(0, bin >> fineBits - 1)
        let first = Int64(bin - magnitude << fineBits) << Int64(magnitude)
        return .microseconds(first + (1 << Int64(magnitude)) - 1)
    }
}

/// Collects stretches into places of equal length, a second at first: where there are too many, each two become one.
struct StalenessSeries {
    /// What a growing age is counted as, at most, in each place.
    private static let parts: Int64 = 8
    static let mostPlaces = 200

    /// Of the first stretch, unless it was given.
    private(set) var origin: Instant?
    private(set) var length = Interval.second
    private var places: [AgeCounts] = []

    init(origin: Instant?) { self.origin = origin }

    /// Makes sure that the place of that instant is there.
    private mutating func place(of instant: Instant, since origin: Instant) -> Int {
        let since = max(0, (instant - origin).nanoseconds)
        while since / length.nanoseconds >= Int64(Self.mostPlaces) {
            length = length * 2
            places = stride(from: 0, to: places.count, by: 2).map { first in
                var merged = places[first]
                if first + 1 < places.count { merged.merge(places[first + 1]) }
                return merged
            }
        }
        let place = Int(since / length.nanoseconds)
        if place >= places.count { places += Array(repeating: AgeCounts(), count: place + 1 - places.count) }
        return place
    }

    mutating func add(_ stretch: CardStretch) {
        let origin = origin ?? stretch.start
        self.origin = origin
        // The last place first: from there on they are as long as they have to be.
        _ = place(of: stretch.end, since: origin)
        var start = max(stretch.start, origin)
        while start < stretch.end {
            let place = place(of: start, since: origin)
            let end = min(stretch.end, origin + length * Double(place + 1))
            add(start: start, end: end, stretch.offeredAt, at: place)
            start = end
        }
    }

    private mutating func add(start: Instant, end: Instant, _ offeredAt: Instant?, at place: Int) {
        let lasted = (end - start).nanoseconds / 1_000
        guard let offeredAt else {
            places[place].add(.zero, microseconds: lasted)
            return places[place].reach(.zero)
        }
        places[place].reach(end - offeredAt)
        let parts = min(Self.parts, lasted)
        for part in 0..<parts {
            let (from, to) = (lasted * part / parts, lasted * (part + 1) / parts)
            places[place].add(start - offeredAt + .microseconds((from + to) / 2), microseconds: to - from)
        }
    }

    /// What became of each place, in order of time, up to the one of `end`.
    mutating func result(until end: Instant?) -> [StalenessPlace] {
        if let origin, let end { _ = place(of: end, since: origin) }
        return places.map { counts in
            guard let most = counts.most else { return StalenessPlace() }
            return StalenessPlace(
                cards: Double(counts.total) / Double(length.nanoseconds / 1_000), median: counts.age(at: 50),
                p95: counts.age(at: 95), most: most)
        }
    }
}

/// One stretch of the run.
package struct StalenessPlace: Hashable, Sendable {
    /// Cards that lived, on average.
    package var cards = 0.0
    /// Their ages, weighted by time; nil where no card lived.
    package var median: Interval?
    package var p95: Interval?
    package var most: Interval?

    package init(cards: Double = 0, median: Interval? = nil, p95: Interval? = nil, most: Interval? = nil) {
        self.cards = cards
        self.median = median
        self.p95 = p95
        self.most = most
    }
}
