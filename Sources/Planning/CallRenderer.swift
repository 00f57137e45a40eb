// What a call of a run says, made again: for whoever holds what arrived against what was sent. A planned one is made from
// the plan; what depended on answers and phones is learnt from the journal's notes first.

package import Basics
package import Journal
package import Metrics
import Pushes
package import Scenarios

/// Confined to one thread.
package final class CallRenderer {
    package let plan: Plan
    private let values: EventValues
    private let text = ByteBuffer(capacity: 512)
    private let memory: ReplayedMemory

    package init(_ plan: Plan) {
        self.plan = plan
        values = EventValues(plan.workload)
        memory = ReplayedMemory(names: plan.workload.profile.captures)
    }

    // MARK: What no plan knows

    package func learn(_ note: CaptureNote) { memory.learn(note) }

    package func learn(_ made: MadeReaction) { memory.learn(made) }

    /// Nothing of the session is asked for any more.
    package func forget(_ session: UInt32) { memory.forget(session) }

    /// What is remembered of the session when it takes that step.
    package func context(session: UInt32, step: UInt32) -> EventContext? { memory.context(session: session, step: step) }

    // MARK: Calls

    /// What that session's call says, and the call's index in the profile; nil when neither plan nor journal has such a
    /// step. Costs a walk over the session's earlier steps.
    package func call(session: UInt32, step: UInt32) -> (body: [UInt8], call: Int)? {
        guard let (event, script) = event(session: session, step: step) else { return nil }
        say(event, script: script, context(session: session, step: step))
        return (text.array(), event.call)
    }

    /// That session's step and the script it is of, with what is remembered of its session; nil when neither plan nor journal
    /// has such a step. Costs a walk over the session's earlier steps.
    package func event(session: UInt32, step: UInt32) -> (event: PlannedEvent, script: UInt16)? {
        let workload = plan.workload
        guard Int(session) < workload.arrivals.count else { return nil }
        if EventNumber.isReaction(step) {
            let script = script(of: session)
            guard let made = memory.reaction(session: session, step: step), !made.isInVain,
                let event = plan.event(of: made, script: script, origin: made.plannedAt)
            else { return nil }
            return (event, script)
        }
        var cursor = SessionCursor(session: session, start: workload.start(of: session), workload: workload)
        while let event = cursor.next(workload), event.step <= step {
            if event.step == step { return (event, cursor.script) }
        }
        return nil
    }

    /// The call's index in the profile, of one that an account of the plan holds: without a walk.
    package func index(of call: SeenCall) -> Int {
        let script = script(of: call.session)
        if let reaction = plan.workload.scripts[Int(script)].reaction(Int(call.scriptStep)) { return reaction.call }
        return plan.workload.scripts[Int(script)].steps[Int(call.scriptStep)].call
    }

    /// Whether the profile's call of that index owes the end of an activity.
    package func owesEnd(_ call: Int) -> Bool {
        plan.scenario.relay.profile.calls[call].pushes.contains { $0.event == .end }
    }

    /// What a template says of such a call; nil where it speaks of an answer that nobody knows. What is lent is valid until
    /// the next one.
    package func text(_ template: Template, of call: SeenCall) -> ByteBuffer? {
        let context = context(session: call.session, step: call.step)
        return values.render(template, of: event(of: call), script: script(of: call.session), into: text, context) ? text : nil
    }

    private func event(of call: SeenCall) -> PlannedEvent {
        PlannedEvent(
            session: call.session, step: call.step, at: .zero, call: index(of: call), scriptStep: Int(call.scriptStep))
    }

    /// What the body of such a call says. What is lent is valid until the next one.
    package func body(of call: SeenCall) -> ByteBuffer {
        let context = context(session: call.session, step: call.step)
        say(event(of: call), script: script(of: call.session), context)
        return text
    }

    private func say(_ event: PlannedEvent, script: UInt16, _ context: EventContext?) {
        values.renderBody(plan.workload.profile.calls[event.call], of: event, script: script, into: text, context)
    }

    private func script(of session: UInt32) -> UInt16 {
        SessionCursor(session: session, start: .zero, workload: plan.workload).script
    }
}
