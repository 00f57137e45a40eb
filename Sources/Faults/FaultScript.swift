// The rules in force, asked once per push and connection from every loop.

package import Basics
import Synchronization

/// A rule and how it fared.
package struct FaultRuleStatus: Sendable {
    /// With the id it was given.
    package var rule: FaultRule
    /// Within its script, from 1.
    package var number: UInt32
    package var fired: Int
    /// Pushes or connections it matched, fired or not.
    package var matched: Int
    /// Of these, let pass because the peer did what heals.
    package var healed: Int
    package var addedAt: Instant
}

extension FaultRuleStatus {
    init(_ armed: ArmedRule) {
        self.init(
            rule: armed.rule, number: armed.number, fired: armed.fired, matched: armed.matched, healed: armed.healed,
            addedAt: armed.addedAt)
    }
}

/// Rules in the order in which they were added; the first that matches fires. From any thread.
package final class FaultScript: Sendable {
    /// More rules than this are not kept: spent ones go first, then the oldest.
    package static let ruleLimit = 1024
    /// Of so many rules the ids are remembered after they have gone.
    private static let nameLimit = 65_536

    private struct State {
        var rules: [ArmedRule] = []
        /// Ids by number, from 1.
        var names: [String] = []
        var nextNumber: UInt32 = 1
        /// When the first rule's time to live is over.
        var nextExpiry = Instant.distantFuture
    }

    private let seed: Seed
    private let state = Mutex(State())
    private let pushRules = Atomic<Int>(0)
    private let connectionRules = Atomic<Int>(0)
    private let broadcastRules = Atomic<Int>(0)
    private let endpointRules = Atomic<Int>(0)

    package init(seed: Seed) { self.seed = seed }

    /// Returns the rule's id: its own, or `f` and its number. A rule of the same id is replaced.
    @discardableResult
    package func add(_ rule: FaultRule, now: Instant) -> String {
        state.withLock { state in
            var rule = rule
            if rule.id.isEmpty { rule.id = "f\(state.nextNumber)" }
            state.rules.removeAll { $0.rule.id == rule.id || now >= $0.expiresAt }
            if state.rules.count >= Self.ruleLimit { state.rules.removeAll { $0.isSpent(now: now) } }
            if state.rules.count >= Self.ruleLimit { state.rules.removeFirst() }
            state.rules.append(ArmedRule(rule, number: state.nextNumber, seed: seed, now: now))
            if state.names.count < Self.nameLimit { state.names.append(rule.id) }
            state.nextNumber += 1
            changed(&state)
            return rule.id
        }
    }

    /// True when there was one of that id.
    @discardableResult
    package func remove(id: String) -> Bool {
        state.withLock { state in
            let before = state.rules.count
            state.rules.removeAll { $0.rule.id == id }
            changed(&state)
            return state.rules.count < before
        }
    }

    package func removeAll() {
        state.withLock { state in
            state.rules.removeAll()
            changed(&state)
        }
    }

    /// Forgets rules whose time to live is over; they fire no more anyway.
    package func removeExpired(now: Instant) {
        state.withLock { sweep(&$0, now: now) }
    }

    private func sweep(_ state: inout State, now: Instant) {
        guard now >= state.nextExpiry else { return }
        state.rules.removeAll { now >= $0.expiresAt }
        changed(&state)
    }

    private func changed(_ state: inout State) {
        state.nextExpiry = state.rules.map(\.expiresAt).min() ?? .distantFuture
        pushRules.store(state.rules.count { $0.rule.meetsSends }, ordering: .releasing)
        connectionRules.store(state.rules.count { $0.rule.target == .connection }, ordering: .releasing)
        broadcastRules.store(state.rules.count { $0.rule.target == .broadcast }, ordering: .releasing)
        endpointRules.store(state.rules.count { $0.rule.target == .push && !$0.rule.meetsSends }, ordering: .releasing)
    }

    /// In order, spent ones included.
    package var rules: [FaultRuleStatus] { state.withLock { $0.rules.map(FaultRuleStatus.init) } }

    /// Of the rule with that id.
    package func status(of id: String) -> FaultRuleStatus? {
        state.withLock { state in state.rules.first { $0.rule.id == id }.map(FaultRuleStatus.init) }
    }

    /// True: nothing can fire. Takes no lock.
    package var isEmpty: Bool { !hasPushRules && !hasConnectionRules && !hasBroadcastRules && !hasEndpointRules }

    /// False: no push need be shown to the rules. Takes no lock.
    package var hasPushRules: Bool { pushRules.load(ordering: .acquiring) > 0 }

    /// False: no broadcast need be shown to the rules. Takes no lock.
    package var hasBroadcastRules: Bool { broadcastRules.load(ordering: .acquiring) > 0 }

    /// False: nothing that goes to other endpoints than pushes do need be shown to the rules. Takes no lock.
    package var hasEndpointRules: Bool { endpointRules.load(ordering: .acquiring) > 0 }

    /// False: no connection need be shown to the rules. Takes no lock.
    package var hasConnectionRules: Bool { connectionRules.load(ordering: .acquiring) > 0 }

    /// Also of rules that have gone; nil when there never was such a rule.
    package func id(of number: UInt32) -> String? {
        state.withLock { state in
            number > 0 && number <= state.names.count ? state.names[Int(number) - 1] : nil
        }
    }

    /// The first rule that meets this push or broadcast, if any. Counts, so ask once per push.
    package func firing(for subject: borrowing FaultSubject, now: Instant) -> Firing? {
        let isConcerned =
            subject.endpoint != .send ? hasEndpointRules : subject.target == .broadcast ? hasBroadcastRules : hasPushRules
        guard isConcerned else { return nil }
        return state.withLock { state in
            sweep(&state, now: now)
            for index in state.rules.indices {
                if let firing = state.rules[index].meet(subject, now: now) { return firing }
            }
            return nil
        }
    }

    /// The first rule that meets this connection, if any: refusals of TLS when it was accepted, all others when it
    /// speaks HTTP/2. Counts, so ask once for each.
    package func firing(for caller: FaultCaller, beforeTLS: Bool, now: Instant) -> Firing? {
        guard hasConnectionRules else { return nil }
        return state.withLock { state in
            sweep(&state, now: now)
            for index in state.rules.indices {
                if let firing = state.rules[index].meet(caller, beforeTLS: beforeTLS, now: now) { return firing }
            }
            return nil
        }
    }
}
