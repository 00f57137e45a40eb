// The relay as a participant in the clock of a mock (docs/time.md): it says what it waits for and what it has taken in, and
// is told the time. In stepped time nothing here moves by itself.

import Basics
import EventLoop
import HTTP
import Net

/// Confined to the relay's loop.
final class ClockMember {
    /// What the relay has counted.
    struct Counts: Hashable {
        var callsTaken: Int64 = 0
        var callsAnswered: Int64 = 0
        var pushesSent: Int64 = 0
        var pushesAnswered: Int64 = 0
    }

    private static let latest: Int64 = 9_000_000_000_000_000

    private let loop: EventLoop
    private let clock: RunClock
    private let pool: ClientPool
    private let counts: () -> Counts
    /// Something is under way that is not counted.
    private let isBusy: () -> Bool
    private let fail: (String) -> Void
    private var id = ""
    /// Microseconds since the owner's clock began, and its beginning on ours.
    private var heard: Int64 = 0
    private var origin: Instant
    private var isStating = false
    private var isWanted = false
    private var open = 0
    private var isOver = false
    /// How far the owner's wall time is ahead of ours.
    private(set) var wallShift = Interval.zero

    /// `fail` is told once why the relay cannot go on.
    init(
        loop: EventLoop, clock: RunClock, target: CheckedOrigin, counts: @escaping () -> Counts, isBusy: @escaping () -> Bool,
        fail: @escaping (String) -> Void
    ) throws {
        self.loop = loop
        self.clock = clock
        self.counts = counts
        self.isBusy = isBusy
        self.fail = fail
        origin = clock.now()
        var configuration = ClientConfiguration(version: .http1)
        configuration.maxConnections = 3
        configuration.requestTimeout = .seconds(60)
        configuration.timesOutByHost = true
        pool = try ClientPool(loop: loop, target: target, configuration: configuration)
    }

    /// `done` once the time is known.
    func join(_ done: @escaping () -> Void) {
        send("/v1/clock/participants", ["name": "relay"], expecting: 201) { [self] answer in
            guard let id = answer["id"]?.string else { return end("the clock's owner gave no id") }
            self.id = id
            // Its beginning, on this clock.
            origin = clock.now() - .microseconds(answer["elapsed"]?.int ?? 0)
            hear(answer)
            done()
            stateSoon()
        }
    }

    /// At the end of this turn, when all that is due has been done.
    func stateSoon() {
        guard !id.isEmpty, !isOver, !isStating else { return }
        isStating = true
        loop.atEndOfTurn { [self] in
            isStating = false
            state()
        }
    }

    func close() {
        isOver = true
        pool.close()
    }

    private func state() {
        guard !isOver, !isBusy() else { return }
        let counts = counts()
        // Whole microseconds, and never now; beyond two centuries nobody waits.
        let until = loop.nextOnClock.map { next in
            min(Self.latest, heard + max(1, (next - clock.now()).nanoseconds.saturating(plus: 999) / 1_000))
        }
        open += 1
        send(
            "/v1/clock/participants/\(id)",
            [
                "elapsed": .integer(heard), "until": until.map { .integer($0) } ?? .null,
                "calls": .array([.integer(counts.callsTaken), .integer(counts.callsAnswered)]),
                "pushes": .array([.integer(counts.pushesSent), .integer(counts.pushesAnswered)]),
            ], expecting: 200
        ) { [self] answer in
            open -= 1
            hear(answer)
        }
    }

    private func hear(_ answer: JSONValue) {
        guard let elapsed = answer["elapsed"]?.int, let wall = answer["wall"]?.int, let scale = answer["scale"]?.double else {
            return end("the clock's owner does not tell the time")
        }
        let isNews = elapsed > heard
        if scale == 0, !clock.isStepped { clock.set(.stepped) }
        clock.step(to: origin + .microseconds(elapsed))
        heard = max(heard, elapsed)
        if scale > 0, ClockBounds.admits(scale: scale), clock.mode != .running(scale) { clock.set(.running(scale)) }
        wallShift = WallTime(nanoseconds: wall.saturating(times: 1_000)) - clock.wall()
        // An older statement's answer says nothing that the newer one's will not.
        if isNews || open == 0 { stateSoon() }
    }

    private func send(
        _ path: String, _ body: JSONValue, expecting status: Int, _ done: @escaping (JSONValue) -> Void
    ) {
        let request = OutgoingRequest(
            method: "POST", path: path, fields: [("content-type", "application/json")], body: body.encoded())
        pool.send(request) { [self] outcome in
            guard !isOver else { return }
            switch outcome {
            case .failed(let failure): end("the clock's owner is gone: \(failure.message)")
            case .response(let response):
                let body = response.body
                guard response.status == status, let answer = try? JSONValue(parsing: body.bytes, maxDepth: 8) else {
                    return end("the clock's owner answered \(response.status)")
                }
                done(answer)
            }
        }
    }

    private func end(_ words: String) {
        guard !isOver else { return }
        isOver = true
        fail(words)
    }
}
