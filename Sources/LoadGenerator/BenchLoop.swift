// One loop's share of a bench: its slots send, wait for the answer and send again. Confined to its loop.

import Basics
import EventLoop
import HTTP
import Net

/// One loop's part of the options.
struct BenchShare: Sendable {
    var options: BenchOptions
    var target: CheckedOrigin
    var connections: Int
    /// In flight at once.
    var slots: Int
    /// Nil: until the deadline.
    var requests: Int?
    var deadline: Instant
    var seed: Seed

    init(_ options: BenchOptions, _ target: CheckedOrigin, index: Int, of count: Int, start: Instant) {
        func share(of total: Int) -> Int { total / count + (index < total % count ? 1 : 0) }
        self.options = options
        self.target = target
        connections = share(of: options.connections)
        slots = connections * (options.isHTTP2 ? options.streams : 1)
        requests = options.requests.map(share)
        deadline = options.requests == nil ? start + options.duration : .distantFuture
        seed = options.seed.child("bench").child(UInt64(index))
    }
}

final class BenchLoop {
    private let loop: EventLoop
    private let share: BenchShare
    private let pool: ClientPool
    private let finished: (BenchTally) -> Void
    private var slots: [BenchSlot] = []
    private var tally = BenchTally()
    private var left: Int
    private var inFlight = 0
    private var isOver = false
    private var waiting: [BenchSlot] = []

    /// After a failure a slot rests this long, so that a dead peer is asked again without a storm.
    private static let rest = Interval.milliseconds(20)

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
        for number in 0..<share.slots {
            slots.append(
                BenchSlot(template, like: slots.first, seed: share.seed.child(UInt64(number))) { [self] slot, outcome in
                    landed(slot, outcome)
                })
        }
    }

    func start() {
        if share.deadline != .distantFuture {
            _ = loop.at(share.deadline) { [unowned self] in
                left = 0
                finishIfDone()
            }
        }
        for slot in slots where left > 0 { send(slot) }
        finishIfDone()
    }

    private func send(_ slot: BenchSlot) {
        left -= 1
        inFlight += 1
        slot.renew()
        pool.send(slot.request, completion: slot.completion)
    }

    private func landed(_ slot: BenchSlot, _ outcome: ClientOutcome) {
        inFlight -= 1
        switch outcome {
        case .response(let response):
            tally.record(response)
            if left > 0 { return send(slot) }
        case .failed(let failure):
            tally.record(failure)
            // A peer that never answered once is not asked for the whole duration.
            if tally.answered == 0, tally.failed > 3 * slots.count { left = 0 }
            if left > 0 { rest(slot) }
        }
        finishIfDone()
    }

    private func rest(_ slot: BenchSlot) {
        waiting.append(slot)
        guard waiting.count == 1 else { return }
        _ = loop.after(Self.rest) { [unowned self] in
            let ready = waiting
            waiting = []
            for slot in ready where left > 0 { send(slot) }
            finishIfDone()
        }
    }

    private func finishIfDone() {
        guard left <= 0, inFlight == 0, !isOver else { return }
        isOver = true
        pool.close()
        for slot in slots { slot.forget() }
        slots = []
        finished(tally)
    }
}
