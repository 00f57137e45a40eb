// A rule in force: compiled for matching, with its counts.

import Basics
import Glibc

struct ArmedRule {
    /// Who is met, as far as counting and healing go.
    private struct Peer {
        var token: UInt64
        var caller: FaultCaller
        var credential: UInt64
        /// What chance depends on.
        var identity: UInt64
    }

    /// The first firing, for cures.
    private struct FirstFiring {
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
    private var quietTokens: TallyTable?
    private var firstFiring: FirstFiring?

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
        match = CompiledMatch(rule.match.of(rule.action.provider), chance: chance)
        delayChance = chance.child("delay")
        if rule.per != .all { each = TallyTable() }
        if case .quiet? = rule.cure { quietTokens = TallyTable() }
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
            Peer(
                token: subject.tokenHash.low, caller: subject.caller, credential: subject.credential,
                identity: subject.pushIdentity), now: now)
    }

    /// The same for a connection. TLS is refused before it begins, everything else comes after; `beforeTLS` says which.
    mutating func meet(_ caller: FaultCaller, beforeTLS: Bool, now: Instant) -> Firing? {
        guard rule.target == .connection, (rule.action.stage == .accept) == beforeTLS, isInForce(now),
            match.holds(for: caller)
        else { return nil }
        return meet(Peer(token: 0, caller: caller, credential: 0, identity: caller.number), now: now)
    }

    private func isInForce(_ now: Instant) -> Bool {
        guard now >= startsAt, !isSpent(now: now) else { return false }
        return rule.windows?.contains(now - startsAt) ?? true
    }

    private mutating func meet(_ peer: Peer, now: Instant) -> Firing? {
        matched += 1
        if isHealed(peer, now: now) {
            healed += 1
            return nil
        }
        guard takesTurn(peer, now: now) else { return nil }
        fired += 1
        if rule.cure != nil { noteFiring(peer, now: now) }
        return Firing(
            ruleID: number, action: rule.action, delay: delay(peer.identity), isOfConnection: rule.cure == .newConnection)
    }

    // MARK: Counting

    private mutating func takesTurn(_ peer: Peer, now: Instant) -> Bool {
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
        case .token: return each!.with(peer.token, turn) ?? false
        case .connection: return each!.with(peer.caller.number, turn) ?? false
        }
    }

    // MARK: Healing

    private mutating func isHealed(_ peer: Peer, now: Instant) -> Bool {
        switch rule.cure {
        case nil: return false
        case .newConnection?: return firstFiring.map { peer.caller.acceptedAt > $0.at } ?? false
        case .newProviderToken?: return firstFiring.map { peer.credential != $0.credential } ?? false
        case .quiet(let rest)?:
            return quietTokens!.with(peer.token) { token in
                if token.lastMet != 0, now - Instant(nanoseconds: token.lastMet) >= rest {
                    token.isHealed = true
                }
                if token.lastMet != 0 { token.lastMet = now.nanoseconds }
                return token.isHealed
            } ?? true
        }
    }

    private mutating func noteFiring(_ peer: Peer, now: Instant) {
        if firstFiring == nil { firstFiring = FirstFiring(at: now, credential: peer.credential) }
        if quietTokens != nil { _ = quietTokens!.with(peer.token) { $0.lastMet = now.nanoseconds } }
    }

    private func delay(_ identity: UInt64) -> Interval {
        if case .respond(_, _, let delay) = rule.action { return delay }
        guard case .delay(let distribution) = rule.action else { return .zero }
        var generator = delayChance.child(identity).generator()
        return .seconds(min(max(distribution.sample(&generator), 0), longestDelay.seconds))
    }
}
