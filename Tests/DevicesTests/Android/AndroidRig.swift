// One Android device behind a registration, messages to it, and a clock that tests move.

import Basics
import Devices
import FCM
import Pushes

final class AndroidRig {
    static let hash = Hash128(high: 1, low: 2)

    let fleet: AndroidFleet
    private let all: DeviceFleet
    private(set) var now = WallTime(seconds: 1_700_000_000)
    private(set) var setup = AndroidSetup()
    /// The number of the message that was sent last.
    private(set) var last: UInt64 = 0
    /// What became of those that were stored; the first is told twice where a model does so.
    private(set) var late: [UInt64: [LateOutcome]] = [:]

    init(_ knobs: (inout AndroidSetup) -> Void = { _ in }, settings: (inout AndroidSettings) -> Void = { _ in }) {
        var rules = DeviceSettings()
        settings(&rules.android)
        all = DeviceFleet(settings: rules)
        fleet = all.androids
        knobs(&setup)
        fleet.set(setup, of: Self.hash, now: now)
    }

    /// Data alone, at high priority, unless a knob is turned.
    func send(
        activity: String = "", order: LiveUpdate.Order = .asTaken, isEnd: Bool = false,
        _ knobs: (inout MessageFacts) -> Void = { _ in }
    ) -> AndroidVerdict {
        var facts = MessageFacts()
        facts.hasData = true
        facts.isHighPriority = true
        knobs(&facts)
        let update = withBytes(of: activity) { LiveUpdate($0, order: order, isEnd: isEnd) }
        let message = AndroidMessage(facts, update)
        guard let verdict = fleet.deliver(message, to: Self.hash, now: now) else { preconditionFailure("it has a device") }
        last += 1
        if verdict.outcome == .stored { fleet.store(message, to: Self.hash, push: last, now: now) }
        hear()
        return verdict
    }

    func change(_ knobs: (inout AndroidSetup) -> Void) {
        knobs(&setup)
        fleet.set(setup, of: Self.hash, now: now)
        hear()
    }

    func pass(_ time: Interval) {
        now = now + time
        fleet.advance(to: now)
        hear()
    }

    func remove() {
        fleet.remove(Self.hash, now: now)
        hear()
    }

    private func hear() {
        for outcome in fleet.takeLate() { late[outcome.push, default: []].append(outcome) }
    }

    /// What became of a message that was stored; nil: nothing yet.
    func end(of push: UInt64) -> (outcome: Outcome, reason: AndroidReason?)? {
        guard let end = late[push]?.first else { return nil }
        guard case .android(let reason)? = end.reason else { return (end.outcome, nil) }
        return (end.outcome, reason)
    }

    /// What a registration without a device does: nil.
    func deliverElsewhere() -> AndroidVerdict? {
        fleet.deliver(AndroidMessage(MessageFacts()), to: Hash128(high: 0, low: 1), now: now)
    }

    var record: AndroidRecord? { fleet.record(of: Self.hash, now: now) }
}

extension AndroidVerdict {
    /// Outcome and reason, for comparisons.
    func `is`(_ outcome: Outcome, _ reason: AndroidReason? = nil) -> Bool { self.outcome == outcome && self.reason == reason }
}
