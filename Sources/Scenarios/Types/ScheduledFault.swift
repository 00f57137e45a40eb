// A fault on the scenario's timeline.

package import Basics
package import Faults

/// `rule` is given to the mock `at` after the start of the load.
package struct ScheduledFault: Sendable {
    package var at: Interval
    package var rule: FaultRule
    /// A part of a plan is played again: it is not given, or need not meet anything.
    package var isLeftOut = false
    package var mayRest = false

    /// The provider's word that it answers with; nil: none.
    package var reason: String? { rule.action.reason }

    package init(at: Interval, rule: FaultRule) {
        self.at = at
        self.rule = rule
    }
}

extension ScheduledFault {
    /// All of its times divided by `speed`, but a quota's and those that heal: these are the provider's own, and no part of the
    /// plan's clock.
    package mutating func stretch(by speed: Double) {
        guard speed != 1 else { return }
        func span(_ time: Interval) -> Interval { time * (1 / speed) }
        at = span(at)
        rule.at = rule.at.map(span)
        rule.duration = rule.duration.map(span)
        rule.timeToLive = rule.timeToLive.map(span)
        switch rule.windows {
        case .periodic(let every, let duration):
            rule.windows = .periodic(every: max(.nanoseconds(1), span(every)), duration: span(duration))
        case .listed(let list): rule.windows = .listed(list.map { span($0.lowerBound)..<span($0.upperBound) })
        case nil: break
        }
    }

    /// Only these tokens are met, only behind so many pushes, only so often; nil: as the rule says.
    package mutating func narrow(to tokens: [String]?, after: Int?, times: Int?) {
        if let tokens {
            rule.match.token = nil
            rule.match.tokens = tokens
        }
        rule.after = after ?? rule.after
        rule.times = times ?? rule.times
    }
}
