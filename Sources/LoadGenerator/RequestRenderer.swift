// The whole request of a call of a run, made again for people and programs that read a history.

import Basics
import HTTP
import Net
package import Planning
import Scenarios

/// Confined to one thread.
package final class RequestRenderer {
    private let calls: CallRenderer
    private let driver: RelayDriver
    private let request = OutgoingRequest()

    /// `calls` learns what no plan knows.
    package init(_ calls: CallRenderer) {
        self.calls = calls
        driver = RelayDriver(calls.plan.workload)
    }

    /// The request of that session's step, as it was sent; nil when neither plan nor journal has such a step, or when a
    /// value did not fit. Credentials are left out, and so are headers that say what an answer held.
    package func request(session: UInt32, step: UInt32) -> RenderedCall? {
        guard let (event, script) = calls.event(session: session, step: step),
            driver.render(event, script: script, into: request, calls.context(session: session, step: step)) == nil
        else { return nil }
        let head = request.head
        let secret = driver.secretHeaders(of: event.call)
        var call = RenderedCall(method: "", path: "", headers: [], body: request.body.text)
        for index in 0..<head.count {
            let (name, value) = (head.name(at: index).text, head.value(at: index).text)
            switch name {
            case ":method": call.method = value
            case ":path": call.path = value
            default: call.headers.append((name, secret.contains(name) ? Capture.unrecorded : value))
            }
        }
        return call
    }
}

/// A request to a relay, in words.
package struct RenderedCall {
    package var method: String
    package var path: String
    package var headers: [(name: String, value: String)]
    /// As it was sent; bytes that are no UTF-8 are told as U+FFFD.
    package var body: String
}
