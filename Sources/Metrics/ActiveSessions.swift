// Which sessions were active when: from the first call of theirs that was sent until the last sign of life.

import Basics

struct ActiveSessions: Sendable {
    private var places: [UInt32: Int32] = [:]
    private var starts: [Int64] = []
    private var ends: [Int64] = []

    var isEmpty: Bool { starts.isEmpty }

    mutating func extend(_ session: UInt32, from start: Instant, to end: Instant) {
        if let place = places[session].map(Int.init) {
            starts[place] = min(starts[place], start.nanoseconds)
            ends[place] = max(ends[place], end.nanoseconds)
        } else {
            places[session] = Int32(starts.count)
            starts.append(start.nanoseconds)
            ends.append(max(start, end).nanoseconds)
        }
    }

    /// The most that were active at one instant.
    var peak: Int {
        let starts = starts.sorted()
        let ends = ends.sorted()
        var peak = 0
        var ended = 0
        for (index, start) in starts.enumerated() {
            while ends[ended] < start { ended += 1 }
            peak = max(peak, index + 1 - ended)
        }
        return peak
    }

    /// How many were active at some time in each second of the series, which is made long enough for it.
    func bySecond(_ series: inout SeriesBuilder) -> [Int] {
        var changes: [Int: Int] = [:]
        for index in starts.indices {
            changes[series.second(of: Instant(nanoseconds: starts[index])), default: 0] += 1
            changes[series.second(of: Instant(nanoseconds: ends[index])) + 1, default: 0] -= 1
        }
        var active = 0
        return series.rows.indices.map { second in
            active += changes[second] ?? 0
            return active
        }
    }
}
