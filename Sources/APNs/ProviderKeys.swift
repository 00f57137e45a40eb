// The provider keys a mock knows, as the developer portal would list them, and the tokens already verified with them.

import Basics
import Synchronization

/// One key. A key with topics is what Apple calls topic-specific; one without is a team's (spec/apns.md §8).
package final class ProviderKey: Sendable {
    package let keyID: String
    package let teamID: String
    /// Nil: both.
    package let environment: APNsEnvironment?
    /// Bundle IDs; nil: all of the team's.
    package let topics: [String]?
    /// The one other key that may share a connection with a topic-specific one.
    package let relatedKeyID: String?
    let topicBytes: [[UInt8]]?
    let verifier: any SignatureVerifier

    init(
        keyID: String, teamID: String, environment: APNsEnvironment?, topics: [String]?, relatedKeyID: String?,
        verifier: any SignatureVerifier
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
        self.topics = topics
        self.relatedKeyID = relatedKeyID
        self.topicBytes = topics.map { $0.map { Array($0.utf8) } }
        self.verifier = verifier
    }

    /// Whether both may be used on one connection (§8): two keys of the team, or a topic-specific one and its relative.
    func isRelated(to other: ProviderKey) -> Bool {
        if keyID == other.keyID || (topics == nil && other.topics == nil) { return true }
        guard topics != nil, other.topics != nil else { return false }
        return relatedKeyID == other.keyID || other.relatedKeyID == keyID
    }
}

/// Keys by `kid`. Shared by all loops.
package final class ProviderKeys: Sendable {
    /// A token whose signature was found good.
    struct Verified {
        var key: ProviderKey
        /// Unix seconds.
        var issuedAt: Int64
    }

    private struct State {
        var keys: [String: ProviderKey] = [:]
        var tokens: [(hash: TokenHash, token: [UInt8], verified: Verified)] = []
        var nextSlot = 0
    }

    /// Verified tokens kept; the oldest makes room.
    private static let tokenLimit = 256

    private let state = Mutex(State())
    private let changes = Atomic<UInt64>(1)

    package init() {}

    /// Counts changes of the set of keys: what was concluded under another count is void.
    var generation: UInt64 { changes.load(ordering: .acquiring) }

    /// `environment` nil: both; `topics` (bundle IDs) nil: all of the team's. Replaces a key of the same ID.
    package func add(
        keyID: String, teamID: String, environment: APNsEnvironment?, topics: [String]?,
        relatedKeyID: String? = nil, verifier: any SignatureVerifier
    ) {
        let key = ProviderKey(
            keyID: keyID, teamID: teamID, environment: environment, topics: topics, relatedKeyID: relatedKeyID,
            verifier: verifier)
        change { $0[keyID] = key }
    }

    /// Revokes a key; true when there was one.
    @discardableResult
    package func remove(keyID: String) -> Bool { change { $0.removeValue(forKey: keyID) != nil } }

    package func key(id: String) -> ProviderKey? { state.withLock { $0.keys[id] } }

    func verified(_ token: Span<UInt8>, hash: TokenHash) -> Verified? {
        state.withLock { state in
            for entry in state.tokens where entry.hash == hash && token.matches(entry.token) { return entry.verified }
            return nil
        }
    }

    func remember(_ token: Span<UInt8>, hash: TokenHash, as verified: Verified) {
        state.withLock { state in
            // The key may have been replaced while the signature was being checked.
            guard state.keys[verified.key.keyID] === verified.key else { return }
            let entry = (hash, token.array, verified)
            if state.tokens.count < Self.tokenLimit {
                state.tokens.append(entry)
            } else {
                state.tokens[state.nextSlot] = entry
                state.nextSlot = (state.nextSlot + 1) % Self.tokenLimit
            }
        }
    }

    private func change<R: Sendable>(_ body: (inout sending [String: ProviderKey]) -> R) -> R {
        state.withLock { state in
            state.tokens.removeAll()
            changes.wrappingAdd(1, ordering: .releasing)
            return body(&state.keys)
        }
    }
}
