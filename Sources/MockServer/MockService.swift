// A running mock: its threads, and their life from the first socket to the last byte.

import APNs
package import Basics
package import Devices
import EventLoop
package import Faults
package import Journal
import Net
import Pushes
import Synchronization
import TLS

/// The mock APNs with its admin API. Usable from any thread except the mock's own.
package final class MockService: Sendable {
    package let coordinates: MockCoordinates
    package var faults: FaultScript { shared.faults }
    package var devices: DeviceFleet { shared.devices }
    package var channels: ChannelStore { shared.channels }
    /// Nil: no mock FCM beside.
    package var registrations: RegistrationBook? { shared.fcm?.registrations }
    /// The project that its service account is of.
    package static let project = FCMIdentity.project
    /// Absolute; readable with a `JournalReader` while the mock runs.
    package var journalDirectory: String { shared.journalDirectory }
    private let shared: MockShared
    private let workers: [LoopThread<PushWorker<APNsPipeline>>]
    private let admin: LoopThread<AdminWorker>?
    private let channelManager: LoopThread<ChannelWorker>?
    private let fcm: LoopThread<FCMWorker>?
    private let drainLimit: Interval
    private let tellsPlace: Bool
    private let isStopped = Mutex(false)

    /// Listens when it returns, and `mock.json` is written. A usage failure names the option to change, a run failure
    /// what is in the way (a busy port, a directory that cannot be written, another mock on the same directory).
    /// `onFailure` is called once when the journal cannot be written any more; from then on no push is answered. It
    /// runs on a thread of the mock, so it must not stop the mock itself.
    package init(options: MockOptions, onFailure: @escaping @Sendable (Failure) -> Void = { _ in }) throws(Failure) {
        try Self.check(options)
        let state = try StateDirectory(path: options.stateDirectory)
        if options.tellsPlace { state.remove("mock.json") }
        let identity = try MockIdentity(options, in: state)
        let adminToken = try Self.adminToken(options, state)
        let listeners = options.listeners
        let sockets = try listeners.map { listener throws(Failure) in
            try listener.map { listener throws(Failure) in try ListeningSocket(listener.address) }
        }
        let adminSocket = try options.admin.map { address throws(Failure) in try ListeningSocket(address) }
        let channelSockets = try Self.channelSockets(options)
        let fcmSocket = try options.fcm.map { address throws(Failure) in try ListeningSocket(address) }
        var found = MockCoordinates(options, identity)
        found.apns = sockets[0]!.boundAddress
        found.apnsTwin = sockets[1]?.boundAddress
        found.sandbox = sockets[2]?.boundAddress
        found.sandboxTwin = sockets[3]?.boundAddress
        found.admin = adminSocket?.boundAddress
        found.channels = channelSockets[0]?.boundAddress
        found.sandboxChannels = channelSockets[1]?.boundAddress
        found.adminToken = adminToken
        found.fcm = fcmSocket?.boundAddress
        tellsPlace = options.tellsPlace
        shared = try MockShared(options: options, state: state, identity: identity, onFailure: onFailure)
        found.serviceAccount = shared.fcm?.identity.file
        coordinates = found
        if let fcm = shared.fcm, let url = found.tokenURL { try fcm.identity.write(to: shared.state, tokenURL: url) }
        drainLimit = options.drainLimit
        let (shared, coordinates) = (shared, coordinates)
        let tls = TLSServerSettings(
            certificateFile: identity.certificateFile, keyFile: identity.keyFile, requestsClientCertificate: true,
            clientAuthorityFiles: identity.clientAuthorityFiles,
            ticketKeys: options.rules.resumesTLS ? secretBytes(count: TLSContext.ticketKeyBytes) : nil)
        var workers: [LoopThread<PushWorker<APNsPipeline>>] = []
        for index in 0..<options.loops {
            workers.append(
                try Self.thread("apns-\(index)", shared.time) { loop in
                    try PushWorker<APNsPipeline>(loop: loop, shared: shared, index: index, tls: tls)
                })
        }
        self.workers = workers
        if let adminSocket {
            let thread = try Self.thread("mock-admin", shared.time, rank: nil) { loop in
                try AdminWorker(loop: loop, shared: shared, coordinates: coordinates)
            }
            thread.post { $0.listen(on: adminSocket) }
            let isAsked = Flag()
            shared.time.onRest { [weak thread] in
                guard isAsked.raise() else { return }
                thread?.post {
                    isAsked.lower()
                    $0.keepClock()
                }
            }
            admin = thread
        } else {
            admin = nil
        }
        if channelSockets.contains(where: { $0 != nil }) {
            let thread = try Self.thread("mock-channels", shared.time) { loop in
                try ChannelWorker(loop: loop, shared: shared, tls: tls)
            }
            channelManager = thread
        } else {
            channelManager = nil
        }
        if fcmSocket != nil {
            fcm = try Self.thread("fcm-0", shared.time) { loop in try FCMWorker(loop: loop, shared: shared, tls: tls) }
        } else {
            fcm = nil
        }
        serve(sockets, channelSockets, fcmSocket)
        workers[0].post { [credentials = shared.credentials] worker in
            worker.watch(credentials)
            worker.watchStoredPushes()
        }
        // One letter for all that happens until it is read.
        let isTold = Flag()
        let lookAfter: @Sendable () -> Void = { [weak worker = workers[0]] in
            guard isTold.raise() else { return }
            worker?.post {
                isTold.lower()
                $0.tellLate()
                $0.watchPhones()
            }
        }
        shared.devices.phones.feed.listen { _ in lookAfter() }
        shared.devices.androids.listen(lookAfter)
        if tellsPlace { try shared.state.write("mock.json", coordinates.readyLine + "\n", secret: true) }
    }

    deinit { drainAndStop() }

    /// A snapshot, at most one turn of each loop old.
    package func statistics() -> MockStatistics { shared.statistics() }

    /// The first thing of ours that broke; nil while all is well.
    package var failure: Failure? { shared.failure }

    /// Where the pushes begin that count since the last reset; nil: at the journal's first entry.
    package var pushesBegin: JournalCursor? { shared.pushesBegin }

    /// Keys and client certificates besides the first key.
    package var credentials: LiveCredentials { shared.credentials }

    /// Forgets tokens, activities, channels and fault rules; `GET /v1/pushes` begins after the pushes answered so far. The
    /// journal itself keeps all, and the statistics go on.
    package func reset() throws(Failure) { try shared.reset() }

    /// The wall time of rules and devices.
    package var clock: AdjustableTime { shared.clock }

    /// Sets that time, as `PUT /v1/clock` does.
    package func set(wall: WallTime) { shared.set(wall: wall) }

    /// What all of the mock goes by.
    package var time: RunClock { shared.time }

    /// Adds or changes a token, as `PUT /v1/tokens/{token}` does. See `DeviceFleet.set`.
    package func set(_ record: TokenRecord) -> Bool {
        let isDone = devices.set(record, now: shared.clock.wall())
        tellLate()
        return isDone
    }

    /// The number by which apps on phones name what they decode; nil: there are too many.
    package func number(of schema: AppSchema) -> UInt16? { shared.schemas.number(of: schema) }

    /// Does something on a phone soon, as `PATCH /v1/phones/{id}` does, and puts it on record with `facts`. From any thread.
    package func act(_ action: PhoneAction, on phone: String, _ facts: JSONObject) {
        workers[0].post { $0.act(action, on: phone, facts) }
    }

    /// Puts an Android device behind a registration, as `PUT /v1/registrations/{token}` does; false: there are too many.
    package func set(_ setup: AndroidSetup, behind registration: String) -> Bool {
        devices.androids.set(setup, of: Self.hash(of: registration), now: shared.clock.wall())
    }

    /// Makes the Android device behind a registration another way soon, and puts it on record with `facts`. From any thread.
    package func change(
        androidBehind registration: String, _ facts: JSONObject, _ change: @escaping @Sendable (inout AndroidSetup) -> Void
    ) {
        let hash = Self.hash(of: registration)
        var told = facts
        told["registration"] = .string(registration)
        workers[0].post { [told] in $0.change(hash, told, change) }
    }

    private static func hash(of registration: String) -> Hash128 { withBytes(of: registration) { Hash128(hashing: $0) } }

    /// Puts a fault rule in force and its definition on record, as `POST /v1/faults` does. Returns its id; see
    /// `FaultScript.add`.
    @discardableResult
    package func add(_ rule: FaultRule, now: Instant) -> String {
        let id = faults.add(rule, now: now)
        if let status = faults.status(of: id) { _ = workers[0].askUnlessStopped { $0.note(rule: status) } }
        return id
    }

    /// Why a clock that stands does not go on, in a line; nil while it does.
    package var clockTrouble: String? { shared.clockTrouble.withLock { $0 } }

    /// How many take part in a clock that stands, from outside this process.
    package var clockParticipants: Int { shared.clockParticipants.load(ordering: .sequentiallyConsistent) }

    /// How often a clock that stands has gone on.
    package var clockSteps: Int { shared.clockSteps.load(ordering: .relaxed) }

    /// Puts on record what has become of stored pushes by now; they are readable when it returns. Does nothing once the
    /// mock has stopped.
    package func tellLate() { _ = workers[0].askUnlessStopped { $0.tellLate() } }

    /// `drainAndStop` was called.
    package var hasStopped: Bool { isStopped.withLock { $0 } }

    /// What became of a push that was stored for a device; nil when it still is, or never was. The latest 65,536 are
    /// known here, all of them to the journal.
    package func lateOutcome(ofPush id: UInt64) -> String? { shared.late[id].map { $0.word.description } }

    /// How long each loop that answers pushes has waited for something to do, by that instant of the host's clock.
    package func rested(by now: Instant) -> [Interval] {
        workers.map { $0.rested(by: now) } + [fcm?.rested(by: now)].compactMap(\.self)
    }

    /// Stops accepting, lets open requests end for at most the drain limit, closes, and joins the threads. Further
    /// calls do nothing.
    package func drainAndStop() {
        let isFirst = isStopped.withLock { held in
            defer { held = true }
            return !held
        }
        guard isFirst else { return }
        drain()
        channelManager?.stop()
        fcm?.stop()
        if let admin {
            let done = Handover<Void>()
            admin.post { $0.drain(within: .seconds(1)) { done.give(()) } }
            done.take()
            admin.stop()
        }
        for worker in workers { worker.stop() }
        if tellsPlace { shared.state.remove("mock.json") }
        shared.state.unlock()
    }

    /// Stops accepting and closes what providers have opened, when open requests have ended or the limit is over.
    func drain() {
        workers[0].ask { $0.stopAccepting() }
        let limit = drainLimit
        let drained = workers.map { worker in
            let done = Handover<Void>()
            worker.post { $0.drain(within: limit) { done.give(()) } }
            return done
        }
        for done in drained { done.take() }
        if let fcm {
            let done = Handover<Void>()
            fcm.post { $0.drain(within: limit) { done.give(()) } }
            done.take()
        }
        guard let channelManager else { return }
        let done = Handover<Void>()
        channelManager.post { $0.drain(within: limit) { done.give(()) } }
        done.take()
    }

    /// Serves on these, which stand in the order of `MockCoordinates.places` and of its channels.
    func serve(_ sockets: [ListeningSocket?], _ channelSockets: [ListeningSocket?], _ fcmSocket: ListeningSocket?) {
        let others = Array(workers.dropFirst())
        for (place, socket) in zip(coordinates.places, sockets) {
            guard let socket else { continue }
            workers[0].post { $0.listen(on: socket, as: place.environment, dealingTo: others) }
        }
        for case (let socket?, let environment) in zip(channelSockets, [coordinates.environment, .sandbox]) {
            channelManager?.post { $0.listen(on: socket, as: environment) }
        }
        if let fcmSocket { fcm?.post { $0.listen(on: fcmSocket) } }
    }

    /// For another mock, or again for this one.
    func lend() { shared.state.unlock() }
    func takeBack() -> Bool { shared.state.relock() }

    // MARK: Starting

    private static func check(_ options: MockOptions) throws(Failure) {
        guard 1...64 ~= options.loops else {
            throw Failure(.usage, "\(options.loops) loops are too few or too many", hint: "give 1 to 64")
        }
        if options.sandbox != nil, options.environment == .sandbox {
            throw Failure(
                .usage, "sandbox is played twice", hint: "--sandbox stands beside production; drop one of the two options")
        }
        if options.sandboxTwin != nil, options.sandbox == nil {
            throw Failure(
                .usage, "there is a twin of sandbox but no sandbox", hint: "give --sandbox ADDR, or --apns-twin ADDR")
        }
        for topic in options.topics where !TopicParts.isBareBundleID(topic) {
            throw Failure(
                .usage, "'\(topic)' is not a bundle ID", hint: "give one such as com.example.app, without suffix")
        }
    }

    /// For the environment of `apns`, and for sandbox beside it.
    private static func channelSockets(_ options: MockOptions) throws(Failure) -> [ListeningSocket?] {
        let beside = options.sandbox == nil ? nil : options.sandboxChannels
        return try [options.channels, beside].map { address throws(Failure) in
            guard let address else { return nil }
            do throws(Failure) { return try ListeningSocket(address) } catch {
                guard options.channelsMayMove, address.port != 0 else { throw error }
                return try ListeningSocket(address.with(port: 0))
            }
        }
    }

    /// Off loopback the admin API wants a token; it is made once per state directory.
    private static func adminToken(
        _ options: MockOptions, _ state: borrowing StateDirectory
    ) throws(Failure) -> String? {
        guard let address = options.admin, !address.isLoopback else { return nil }
        if let kept = try state.read("admin-token")?.split(separator: "\n").first, kept.utf8.count >= 32 {
            return String(kept)
        }
        let token = Hex.encode(secretBytes(count: 24).span)
        try state.write("admin-token", token + "\n", secret: true)
        return token
    }

    private static func thread<State>(
        _ name: String, _ clock: RunClock, rank: ClockFollower.Rank? = .mock,
        make: @escaping @Sendable (EventLoop) throws -> State
    ) throws(Failure) -> LoopThread<State> {
        do { return try LoopThread(name: name, clock: clock, rank: rank, make: make) } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.run, "cannot start \(name): \(error)")
        }
    }
}

/// Raised once until it is lowered. From any thread.
private final class Flag: Sendable {
    private let isRaised = Atomic<Bool>(false)
    func raise() -> Bool { !isRaised.exchange(true, ordering: .sequentiallyConsistent) }
    func lower() { isRaised.store(false, ordering: .sequentiallyConsistent) }
}
