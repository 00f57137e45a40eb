// What a Live Activity push carries, held against the profile: does it decode, does it keep to the contract, is it what
// the relay was given, and has a start all that it needs?

import Basics
import Conformance
import Journal
import LoadGenerator
import Metrics
import Pushes
import Scenarios

struct ContentCheck {
    private let plan: Plan?

    init(plan: Plan?) { self.plan = plan }

    func look(at entry: PushEntry, _ marker: Marker?, _ push: inout SeenPush, _ context: RunContext) {
        guard push.isLiveActivity, push.isAccepted, !entry.isCut,
            let payload = try? JSONValue(parsing: entry.payload.span), let aps = payload["aps"]
        else { return }
        if push.event == .start { lookAtStart(aps, &push, context) }
    }

    private func lookAtStart(_ aps: JSONValue, _ push: inout SeenPush, _ context: RunContext) {
        if aps["input-push-token"] != nil || aps["input-push-channel"] != nil { push.flags.insert(.asksForToken) }
        let lacks = ["attributes-type", "attributes", "content-state", "alert"].filter { aps[$0] == nil }
        if !lacks.isEmpty { push.startLack = context.texts.intern("no " + lacks.joined(separator: ", no ")) }
    }
}
