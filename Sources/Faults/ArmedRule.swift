// A rule in force: compiled for matching, with its counts.

import APNs
import Basics
import Glibc

struct ArmedRule {
    /// Who is met, as far as counting and healing go.
    private struct Party {
        var token: UInt64
        var caller: FaultCaller
        var credential: UInt64
        /// What chance depends on.
        var identity: UInt64
    }

    /// The first firing, for cures.
    private struct Outbreak {
        var at: Instant
        var credential: UInt64
    }

    let rule: FaultRule
    let number: UInt32
    let addedAt: Instant
    let expiresAt: Instant
    private let startsAt: Instant
    private let endsAt: Instant
    private let match: CompiledMatch
    private let delayChance: Seed
    private var all = Tally()
    private var each: TallyTable?
    private var patients: TallyTable?
    private var outbreak: Outbreak?

    /// Pushes or connections that matched, those let pass by `after` included.
    private(set) var matched = 0
    private(set) var fired = 0
    /// Let pass because the peer did what heals.
    private(set) var healed = 0

    /// `seed` is the script's.
    init(_ rule: FaultRule, number: UInt32, seed: Seed, now: Instant) {
        self.rule = rule
        self.number = number
        addedAt = now
        startsAt = now + (rule.at ?? .zero)
        endsAt = rule.duration.map { [startsAt] in startsAt + $0 } ?? .distantFuture
        expiresAt = rule.timeToLive.map { now + $0 } ?? .distantFuture
        let chance = seed.child("fault").child(rule.id)
        match = CompiledMatch(rule.match, chance: chance)
        delayChance = chance.child("delay")
        if rule.per != .all { each = TallyTable() }
        if case .quiet? = rule.cure { patients = TallyTable() }
    }

    /// Whether it can never fire again.
    func isSpent(now: Instant) -> Bool {
        if now >= endsAt || now >= expiresAt { return true }
        guard rule.per == .all, rule.renew == nil, let times = rule.times else { return false }
        return fired >= times
    }

    /// Counts a match; a firing when it is the rule's turn.
    mutating func meet(_ subject: borrowing FaultSubject, now: Instant) -> Firing? {
        guard rule.target == subject.target, isInForce(now), match.holds(for: subject) else { return nil }
        return meet(
            Party(
                token: subject.tokenHash.low, caller: subject.caller, credential: subject.credential,
                identity: subject.pushIdentity), now: now)
    }

    /// The same for a connection. TLS is refused before it begins, everything else comes after; `beforeTLS` says which.
    mutating func meet(_ caller: FaultCaller, beforeTLS: Bool, now: Instant) -> Firing? {
        guard rule.target == .connection, isRefusal == beforeTLS, isInForce(now), match.holds(for: caller) else {
            return nil
        }
        return meet(Party(token: 0, caller: caller, credential: 0, identity: caller.number), now: now)
    }

    private var isRefusal: Bool { if case .refuseTLS = rule.action { true } else { false } }

    private func isInForce(_ now: Instant) -> Bool {
        guard now >= startsAt, !isSpent(now: now) else { return false }
        return rule.windows?.contains(now - startsAt) ?? true
    }

    private mutating func meet(_ party: Party, now: Instant) -> Firing? {
        matched += 1
        if isHealed(party, now: now) {
            healed += 1
            return nil
        }
        guard takesTurn(party, now: now) else { return nil }
        fired += 1
        if rule.cure != nil { noteOutbreak(party, now: now) }
        return Firing(ruleID: number, action: rule.action, delay: delay(party.identity))
    }

    // MARK: Counting

    private mutating func takesTurn(_ party: Party, now: Instant) -> Bool {
        let renewal = rule.renew.map { (now - startsAt).nanoseconds / $0.nanoseconds } ?? 0
        let (after, times) = (rule.after ?? 0, rule.times ?? .max)
        func turn(_ tally: inout Tally) -> Bool {
            if tally.renewal != renewal {
                tally.renewal = renewal
                tally.matched = 0
                tally.fired = 0
            }
            tally.matched &+= 1
            guard Int(tally.matched) > after, Int(tally.fired) < times else { return false }
            tally.fired += 1
            return true
        }
        switch rule.per {
        case .all: return turn(&all)
        case .token: return each!.with(party.token, turn) ?? false
        case .connection: return each!.with(party.caller.number, turn) ?? false
        }
    }

    // MARK: Healing

    private mutating func isHealed(_ party: Party, now: Instant) -> Bool {
        switch rule.cure {
        case nil: return false
        case .newConnection?: return outbreak.map { party.caller.acceptedAt > $0.at } ?? false
        case .newProviderToken?: return outbreak.map { party.credential != $0.credential } ?? false
        case .quiet(let rest)?:
            return patients!.with(party.token) { patient in
                if patient.lastMet != 0, now - Instant(nanoseconds: patient.lastMet) >= rest {
                    patient.isHealed = true
                }
                if patient.lastMet != 0 { patient.lastMet = now.nanoseconds }
                return patient.isHealed
            } ?? true
        }
    }

    private mutating func noteOutbreak(_ party: Party, now: Instant) {
        if outbreak == nil { outbreak = Outbreak(at: now, credential: party.credential) }
        if patients != nil { _ = patients!.with(party.token) { $0.lastMet = now.nanoseconds } }
    }

    private func delay(_ identity: UInt64) -> Interval {
        guard case .delay(let distribution) = rule.action else { return .zero }
        var generator = delayChance.child(identity).generator()
        return .seconds(min(max(distribution.sample(&generator), 0), longestDelay.seconds))
    }
}
