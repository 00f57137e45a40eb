// The load generator at work: loop threads that send a plan to a relay on time, whatever the relay answers.

package import Basics
import EventLoop
import Glibc
package import Net
package import Planning
import Pushes
import Scenarios
import Synchronization

/// Sends a plan, as an open model: sessions begin and events become due by the clock, whatever the relay answers. In which
/// order the events of one session follow each other says the profile. Thread-safe; all work happens on its own loop
/// threads.
package final class LoadService: Sendable {
    private let threads: [LoopThread<LoadLoop>]
    private let published: [Published]
    private let phones: PhoneMailbox?
    private let hearing = Hearing()
    private let isStopped = Mutex(false)

    /// Connects nothing yet. A connection is opened when all others are busy, up to `connections` in all; beyond that
    /// events wait, which is counted.
    ///
    /// `window` bounds the unanswered events; those that find it full are dropped, on record. An event that waits for the
    /// answer to an earlier one of its session takes no place in it. `tls` says whom to
    /// trust and what to show at an https target.
    /// Throws a run `Failure` when the journal cannot be written or a thread not started, a usage `Failure` for an address that
    /// connections cannot come from.
    ///
    /// `tokenTargets`: the checked origin of each of the plan's `tokenURLs`.
    ///
    /// `phones` tells of what happens on the phones of the plan's users, and takes what users do on them; sessions react and
    /// act as their scripts say. `webhook`: where the relay calls back; `secrets` hears of those that answers give for that.
    package init(
        plan: Plan, target: CheckedOrigin, connections: Int, journalDirectory: String, loops: Int = 1,
        window: Int = 16_384, tls: TLSClientSettings = TLSClientSettings(), tokenTargets: [String: CheckedOrigin] = [:],
        clock: RunClock? = nil, phones: PhoneMailbox? = nil, webhook: String? = nil, secrets: SecretFeed? = nil
    ) throws(Failure) {
        let sources = try target.sources(plan.scenario.workload.sources)
        precondition(loops > 0 && connections > 0 && window > 0, "loops, connections and window are at least 1")
        var threads: [LoopThread<LoadLoop>] = []
        var published: [Published] = []
        for index in 0..<loops {
            let settings = LoadLoopSettings(
                plan: plan, target: target,
                client: Self.client(plan, sources, connections: Self.share(index, of: connections, by: loops), tls: tls),
                index: index, stride: loops, window: max(1, window / loops), journalDirectory: journalDirectory,
                tokenTargets: tokenTargets, phones: phones, webhook: webhook, secrets: secrets)
            let board = Published(LoadSnapshot())
            do {
                threads.append(
                    try LoopThread(name: "load-\(index)", clock: clock, rank: .load) { loop in
                        try LoadLoop(settings, loop: loop, published: board)
                    })
            } catch {
                for thread in threads { thread.stop() }
                throw error as? Failure ?? Failure(.run, "cannot start the load generator: \(error)")
            }
            published.append(board)
        }
        self.threads = threads
        self.published = published
        self.phones = phones
    }

    private static func client(
        _ plan: Plan, _ sources: [IPAddress], connections: Int, tls: TLSClientSettings
    ) -> ClientConfiguration {
        var client = ClientConfiguration(
            version: plan.workload.profile.httpVersion == .http2 ? .http2 : .http1,
            tls: tls)
        client.maxConnections = connections
        client.resends = true
        client.sources = sources
        client.requestTimeout = plan.scenario.workload.requestTimeout
        return client
    }

    private static func share(_ index: Int, of total: Int, by loops: Int) -> Int {
        max(1, total / loops + (index < total % loops ? 1 : 0))
    }

    /// Begins the plan at that instant of the clock (this host's monotonic one, where none was given); further calls do
    /// nothing. An instant in the past makes the first events late, and they are recorded so.
    package func start(at instant: Instant) {
        for thread in threads { thread.post { $0.start(at: instant) } }
        phones?.begin { [threads, hearing] event in
            hearing.hear(event.number)
            // Whose it is depends on who has begun by then, which the loops know; all but one pass it over.
            for thread in threads { thread.post { $0.heed(event) } }
        }
    }

    /// The counters as last published, five times a second; exact once `isDone`.
    package func snapshot() -> LoadSnapshot {
        var sum = LoadSnapshot()
        sum.isDone = true
        for board in published { sum.add(board.snapshot.withLock { $0 }) }
        sum.missedPhoneEvents = hearing.missed
        return sum
    }

    /// How long each of its loops has waited for something to do, by that instant of the host's clock.
    package func rested(by now: Instant) -> [Interval] { threads.map { $0.rested(by: now) } }

    /// Everything planned has been sent or dropped, and settled.
    package var isDone: Bool { published.allSatisfy { $0.snapshot.withLock { $0.isDone } } }

    /// Blocks until every event was sent and answered, failed or dropped; false when `timeout` passed first.
    package func waitUntilDone(timeout: Interval) -> Bool {
        let time = SystemTime()
        let deadline = time.now() + timeout
        while !published.allSatisfy({ $0.snapshot.withLock { $0.isDone } }) {
            guard time.now() < deadline else { return false }
            usleep(2_000)
        }
        return true
    }

    /// Sends nothing more from here on; what is under way goes on until it is answered, or given up as ever, and then the load
    /// is done. Idempotent.
    package func endEarly() {
        for thread in threads { thread.post { $0.endEarly() } }
    }

    /// Sends nothing more, closes connections and the journal, ends the threads. What was under way is recorded as
    /// closed. Idempotent.
    package func stop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        phones?.end()
        for thread in threads { thread.post { $0.stop() } }
        for thread in threads { thread.stop() }
    }

    deinit { stop() }
}

/// Which phone events have come. They are numbered without gaps.
private final class Hearing: Sendable {
    private let state = Mutex((last: UInt64(0), missed: 0))

    /// A number that is not higher than the last one is no gap.
    func hear(_ number: UInt64) {
        state.withLock { state in
            if state.last > 0, number > state.last + 1 { state.missed += Int(clamping: number - state.last - 1) }
            state.last = max(state.last, number)
        }
    }

    var missed: Int { state.withLock { $0.missed } }
}
