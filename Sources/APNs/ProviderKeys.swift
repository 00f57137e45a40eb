// The provider keys a mock knows, as the developer portal would list them, and the tokens already verified with them.

package import Basics
import Pushes
import Synchronization

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
        var tokens: [(hash: Hash128, token: [UInt8], verified: Verified)] = []
        var nextSlot = 0
    }

    /// Keys of a team and environment that the portal gives out (docs/apns.md §8).
    package static let environmentKeyLimit = 2
    package static let topicKeyLimit = 200
    /// Keys in all; the portal has no such number, we need one.
    package static let keyLimit = 10_000
    /// Verified tokens kept; the oldest makes room.
    private static let tokenLimit = 256

    private let state = Mutex(State())
    private let changes = Atomic<UInt64>(1)

    package init() {}

    /// Counts changes of the set of keys: what was concluded under another count is void.
    var generation: UInt64 { changes.load(ordering: .acquiring) }

    /// Replaces a key of the same ID. A usage failure says which of the portal's limits is in the way.
    package func add(_ record: KeyRecord, verifier: any SignatureVerifier) throws(Failure) {
        try record.check()
        let key = ProviderKey(record, verifier)
        let refusal: Failure? = change { keys in
            if let refusal = Self.objection(to: record, among: keys) { return refusal }
            keys[record.keyID] = key
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Revokes a key; true when there was one.
    @discardableResult
    package func remove(keyID: String) -> Bool { change { $0.removeValue(forKey: keyID) != nil } }

    package func key(id: String) -> ProviderKey? { state.withLock { $0.keys[id] } }

    /// By key ID.
    package var records: [KeyRecord] {
        state.withLock { $0.keys.values.map(\.record) }.sorted { $0.keyID < $1.keyID }
    }

    /// The portal's limits: a related key must be there, of the same kind, place and team, and free.
    private static func objection(to new: KeyRecord, among keys: [String: ProviderKey]) -> Failure? {
        let others = keys.values.map(\.record).filter { $0.keyID != new.keyID }
        guard others.count < keyLimit else { return Failure(.usage, "there are \(keyLimit) keys already") }
        let siblings = others.filter { $0.teamID == new.teamID && $0.scope.environment == new.scope.environment }
        switch new.scope {
        case .team: return nil
        case .environment(let environment):
            let count = siblings.filter { $0.scope.topics == nil }.count
            guard count >= environmentKeyLimit else { return nil }
            return Failure(
                .usage, "team \(new.teamID) has \(count) team-scoped keys for \(environment.word) already",
                hint: "Apple allows \(environmentKeyLimit); revoke one first")
        case .topics(_, let environment, let related):
            let count = siblings.filter { $0.scope.topics != nil }.count
            guard count < topicKeyLimit else {
                return Failure(
                    .usage, "team \(new.teamID) has \(count) topic-specific keys for \(environment.word) already",
                    hint: "Apple allows \(topicKeyLimit); revoke one first")
            }
            guard let related else { return nil }
            guard let relative = siblings.first(where: { $0.keyID == related }), relative.scope.topics != nil else {
                return Failure(
                    .usage, "there is no topic-specific key \(related) of team \(new.teamID) for \(environment.word)",
                    hint: "make it first; a related key has the same team and environment")
            }
            let isTaken =
                relative.scope.relatedKeyID.map { $0 != new.keyID } ?? false
                || others.contains {
                    $0.scope.relatedKeyID == related || $0.scope.relatedKeyID == new.keyID && $0.keyID != related
                }
            return isTaken
                ? Failure(
                    .usage, "key \(related) or \(new.keyID) has a related key already",
                    hint: "Apple allows one; choose another")
                : nil
        }
    }

    // MARK: Tokens

    func verified(_ token: Span<UInt8>, hash: Hash128) -> Verified? {
        state.withLock { state in
            for entry in state.tokens where entry.hash == hash && token.matches(entry.token) { return entry.verified }
            return nil
        }
    }

    func remember(_ token: Span<UInt8>, hash: Hash128, as verified: Verified) {
        state.withLock { state in
            // The key may have been replaced while the signature was being checked.
            guard state.keys[verified.key.record.keyID] === verified.key else { return }
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
