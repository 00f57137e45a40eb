// What a relay says elsewhere than to Apple and to its callers, heard and put on record: on a thread of its own, beside
// the load.

package import Basics
import EventLoop
import Journal
package import Net
package import Planning
import Scenarios
import Synchronization

/// Told of a secret that an answer gave, by which webhooks are signed, and of the session whose call it answered.
package typealias SecretFeed = @Sendable (_ session: UInt32, _ secret: [UInt8]) -> Void

/// Thread-safe; all work happens on its own loop thread.
package final class WatchService: Sendable {
    private let thread: LoopThread<WatchLoop>
    private let trouble = Mutex<Failure?>(nil)
    private let isStopped = Mutex(false)
    /// Where the relay calls back, such as `http://127.0.0.1:40123/webhooks`; nil where it does not.
    package let webhook: String?

    /// Nobody listens yet, but webhooks are taken. Throws a run `Failure` when the journal cannot be written, no port is to
    /// be had or the thread not started.
    package init(plan: Plan, journalDirectory: String, clock: RunClock? = nil) throws(Failure) {
        let spec = plan.scenario.relay.profile.webhooks
        let socket = try spec.map { _ throws(Failure) in
            try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        }
        webhook = spec.flatMap { spec in socket.map { "http://\($0.boundAddress)\(spec.path)" } }
        do {
            thread = try LoopThread(name: "watch", clock: clock, rank: nil) { loop in
                let watch = try WatchLoop(plan, loop: loop, journalDirectory: journalDirectory)
                if let spec, let socket { try watch.receive(spec, on: socket) }
                return watch
            }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot start who listens: \(error)")
        }
        thread.post { [self] loop in loop.failed = { [self] failure in trouble.withLock { $0 = $0 ?? failure } } }
    }

    /// Whether there is anything to hear in that plan.
    package static func isWanted(_ plan: Plan) -> Bool {
        let profile = plan.scenario.relay.profile
        return !profile.observers.isEmpty && !plan.scenario.isStepped || profile.webhooks != nil
    }

    /// Those who listen do so from the beginning of their sessions on; the plan begins at `origin`. Once.
    package func listen(at origin: Instant, target: CheckedOrigin, tls: TLSClientSettings = TLSClientSettings()) {
        thread.post { $0.listen(at: origin, target: target, tls: tls) }
    }

    /// Where secrets of webhooks go that answers give.
    package var secrets: SecretFeed { { [self] session, secret in thread.post { $0.learn(secret, of: session) } } }

    /// What of ours has failed; nil where nothing has.
    package var failure: Failure? { trouble.withLock { $0 } }

    /// Listens no more, closes the journal, ends the thread. Idempotent.
    package func stop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        thread.post { $0.stop() }
        thread.stop()
    }

    deinit { stop() }
}
