// What is said about a value that was held against a schema: whether the phone can read it, and whether it keeps what
// was agreed beyond that.

/// Two verdicts, each with its reasons. They are independent: the phone reads many a value that breaks the contract, and
/// what it cannot read may break the contract too.
package struct SchemaVerdict: Hashable, Sendable {
    /// Why the app's type does not decode from it; empty when it does.
    package var doesNotDecode: [SchemaFinding]
    /// Limits, conditions and unknown keys, which no phone minds.
    package var breaksContract: [SchemaFinding]

    package init(doesNotDecode: [SchemaFinding] = [], breaksContract: [SchemaFinding] = []) {
        self.doesNotDecode = doesNotDecode
        self.breaksContract = breaksContract
    }

    package var decodes: Bool { doesNotDecode.isEmpty }
    package var isKept: Bool { doesNotDecode.isEmpty && breaksContract.isEmpty }

    /// Adds what is said about another part of the same push.
    package mutating func add(_ other: SchemaVerdict) {
        doesNotDecode += other.doesNotDecode
        breaksContract += other.breaksContract
    }
}

/// One reason.
package struct SchemaFinding: Hashable, Sendable, CustomStringConvertible {
    /// RFC 6901, from the root of what was checked; it leads on into JSON text that stands in a string.
    package var pointer: String
    /// What is wrong there, as the rest of a sentence that begins with the pointer: `is longer than 123 characters`.
    package var reason: String

    package init(pointer: String, reason: String) {
        self.pointer = pointer
        self.reason = reason
    }

    package var description: String { pointer.isEmpty ? reason : pointer + " " + reason }
}
