// A scenario as it is when its plan is played again: at another speed, and of a part of its sessions.

import Basics
import Faults
package import Journal
package import Scenarios

extension Scenario {
    /// What happens by the plan's clock happens at its factor: arrivals, steps, acts, reactions, faults, restarts. What the
    /// relay is held to stays: deadlines, windows, grace.
    ///
    /// Of a part of the sessions, gates over all of them say nothing and are left out.
    package func replayed(_ note: ReplayNote) -> Scenario {
        var scenario = self
        let map = TimeMap(speed: note.speed, skipped: note.skipped)
        scenario.workload.pace *= note.speed
        scenario.workload.speed = note.speed
        scenario.workload.skipped = note.skipped
        scenario.phases.warmUp = map.moment(phases.warmUp)
        scenario.steppedUntil = steppedUntil.map(map.moment)
        for index in scenario.relay.restarts.indices {
            scenario.relay.restarts[index].at = map.moment(relay.restarts[index].at)
            scenario.relay.restarts[index].down = map.span(relay.restarts[index].down)
        }
        for index in scenario.faults.indices {
            scenario.faults[index].at = map.moment(faults[index].at)
            scenario.faults[index].rule.stretch(map)
            if note.faults.indices.contains(index) { scenario.faults[index].narrow(note.faults[index]) }
        }
        // Behind the last call of a few, or of all sooner, each deadline is still to pass.
        let longest = relay.profile.calls.flatMap(\.pushes).map(\.deadline).max() ?? .zero
        if note.users != nil || note.speed > 1 { scenario.phases.drain = max(phases.drain, longest + .milliseconds(500)) }
        guard note.users != nil else { return scenario }
        scenario.gates = []
        scenario.exercises = note.exercises
        scenario.knownFailing = note.knownFailing
        scenario.relay.profile.knownFailing = []
        return scenario
    }
}

/// From times of a plan to those at which it is played.
private struct TimeMap {
    let speed: Double
    let skipped: Interval

    func moment(_ time: Interval) -> Interval { max(.zero, span(time - skipped)) }
    func span(_ time: Interval) -> Interval { speed == 1 ? time : time * (1 / speed) }
}

extension FaultRule {
    /// A quota and what heals are the provider's own, and no part of the plan's clock.
    fileprivate mutating func stretch(_ map: TimeMap) {
        at = at.map(map.span)
        duration = duration.map(map.span)
        timeToLive = timeToLive.map(map.span)
        switch windows {
        case .periodic(let every, let duration): 
            windows = .periodic(every: max(.nanoseconds(1), map.span(every)), duration: map.span(duration))
        case .listed(let list): windows = .listed(list.map { map.span($0.lowerBound)..<map.span($0.upperBound) })
        case nil: break
        }
    }
}

extension ScheduledFault {
    fileprivate mutating func narrow(_ fault: ReplayedFault) {
        isLeftOut = fault.isLeftOut
        mayRest = fault.mayRest
        if let tokens = fault.tokens {
            rule.match.token = nil
            rule.match.tokens = tokens
        }
        rule.after = fault.after ?? rule.after
        rule.times = fault.times ?? rule.times
    }
}
