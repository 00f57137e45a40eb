// Where a push is not as it was declared, in words.

package struct PushDeviation: Hashable, Sendable {
    /// Such as `headers.priority` or `alert.title`, as a profile writes it.
    package var field: String
    package var expected: String
    package var seen: String

    package init(_ field: String, expected: String, seen: String) {
        self.field = field
        self.expected = expected
        self.seen = seen
    }
}
