// A scenario as it is when its plan is played again: at another speed, and of a part of its sessions.

import Basics
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
        scenario.phases.until = nil
        scenario.steppedUntil = steppedUntil.map(map.moment)
        for index in scenario.relay.restarts.indices {
            scenario.relay.restarts[index].at = map.moment(relay.restarts[index].at)
            scenario.relay.restarts[index].down = map.span(relay.restarts[index].down)
        }
        for index in scenario.faults.indices {
            scenario.faults[index].stretch(by: note.speed)
            scenario.faults[index].at = map.moment(faults[index].at)
            guard note.faults.indices.contains(index) else { continue }
            let fault = note.faults[index]
            scenario.faults[index].isLeftOut = fault.isLeftOut
            scenario.faults[index].mayRest = fault.mayRest
            scenario.faults[index].narrow(to: fault.tokens, after: fault.after, times: fault.times)
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
