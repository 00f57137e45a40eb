// What a planned call says, made again from the plan: for whoever holds what arrived against what was sent.

import Basics
import Net

/// Confined to one thread.
package final class CallRenderer {
    private let plan: Plan
    private let driver: RelayDriver
    private let request = OutgoingRequest()

    package init(_ plan: Plan) {
        self.plan = plan
        driver = RelayDriver(plan.workload)
    }

    /// The body of that session's call, and the call's index in the profile; nil when the plan has no such step. Costs a
    /// walk over the session's earlier steps.
    package func call(session: UInt32, step: UInt32) -> (body: [UInt8], call: Int)? {
        let workload = plan.workload
        guard Int(session) < workload.arrivals.count else { return nil }
        var cursor = SessionCursor(
            session: session, start: workload.arrivals.start(of: Int(session)), workload: workload)
        while let event = cursor.next(workload) {
            guard event.step == step else { continue }
            driver.render(event, script: cursor.script, into: request)
            return (Array(request.body.text.utf8), event.call)
        }
        return nil
    }
}
