// The variables of one event, for the profile's templates. One object per loop, pointed at event after event.

package import Basics
import Pushes
package import Scenarios

package final class EventValues: TemplateValues {
    private let workload: Workload
    private var session: UInt32 = 0
    private var step: UInt32 = 0
    private var values: [StepValue] = []
    private let scratch = ByteBuffer(capacity: 256)
    /// Nil for an event of a session that remembers nothing.
    private var context: EventContext?
    /// When the request is made; nil: nobody knows.
    package var now: WallTime?
    /// Where the relay calls back; empty: nobody knows.
    private let webhook: String

    package init(_ workload: Workload, webhook: String = "") {
        self.workload = workload
        self.webhook = webhook
    }

    package func choose(_ event: PlannedEvent, script: Int, _ context: EventContext? = nil) {
        session = event.session
        step = event.step
        let step = event.scriptStep
        values =
            step < workload.scripts[script].steps.count
            ? workload.scripts[script].steps[step].values : workload.scripts[script].values(step)
        self.context = context
    }

    /// Counts up from event to event of a session, and differs from session to session.
    package var turn: Int { Int(session) + Int(step) }

    package func isNull(_ variable: TemplateVariable) -> Bool {
        switch variable {
        case .own(let index): choice(index).map { isNull(values[index].choices[$0]) } ?? true
        case .fed(let name): workload.feeds.isNull(name: name, session: session)
        case .captured(let number): captured(number) == nil
        case .event(.phoneToken): context?.token.isEmpty ?? true
        case .event, .session, .now: false
        }
    }

    private func captured(_ number: Int) -> CapturedValue? {
        guard let captured = context?.captured, number < captured.count else { return nil }
        return captured[number]
    }

    package func append(_ variable: TemplateVariable, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        switch variable {
        case .own(let index):
            guard let choice = choice(index) else { return }
            let value = values[index].choices[choice]
            if value.fed.isEmpty { value.append(encoding, into: buffer) } else { append(value.fed, encoding, into: buffer) }
        case .fed(let name): workload.feeds.append(name: name, session: session, encoding, into: buffer)
        case .event(.step): encode(encoding, into: buffer) { Text.append(UInt64(step), radix: 10, into: $0) }
        case .event(.marker): encode(encoding, into: buffer) { marker.write(into: $0) }
        case .event(.phone):
            let name = PhoneName(user: session / UInt32(workload.sessionsPerUser), phone: context?.phone ?? 0)
            encode(encoding, into: buffer) { $0.append(name.text) }
        case .event(.webhook): encode(encoding, into: buffer) { $0.append(webhook) }
        case .event(.uuid): encode(encoding, into: buffer) { $0.append(uuid.text()) }
        case .event(.phoneToken): appendToken(encoding, into: buffer)
        case .now(let time):
            encode(encoding, into: buffer) { time.append(now ?? WallTime(nanoseconds: 0), into: $0) }
        case .captured(let number): captured(number)?.append(encoding, into: buffer)
        case .session(let variable) where context?.replaces(variable) ?? false: appendToken(encoding, into: buffer)
        case .session(let variable):
            encode(encoding, into: buffer) { workload.append(variable, session: session, into: $0) }
        }
    }

    /// What the body of the event's call says, alone: as JSON where it has fields. What `buffer` held is forgotten.
    package func renderBody(
        _ call: ProfileCall, of event: PlannedEvent, script: UInt16, into buffer: ByteBuffer, _ context: EventContext? = nil
    ) {
        begin(event, script, into: buffer, context)
        (call.saying ?? call.body)?.render(into: buffer, self)
    }

    /// What a template says of the event; false where it speaks of a captured value that is not there.
    package func render(
        _ template: Template, of event: PlannedEvent, script: UInt16, into buffer: ByteBuffer, _ context: EventContext?
    ) -> Bool {
        begin(event, script, into: buffer, context)
        template.render(into: buffer, self)
        let captured = template.captured
        return (0..<Capture.mostNames).allSatisfy { !captured.contains(CapturedNames($0)) || !isNull(.captured($0)) }
    }

    private func begin(_ event: PlannedEvent, _ script: UInt16, into buffer: ByteBuffer, _ context: EventContext?) {
        choose(event, script: Int(script), context)
        now = nil
        buffer.clear(keepingUpTo: 16_384)
    }

    private func isNull(_ value: VariableValue) -> Bool {
        guard value.fed.count == 1, case .column(let column) = value.fed[0] else { return value.isNull }
        return workload.feeds.isNull(column: column, session: session)
    }

    private func append(_ parts: [FedPart], _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        if parts.count == 1, case .column(let column) = parts[0] {
            return workload.feeds.append(column: column, session: session, encoding, into: buffer)
        }
        encode(encoding, into: buffer) { buffer in
            for part in parts {
                switch part {
                case .text(let text): buffer.append(text.span)
                case .column(let column): workload.feeds.append(column: column, session: session, .raw, into: buffer)
                }
            }
        }
    }

    /// The phone's token of the activity.
    private func appendToken(_ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        guard let token = context?.token else { return }
        encoding.append(token.span, into: buffer)
    }

    /// Which value of an own variable the event takes.
    private func choice(_ index: Int) -> Int? {
        guard index < values.count else { return nil }
        return workload.choice(session: session, step: step, variable: index, of: values[index].choices.count)
    }

    private func encode(_ encoding: TemplateEncoding, into buffer: ByteBuffer, _ write: (ByteBuffer) -> Void) {
        if case .raw = encoding { return write(buffer) }
        scratch.clear()
        write(scratch)
        let scratch = scratch
        encoding.append(scratch.bytes, into: buffer)
    }

    /// Of version 4 (RFC 9562 §5.4).
    private var uuid: UUIDBytes {
        var chance = Seed(UInt64(workload.run)).child(EventNumber.place(session: session, step: step)).generator()
        return UUIDBytes(version4: &chance)
    }

    private var marker: Marker { Marker(run: workload.run, session: session, step: step) }
}
