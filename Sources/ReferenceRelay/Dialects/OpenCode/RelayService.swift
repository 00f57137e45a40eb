// The seven endpoints, and the loop's side of the core: requests and answers in, pushes, replies and rows out.

import Basics
import EventLoop
import Glibc
import HTTP
import Net
import TLS

/// Confined to its loop. Holds everything that the relay is made of.
final class RelayService: ServerHandler {
    static let bodyBytesMax = 65_536

    private let loop: EventLoop
    private let options: RelayOptions
    private let clock: RelayClock
    private let core: RelayCore
    private let storage: Storage
    private let production: APNsChannel
    private let sandbox: APNsChannel
    private var server: Server?
    private var timer: LoopTimer?
    private var isWorking = false
    private var isLogArmed = false
    /// The last write failed: registrations are refused until one succeeds.
    private var storageFailure: Failure?

    init(loop: EventLoop, options: RelayOptions, key: P256PrivateKey) throws {
        self.loop = loop
        self.options = options
        storage = try Storage(path: options.storage, deliveryRowsMax: options.deliveryRowsMax)
        let wall = loop.time.wall()
        clock = try RelayClock(options.clock, now: loop.now, wall: wall)
        let now = clock.moment(at: loop.now, wall: wall)
        // Ids of pushes must differ from one start to the next, and from those of a process beside this one.
        let chance = options.seed.child("relay").child(UInt64(bitPattern: wall.nanoseconds)).child(UInt64(getpid()))
        core = RelayCore(options: options, chance: chance) { key.sign($0) }
        production = try APNsChannel(loop: loop, origin: options.production, options: options)
        sandbox =
            options.sandbox == options.production
            ? production : try APNsChannel(loop: loop, origin: options.sandbox, options: options)
        core.restore(try storage.load(), now: now)
    }

    func listen(on socket: ListeningSocket) throws {
        var configuration = ServerConfiguration()
        configuration.limits.maxBodyBytes = Self.bodyBytesMax
        let server = try Server(loop: loop, configuration: configuration, handler: self)
        server.listen(on: socket)
        self.server = server
        work()
    }

    private var moment: Moment { clock.moment(at: loop.now, wall: loop.time.wall()) }

    // MARK: - Requests

    func handle(_ exchange: ServerExchange) {
        let head = exchange.head
        let method = head.text(":method") ?? ""
        let path = String((head.text(":path") ?? "").prefix { $0 != "?" })
        do {
            switch (method, path) {
            case ("POST", "/v1/event"): try event(exchange)
            case ("POST", "/v1/device/register"): try registerDevice(exchange)
            case ("POST", "/v1/device/unregister"): try unregisterDevice(exchange)
            case ("POST", "/v1/activity/register"): try registerActivity(exchange)
            case ("POST", "/v1/activity/unregister"): try unregisterActivity(exchange)
            case ("GET", "/health"), ("HEAD", "/health"): Replies.health(core, storage).send(on: exchange)
            case ("GET", "/"), ("HEAD", "/"): try dashboard(exchange)
            default: Replies.notFound.send(on: exchange)
            }
        } catch is InvalidBody {
            (options.defects.contains(.acceptsBadRequests) ? Replies.done : Replies.invalidBody).send(on: exchange)
        } catch let failure as Failure {
            Replies.failure(failure.message).send(on: exchange)
        } catch {
            Replies.failure("internal error").send(on: exchange)
        }
        work()
    }

    private func event(_ exchange: ServerExchange) throws {
        let body = try body(of: exchange)
        let event = try Requests.event(body.bytes)
        core.handle(event, ticket: EventTicket(context: exchange), now: moment)
    }

    private func registerDevice(_ exchange: ServerExchange) throws {
        let body = try body(of: exchange)
        let registration = try Requests.registerDevice(body.bytes)
        try checkStorage()
        Replies.registration(core.register(registration, now: moment)).send(on: exchange)
    }

    private func unregisterDevice(_ exchange: ServerExchange) throws {
        let body = try body(of: exchange)
        let request = try Requests.unregisterDevice(body.bytes)
        try checkStorage()
        core.unregisterDevice(request.token, of: request.secret)
        Replies.done.send(on: exchange)
    }

    private func registerActivity(_ exchange: ServerExchange) throws {
        let body = try body(of: exchange)
        let registration = try Requests.registerActivity(body.bytes)
        try checkStorage()
        Replies.registration(core.register(registration, now: moment)).send(on: exchange)
    }

