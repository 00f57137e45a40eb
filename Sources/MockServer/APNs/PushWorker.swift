// One thread's share of the mock: a loop, a server and the pipeline behind it.

import APNs
import Basics
import Devices
import EventLoop
import Faults
import HTTP2
import Net
import Pushes

extension StreamLimit {
    var inNet: AnnouncedStreams {
        switch self {
        case .announced: .enforcedOnceRead
        case .enforced: .enforced
        case .ignored: .served
        }
    }
}

/// Confined to its loop.
final class PushWorker {
    /// What plays one environment.
    private struct Stage {
        let environment: PushEnvironment
        let pipeline: PushPipeline
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
        var configuration = Self.configuration(tls: tls)
        configuration.limits.share(among: shared.totals.count)
        configuration.impostor = { try shared.impostor() }
        stages = try shared.environments.map { [configuration] environment in
            let pipeline = try PushPipeline(loop: loop, shared: shared, environment: environment, index: index)
            var configuration = configuration
            configuration.announcedStreams = shared.settings(for: environment).streamLimit.inNet
            return Stage(
                environment: environment, pipeline: pipeline,
                server: try Server(loop: loop, configuration: configuration, handler: pipeline))
        }
    }

    /// The first SETTINGS are those captured from Apple, in the same order (spec/apns.md §0).
    static func configuration(tls: TLSServerSettings?) -> ServerConfiguration {
        var configuration = ServerConfiguration(tls: tls)
        configuration.allowsHTTP1 = false
        // Larger than any payload that is allowed, so that the rules see and refuse what is too large.
        configuration.limits.maxBodyBytes = 16_384
        configuration.limits.maxHeaderListBytes = 8_000
        // Announced is one stream, until the first valid provider token.
        configuration.limits.maxConcurrentStreams = PushPipeline.wideStreamLimit
        configuration.http2Settings = [
            .headerTableSize(4_096), .maxConcurrentStreams(1), .initialWindowSize(65_535), .maxFrameSize(16_384),
            .maxHeaderListSize(8_000),
        ]
        return configuration
    }

    /// Accepts on this loop and deals the connections out in turn, to `others` and to itself. One acceptor spreads few
    /// long connections evenly, which SO_REUSEPORT does not.
    func listen(
        on socket: ListeningSocket, as environment: PushEnvironment, dealingTo others: [LoopThread<PushWorker>]
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
            if !shared.devices.phones.isEmpty { watchPhones() }
            watchStoredPushes()
        }
    }

    /// Lets happen on phones what is due when it is due, on the run's clock; the same worker does it. To be called when
    /// something has happened on them.
    func watchPhones() {
        phoneTimer?.cancel()
        phoneTimer = shared.devices.phones.nextDue.map { due in
            loop.onClock(after: max(.zero, due - shared.clock.wall()), phoneAction)
        }
    }

    /// Puts on record what has become of stored pushes by now.
    func tellLate() { stages[0].pipeline.tellLate() }

    func note(rule status: FaultRuleStatus) { stages[0].pipeline.note(rule: status) }

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
        let debug = rejectionBody(.shutdown, timestampMilliseconds: nil)
        for stage in stages {
            stage.server.drain(within: limit, debug: debug) { [pipeline = stage.pipeline] in
                _ = pipeline.willSend()
                left -= 1
                if left == 0 { done() }
            }
        }
    }
}
