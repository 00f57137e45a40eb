// Whether a relay is warm: what `phases.until` asks for held over the seconds just gone by.

import Basics
import Metrics
import Scenarios
import Verdicts

/// Told what is known of a run, again and again. Memory: a look for each second of the window.
struct WarmUpWatch {
    private static let pace = Interval.seconds(1)

    private let gate: Gate
    private var looks: [(at: Instant, known: Correlation)] = []

    init(_ gate: Gate) { self.gate = gate }

    /// `known`: of all the run, by `now` on its clock. True where the gate holds over a whole window; one without enough values
    /// tells nothing.
    mutating func isWarm(_ known: Correlation, at now: Instant) -> Bool {
        while looks.count > 1, now - looks[1].at >= PhaseSpec.watched { looks.removeFirst() }
        defer { if looks.last.map({ now - $0.at >= Self.pace }) ?? true { looks.append((now, known)) } }
        guard let first = looks.first, now - first.at >= PhaseSpec.watched else { return false }
        var recent = Correlation()
        (recent.delivery, recent.answer, recent.lateness) = (known.delivery, known.answer, known.lateness)
        recent.delivery.subtract(first.known.delivery)
        recent.answer.subtract(first.known.answer)
        recent.lateness.subtract(first.known.lateness)
        return gate.soFar(recent, samples: [])?.passed ?? false
    }
}
