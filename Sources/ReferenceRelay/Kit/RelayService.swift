// The loop's side of the core: pushes, replies and rows out, answers and timers in. What comes in is on the page beside
// this one.

import Basics
import EventLoop
import Glibc
import HTTP
import Net
import Pushes
import TLS

/// Confined to its loop. Holds everything that the relay is made of.
final class RelayService: ServerHandler {
    private let loop: EventLoop
    let options: RelayOptions
    private let clock: RelayClock
    let core: RelayCore
    let routes: [Route]
    let storage: Storage
    private let production: APNsChannel
    private let sandbox: APNsChannel
    private var messages: FCMChannel?
    let webhooks: WebhookSender?
    private var server: Server?
    /// Where several processes share storage and port: who works for whom, and the door that only peers know.
    private(set) var router: PeerRouter?
    private var peerServer: Server?
    private var peerHandler: PeerHandler?
    private var timer: LoopTimer?
    private var isWorking = false
    private var isLogArmed = false
    /// Defect `stores-late`: what is to be stored later.
    private var lateWrites: [RowChange] = []
    /// Where the relay takes part in a mock's clock.
    private var member: ClockMember?
    private var counts = ClockMember.Counts()
    private var unanswered: [ServerExchange] = []
    /// The last write failed: registrations are refused until one succeeds.
    private var storageFailure: Failure?

    init(loop: EventLoop, options: RelayOptions, hosts: APNsHosts, key: P256PrivateKey) throws {
        self.loop = loop
        self.options = options
        storage = try Storage(path: options.storage, deliveryRowsMax: options.deliveryRowsMax)
        let wall = loop.time.wall()
        clock = try RelayClock(options.clock, now: loop.now, wall: wall)
        let now = clock.moment(at: loop.now, wall: wall)
        // Ids of pushes must differ from one start to the next, and from those of a process beside this one.
        let chance = options.seed.child("relay").child(UInt64(bitPattern: wall.nanoseconds)).child(UInt64(getpid()))
        core = RelayCore(options: options, chance: chance) { key.sign($0) }
        routes = core.dialect.routes
        production = try APNsChannel(loop: loop, origin: hosts.production, options: options)
        sandbox =
            hosts.sandbox == hosts.production
            ? production : try APNsChannel(loop: loop, origin: hosts.sandbox, options: options)
        let style = core.dialect.policy.webhooks
        webhooks =
            options.webhook != nil || style.isRegistered
            ? WebhookSender(options.webhook, style, loop: loop, defects: options.defects) : nil
        core.providerToken.keep = { [storage] rejected, oldest, now, make in
            let kept = try? storage.providerToken(
                keyID: options.keyID, teamID: options.teamID, rejected: rejected, oldest: oldest, now: now, make)
            return kept ?? SignedToken(authorization: make(), signedAt: now)
        }
        if !options.isShared, options.clockOwner == nil { core.restore(try storage.load(), now: now) }
        messages = try options.fcm.map { target in
            try FCMChannel(
                target, loop: loop, options: options, now: { [unowned self] in moment.wall },
                count: { [unowned self] isOver in countMessage(isOver: isOver) })
        }
        webhooks?.wall = { [unowned self] in moment.wall }
        webhooks?.changed = { [unowned self] in member?.stateSoon() }
    }

    func listen(on socket: ListeningSocket) throws {
        var configuration = ServerConfiguration()
        configuration.limits.maxBodyBytes = Self.bodyBytesMax
        if options.isShared { try joinPeers(configuration) }
        let server = try Server(loop: loop, configuration: configuration, handler: self)
        server.listen(on: socket)
        self.server = server
        try dialect.begin(self)
        work()
    }

    /// Peers come in by a port of their own on loopback, for the shared one would deal them to anybody.
    private func joinPeers(_ configuration: ServerConfiguration) throws {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        let router = try PeerRouter(
            loop: loop, storage: storage, address: socket.boundAddress, refusal: dialect.refusal)
        core.registry.lastDeviceID = router.process * Storage.idsPerProcess
        core.registry.lastActivityID = router.process * Storage.idsPerProcess
        let handler = PeerHandler(self)
        let server = try Server(loop: loop, configuration: configuration, handler: handler)
        server.listen(on: socket)
        (self.router, peerHandler, peerServer) = (router, handler, server)
    }

    var dialect: any Dialect { core.dialect }

    var moment: Moment {
        guard let member, let joined = loop.clock else { return clock.moment(at: loop.now, wall: loop.time.wall()) }
        return Moment(now: joined.now(), wall: joined.wall() + member.wallShift)
    }

    // MARK: - A clock of others

    /// Takes part in the clock of a mock, and is `ready` once it knows the time.
    func takePart(in owner: CheckedOrigin, ready: @escaping () throws -> Void) throws {
        guard let clock = loop.clock else { return }
        let member = try ClockMember(
            loop: loop, clock: clock, target: owner, counts: { [unowned self] in tellCounts() },
            isBusy: { [unowned self] in webhooks?.isUnderWay ?? false },
            fail: { [unowned self] words in
                tell(words)
                _exit(70)
            })
        self.member = member
        member.join { [self] in
            do {
                core.restore(try storage.load(), now: moment)
                try ready()
            } catch {
                tell("\(error)")
                _exit(1)
            }
        }
    }

