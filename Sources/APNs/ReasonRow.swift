// What is said of a reason. Both lists of reasons have rows of this shape (spec/apns.md §6, §11).

/// One row of a list of reasons.
package struct ReasonRow<Reason: Sendable>: Sendable {
    package let reason: Reason
    /// The word on the wire.
    package let word: StaticString
    /// The HTTP status that carries it.
    package let status: UInt16
    /// One sentence for the one who was refused.
    package let explanation: String

    init(_ reason: Reason, _ word: StaticString, _ status: UInt16, _ explanation: String) {
        self.reason = reason
        self.word = word
        self.status = status
        self.explanation = explanation
    }
}
