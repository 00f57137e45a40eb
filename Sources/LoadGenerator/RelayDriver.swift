// How to say an event to one relay: the profile's templates rendered into a request whose memory is used again.

import Basics
import HTTP
import Net
import Planning
import Scenarios

final class RelayDriver {
    private struct Call {
        let method: [UInt8]
        let path: Template
        let fields: [(name: [UInt8], value: Template)]
        let body: Template?
        let multipart: MultipartSpec?
        let auth: AuthSpec?
        let oauth2: OAuth2Spec?
        /// Names of the headers that hold a credential or a captured value.
        let secretHeaders: Set<String>
        let expectedStatus: Set<Int>
    }

    private let calls: [Call]
    private let values: EventValues
    private let scratch = ByteBuffer(capacity: 512)
    private let signer: RequestSigner

    /// Secrets that files and the environment gave, longest first.
    let kept: [[UInt8]]

    /// `requests`: in the place of the profile's calls, of which events then are. `authority`: `host:port`, which some
    /// signatures hold. `webhook`: where the relay calls back.
    init(
        _ workload: Workload, requests: [ProfileCall]? = nil, authority: String = "localhost", tokens: AccessTokens? = nil,
        webhook: String? = nil
    ) {
        signer = RequestSigner(authority: authority, tokens: tokens)
        let own = requests ?? workload.profile.calls
        kept = Set(own.flatMap { $0.auth?.kept ?? [] }.map(\.bytes)).sorted { $0.count > $1.count }
        values = EventValues(workload, webhook: webhook ?? "")
        calls = own.map { call in
            Call(
                method: Array(call.method.utf8), path: call.path,
                fields: call.fields.map { (name: Array($0.name.lowercased().utf8), value: $0.value) },
                body: call.body, multipart: call.multipart,
                auth: call.auth, oauth2: call.auth?.oauth2, secretHeaders: call.secretHeaders,
                expectedStatus: call.expectedStatus)
        }
    }

    /// The field of the query that holds the call's signature.
    func secretParameter(of call: Int) -> [UInt8]? { calls[call].auth?.secretParameter }

    func secretHeaders(of call: Int) -> Set<String> { calls[call].secretHeaders }

    func expects(_ status: Int, from call: Int) -> Bool { calls[call].expectedStatus.contains(status) }

    /// What its access token is fetched by.
    func oauth2(of call: Int) -> OAuth2Spec? { calls[call].oauth2 }

    func isSpoilt(_ call: Int) -> Bool { calls[call].auth?.isSpoilt ?? false }

    /// Fills `request` with the event's call; whatever it held is forgotten, its memory is kept. In words why it must not be
    /// sent: a value does not fit where it would stand. Nil when it may. `now`: when it is made and
    /// signed; nil: it is not signed, and `{{now}}` is 1970.
    @discardableResult
    func render(
        _ event: PlannedEvent, script: UInt16, into request: OutgoingRequest, _ context: EventContext? = nil,
        at now: WallTime? = nil
    ) -> String? {
        let call = calls[event.call]
        values.choose(event, script: Int(script), context)
        values.now = now
        if let misfit = renderHead(of: call, into: request) { return misfit }
        let body = request.body
        call.body?.render(into: body, values)
        if let multipart = call.multipart, !multipart.frames(body.bytes, values) {
            return "a field would hold what parts the fields of its multipart body"
        }
        if let auth = call.auth, let now { return signer.sign(request, auth, values, at: now) }
        return nil
    }

    /// The same for all events of a batch, whose items stand in their order.
    func render(_ batch: Batch, at now: WallTime) -> String? {
        let (call, spec, body) = (calls[batch.call], batch.spec, batch.request.body)
        let first = batch.flights[0]
        values.choose(first)
        values.now = now
        if let misfit = renderHead(of: call, into: batch.request) { return misfit }
        spec.before.render(into: body, values)
        for (place, flight) in batch.flights.enumerated() {
            if place > 0 { body.append(44) }
            values.choose(flight)
            spec.item.render(into: body, values)
        }
        values.choose(first)
        spec.after.render(into: body, values)
        return call.auth.flatMap { signer.sign(batch.request, $0, values, at: now) }
    }

    /// What the result of that event is named in the answer to its batch.
    func resultName(_ flight: Flight) -> [UInt8] {
        let scratch = scratch
        scratch.clear()
        values.choose(flight)
        flight.batch?.spec.name?.render(into: scratch, values)
        return scratch.array()
    }

    private func renderHead(of call: Call, into request: OutgoingRequest) -> String? {
        let head = request.head
        head.clear()
        request.body.clear(keepingUpTo: 16_384)
        head.append(":method", call.method.span)
        let scratch = scratch
        scratch.clear()
        call.path.render(into: scratch, values)
        guard scratch.bytes.isVisible else { return "its path would hold a blank or a control character" }
        head.append(":path", scratch.bytes)
        for (name, value) in call.fields {
            scratch.clear()
            value.render(into: scratch, values)
            guard scratch.bytes.isOneLine else {
                return "the header `\(String(decoding: name, as: UTF8.self))` would hold a control character"
            }
            head.append(name: name.span, value: scratch.bytes)
        }
        return nil
    }
}

extension EventValues {
    fileprivate func choose(_ flight: Flight) { choose(flight.event, script: Int(flight.script), flight.context) }
}

extension Span<UInt8> {
    /// It can stand in a request line: no blank, no control character.
    fileprivate var isVisible: Bool {
        for index in indices where self[index] <= 32 || self[index] == 127 { return false }
        return true
    }

    /// It can stand in a header field (RFC 9110 §5.5): a CR or LF in it would begin another.
    var isOneLine: Bool {
        for index in indices where self[index] < 32 && self[index] != 9 || self[index] == 127 { return false }
        return true
    }
}
