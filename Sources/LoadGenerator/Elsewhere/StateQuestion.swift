// An endpoint of the relay that says which tokens it holds, asked again and again.

import Basics
package import EventLoop
package import Net
package import Planning
package import Scenarios

/// Confined to its loop. One question at a time.
package final class StateQuestion: AnswerListener {
    package typealias Row = (kind: String?, token: String)

    /// Why there is no answer, in words that hold nothing of request or answer.
    package struct Refusal: Error {
        package var words: String
        /// It would have taken more time or room than it may.
        package var isLimit: Bool
    }

    /// Until the whole answer is there.
    private static let patience = Interval.seconds(10)

    private let spec: StateSpec.Endpoint
    private let plan: Plan
    private let loop: EventLoop
    private let client: AnswerClient
    private let driver: RelayDriver
    private let body = ByteBuffer()
    private var stream: AnswerStream?
    private var limit: LoopTimer?
    private var then: ((Result<[Row], Refusal>) -> Void)?

    /// Throws a `Failure` when certificates cannot be read.
    package init(
        _ spec: StateSpec.Endpoint, _ plan: Plan, loop: EventLoop, target: CheckedOrigin, tls: TLSClientSettings
    ) throws {
        self.spec = spec
        self.plan = plan
        self.loop = loop
        client = try AnswerClient(loop: loop, target: target, tls: tls)
        driver = RelayDriver(plan.workload, requests: [spec.request], authority: target.origin.authority)
    }

    package func ask(_ then: @escaping (Result<[Row], Refusal>) -> Void) {
        self.then = then
        body.clear(keepingUpTo: 1 << 16)
        let request = OutgoingRequest()
        let event = PlannedEvent(session: 0, step: 0, at: .zero, call: 0, scriptStep: 0)
        if let misfit = driver.render(event, script: 0, into: request, at: client.recordTime.wall()) { return fail(misfit) }
        do throws(Failure) {
            stream = try client.open(request, to: self, longest: StateSpec.mostBytes)
        } catch {
            return fail(error.message)
        }
        limit = loop.after(Self.patience) { [weak self] in
            self?.fail("no whole answer within \(Self.patience)", isLimit: true)
        }
    }

    package func began(_ stream: AnswerStream, status: Int) {
        if status != 200 { fail("it is answered with status \(status)") }
    }

    package func came(_ stream: AnswerStream, _ bytes: Span<UInt8>) {
        body.append(bytes)
        if body.count > StateSpec.mostBytes { fail("the answer has more than \(StateSpec.mostBytes) bytes", isLimit: true) }
    }

    package func ended(_ stream: AnswerStream, _ why: String) {
        let body = body
        guard let answer = try? JSONValue(parsing: body.bytes) else { return fail("the answer is no JSON: \(why)") }
        guard let rows = answer.at(pointer: spec.rows.text)?.array else {
            return fail("the answer has no list at \(spec.rows.text)")
        }
        give(
            .success(
                rows.compactMap { row in
                    let kind = spec.kind.flatMap { row.at(pointer: $0.text)?.string }
                    return row.at(pointer: spec.token.text)?.string.map { (kind, $0) }
                }))
    }

    private func fail(_ words: String, isLimit: Bool = false) {
        give(.failure(Refusal(words: "the relay cannot be asked for its tokens: \(words)", isLimit: isLimit)))
    }

    private func give(_ result: Result<[Row], Refusal>) {
        limit?.cancel()
        stream?.close()
        stream = nil
        let then = then
        self.then = nil
        then?(result)
    }
}
