// Which registrations listen to which topics (docs/fcm.md §1, §4).

package import Basics
package import FCM
import Synchronization

/// Why a registration was not subscribed; the words of Instance ID (§3.5).
package enum SubscriptionTrouble: String, Error, Sendable {
    case invalidArgument = "INVALID_ARGUMENT"
    case tooManyTopics = "TOO_MANY_TOPICS"
}

/// One subscription.
package struct Subscription: Hashable, Sendable {
    package var topic: String
    package var since: WallTime

    package init(topic: String, since: WallTime) {
        self.topic = topic
        self.since = since
    }
}

/// Safe to use from any thread.
package final class SubscriptionBook: Sendable {
    /// Of one app instance.
    package static let mostTopics = 2_000
    /// Of all together; beyond it nothing more is taken.
    package static let limit = 5_000_000

    private struct State {
        /// By project and topic, those who listen: their hashes.
        var listeners: [String: Set<Hash128>] = [:]
        var topics: [Hash128: [Subscription]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// False: it listened already, and goes on.
    package func subscribe(
        _ registration: String, to topic: String, project: String, now: WallTime
    ) throws(SubscriptionTrouble) -> Bool {
        guard withBytes(of: topic, { TopicForm.isName($0) }) else { throw .invalidArgument }
        let hash = Self.hash(registration)
        let result: Result<Bool, SubscriptionTrouble> = state.withLock { state in
            let held = state.topics[hash] ?? []
            if held.contains(where: { $0.topic == topic }) { return .success(false) }
            guard held.count < Self.mostTopics, state.count < Self.limit else { return .failure(.tooManyTopics) }
            state.topics[hash, default: []].append(Subscription(topic: topic, since: now))
            state.listeners[Self.key(project, topic), default: []].insert(hash)
            state.count += 1
            return .success(true)
        }
        return try result.get()
    }

    /// False: it did not listen.
    package func unsubscribe(_ registration: String, from topic: String, project: String) -> Bool {
        let hash = Self.hash(registration)
        return state.withLock { state in
            guard var held = state.topics[hash], let place = held.firstIndex(where: { $0.topic == topic }) else { return false }
            held.remove(at: place)
            state.topics[hash] = held.isEmpty ? nil : held
            let key = Self.key(project, topic)
            if var listeners = state.listeners.removeValue(forKey: key) {
                listeners.remove(hash)
                if !listeners.isEmpty { state.listeners[key] = listeners }
            }
            state.count -= 1
            return true
        }
    }

    /// In the order of their beginning.
    package func subscriptions(of registration: String) -> [Subscription] {
        state.withLock { $0.topics[Self.hash(registration)] ?? [] }
    }

    /// Who listens to a topic: the registrations' hashes.
    package func listeners(of topic: String, project: String) -> Set<Hash128> {
        state.withLock { $0.listeners[Self.key(project, topic)] ?? [] }
    }

    /// Whom a condition means: those with at least one of its topics for which it holds, and, where it is not about having
    /// a topic, none of the others, whom nobody can name.
    package func listeners(of condition: TopicCondition, project: String) -> Set<Hash128> {
        let sets = state.withLock { state in condition.topics.map { ($0, state.listeners[Self.key(project, $0)] ?? []) } }
        let all = sets.reduce(into: Set<Hash128>()) { $0.formUnion($1.1) }
        return all.filter { hash in
            condition.holds { topic in sets.contains { $0.0 == topic && $0.1.contains(hash) } }
        }
    }

    /// A registration that is gone listens to nothing.
    package func forget(_ registration: String, project: String) {
        for row in subscriptions(of: registration) { _ = unsubscribe(registration, from: row.topic, project: project) }
    }

    package func reset() { state.withLock { $0 = State() } }

    private static func hash(_ registration: String) -> Hash128 { withBytes(of: registration) { Hash128(hashing: $0) } }
    private static func key(_ project: String, _ topic: String) -> String { "\(project)/\(topic)" }
}
