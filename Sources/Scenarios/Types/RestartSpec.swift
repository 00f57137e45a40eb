// When a relay replaces an activity before the system ends it, as its profile says.

package import Basics

/// All spans are longer than zero, and in this order: `after` + `within` <= `before`, `pause` <= `longestPause`.
package struct RestartSpec: Hashable, Sendable {
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
}
