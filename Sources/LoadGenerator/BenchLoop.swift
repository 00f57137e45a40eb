// One loop's share of a bench: its slots send, wait for the answer and send again, at once or when the rate says so.
// Confined to its loop.

import Basics
import EventLoop
import HTTP
import Metrics
import Net

/// One loop's part of the options.
struct BenchShare: Sendable {
    var options: BenchOptions
    var target: CheckedOrigin
    var connections: Int
    /// In flight at once.
    var slots: Int
    /// Nil: until the time is over.
    var requests: Int?
    let index: Int
    let count: Int
    /// Of requests without a rate; nil: after `requests`.
    var deadline: Instant?

    init(_ options: BenchOptions, _ target: CheckedOrigin, index: Int, of count: Int, start: Instant) {
        func share(of total: Int) -> Int { total / count + (index < total % count ? 1 : 0) }
        self.options = options
        self.target = target
        connections = share(of: options.connections)
        slots = connections * (options.isHTTP2 ? options.streams : 1)
        requests = options.requests.map(share)
        (self.index, self.count) = (index, count)
        deadline = options.requests == nil ? start + options.duration : nil
    }

    /// The number over all loops of this loop's `position`-th request.
    func number(_ position: Int) -> Int { position * count + index }
}

final class BenchLoop {
    private let loop: EventLoop
    private let share: BenchShare
    private let pool: ClientPool
    private let finished: (BenchTally) -> Void
    private var slots: [BenchSlot] = []
    private var tally = BenchTally()
    private var left: Int
    private var sent = 0
    private var inFlight = 0
    private var isOver = false
    private var waiting: [BenchSlot] = []
    /// Once it has begun, where there is a rate; slots that are free then are in `waiting`.
    private var pace: BenchPace?

    /// After a failure a slot rests this long, so that a dead peer is asked again without a storm.
    private static let rest = Interval.milliseconds(20)
    /// So long a rate waits for its connections: their handshakes are not what it measures.
    private static let patience = Interval.seconds(1)

    init(_ share: BenchShare, loop: EventLoop, finished: @escaping (BenchTally) -> Void) throws {
        self.share = share
        self.loop = loop
        self.finished = finished
        left = share.requests ?? .max
        var client = ClientConfiguration(
            version: share.options.isHTTP2 ? .http2 : .http1, tls: TLSClientSettings(caFile: share.options.caFile))
        client.maxConnections = share.connections
        client.opensEagerly = true
        client.maxConcurrentStreams = share.options.isHTTP2 ? share.options.streams : 1
        client.maxQueued = max(client.maxQueued, share.slots)
        client.requestTimeout = share.options.requestTimeout
        pool = try ClientPool(loop: loop, target: share.target, configuration: client)
        let template = BenchRequest(share.options)
        for _ in 0..<share.slots {
            slots.append(BenchSlot(template, like: slots.first) { [self] slot, outcome in landed(slot, outcome) })
        }
    }

    func start() {
        if let rate = share.options.rate { return awaitConnections(rate, until: loop.now + Self.patience) }
        if let deadline = share.deadline { end(at: deadline) }
        for slot in slots where left > 0 { send(slot, since: loop.now) }
        finishIfDone()
    }

    private func end(at deadline: Instant) {
        _ = loop.at(deadline) { [unowned self] in
            tally.unsent += max(0, (pace?.count(before: deadline) ?? 0) - sent)
            left = 0
            finishIfDone()
        }
    }

    private func awaitConnections(_ rate: Double, until last: Instant) {
        guard pool.statistics.connectionsOpen >= share.connections || loop.now >= last else {
            _ = loop.after(.milliseconds(1)) { [unowned self] in awaitConnections(rate, until: last) }
            return
        }
        let pace = BenchPace(rate: rate, index: share.index, of: share.count, start: loop.now)
        self.pace = pace
        tally.begun = pace.instant(0)
        waiting = slots
        if share.requests == nil { end(at: loop.now + share.options.duration) }
        sendDue(pace, isOnTime: true)
    }

    /// Sends what is due as far as slots are free, and comes again when the next one is. `isOnTime`: a slot was free before,
    /// so that a request is late by us alone.
    private func sendDue(_ pace: BenchPace, isOnTime: Bool) {
        while left > 0, let slot = waiting.last {
            let planned = pace.instant(sent)
            let now = loop.stamp()
            guard planned <= now else {
                _ = loop.at(planned) { [unowned self] in sendDue(pace, isOnTime: true) }
                break
            }
            waiting.removeLast()
            if isOnTime { tally.lateness.record((now - planned).nanoseconds) }
            send(slot, since: planned)
        }
        finishIfDone()
    }

    private func send(_ slot: BenchSlot, since: Instant) {
        slot.renew(share.number(sent))
        slot.since = since
        left -= 1
        sent += 1
        inFlight += 1
        pool.send(slot.request, completion: slot.completion)
    }

    private func landed(_ slot: BenchSlot, _ outcome: ClientOutcome) {
        inFlight -= 1
        switch outcome {
        case .response(let response):
            tally.record(response, since: pace == nil ? response.sentAt : slot.since)
        case .failed(let failure):
            tally.record(failure)
            // A peer that never answered once is not asked for the whole duration.
            if tally.answered == 0, tally.failed > 3 * slots.count { left = 0 }
        }
        if let pace {
            waiting.append(slot)
            // While others are free a timer runs already.
            if waiting.count == 1 { sendDue(pace, isOnTime: false) }
        } else if left > 0 {
            if case .failed = outcome { rest(slot) } else { send(slot, since: loop.now) }
        }
        finishIfDone()
    }

    private func rest(_ slot: BenchSlot) {
        waiting.append(slot)
        guard waiting.count == 1 else { return }
        _ = loop.after(Self.rest) { [unowned self] in
            let ready = waiting
            waiting = []
            for slot in ready where left > 0 { send(slot, since: loop.now) }
            finishIfDone()
        }
    }

    private func finishIfDone() {
        guard left <= 0, inFlight == 0, !isOver else { return }
        isOver = true
        pool.close()
        for slot in slots { slot.forget() }
        slots = []
        waiting = []
        finished(tally)
    }
}