    private func unregisterActivity(_ exchange: ServerExchange) throws {
        let body = try body(of: exchange)
        let request = try Requests.unregisterActivity(body.bytes)
        try checkStorage()
        core.unregisterActivity(request.sessionID, token: request.token, of: request.secret, now: moment)
        Replies.done.send(on: exchange)
    }

    private func dashboard(_ exchange: ServerExchange) throws {
        try storage.flush(force: true)
        let page = Dashboard.page(
            devices: try storage.newestDevices(100), deliveries: try storage.newestDeliveries(20))
        Reply(status: 200, contentType: "text/html; charset=utf-8", body: Array(page.utf8)).send(on: exchange)
    }

    private func body(of exchange: ServerExchange) throws(InvalidBody) -> ByteBuffer {
        guard exchange.body.count <= Self.bodyBytesMax else { throw InvalidBody() }
        return exchange.body
    }

    // MARK: - Storage

    private func checkStorage() throws(Failure) {
        guard storageFailure != nil else { return }
        try storage.flush(force: true)
        storageFailure = nil
    }

    /// Rows are written before the answers that promise them leave.
    func willSend() -> Bool {
        do {
            try storage.flush()
            return true
        } catch {
            report(error)
            return false
        }
    }

    private func report(_ failure: Failure) {
        if storageFailure == nil {
            let line = Array("pushrig relay: \(failure)\n".utf8)
            _ = write(2, line, line.count)
        }
        storageFailure = failure
    }

    // MARK: - Work

    /// Carries out what the core has decided, until it wants nothing more, and sets the timer for what comes next.
    private func work() {
        guard !isWorking else { return }
        isWorking = true
        while !core.actions.isEmpty {
            let actions = core.actions
            core.actions.removeAll(keepingCapacity: true)
            for action in actions { carryOut(action) }
        }
        isWorking = false
        if !core.writes.isEmpty {
            storage.append(core.writes)
            core.writes.removeAll(keepingCapacity: true)
            loop.atEndOfTurn { [self] in _ = willSend() }
            armLog()
        }
        armTimer()
    }

    private func carryOut(_ action: RelayAction) {
        switch action {
        case .push(let push):
            let authorization = core.authorization(for: push, at: moment.wall)
            channel(push.environment).send(push, authorization: authorization) { [self] outcome in
                core.answered(push, outcome, now: moment)
                work()
            }
        case .renewConnection(let environment):
            channel(environment).renew()
        case .answer(let ticket):
            let context = ticket.context.take()
            guard let exchange = context as? ServerExchange, exchange.isOpen else { return }
            Replies.event(sent: ticket.sent, failed: ticket.failed).send(on: exchange)
        case .die: exit(70)
        }
    }

    private func channel(_ environment: PushEnvironment) -> APNsChannel {
        environment == .production ? production : sandbox
    }

    private func armTimer() {
        guard let next = core.nextDeadline.map({ clock.real($0) }), timer.map({ next < $0.deadline }) ?? true else {
            return
        }
        timer?.cancel()
        timer = loop.at(next) { [self] in
            timer = nil
            core.advance(to: moment)
            work()
        }
    }

    /// Log rows that nothing hurries are written a little later, together.
    private func armLog() {
        guard storage.hasPending, !isLogArmed else { return }
        isLogArmed = true
        _ = loop.after(.milliseconds(200)) { [self] in
            isLogArmed = false
            do throws(Failure) { try storage.flush(force: true) } catch { report(error) }
        }
    }

    // MARK: - The end

    /// Finishes requests and pushes under way, a few seconds at most, then closes everything.
    func drain(_ done: @escaping () -> Void) {
        let finish: () -> Void = { [self] in
            production.close()
            sandbox.close()
            timer?.cancel()
            // It holds this service as its handler.
            server = nil
            do throws(Failure) { try storage.flush(force: true) } catch { report(error) }
            done()
        }
        guard let server else { return finish() }
        server.drain(within: .seconds(5)) { [self] in awaitPushes(until: loop.time.now() + .seconds(3), finish) }
    }

    private func awaitPushes(until deadline: Instant, _ finish: @escaping () -> Void) {
        guard core.inFlight > 0, loop.time.now() < deadline else { return finish() }
        _ = loop.after(.milliseconds(20)) { [self] in awaitPushes(until: deadline, finish) }
    }
}
