// How to say an event to one relay: the profile's templates rendered into a request whose memory is used again.

import Basics
import HTTP
import Net
import Scenarios

final class RelayDriver {
    private struct Call {
        let method: [UInt8]
        let path: Template
        let fields: [(name: [UInt8], value: Template)]
        let body: Template?
        let expectedStatus: Set<Int>
    }

    private let calls: [Call]
    private let values: EventValues
    private let scratch = ByteBuffer(capacity: 512)

    init(_ workload: Workload) {
        values = EventValues(workload)
        calls = workload.profile.calls.map { call in
            Call(
                method: Array(call.method.utf8), path: call.path,
                fields: call.fields.map { (name: Array($0.name.lowercased().utf8), value: $0.value) },
                body: call.body, expectedStatus: call.expectedStatus)
        }
    }

    func expects(_ status: Int, from call: Int) -> Bool { calls[call].expectedStatus.contains(status) }

    /// Fills `request` with the event's call; whatever it held is forgotten, its memory is kept.
    func render(
        _ event: PlannedEvent, script: UInt16, into request: OutgoingRequest, _ context: EventContext? = nil
    ) {
        let call = calls[event.call]
        values.choose(event, script: Int(script), context)
        let head = request.head
        head.clear()
        request.body.clear(keepingUpTo: 16_384)
        head.append(":method", call.method.span)
        let scratch = scratch
        scratch.clear()
        call.path.render(into: scratch, values)
        head.append(":path", scratch.bytes)
        for (name, value) in call.fields {
            scratch.clear()
            value.render(into: scratch, values)
            head.append(name: name.span, value: scratch.bytes)
        }
        call.body?.render(into: request.body, values)
    }

    /// What the body of the event's call says, alone.
    func renderBody(_ event: PlannedEvent, script: UInt16, into buffer: ByteBuffer, _ context: EventContext? = nil) {
        values.choose(event, script: Int(script), context)
        buffer.clear(keepingUpTo: 16_384)
        calls[event.call].body?.render(into: buffer, values)
    }
}
