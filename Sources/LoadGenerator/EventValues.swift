// The variables of one event, for the profile's templates. One object per loop, pointed at event after event.

import Basics
import Pushes
import Scenarios

final class EventValues: TemplateValues {
    private let workload: Workload
    private var session: UInt32 = 0
    private var step: UInt32 = 0
    private var values: [StepValue] = []
    private let scratch = ByteBuffer(capacity: 256)

    init(_ workload: Workload) { self.workload = workload }

    func choose(_ event: PlannedEvent, script: Int) {
        session = event.session
        step = event.step
        values = workload.scripts[script].steps[event.scriptStep].values
    }

    func isNull(_ variable: TemplateVariable) -> Bool {
        guard case .own(let index) = variable else { return false }
        guard let choice = choice(index) else { return true }
        return values[index].choices[choice].isNull
    }

    func append(_ variable: TemplateVariable, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        switch variable {
        case .own(let index):
            guard let choice = choice(index) else { return }
            values[index].choices[choice].append(encoding, into: buffer)
        case .event(.step): encode(encoding, into: buffer) { Text.append(UInt64(step), radix: 10, into: $0) }
        case .event(.marker): encode(encoding, into: buffer) { marker.write(into: $0) }
        case .session(let variable):
            encode(encoding, into: buffer) { workload.append(variable, session: session, into: $0) }
        }
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

    private var marker: Marker { Marker(run: workload.run, session: session, step: step) }
}
