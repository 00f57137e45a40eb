// One thread's share of a provider: a loop, and for each environment a server with the pipeline behind it.

import Basics
import Devices
import EventLoop
import Faults
import HTTP2
import Journal
import Net
import Pushes

/// Confined to its loop.
final class PushWorker<P: Provider> {
    /// What plays one environment.
    private struct Stage {
        let environment: PushEnvironment
        let pipeline: P
        let server: Server
    }

    private let loop: EventLoop
    private let shared: MockShared
    private let stages: [Stage]
    private var acceptors: [Acceptor] = []
    private var watch: LoopTimer?
    private var lookout: LoopTimer?
    private var phoneTimer: LoopTimer?
    private lazy var phoneAction: () -> Void = { [unowned(unsafe) self] in
        phoneTimer = nil
        tellLate()
        watchPhones()
    }

    /// `tls` nil: clear text, for tests.
    init(loop: EventLoop, shared: MockShared, index: Int, tls: TLSServerSettings?) throws {
        self.loop = loop
        self.shared = shared
        stages = try shared.environments.map { environment in
            var configuration = P.configuration(shared, environment, tls: tls)
            configuration.limits.share(among: shared.totals.count)
            configuration.impostor = { try shared.impostor() }
            let pipeline = try P(loop: loop, shared: shared, environment: environment, index: index)
            return Stage(
                environment: environment, pipeline: pipeline,
                server: try Server(loop: loop, configuration: configuration, handler: pipeline))
        }
    }

    /// Accepts on this loop and deals the connections out in turn, to `others` and to itself. One acceptor spreads few
    /// long connections evenly, which SO_REUSEPORT does not.
    func listen(
        on socket: ListeningSocket, as environment: PushEnvironment, dealingTo others: [LoopThread<PushWorker<P>>]
    ) {
        var next = 0
        let server = server(of: environment)
        acceptors.append(
            Acceptor(loop: loop, socket: socket) { [unowned(unsafe) self] descriptor in
                let number = shared.nextConnection()
                if next == 0 {
                    server.adopt(descriptor: descriptor, number: number)
                } else {
                    others[next - 1].post {
                        $0.server(of: environment).adopt(descriptor: descriptor, number: number)
                    }
                }
                next = (next + 1) % (others.count + 1)
            })
    }

    /// Looks after the file of credentials, which `pushrig keys` may change at any time.
    func watch(_ credentials: LiveCredentials) {
        watch = loop.after(.milliseconds(250)) { [unowned(unsafe) self] in
            credentials.refresh()
            watch(credentials)
        }
    }

    /// Looks out for stored pushes that expire and batches that are due; one worker does it for all.
    func watchStoredPushes() {
        lookout = loop.after(.milliseconds(100)) { [unowned(unsafe) self] in
            tellLate()
            if !shared.devices.phones.isEmpty || !shared.devices.androids.isEmpty { watchPhones() }
            watchStoredPushes()
        }
    }

    /// Lets happen on phones and Android devices what is due when it is due, on the run's clock; the same worker does it. To be
    /// called when something has happened on them.
    func watchPhones() {
        phoneTimer?.cancel()
        phoneTimer = shared.devices.nextDue.map { due in
            loop.onClock(after: max(.zero, due - shared.clock.wall()), phoneAction)
        }
    }

    /// Does something on a phone, and puts it on record with `facts`; and why it was not possible, where it was not.
    func act(_ action: PhoneAction, on phone: String, _ facts: JSONObject) {
        var facts = facts
        (facts["act"], facts["phone"]) = (.string(AdminAct.changePhone.rawValue), .string(phone))
        do throws(PhoneRefusal) {
            try shared.devices.phones.act(action, on: phone, now: shared.clock.wall())
        } catch {
            facts["refused"] = .string(error.words)
        }
        stages[0].pipeline.core.note(.admin, facts)
        tellLate()
        watchPhones()
    }

    /// Makes an Android device another way, and puts that on record with `facts`.
    func change(_ registration: Hash128, _ facts: JSONObject, _ change: (inout AndroidSetup) -> Void) {
        let (androids, now) = (shared.devices.androids, shared.clock.wall())
        var facts = facts
        facts["act"] = .string("change android")
        if !androids.change(registration, now: now, change) {
            facts["refused"] = .string("the registration has no device")
        }
        stages[0].pipeline.core.note(.admin, facts)
        tellLate()
        watchPhones()
    }

    /// Puts on record what has become of stored pushes by now.
    func tellLate() { stages[0].pipeline.tellLate() }

    func note(rule status: FaultRuleStatus) { stages[0].pipeline.core.note(rule: status) }

    deinit {
        watch?.cancel()
        lookout?.cancel()
        phoneTimer?.cancel()
    }

    func server(of environment: PushEnvironment) -> Server {
        guard let stage = stages.first(where: { $0.environment == environment }) else {
            preconditionFailure("no listener for an environment that is not played")
        }
        return stage.server
    }

    func stopAccepting() {
        for acceptor in acceptors { acceptor.stop() }
        acceptors = []
    }

    /// GOAWAY with Shutdown, finish what is open, close. `done` runs on this loop.
    func drain(within limit: Interval, _ done: @escaping () -> Void) {
        var left = stages.count
        let debug = P.farewell
        for stage in stages {
            stage.server.drain(within: limit, debug: debug) { [pipeline = stage.pipeline] in
                _ = pipeline.willSend()
                left -= 1
                if left == 0 { done() }
            }
        }
    }
}
