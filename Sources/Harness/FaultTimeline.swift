// The scenario's faults, given to the mock when their time comes.

import APNs
import Basics
import Faults
import Reports
import Scenarios

/// Confined to the thread that runs the harness.
struct FaultTimeline {
    private var pending: [ScheduledFault]
    private let script: FaultScript
    /// Faults given so far: what they are, from when, until when (nil: to the end).
    private(set) var given: [(label: String, start: Instant, end: Instant?)] = []

    init(_ faults: [ScheduledFault], script: FaultScript) {
        pending = faults.sorted { $0.at < $1.at }
        self.script = script
    }

    /// When the next one is due, after the origin.
    var next: Interval? { pending.first?.at }

    mutating func advance(since origin: Instant, now: Instant) {
        while let first = pending.first, now >= origin + first.at {
            pending.removeFirst()
            _ = script.add(first.rule, now: now)
            given.append((first.rule.label, now, first.rule.end(addedAt: now)))
        }
    }

    func active(at now: Instant) -> [String] {
        given.filter { $0.start <= now && ($0.end ?? .distantFuture) > now }.map(\.label)
    }
}

extension FaultRule {
    /// A few words for a chart: `410 Unregistered`, `502`, `delay`, `goaway`, `raw bad-hpack`.
    var label: String {
        switch action {
        case .respond(let reason, _): "\(reason.status) \(reason.word)"
        case .refuse(let reason): "\(reason.status) \(reason.word)"
        case .answer(let answer): "\(answer.status)"
        case .maxStreams(let count): "max-streams \(count)"
        case .close(let fault): "close \(fault.manner.rawValue)"
        case .raw(let fault): fault.name.map { "raw \($0)" } ?? "raw"
        case .delay, .silence, .resetStream, .goAway, .window, .refuseTLS: action.word
        }
    }

    /// When it can fire no more, as far as the clock tells.
    func end(addedAt start: Instant) -> Instant? {
        let ends = [duration.map { start + (at ?? .zero) + $0 }, timeToLive.map { start + $0 }].compactMap { $0 }
        return ends.min()
    }
}
