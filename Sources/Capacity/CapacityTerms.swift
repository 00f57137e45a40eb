// How a search goes about: bounds, accuracy, and how long it measures.

package struct CapacityTerms: Hashable, Sendable {
    /// Events per second.
    package var from = 50.0
    package var to = 20_000.0
    /// How far apart the two bounds are at most, as a share of the lower.
    package var width = 0.02
    /// Seconds of one trial.
    package var trial = 10.0
    /// Seconds that both bounds are measured at least.
    package var sum = 70.0
    /// The share of bad seconds that a load may have and still holds.
    package var exceed = 0.5
    /// Seconds of the confirmation; 0: none.
    package var confirm = 60.0
    /// Seconds of all; no trial begins that could not end by then.
    package var budget = 1_200.0

    package init() {}

    /// Coarse first: what is far from the bound needs no seventy seconds.
    var stages: [Stage] {
        [
            Stage(width: max(width, 0.08), sum: min(sum, 2 * trial)), Stage(width: max(width, 0.04), sum: min(sum, 4 * trial)),
            Stage(width: width, sum: sum),
        ]
    }

    struct Stage: Hashable, Sendable {
        var width: Double
        var sum: Double
    }
}
