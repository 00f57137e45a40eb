// When a relay acts on an activity that grows old, before the system ends it: it puts another in its place, or ends it.

package import Basics

/// All spans are longer than zero, and in this order: `after` + `within` <= `before`, `pause` <= `longestPause`.
package struct RestartTerms: Hashable, Sendable {
    /// Age of an activity, from its own beginning, at which a start push for its successor leaves.
    package var after: Interval
    /// So much earlier or later.
    package var within: Interval
    /// An activity that lives on at this age must have been given a start for its successor.
    package var before: Interval
    /// How long a start may wait for the registration of a new activity's token.
    package var adoptWithin: Interval
    /// From a start that nobody adopts to the next; it doubles, up to `longestPause`.
    package var pause: Interval
    package var longestPause: Interval

    package init(
        after: Interval, within: Interval, before: Interval, adoptWithin: Interval, pause: Interval, longestPause: Interval
    ) {
        self.after = after
        self.within = within
        self.before = before
        self.adoptWithin = adoptWithin
        self.pause = pause
        self.longestPause = longestPause
    }
}

/// All spans are longer than zero, and `within` is shorter than `after`.
package struct AgeTerms: Hashable, Sendable {
    /// Age of an activity, from its own beginning, at which its end leaves, so much earlier or later.
    package var after: Interval
    package var within: Interval

    package init(after: Interval, within: Interval) {
        self.after = after
        self.within = within
    }
}
