// A fault on the scenario's timeline.

package import Basics
package import Faults

/// `rule` is given to the mock `at` after the start of the load.
package struct ScheduledFault: Sendable {
    package var at: Interval
    package var rule: FaultRule

    package init(at: Interval, rule: FaultRule) {
        self.at = at
        self.rule = rule
    }
}
