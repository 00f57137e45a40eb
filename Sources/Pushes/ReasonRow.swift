// What is said of a provider's reason for a refusal. Each list of reasons has rows of this shape.

/// One row of a list of reasons.
package struct ReasonRow<Reason: Sendable>: Sendable {
    package let reason: Reason
    /// The word on the wire.
    package let word: StaticString
    /// The HTTP status that carries it.
    package let status: UInt16
    /// One sentence for the one who was refused.
    package let explanation: String

    package init(_ reason: Reason, _ word: StaticString, _ status: UInt16, _ explanation: String) {
        self.reason = reason
        self.word = word
        self.status = status
        self.explanation = explanation
    }
}
