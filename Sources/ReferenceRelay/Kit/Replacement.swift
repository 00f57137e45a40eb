// When an activity that grows too old is replaced by another, and what is known of that while it goes on.

import Basics

/// Ages count from an activity's own beginning, never from its session's (R4.12).
struct ReplacementPolicy {
    /// Age at which a start push for the successor leaves.
    var after = Interval.seconds(6 * 3_600 + 50 * 60)
    /// So much earlier or later, drawn for each activity: those that began together are not replaced together (R4.28).
    var within = Interval.seconds(60)
    /// A start whose card has registered no token by then is taken for one that APNs accepted and no phone showed (R4.22).
    var adoptWithin = Interval.seconds(60)
    /// From one such start to the next; doubles up to `pauseMax` (R4.24).
    var pause = Interval.seconds(5 * 60)
    var pauseMax = Interval.seconds(60 * 60)
    /// So many starts without adoption are told in the log, each one from there on.
    var alarmAt = 4
}

/// The replacing of one activity, from its first start push until a token of another activity is registered.
final class Replacement {
    /// Start pushes that have left.
    var starts = 0
    /// When the newest did: the birth of the activity that it starts.
    var leftAt: WallTime
    /// The starts that were accepted: when each left, and the state that it shows. Any of them may still be adopted.
    var accepted: [(leftAt: WallTime, sequence: UInt64)] = []
    /// When those left that did not come to nothing: their cards are there, or may turn up.
    var out: [WallTime] = []

    init(leftAt: WallTime) { self.leftAt = leftAt }
}
