// The scenario's faults, given to the mock when their time comes.

import APNs
import Basics
import Faults
import Reports
import Scenarios

/// Confined to the thread that runs the harness.
struct FaultTimeline {
    private var pending: [ScheduledFault]
    private let give: (FaultRule, Instant) -> Void
    private(set) var given: [GivenFault] = []

    /// `give` puts a rule in force.
    init(_ faults: [ScheduledFault], give: @escaping (FaultRule, Instant) -> Void) {
        pending = faults.sorted { $0.at < $1.at }
        self.give = give
    }

    /// When the next one is due, after the origin.
    var next: Interval? { pending.first?.at }

    mutating func advance(since origin: Instant, now: Instant) {
        while let first = pending.first, now >= origin + first.at {
            pending.removeFirst()
            give(first.rule, now)
            given.append(GivenFault(rule: first.rule, addedAt: now))
        }
    }

    func active(at now: Instant) -> [String] { given.filter { $0.isInForce(at: now) }.map(\.label) }
}

/// A fault that the mock was given, and when it was in force as far as the clock tells.
struct GivenFault {
    let label: String
    private let start: Instant
    /// Nil: to the end.
    private let end: Instant?
    private let windows: FaultWindows?

    /// More windows than this are told as one time.
    static let mostWindows = 200

    init(rule: FaultRule, addedAt: Instant) {
        label = rule.label
        start = addedAt + (rule.at ?? .zero)
        end = rule.end(addedAt: addedAt)
        windows = rule.windows
    }

    func isInForce(at now: Instant) -> Bool {
        now >= start && now < (end ?? .distantFuture) && windows?.contains(now - start) ?? true
    }

    /// Each window by itself, or all of its time, until `last`.
    func times(until last: Instant) -> [Range<Instant>] {
        let end = min(end ?? last, last)
        guard start < end else { return [] }
        let windows = windows?.times(within: end - start, most: Self.mostWindows)
        return windows?.map { start + $0.lowerBound..<start + $0.upperBound } ?? [start..<end]
    }
}

extension FaultRule {
    /// A few words for a chart: `410 Unregistered`, `502`, `delay`, `goaway`, `raw bad-hpack`.
    var label: String {
        switch action {
        case .respond(let reason, _): "\(reason.status) \(reason.word)"
        case .refuse(let reason): "\(reason.status) \(reason.word)"
        case .answer(let answer): "\(answer.status)"
        case .maxStreams(let fault): "max-streams \(fault.count)"
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
