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

    /// What each number may be. A trial shorter than 7 s tells no slope.
    package static func range(_ path: WritableKeyPath<CapacityTerms, Double>) -> ClosedRange<Double> {
        switch path {
        case \.width: 0.001...0.5
        case \.trial: 7...3_600
        case \.sum: 7...86_400
        case \.exceed: 0...0.99
        case \.confirm: 0...86_400
        case \.budget: 1...604_800
        default: 0.1...1e6
        }
    }

    /// What contradicts itself, and the way out of it; nil: nothing. The numbers are in their ranges.
    package var contradiction: (message: String, hint: String)? {
        if from > to { return ("--from is above --to", "the search goes up from --from") }
        if sum < trial { return ("--sum is shorter than one trial", "make it three trials long at least") }
        if confirm > 0, confirm < trial {
            return ("--confirm is shorter than one trial", "make it longer, or 0s for none")
        }
        return nil
    }

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
