// When a relay ends an activity that grows old, before the system does, as its profile says.

package import Basics

/// All spans are longer than zero, and `within` is shorter than `after`.
package struct AgeSpec: Sendable {
    /// What the end shows at a place of its payload: one of these values.
    package struct Showing: Sendable {
        package var at: JSONPointerPath
        package var values: [JSONValue]
    }

    /// Age of an activity, from its own beginning, at which its end leaves.
    package var after: Interval
    /// So much earlier or later.
    package var within: Interval
    package var shows: [Showing]
}
