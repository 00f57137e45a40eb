// Broadcasts: requests to APNs that go to all who listen to a channel, as calls owe them.

import Basics
import Conformance
import Journal
import Metrics
import Planning
import Pushes
import Scenarios

extension Pass {
    private static let mostChannels = 100_000

    /// One that a call owes: it goes to the channel of the session that its marker names.
    mutating func see(broadcast entry: PushEntry) {
        guard context.owesBroadcasts, entry.kind == .broadcast, let plan, let marker = observer.marker(of: entry) else {
            return
        }
        let number = plan.account(ofSession: marker.session)
        guard open[number] != nil else { return }
        var push = observer.observe(entry, marker, calls(of: marker))
        // Whose broadcasts came by it first has it.
        var owner = marker.session
        if context.hasOwnChannels, let channel = entry.header("apns-channel-id") {
            if let known = channels[channel] {
                owner = known
            } else if channels.count < Self.mostChannels {
                channels[channel] = owner
            }
        }
        push.token = TokenHash(plan.token(.broadcastChannel, session: owner))
        context.pushCount += 1
        correlator.observe(push, reason: context.texts[push.reason])
        if push.metFault, let scenario { story.meet(push.faultRule, at: push.answeredAt, scenario, context) }
        course.see(push, context)
        context.noteAbility(push)
        open[number]?.account.pushes.append(push)
        open[number]?.note(push, context.circumstances, deadline: plan.longestDeadline)
    }
}
