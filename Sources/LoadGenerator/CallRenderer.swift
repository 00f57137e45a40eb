// What a planned call says, made again from the plan: for whoever holds what arrived against what was sent.

package import Basics
package import Metrics
import Net

/// Confined to one thread.
package final class CallRenderer {
    private let plan: Plan
    private let driver: RelayDriver
    private let request = OutgoingRequest()
    private let text = ByteBuffer(capacity: 512)

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
            return (request.body.array(), event.call)
        }
        return nil
    }

    /// The call's index in the profile, of one that an account of the plan holds: without a walk.
    package func index(of call: SeenCall) -> Int {
        plan.workload.steps[plan.workload.steps(of: script(of: call)).lowerBound + Int(call.scriptStep)].call
    }

    /// What the body of such a call says. What is lent is valid until the next one.
    package func body(of call: SeenCall) -> ByteBuffer {
        let event = PlannedEvent(
            session: call.session, step: call.step, at: .zero, call: index(of: call), scriptStep: Int(call.scriptStep))
        driver.renderBody(event, script: script(of: call), into: text)
        return text
    }

    private func script(of call: SeenCall) -> UInt16 {
        SessionCursor(session: call.session, start: .zero, workload: plan.workload).script
    }
}
