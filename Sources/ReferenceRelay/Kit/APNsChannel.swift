// The connections to one APNs host. A host may be asked for a new connection while the old one still has answers to
// give.

import Basics
import EventLoop
import HTTP
import Net

final class APNsChannel {
    /// A pool and what it still owes us.
    private final class Line {
        let pool: ClientPool
        let since: Instant
        var open = 0
        var isRetired = false
        /// Time-outs since the last answer.
        var timeouts = 0

        init(_ pool: ClientPool, since: Instant) {
            self.pool = pool
            self.since = since
        }

        func close() {
            if isRetired, open == 0 { pool.close() }
        }
    }

    private let loop: EventLoop
    private let origin: CheckedOrigin
    private let configuration: ClientConfiguration
    private let isFreshPerPush: Bool
    private let timeout: Interval
    private var line: Line
    /// Connections that failed in a row, and until when no other is tried (P5): a host that refuses is not knocked at
    /// for each push.
    private var failures = 0
    private var restsUntil = Instant.longAgo
    private var spare: [OutgoingRequest] = []

    /// Throws what the pool throws: a CA file that cannot be read.
    init(loop: EventLoop, origin: CheckedOrigin, options: RelayOptions) throws {
        self.loop = loop
        self.origin = origin
        var configuration = ClientConfiguration(version: .http2, tls: TLSClientSettings(caFile: options.caFile))
        configuration.maxConnections = options.connections
        timeout = options.defects.contains(.waitsForEver) ? .seconds(86_400) : options.pushTimeout
        configuration.requestTimeout = timeout
        configuration.connectTimeout = min(timeout, .seconds(5))
        // A connection that died in silence is found out before the next push needs it (P24).
        configuration.pingInterval = .seconds(60)
        configuration.maxBodyBytes = 16_384
        self.configuration = configuration
        isFreshPerPush = options.defects.contains(.connectionPerPush)
        line = Line(try ClientPool(loop: loop, target: origin, configuration: configuration), since: loop.now)
    }

    /// `completion` is called once, within the push timeout; within this call only while the channel rests.
    func send(_ push: Push, authorization: String, completion: @escaping (PushOutcome) -> Void) {
        if loop.moment < restsUntil {
            return completion(.failed(isSafeToResend: false, words: "no connection"))
        }
        if isFreshPerPush { renew() }
        let line = line
        line.open += 1
        let request = spare.popLast() ?? OutgoingRequest()
        fill(request, push, authorization: authorization)
        line.pool.send(request, timeout: timeout) { [self] outcome in
            note(outcome, on: line)
            let outcome = Self.read(outcome)
            request.head.clear()
            request.body.clear()
            if spare.count < 256 { spare.append(request) }
            line.open -= 1
            line.close()
            completion(outcome)
        }
    }

    /// The next push opens a new connection; what is under way on the old one is left to finish.
    func renew() {
        guard let pool = try? ClientPool(loop: loop, target: origin, configuration: configuration) else { return }
        line.isRetired = true
        line.close()
        line = Line(pool, since: loop.now)
    }

    /// Some connections die without a word; three time-outs in a row and no answer are one (P24). Not more often than
    /// every few seconds, or a slow host would see a storm of connections.
    private func note(_ outcome: ClientOutcome, on line: Line) {
        switch outcome {
        case .response:
            line.timeouts = 0
            failures = 0
        case .failed(let failure):
            if failure.kind == .connect || failure.kind == .tls { return rest() }
            guard failure.kind == .timeout else { return }
            line.timeouts += 1
            if line.timeouts >= 3, line === self.line, loop.now - line.since >= .seconds(5) { renew() }
        }
    }

    /// After 0.25, 0.5, 1, 2 s and so on to 8 s; all that wait for the same connection fail together and count once.
    private func rest() {
        guard loop.moment >= restsUntil else { return }
        restsUntil = loop.moment + .milliseconds(250) * Double(1 << min(failures, 5))
        failures += 1
    }

    func close() {
        line.isRetired = true
        line.pool.close()
    }

    private func fill(_ request: OutgoingRequest, _ push: Push, authorization: String) {
        let head = request.head
        head.append(":method", "POST")
        head.append(":path", "/3/device/" + push.address)
        // Secrets and one-time values stay out of the compression table (docs/apns.md §2.4).
        head.append("authorization", authorization, neverIndexed: true)
        head.append("apns-topic", push.topic)
        if !push.pushType.isEmpty { head.append("apns-push-type", push.pushType) }
        head.append("apns-priority", push.priority)
        head.append("apns-id", push.apnsID)
        if let expiration = push.expiration { head.append("apns-expiration", expiration) }
        if let collapseID = push.collapseID { head.append("apns-collapse-id", collapseID) }
        let payload = push.payload
        request.body.append(payload.span)
    }

    /// The answer as a value. The body is `{"reason":…}`, with a timestamp where the token is dead.
    private static func read(_ outcome: ClientOutcome) -> PushOutcome {
        switch outcome {
        case .failed(let failure):
            // Where no connection or no stream was to be had in time, sending again at once would not help.
            let isPrompt =
                switch failure.kind {
                case .refused, .reset, .goAway, .closed: true
                case .connect, .tls, .timeout, .overloaded, .protocolError: false
                }
            return .failed(isSafeToResend: failure.isSafeToResend && isPrompt, words: "\(failure.kind)")
        case .response(let response):
            let body = response.body
            let json = body.isEmpty ? nil : try? JSONValue(parsing: body.bytes, maxDepth: 8)
            return .answered(
                status: response.status, reason: json?["reason"]?.string, timestamp: json?["timestamp"]?.int)
        }
    }
}
