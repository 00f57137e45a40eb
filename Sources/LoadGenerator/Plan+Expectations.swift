// What the plan says should arrive at the devices, for the correlator.

package import Basics
package import Metrics
import Pushes
import Scenarios

extension Plan {
    /// Visits what should arrive at the devices, session by session; `origin` is the instant of the plan's start.
    ///
    /// The last state of a session is its last owed live activity push of a call the profile marks as final.
    package func expectations(origin: Instant, _ visit: (Expectation) -> Void) {
        for index in 0..<sessionCount { expectations(ofSession: index, origin: origin, visit) }
    }

    /// The same for one session of this shard, `0..<sessionCount`.
    package func expectations(ofSession index: Int, origin: Instant, _ visit: (Expectation) -> Void) {
        var cursor = cursor(index)
        var owed = OwedPushes(workload)
        var found: [Expectation] = []
        while let event = cursor.next(workload) {
            owed.happen(event) { found.append(expectation($0, origin: origin)) }
        }
        if let last = found.lastIndex(where: \.isFinal) {
            for place in 0..<last { found[place].isFinal = false }
        }
        for expectation in found { visit(expectation) }
    }

    private func expectation(_ owed: OwedPush, origin: Instant) -> Expectation {
        let call = workload.profile.calls[owed.event.call]
        return Expectation(
            session: owed.event.session, step: owed.event.step, kind: call.name,
            channel: owed.push.channel, event: owed.push.event,
            plannedAt: origin + owed.event.at, coalesceKey: owed.push.coalesce, deadline: owed.deadline,
            isFinal: call.isFinal && owed.push.channel == .liveactivity,
            token: workload.text(owed.push.token, session: owed.event.session))
    }
}
