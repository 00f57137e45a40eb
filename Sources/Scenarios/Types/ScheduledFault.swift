// A fault on the scenario's timeline.

package import Basics
package import Faults

/// `rule` is given to the mock `at` after the start of the load.
package struct ScheduledFault: Sendable {
    package var at: Interval
    package var rule: FaultRule
    /// A part of a plan is played again which it did not meet: it is not given, or need not meet anything.
    package var isLeftOut = false
    package var mayRest = false

    package init(at: Interval, rule: FaultRule) {
        self.at = at
        self.rule = rule
    }
}
