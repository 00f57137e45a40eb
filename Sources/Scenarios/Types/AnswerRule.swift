// What an answer means where its status alone does not say it, and how a caller waits where it is told to.

package import Basics

/// One row of a table: the first that fits an answer counts.
package struct AnswerRule: Sendable {
    package enum Meaning: String, CaseIterable, Sendable {
        /// As `expect` says of its status.
        case ok
        /// It did not work this time: the caller tries again.
        case retry
        /// It is too much just now: the caller waits and tries again.
        case throttled
        /// It will never work.
        case permanent
        /// The token is dead, so the caller has nobody to tell any more.
        case pruned

        package var isTriedAgain: Bool { self == .retry || self == .throttled }
    }

    package var statuses: Set<Int>
    /// Where the answer's JSON says what decides; nil: the status alone decides.
    package var pointer: JSONPointerPath?
    /// As text; empty: whatever stands there.
    package var values: Set<String>
    package var meaning: Meaning
    /// Where the answer's JSON says how many seconds to wait; nil: `retry-after` alone does.
    package var wait: JSONPointerPath?

    package init(
        statuses: Set<Int>, pointer: JSONPointerPath? = nil, values: Set<String> = [], meaning: Meaning,
        wait: JSONPointerPath? = nil
    ) {
        self.statuses = statuses
        self.pointer = pointer
        self.values = values
        self.meaning = meaning
        self.wait = wait
    }
}

/// How a caller tries again.
package struct RetrySpec: Hashable, Sendable {
    /// After the first try, 0 to 20.
    package var most = 3
    /// Before the second try, where the answer says nothing; doubled from try to try.
    package var wait = Interval.seconds(1)
    /// Nobody waits longer than this for one try: told to, the caller gives up.
    package var longest = Interval.seconds(60)

    package init() {}
}
