// What one of the devices did that a message to a topic or a condition reached: such a message is one push on record, and each
// device behind a subscribed registration has its own word, at once and, where it was stored, in the end. For readers of the
// history: no rule judges by it.

package import Basics
package import Pushes

package struct ReachNote: Hashable, Sendable {
    /// Its id in the journal.
    package var message: UInt64
    /// The hash of the registration, which is all that is kept of a subscription.
    package var registration: Hash128
    package var outcome: Outcome
    /// Why, in words.
    package var reason: String?

    package init(message: UInt64, registration: Hash128, outcome: Outcome, reason: String?) {
        self.message = message
        self.registration = registration
        self.outcome = outcome
        self.reason = reason
    }
}

extension JournalWriter {
    package func append(_ note: ReachNote, at instant: Instant) {
        append(
            .phone,
            [
                "message": .integer(Int64(clamping: note.message)), "registration": .string(note.registration.digits),
                "outcome": .string(note.outcome.word.description), "reason": note.reason.map { .string($0) } ?? .null,
            ], at: instant)
    }
}

extension NoteEntry {
    /// Nil for every other note.
    package var reach: ReachNote? {
        guard let json = json(of: .phone), let message = json["message"]?.int,
            let registration = json["registration"]?.string.flatMap({ Hash128(digits: $0) }),
            let outcome = json["outcome"]?.string.flatMap({ Outcome(word: $0) })
        else { return nil }
        return ReachNote(
            message: UInt64(clamping: message), registration: registration, outcome: outcome, reason: json["reason"]?.string)
    }
}

extension Hash128 {
    /// 32 hex digits.
    fileprivate var digits: String { Hex.word(high) + Hex.word(low) }

    fileprivate init?(digits: String) {
        guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}
