// The phases of a run: warm-up, measure, drain, and the stopping of everything.

import Basics

struct PhaseTimeline {
    static let warmUp = "warm-up"
    static let measure = "measure"
    static let drain = "drain"
    static let stop = "stop"

    /// Begins that long after the origin.
    private var pending: [(name: String, at: Interval)]
    private var begun: [(name: String, at: Instant)] = []

    init(warmUp: Interval) {
        pending =
            warmUp > .zero
            ? [(Self.warmUp, .zero), (Self.measure, warmUp)] : [(Self.measure, .zero)]
    }

    /// Of the phase that goes on; empty before the first.
    var current: String { begun.last?.name ?? "" }

    /// When the next one is due, after the origin, if that is known.
    var next: Interval? { pending.first?.at }

    /// The measuring begins then, if it was due later.
    mutating func measure(at elapsed: Interval) {
        guard current == Self.warmUp, let first = pending.first, elapsed < first.at else { return }
        pending[0].at = elapsed
    }

    /// Those that begin now, each with its instant. The load's end begins the drain, also during the warm-up.
    mutating func begun(at now: Instant, origin: Instant, loadEnded: Instant?) -> [(name: String, at: Instant)] {
        let before = begun.count
        while let first = pending.first, now >= origin + first.at {
            pending.removeFirst()
            begun.append((first.name, origin + first.at))
        }
        if let loadEnded, !begun.isEmpty, current != Self.drain {
            pending = []
            if current != Self.measure { begun.append((Self.measure, loadEnded)) }
            begun.append((Self.drain, loadEnded))
        }
        return Array(begun[before...])
    }
}
