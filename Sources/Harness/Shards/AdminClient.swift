// Asks a mock elsewhere through its admin API, and waits for the answer: for what a shard has to agree on with others before
// its load begins, and for how far its clock is from theirs.

import Basics
import EventLoop
import Glibc
import Journal
import Net

/// Confined to the thread that runs the harness.
final class AdminClient {
    struct Answer: Sendable {
        var status: Int
        var body: JSONValue
        /// When the request was handed to the kernel and its answer had been read, on the host's monotonic clock.
        var sentAt: Instant
        var answeredAt: Instant
    }

    /// The word of the environment for the bearer token that a mock off loopback wants.
    static let tokenName = "PUSHRIG_ADMIN_TOKEN"
    private static let patience = Interval.seconds(5)

    /// As it was given, without a slash at its end.
    let url: String
    private let thread: LoopThread<ClientPool>
    private let bearer: String?

    /// Throws a usage failure when it may not be called. `token` nil: the environment's, where it has one.
    init(_ url: String, allowHosts: Set<String>, token: String? = nil) throws(Failure) {
        var url = url
        while url.hasSuffix("/") { url.removeLast() }
        self.url = url
        bearer = token ?? getenv(Self.tokenName).map { String(cString: $0) }
        let target = try TargetPolicy.check(try Origin(parsing: url), allowHosts: allowHosts)
        var configuration = ClientConfiguration(version: .http1)
        configuration.requestTimeout = Self.patience
        configuration.connectTimeout = Self.patience
        let settings = configuration
        do {
            thread = try LoopThread(name: "admin-client") { loop in
                try ClientPool(loop: loop, target: target, configuration: settings)
            }
        } catch { throw error as? Failure ?? Failure(.run, "cannot ask the mock at \(url): \(error)") }
    }

    deinit {
        thread.post { $0.close() }
        thread.stop()
    }

    /// Waits for the answer, some seconds at most. Throws when none comes.
    func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) throws(Failure) -> Answer {
        let handover = Handover<Result<Answer, Failure>>()
        let (url, bearer) = (url, bearer)
        let bytes = body.map { $0.encoded() } ?? []
        thread.post { pool in
            var fields = bearer.map { [("authorization", "Bearer " + $0)] } ?? []
            if !bytes.isEmpty { fields.append(("content-type", "application/json")) }
            let request = OutgoingRequest(method: method, path: path, fields: fields, body: bytes)
            pool.send(request) { outcome in
                switch outcome {
                case .response(let response):
                    let json = (try? JSONValue(parsing: response.body.array().span)) ?? .null
                    let answer = Answer(
                        status: response.status, body: json, sentAt: response.sentAt, answeredAt: response.answeredAt)
                    handover.give(.success(answer))
                case .failed(let failure):
                    handover.give(.failure(Failure(.run, "the mock at \(url) does not answer: \(failure)")))
                }
            }
        }
        guard let result = handover.take(atMost: Self.patience * 2) else {
            throw Failure(.run, "the mock at \(url) does not answer")
        }
        return try result.get()
    }

    /// The same, and throws what the mock says is wrong.
    func demand(_ method: String, _ path: String, _ body: JSONValue? = nil) throws(Failure) -> Answer {
        let answer = try ask(method, path, body)
        guard answer.status != 200 else { return answer }
        let error = answer.body["error"]
        let hint = answer.status == 401 ? "set \(Self.tokenName) to the adminToken of its ready line" : error?["hint"]?.string
        let words = error?["message"]?.string ?? "nothing more"
        throw Failure(.run, "the mock at \(url) says \(answer.status): \(words)", hint: hint)
    }
}

extension AdminClient {
    /// Requests of one measurement; the one with the least round trip counts.
    private static let readings = 20

    /// How far the mock's clock is ahead of `clock`, by which this run's journal is kept.
    func measureOffset(to clock: HostClock) throws(Failure) -> ClockOffsetNote {
        var best: (trip: Interval, offset: Interval)?
        var journal = ""
        for _ in 0..<Self.readings {
            let answer = try demand("GET", "/v1/barrier")
            guard let micros = answer.body["nowMicroseconds"]?.int, let name = answer.body["journal"]?.string else {
                throw Failure(.run, "the mock at \(url) does not tell its time", hint: "is it of this version?")
            }
            let trip = answer.answeredAt - answer.sentAt
            let middle = clock.wall(at: answer.sentAt) + trip * 0.5
            let offset = WallTime(nanoseconds: micros * 1_000) - middle
            if best.map({ trip < $0.trip }) ?? true { best = (trip, offset) }
            journal = name
        }
        let (trip, offset) = best ?? (.zero, .zero)
        // The mock tells whole microseconds.
        return ClockOffsetNote(mock: url, journal: journal, offset: offset, bar: trip * 0.5 + .microseconds(1))
    }
}
