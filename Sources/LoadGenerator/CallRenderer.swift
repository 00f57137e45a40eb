// What a call of a run says, made again: for whoever holds what arrived against what was sent. A planned one is made from
// the plan; what depended on answers and phones is learnt from the journal's notes first.

package import Basics
package import Journal
package import Metrics
import Pushes
import Scenarios

/// Confined to one thread.
package final class CallRenderer {
    private let plan: Plan
    private let driver: RelayDriver
    private let text = ByteBuffer(capacity: 512)
    private let memory: ReplayedMemory

    package init(_ plan: Plan) {
        self.plan = plan
        driver = RelayDriver(plan.workload)
        memory = ReplayedMemory(names: plan.workload.profile.captures)
    }

    // MARK: What no plan knows

    package func learn(_ note: CaptureNote) { memory.learn(note) }

    package func learn(_ made: MadeReaction) { memory.learn(made) }

    /// Nothing of the session is asked for any more.
    package func forget(_ session: UInt32) { memory.forget(session) }

    // MARK: Calls

    /// What that session's call says, and the call's index in the profile; nil when neither plan nor journal has such a
    /// step. Costs a walk over the session's earlier steps.
    package func call(session: UInt32, step: UInt32) -> (body: [UInt8], call: Int)? {
        let workload = plan.workload
        guard Int(session) < workload.arrivals.count else { return nil }
        let context = memory.context(session: session, step: step)
        if EventNumber.isReaction(step) {
            let script = script(of: session)
            guard let made = memory.reaction(session: session, step: step), !made.isInVain,
                let event = plan.event(of: made, script: script, origin: made.plannedAt)
            else { return nil }
            driver.renderBody(event, script: script, into: text, context)
            return (text.array(), event.call)
        }
        var cursor = SessionCursor(
            session: session, start: workload.start(of: session), workload: workload)
        while let event = cursor.next(workload) {
            guard event.step == step else { continue }
            driver.renderBody(event, script: cursor.script, into: text, context)
            return (text.array(), event.call)
        }
        return nil
    }

    /// The call's index in the profile, of one that an account of the plan holds: without a walk.
    package func index(of call: SeenCall) -> Int {
        let script = script(of: call.session)
        if let reaction = plan.workload.scripts[Int(script)].reaction(Int(call.scriptStep)) { return reaction.call }
        return plan.workload.steps[plan.workload.steps(of: script).lowerBound + Int(call.scriptStep)].call
    }

    /// Whether the profile's call of that index owes the end of an activity.
    package func owesEnd(_ call: Int) -> Bool {
        plan.scenario.relay.profile.calls[call].pushes.contains { $0.event == .end }
    }

    /// What the body of such a call says. What is lent is valid until the next one.
    package func body(of call: SeenCall) -> ByteBuffer {
        let event = PlannedEvent(
            session: call.session, step: call.step, at: .zero, call: index(of: call), scriptStep: Int(call.scriptStep))
        driver.renderBody(
            event, script: script(of: call.session), into: text, memory.context(session: call.session, step: call.step))
        return text
    }

    private func script(of session: UInt32) -> UInt16 {
        SessionCursor(session: session, start: .zero, workload: plan.workload).script
    }
}
