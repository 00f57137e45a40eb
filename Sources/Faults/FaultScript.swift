// The rules in force, asked once per push from every loop.

package import Basics
import Synchronization

/// A rule and how it fared.
package struct FaultRuleStatus: Sendable {
    /// With the id it was given.
    package var rule: FaultRule
    /// Within its script, from 1.
    package var number: UInt32
    package var fired: Int
    /// Pushes it matched, fired or not.
    package var matched: Int
    package var addedAt: Instant
}

/// Rules in the order in which they were added; the first that matches fires. From any thread.
package final class FaultScript: Sendable {
    /// More rules than this are not kept: spent ones go first, then the oldest.
    package static let ruleLimit = 1024

    private struct State {
        var rules: [ArmedRule] = []
        var nextNumber: UInt32 = 1
    }

    private let seed: Seed
    private let state = Mutex(State())
    private let ruleCount = Atomic<Int>(0)

    package init(seed: Seed) { self.seed = seed }

    /// Returns the rule's id: its own, or `f` and its number. A rule of the same id is replaced.
    @discardableResult
    package func add(_ rule: FaultRule, now: Instant) -> String {
        state.withLock { state in
            var rule = rule
            if rule.id.isEmpty { rule.id = "f\(state.nextNumber)" }
            state.rules.removeAll { $0.rule.id == rule.id }
            if state.rules.count >= Self.ruleLimit { state.rules.removeAll { $0.isSpent(now: now) } }
            if state.rules.count >= Self.ruleLimit { state.rules.removeFirst() }
            state.rules.append(ArmedRule(rule, number: state.nextNumber, seed: seed, now: now))
            state.nextNumber += 1
            ruleCount.store(state.rules.count, ordering: .releasing)
            return rule.id
        }
    }

    /// True when there was one of that id.
    @discardableResult
    package func remove(id: String) -> Bool {
        state.withLock { state in
            let before = state.rules.count
            state.rules.removeAll { $0.rule.id == id }
            ruleCount.store(state.rules.count, ordering: .releasing)
            return state.rules.count < before
        }
    }

    package func removeAll() {
        state.withLock { state in
            state.rules.removeAll()
            ruleCount.store(0, ordering: .releasing)
        }
    }

    /// In order, spent ones included.
    package var rules: [FaultRuleStatus] {
        state.withLock { state in
            state.rules.map {
                FaultRuleStatus(
                    rule: $0.rule, number: $0.number, fired: $0.fired, matched: $0.matched, addedAt: $0.addedAt)
            }
        }
    }

    /// True: nothing can fire, so a subject need not be made. Takes no lock.
    package var isEmpty: Bool { ruleCount.load(ordering: .acquiring) == 0 }

    /// Nil when the rule was removed.
    package func id(of number: UInt32) -> String? {
        state.withLock { state in state.rules.first { $0.number == number }?.rule.id }
    }

    /// The first rule that meets this push, if any. Counts, so ask once per push.
    package func firing(for subject: borrowing FaultSubject, now: Instant) -> Firing? {
        if isEmpty { return nil }
        return state.withLock { state in
            for index in state.rules.indices {
                if let firing = state.rules[index].meet(subject, now: now) { return firing }
            }
            return nil
        }
    }
}
