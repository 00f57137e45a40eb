// One scripted misbehaviour of the provider: which pushes it meets, what it does to them, how often and when.

package import Basics

/// A rule. Of several that match a push, the first one added fires.
package struct FaultRule: Sendable, Equatable {
    /// Empty: the script gives it one when it is added. Chance depends on it: the same id, the same pushes.
    package var id: String
    package var match: FaultMatch
    package var action: FaultAction
    /// Fires at most that often; at least 1.
    package var times: Int?
    /// `for`: how long it is in force, from the moment it takes effect.
    package var duration: Interval?
    /// Lets that many matching pushes pass first.
    package var after: Int?
    /// Takes effect that long after it was added.
    package var at: Interval?

    package init(
        id: String = "", match: FaultMatch = FaultMatch(), action: FaultAction, times: Int? = nil,
        duration: Interval? = nil, after: Int? = nil, at: Interval? = nil
    ) {
        self.id = id
        self.match = match
        self.action = action
        self.times = times
        self.duration = duration
        self.after = after
        self.at = at
    }
}

/// What is wrong with a rule's JSON, and where.
package struct FaultRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// RFC 6901, from the rule's root; empty for the root itself.
    package var pointer: String
    package var message: String
    package var hint: String?

    package var description: String {
        (pointer.isEmpty ? "" : pointer + ": ") + message + (hint.map { " (\($0))" } ?? "")
    }
}
