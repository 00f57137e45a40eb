// The scenario's faults, given to the mock when their time comes.

import Basics
import Faults
import Journal
import Pushes
import Scenarios

/// Confined to the thread that runs the harness.
struct FaultTimeline {
    /// With their numbers among the scenario's.
    private var pending: [(number: Int, fault: ScheduledFault)]
    private let give: (FaultRule, Instant) -> UInt32
    private(set) var given: [GivenFault] = []
    /// How often each has fired as far as known, by its number among the scenario's.
    private(set) var firings: [Int]

    /// `give` puts a rule in force and gives the number it has there.
    init(_ faults: [ScheduledFault], give: @escaping (FaultRule, Instant) -> UInt32) {
        pending = faults.enumerated().filter { !$0.element.isLeftOut }.map { ($0.offset, $0.element) }
            .sorted { $0.fault.at < $1.fault.at }
        firings = [Int](repeating: 0, count: faults.count)
        self.give = give
    }

    /// When the next one is due, after the origin.
    var next: Interval? { pending.first?.fault.at }

    /// Gives what is due, and tells what that was.
    mutating func advance(since origin: Instant, now: Instant) -> [FaultNote] {
        let before = given.count
        while let (number, fault) = pending.first, now >= origin + fault.at {
            pending.removeFirst()
            let rule = give(fault.rule, now)
            given.append(GivenFault(rule: fault.rule, addedAt: now, number: number, ruleNumber: rule))
        }
        return given[before...].map { FaultNote(number: $0.number, rule: $0.ruleNumber, label: $0.label) }
    }

    /// What has not come yet never does.
    mutating func giveNoMore() { pending = [] }

    /// Takes the counts of the rules in force; those that are gone by then keep what they had.
    mutating func count(_ rules: [FaultRuleStatus]) {
        for fault in given {
            guard let status = rules.first(where: { $0.number == fault.ruleNumber }) else { continue }
            firings[fault.number] = max(firings[fault.number], status.fired)
        }
    }

    func active(at now: Instant) -> [String] { given.filter { $0.isInForce(at: now) }.map(\.label) }
}

/// A fault that the mock was given, and when it was in force as far as the clock tells.
struct GivenFault {
    let label: String
    /// Among the scenario's.
    let number: Int
    /// In the mock, and in each push that it met.
    let ruleNumber: UInt32
    private let start: Instant
    /// Nil: to the end.
    private let end: Instant?
    private let windows: FaultWindows?

    init(rule: FaultRule, addedAt: Instant, number: Int = 0, ruleNumber: UInt32 = 0) {
        self.number = number
        self.ruleNumber = ruleNumber
        label = rule.label
        start = addedAt + (rule.at ?? .zero)
        end = rule.end(addedAt: addedAt)
        windows = rule.windows
    }

    func isInForce(at now: Instant) -> Bool {
        now >= start && now < (end ?? .distantFuture) && windows?.contains(now - start) ?? true
    }
}

extension FaultRule {
    /// A few words for a chart: `410 Unregistered`, `502`, `delay`, `goaway`, `raw bad-hpack`.
    var label: String {
        switch action {
        case .respond(let reason, _, _), .refuse(let reason): "\(reason.status) \(reason.word)"
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
