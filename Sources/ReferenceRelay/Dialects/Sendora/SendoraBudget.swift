// How often an activity was told something within the hour: a phone's budget for what is urgent is small
// (R3.20, R3.21).

import Basics

struct SendoraBudget {
    /// From so many updates within an hour on its caller is warned.
    static let warnsAt = 30
    /// So many may be urgent.
    static let urgent = 5
    private static let hour = Interval.seconds(3_600)

    private var began: WallTime?
    private var count = 0
    private(set) var newest: WallTime?

    /// One more, and how many those are within its hour.
    mutating func add(at now: WallTime) -> Int {
        if began == nil || count(at: now) == 0 {
            began = now
            count = 0
        }
        count += 1
        newest = now
        return count
    }

    func count(at now: WallTime) -> Int {
        guard let began, now - began < Self.hour else { return 0 }
        return count
    }
}
