// What became of a push after its own record was written: a note, so that readers of older versions pass over it.

package import Basics
package import Pushes

extension JournalWriter {
    /// Puts on record what a device did in the end with a push that was stored for it. `push` is its id.
    package func append(lateOutcome outcome: Outcome, of push: UInt64, at instant: Instant) {
        append(.outcome, ["push": .integer(Int64(push)), "outcome": .string(outcome.word.description)], at: instant)
    }
}

extension NoteEntry {
    /// Nil for every other note.
    package var lateOutcome: (push: UInt64, outcome: Outcome)? {
        guard let value = json(of: .outcome), let push = value["push"]?.int,
            let outcome = value["outcome"]?.string.flatMap({ Outcome(word: $0) })
        else { return nil }
        return (UInt64(clamping: push), outcome)
    }
}
