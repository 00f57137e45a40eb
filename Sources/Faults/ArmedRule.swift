// A rule in force: compiled for matching, with its counts.

import APNs
import Basics
import Glibc

struct ArmedRule {
    /// The match without its texts.
    private struct Duty {
        var token: TokenHash?
        var pushType: PushType?
        var event: ActivityEvent?
        var priority: UInt8?
        var nth: UInt32?
        var fraction: Double?
        var tokenFraction: Double?

        init(_ match: FaultMatch) {
            token = match.token.map { text in withBytes(of: text) { TokenHash(hex: $0) } }
            pushType = match.pushType
            event = match.event
            priority = match.priority
            nth = match.nth.map { UInt32(clamping: $0) }
            fraction = match.fraction
            tokenFraction = match.tokenFraction
        }
    }

    let rule: FaultRule
    let number: UInt32
    let addedAt: Instant
    private let startsAt: Instant
    private let endsAt: Instant
    private let duty: Duty
    private let topic: [UInt8]
    private let pushChance: Seed
    private let tokenChance: Seed
    private let delayChance: Seed

    /// Pushes that matched, those let pass by `after` included.
    private(set) var matched = 0
    private(set) var fired = 0

    /// `seed` is the script's.
    init(_ rule: FaultRule, number: UInt32, seed: Seed, now: Instant) {
        self.rule = rule
        self.number = number
        addedAt = now
        startsAt = now + (rule.at ?? .zero)
        endsAt = rule.duration.map { [startsAt] in startsAt + $0 } ?? .distantFuture
        duty = Duty(rule.match)
        topic = Array((rule.match.topic ?? "").utf8)
        let chance = seed.child("fault").child(rule.id)
        pushChance = chance.child("push")
        tokenChance = chance.child("token")
        delayChance = chance.child("delay")
    }

    /// Whether it can never fire again.
    func isSpent(now: Instant) -> Bool { now >= endsAt || rule.times.map { fired >= $0 } ?? false }

    /// Counts a match; a firing when it is the rule's turn.
    mutating func meet(_ subject: borrowing FaultSubject, now: Instant) -> Firing? {
        guard now >= startsAt, !isSpent(now: now), matches(subject) else { return nil }
        matched += 1
        guard matched > rule.after ?? 0 else { return nil }
        fired += 1
        return Firing(ruleID: number, action: rule.action, delay: delay(subject.pushIdentity))
    }

    private func matches(_ subject: borrowing FaultSubject) -> Bool {
        if let token = duty.token, token != subject.tokenHash { return false }
        if let type = duty.pushType, type != subject.pushType { return false }
        if let event = duty.event, event != subject.event { return false }
        if let priority = duty.priority, priority != subject.priority { return false }
        if let nth = duty.nth, nth != subject.nthOfToken { return false }
        if !topic.isEmpty, !isTopic(subject.topic) { return false }
        if let share = duty.tokenFraction, tokenChance.child(subject.tokenHash.low).unit >= share { return false }
        if let share = duty.fraction, pushChance.child(subject.pushIdentity).unit >= share { return false }
        return true
    }

    private func isTopic(_ text: Span<UInt8>) -> Bool {
        if equal(text) { return true }
        return equal(text.extracting(0..<TopicParts(text).bundleCount))
    }

    private func equal(_ text: Span<UInt8>) -> Bool {
        topic.count == text.count
            && topic.withUnsafeBufferPointer { left in
                text.withUnsafeBufferPointer { memcmp(left.baseAddress!, $0.baseAddress!, left.count) == 0 }
            }
    }

    private func delay(_ identity: UInt64) -> Interval {
        guard case .delay(let distribution) = rule.action else { return .zero }
        var generator = delayChance.child(identity).generator()
        return .seconds(min(max(distribution.sample(&generator), 0), longestDelay.seconds))
    }
}
