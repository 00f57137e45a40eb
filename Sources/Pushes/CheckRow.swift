// The table of checks that a provider's rules are: rows in order, of which the first that objects decides. The order is
// observed in parts and unsure in others, so it is data: another order is another array.

/// One row: what is checked, of which requests, and where that stands. `Step` numbers the provider's functions, for calling
/// one through a stored closure costs two reference counts, thirty times per push; `Scope` is what requests are told apart
/// by, `Never` where there is one kind.
package struct CheckRow<Step: Sendable, Scope: Hashable & Sendable>: Sendable {
    package let step: Step
    /// Kebab-case, for journals and tests.
    package let name: StaticString
    /// The section of the facts that says so.
    package let source: StaticString
    private let scopes: Set<Scope>?

    /// `scopes` nil: all requests, also those of no scope.
    package init(_ step: Step, _ name: StaticString, _ source: StaticString, of scopes: Set<Scope>? = nil) {
        self.step = step
        self.name = name
        self.source = source
        self.scopes = scopes
    }

    package func concerns(_ scope: Scope?) -> Bool {
        guard let scopes else { return true }
        return scope.map(scopes.contains) ?? false
    }
}

extension Array {
    /// Goes through steps or rows until one objects: its place and the objection; nil: none does. One loop around one
    /// switch, so that a row costs a jump.
    @inlinable
    @inline(__always)
    package func firstObjection<Reason>(_ objection: (Element) -> Reason?) -> (index: Int, reason: Reason)? {
        for index in indices {
            if let reason = objection(self[index]) { return (index, reason) }
        }
        return nil
    }
}
