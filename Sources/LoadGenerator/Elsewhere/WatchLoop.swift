// The thread on which somebody listens to the relay. Confined to its loop.

import Basics
import EventLoop
import Journal
import Net
import Planning
import Scenarios

final class WatchLoop: TurnEndHandler {
    let loop: EventLoop
    let plan: Plan
    private let journal: JournalWriter
    private var isTurnEndPending = false
    private var hasFailed = false
    private var listeners: [Listener] = []
    private var timers: [LoopTimer] = []
    private var server: Server?
    private var receiver: WebhookReceiver?
    /// Told once when the journal cannot be written.
    var failed: (Failure) -> Void = { _ in }

    init(_ plan: Plan, loop: EventLoop, journalDirectory: String) throws {
        self.plan = plan
        self.loop = loop
        journal = try JournalWriter(directory: journalDirectory, name: "watch", time: loop.recordTime)
    }

    // MARK: Webhooks

    func receive(_ spec: WebhookSpec, on socket: ListeningSocket) throws {
        let receiver = WebhookReceiver(spec, plan, loop: loop) { [unowned self] note in
            journal.append(note, at: loop.stamp())
            requestTurnEnd()
        } commit: { [unowned self] in
            turnEnded()
            return !hasFailed
        }
        var configuration = ServerConfiguration()
        configuration.limits = WebhookReceiver.limits
        let server = try Server(loop: loop, configuration: configuration, handler: receiver)
        server.listen(on: socket)
        (self.receiver, self.server) = (receiver, server)
    }

    func learn(_ secret: [UInt8], of session: UInt32) { receiver?.learn(secret, of: session) }

    // MARK: Listening

    func listen(at origin: Instant, target: CheckedOrigin, tls: TLSClientSettings) {
        let observers = plan.scenario.relay.profile.observers
        // Who listens has no part in a clock that stands: what they would be owed is not put to the test there.
        guard !observers.isEmpty, !plan.scenario.isStepped, timers.isEmpty else { return }
        let client: AnswerClient
        do { client = try AnswerClient(loop: loop, target: target, tls: tls) } catch {
            return fail(error as? Failure ?? Failure(.run, "nobody can listen: \(error)"))
        }
        let subscriptions = Subscriptions(plan, client)
        for (number, place) in Listener.places(plan).enumerated() {
            let timer = loop.onClock(at: origin + place.start) { [unowned self] in
                begin(place, number: UInt32(number + 1), subscriptions)
            }
            timers.append(timer)
        }
    }

    private func begin(_ place: Listener.Place, number: UInt32, _ subscriptions: Subscriptions) {
        let listener = Listener(place, number: number, subscriptions, loop) { [unowned self] note in
            journal.append(note, at: loop.stamp())
            requestTurnEnd()
        }
        listeners.append(listener)
        listener.subscribe()
    }

    func stop() {
        for timer in timers { timer.cancel() }
        timers = []
        for listener in listeners { listener.close() }
        listeners = []
        receiver?.settle()
        server?.drain(within: .zero) {}
        turnEnded()
    }

    // MARK: Record

    func requestTurnEnd() {
        guard !isTurnEndPending else { return }
        isTurnEndPending = true
        loop.atEndOfTurn(self)
    }

    func turnEnded() {
        isTurnEndPending = false
        guard !journal.commit() else { return }
        fail(journal.failure ?? Failure(.run, "the journal of who listens cannot be written"))
    }

    private func fail(_ failure: Failure) {
        guard !hasFailed else { return }
        hasFailed = true
        failed(failure)
    }
}
