// The metrics of a run, posted to a collector while it goes on and once more at its end.
// Source: OTLP specification, "OTLP/HTTP": POST /v1/metrics; OpenTelemetry, "OpenTelemetry Protocol Exporter" (headers).

import Basics
import EventLoop
import Glibc
import Net
import Synchronization

/// Confined to the thread that runs the harness, which waits for nothing but the last post.
final class OTLPExporter {
    private let thread: LoopThread<ClientPool>
    private let path: String
    private let fields: [(name: String, value: String)]
    private let start: WallTime
    private let shared = Shared()
    private var next: Instant?

    /// What crosses threads. A collector that does not answer costs posts, and never the run.
    private final class Shared: Sendable {
        struct Counts {
            var isUnderWay = false
            var posted = 0
            var lost = 0
            var words: String?
        }
        let counts = Mutex(Counts())
    }

    private static let pace = Interval.seconds(5)
    private static let patience = Interval.seconds(5)
    /// `name=value,name=value`, such as a collector's key.
    private static let headersName = "OTEL_EXPORTER_OTLP_HEADERS"

    /// `url` is the collector's, such as http://127.0.0.1:4318; `/v1/metrics` is added where it has no path of its own. Throws
    /// a usage failure when it may not be called.
    init(_ url: String, allowHosts: Set<String>, from start: WallTime) throws(Failure) {
        let (origin, own) = try Origin.withPath(parsing: url)
        let target = try TargetPolicy.check(origin, allowHosts: allowHosts)
        path = own == "/" ? "/v1/metrics" : own
        self.start = start
        let headers = getenv(Self.headersName).map { String(cString: $0) } ?? ""
        fields = [(name: "content-type", value: "application/json")]
            + headers.split(separator: ",").compactMap { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { return nil }
                return (name: parts[0].filter { $0 != " " }.lowercased(), value: String(parts[1]))
            }
        var configuration = ClientConfiguration(version: .http1)
        configuration.requestTimeout = Self.patience
        configuration.connectTimeout = Self.patience
        let settings = configuration
        do {
            thread = try LoopThread(name: "otlp") { loop in
                try ClientPool(loop: loop, target: target, configuration: settings)
            }
        } catch { throw error as? Failure ?? Failure(.run, "cannot post to \(url): \(error)") }
    }

    deinit {
        thread.post { $0.close() }
        thread.stop()
    }

    /// Posts where it is time, and the post before has been answered.
    func see(_ state: LiveState, at now: Instant, wall: WallTime) {
        guard next.map({ now >= $0 }) ?? true else { return }
        next = now + Self.pace
        let isFree = shared.counts.withLock { counts in
            defer { counts.isUnderWay = true }
            return !counts.isUnderWay
        }
        if isFree { post(state, wall) {} }
    }

    /// Posts the last state, waits for the answer, and tells what was lost; nil: nothing.
    func finish(_ state: LiveState, wall: WallTime) -> String? {
        let done = Handover<Void>()
        post(state, wall) { done.give(()) }
        _ = done.take(atMost: Self.patience * 2)
        return shared.counts.withLock { counts in
            let all = counts.lost + counts.posted
            return counts.lost == 0 ? nil : "\(counts.lost) of \(all) posts of metrics failed: \(counts.words ?? "")"
        }
    }

    private func post(_ state: LiveState, _ wall: WallTime, _ done: @escaping @Sendable () -> Void) {
        var metrics = OTLPMetrics(from: start, at: wall)
        state.addMetrics(to: &metrics)
        let resource = [
            ("service.name", "pushrig"), ("service.version", state.run.version), ("pushrig.scenario", state.run.scenario),
            ("pushrig.seed", String(state.run.seed)),
        ]
        let body = metrics.request(resource, version: state.run.version).encoded()
        let (path, fields, shared) = (path, fields, shared)
        thread.post { pool in
            let request = OutgoingRequest(method: "POST", path: path, fields: fields.map { ($0.name, $0.value) }, body: body)
            pool.send(request) { outcome in
                let lost: String? =
                    switch outcome {
                    case .response(let response) where 200..<300 ~= response.status: nil
                    case .response(let response): "the collector said \(response.status)"
                    case .failed(let failure): "\(failure)"
                    }
                shared.counts.withLock { counts in
                    counts.isUnderWay = false
                    if lost == nil { counts.posted += 1 } else { counts.lost += 1 }
                    counts.words = lost ?? counts.words
                }
                done()
            }
        }
    }
}
