// Load straight at one endpoint: so many connections, so many requests in flight on each. The next request goes when an
// answer is in (a closed loop, whose latencies say how fast the peer answers), or at a rate, whatever the peer does (an open
// one, whose latencies count from the planned instant). No plan, no relay, no journal.

package import Basics
import EventLoop
import Glibc
package import Metrics
package import Net

/// What `pushrig bench` was asked for.
package struct BenchOptions: Sendable {
    package var target: Origin
    package var isHTTP2 = true
    /// Over all loops.
    package var connections = 10
    /// Requests in flight per connection; HTTP/1.1 always has one.
    package var streams = 100
    /// Stop after this many requests; nil: after `duration`.
    package var requests: Int?
    package var duration = Interval.seconds(10)
    /// Requests a second over all loops, evenly spaced; nil: the next one goes when an answer is in.
    package var rate: Double?
    package var method = "POST"
    /// With holes, as the body (`BenchHole`), which each request fills anew.
    package var path = "/3/device/{token}"
    /// Names are lower-cased.
    package var fields: [(name: String, value: String)] = []
    /// Sent as `authorization: bearer …`.
    package var bearer: String?
    package var body: [UInt8] = []
    /// PEM file of the authority to trust; nil: the system's.
    package var caFile: String?
    package var loops = 1
    /// As many tokens are drawn from; nil: each request has one of its own. At least 1.
    package var tokens: Int?
    /// Holes are filled once, and every request is the same.
    package var repeats = false
    /// Of what fills the holes.
    package var seed = Seed(1)
    package var requestTimeout = Interval.seconds(30)
    package var allowHosts: Set<String> = []

    package init(target: Origin) { self.target = target }

    /// An alert push of exactly `count` bytes of valid JSON, at least 29, with a text of its own for each request.
    package static func alertBody(bytes count: Int) -> [UInt8] {
        let frame = #"{"aps":{"alert":{"body":""}}}"#
        return Array(#"{"aps":{"alert":{"body":"{text:\#(max(0, count - frame.utf8.count))}"}}}"#.utf8)
    }

    /// What is sent, in words.
    package var traffic: String {
        let request = BenchRequest(self)
        let body = ByteBuffer()
        var fill = request.fill(0)
        request.body.write(into: body, &fill)
        func kind(_ text: BenchText) -> String { text.hasHoles ? "each its own" : "all the same" }
        let some = tokens.map { ", \($0) tokens" } ?? ""
        return "paths \(kind(request.path)), bodies of \(body.count) B \(kind(request.body))\(repeats ? "" : some)"
    }
}

/// What a bench measured.
package struct BenchResult: Sendable {
    /// Answered requests.
    package var answered = 0
    /// Answers by status, ascending.
    package var statuses: [(status: Int, count: Int)] = []
    /// Answers other than 2xx by status and body, most frequent first; of many different ones the first.
    package var refusals: [BenchRefusal] = []
    /// Requests without an answer, by kind: `connect`, `timeout`, …
    package var failures: [(kind: String, count: Int)] = []
    /// From the first request to the last answer.
    package var elapsed = Interval.zero
    /// User and system time of this process in `elapsed`, handshakes included.
    package var cpuUser = Interval.zero
    package var cpuSystem = Interval.zero
    /// Answered minus sent, or minus planned where there is a rate; nanoseconds.
    package var latency = Histogram()
    /// Sent minus planned where a request could have gone: ours, not the peer's; nanoseconds, empty without a rate.
    package var lateness = Histogram()
    /// Planned by a rate, and never sent before the time was over.
    package var unsent = 0
    /// Body bytes received.
    package var bytesReceived = 0

    package var perSecond: Double { elapsed.seconds > 0 ? Double(answered) / elapsed.seconds : 0 }
    package var cpuPerRequest: Interval {
        answered > 0 ? Interval(nanoseconds: (cpuUser + cpuSystem).nanoseconds / Int64(answered)) : .zero
    }
    package var failed: Int { failures.reduce(0) { $0 + $1.count } }
    /// Answers other than 2xx.
    package var refused: Int { statuses.reduce(0) { 200...299 ~= $1.status ? $0 : $0 + $1.count } }
}

/// Equal answers other than 2xx.
package struct BenchRefusal: Hashable, Sendable {
    package var status: Int
    /// Its first bytes.
    package var body: String
    package var count: Int
}

package enum Bench {
    /// Runs to the end and blocks the caller; never called from a loop's thread. Throws a usage `Failure` when the
    /// target is refused, a run `Failure` when nothing at all answers.
    package static func run(_ options: BenchOptions) throws(Failure) -> BenchResult {
        precondition(options.connections > 0 && options.streams > 0, "connections and streams are at least 1")
        precondition(options.rate.map { $0 > 0 } != false && options.tokens.map { $0 > 0 } != false, "rate, tokens are above 0")
        let target = try TargetPolicy.check(options.target, allowHosts: options.allowHosts)
        let loops = max(1, min(options.loops, options.connections))
        let time = SystemTime()
        let before = processorTime()
        let start = time.now()
        var threads: [(thread: LoopThread<BenchLoop>, result: Handover<BenchTally>)] = []
        for index in 0..<loops {
            let share = BenchShare(options, target, index: index, of: loops, start: start)
            let result = Handover<BenchTally>()
            do {
                let thread = try LoopThread(name: "bench-\(index)") { loop in
                    try BenchLoop(share, loop: loop) { result.give($0) }
                }
                threads.append((thread, result))
            } catch {
                for (thread, _) in threads { thread.stop() }
                throw error as? Failure ?? Failure(.run, "cannot start the bench: \(error)")
            }
        }
        for (thread, _) in threads { thread.post { $0.start() } }
        var tally = BenchTally()
        for (_, result) in threads { tally.add(result.take()) }
        let after = processorTime()
        for (thread, _) in threads { thread.stop() }
        var outcome = tally.result
        guard outcome.answered > 0 else {
            throw Failure(
                .run, "nothing answered at \(options.target): \(tally.lastFailure ?? "no request was made")",
                hint: "is the server listening there, and does it speak \(options.isHTTP2 ? "HTTP/2" : "HTTP/1.1")?")
        }
        outcome.elapsed = max(Interval(nanoseconds: 1), tally.lastAnswer - (tally.begun ?? start))
        outcome.cpuUser = after.user - before.user
        outcome.cpuSystem = after.system - before.system
        return outcome
    }

    private static func processorTime() -> (user: Interval, system: Interval) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func interval(_ value: timeval) -> Interval {
            Interval(nanoseconds: Int64(value.tv_sec) * 1_000_000_000 + Int64(value.tv_usec) * 1_000)
        }
        return (interval(usage.ru_utime), interval(usage.ru_stime))
    }
}
