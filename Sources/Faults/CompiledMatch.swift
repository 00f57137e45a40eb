// A match without its texts, held against pushes and connections.

import Basics
import Glibc

struct CompiledMatch {
    private let token: Hash128?
    private let tokens: Set<Hash128>?
    private let topic: [UInt8]
    private let match: FaultMatch
    private let pushChance: Seed
    private let tokenChance: Seed
    private let connectionChance: Seed

    init(_ match: FaultMatch, chance: Seed) {
        token = match.token.map(Self.hash)
        tokens = match.tokens.map { Set($0.map(Self.hash)) }
        topic = Array((match.topic ?? "").utf8)
        // Only the numbers are asked of it from here on.
        self.match = FaultMatch(
            provider: match.provider, pushType: match.pushType, event: match.event, nth: match.nth, fraction: match.fraction,
            tokenFraction: match.tokenFraction, priority: match.priority, environment: match.environment,
            endpoint: match.endpoint ?? .send,
            nthOfConnection: match.nthOfConnection, connection: match.connection,
            connectionFraction: match.connectionFraction)
        pushChance = chance.child("push")
        tokenChance = chance.child("token")
        connectionChance = chance.child("connection")
    }

    private static func hash(_ token: String) -> Hash128 { withBytes(of: token) { Hash128(ofToken: $0) } }

    func holds(for subject: borrowing FaultSubject) -> Bool {
        guard match.endpoint == subject.endpoint, holds(for: subject.caller) else { return false }
        if let token, token != subject.tokenHash { return false }
        if let tokens, !tokens.contains(subject.tokenHash) { return false }
        if let type = match.pushType, type != subject.pushType { return false }
        if let event = match.event, event != subject.event { return false }
        if let priority = match.priority, priority != subject.priority { return false }
        if let nth = match.nth, !nth.contains(UInt64(subject.nthOfToken)) { return false }
        if let nth = match.nthOfConnection, !nth.contains(UInt64(subject.nthOfConnection)) { return false }
        if !topic.isEmpty, !isTopic(of: subject) { return false }
        if let share = match.tokenFraction, tokenChance.child(subject.tokenHash.low).unit >= share { return false }
        if let share = match.fraction, pushChance.child(subject.pushIdentity).unit >= share { return false }
        return true
    }

    func holds(for caller: FaultCaller) -> Bool {
        if let provider = match.provider, provider != caller.provider { return false }
        if let environment = match.environment, environment != caller.environment { return false }
        if let connection = match.connection, !connection.contains(caller.number) { return false }
        if let share = match.connectionFraction, connectionChance.child(caller.number).unit >= share { return false }
        return true
    }

    private func isTopic(of subject: borrowing FaultSubject) -> Bool {
        equal(subject.topic) || equal(subject.topic.extracting(0..<subject.appBytes))
    }

    private func equal(_ text: Span<UInt8>) -> Bool {
        topic.count == text.count
            && topic.withUnsafeBufferPointer { left in
                text.withUnsafeBufferPointer { memcmp(left.baseAddress!, $0.baseAddress!, left.count) == 0 }
            }
    }
}