    private func tellCounts() -> ClockMember.Counts {
        let before = unanswered.count
        unanswered.removeAll { !$0.isOpen }
        counts.callsAnswered += Int64(before - unanswered.count)
        return counts
    }

    /// A call came, whoever it is answered by.
    func count(_ exchange: ServerExchange) {
        guard let member else { return }
        counts.callsTaken += 1
        unanswered.append(exchange)
        member.stateSoon()
    }

    /// A request to FCM has begun, or is over: the mock's clock stands meanwhile.
    private func countMessage(isOver: Bool) {
        if isOver { counts.pushesAnswered += 1 } else { counts.pushesSent += 1 }
        member?.stateSoon()
    }

    // MARK: - Storage

    func checkStorage() throws(Failure) {
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
        if storageFailure == nil { tell("\(failure)") }
        storageFailure = failure
    }

    private func tell(_ words: String) {
        let line = Array("pushrig relay: \(words)\n".utf8)
        _ = write(2, line, line.count)
    }

    // MARK: - Work

    /// Carries out what the core has decided, until it wants nothing more, and sets the timer for what comes next.
    func work() {
        guard !isWorking else { return }
        isWorking = true
        while !core.actions.isEmpty {
            let actions = core.actions
            core.actions.removeAll(keepingCapacity: true)
            for action in actions { carryOut(action) }
        }
        isWorking = false
        if options.defects.contains(.storesLate) { putOffWrites() }
        if !core.writes.isEmpty {
            storage.append(core.writes)
            core.writes.removeAll(keepingCapacity: true)
            loop.atEndOfTurn { [self] in _ = willSend() }
            armLog()
        }
        armTimer()
    }

    /// Defect `stores-late`. In order, and what a process that is told to end has not stored it stores then.
    private func putOffWrites() {
        guard !core.writes.isEmpty else { return }
        lateWrites += core.writes
        let count = core.writes.count
        core.writes.removeAll(keepingCapacity: true)
        _ = loop.after(.milliseconds(800)) { [self] in
            guard lateWrites.count >= count else { return }
            storage.append(Array(lateWrites.prefix(count)))
            lateWrites.removeFirst(count)
            _ = willSend()
        }
    }

    private func carryOut(_ action: RelayAction) {
        switch action {
        case .push(let push):
            if push.provider == .fcm { return send(message: push) }
            let authorization = core.authorization(for: push, at: moment.wall)
            counts.pushesSent += 1
            channel(push.environment).send(push, authorization: authorization) { [self] outcome in
                counts.pushesAnswered += 1
                core.answered(push, outcome, now: moment)
                if case .answered(let status, _, _) = outcome, status != 200 {
                    webhooks?.refused(push.token, words: outcome.words)
                }
                work()
            }
        case .renewConnection(let environment):
            channel(environment).renew()
        case .answer(let ticket):
            let context = ticket.context.take()
            if let waiting = context as? TicketAnswer { return waiting.take(ticket) }
            guard let exchange = context as? ServerExchange, exchange.isOpen else { return }
            dialect.reply(to: ticket).send(on: exchange)
        case .die: _exit(70)
        case .tell(let words): tell(words)
        }
    }

    private func send(message push: Push) {
        let answered: (PushOutcome) -> Void = { [self] outcome in
            core.answered(push, outcome, now: moment)
            work()
        }
        guard let messages else { return answered(.failed(isSafeToResend: false, words: "no FCM: --fcm was not given")) }
        messages.send(push, completion: answered)
    }

    private func channel(_ environment: PushEnvironment) -> APNsChannel {
        environment == .production ? production : sandbox
    }

    private func armTimer() {
        member?.stateSoon()
        let due = core.nextDeadline.map { member == nil ? clock.real($0) : $0 }
        guard let next = due, timer.map({ next < $0.deadline }) ?? true else { return }
        timer?.cancel()
        timer = loop.onClock(at: next) { [self] in
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

    /// Does something a little later, by the clock of others where the relay takes part in one, and what it leads to.
    func later(_ wait: Interval = .zero, _ body: @escaping () -> Void) {
        _ = loop.onClock(after: wait) { [self] in
            body()
            work()
        }
        member?.stateSoon()
    }

    // MARK: - The end

    /// Finishes requests and pushes under way, a few seconds at most, then closes everything.
    func drain(_ done: @escaping () -> Void) {
        let finish: () -> Void = { [self] in
            production.close()
            sandbox.close()
            messages?.close()
            webhooks?.close()
            member?.close()
            timer?.cancel()
            // It holds this service as its handler.
            server = nil
            peerServer = nil
            core.leaveHeldStates()
            storage.append(lateWrites)
            storage.append(core.writes)
            core.writes = []
            do throws(Failure) {
                try storage.flush(force: true)
                try router?.close()
            } catch { report(error) }
            done()
        }
        guard let server else { return finish() }
        let leave: () -> Void = { [self] in awaitPushes(until: loop.time.now() + .seconds(3), finish) }
        server.drain(within: .seconds(5)) { [self] in
            if let peerServer { peerServer.drain(within: .seconds(1), leave) } else { leave() }
        }
    }

    private func awaitPushes(until deadline: Instant, _ finish: @escaping () -> Void) {
        guard core.inFlight > 0, loop.time.now() < deadline else { return finish() }
        _ = loop.after(.milliseconds(20)) { [self] in awaitPushes(until: deadline, finish) }
    }
}
