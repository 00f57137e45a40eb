// One provider key as the developer portal knows it, and which keys may share a connection (docs/apns.md §8).

import Basics
package import Pushes

/// What a key is for. Apple has three kinds.
package enum KeyScope: Hashable, Sendable {
    /// The classic key: all topics of the team, in both environments.
    case team
    /// All topics of the team, in one environment.
    case environment(PushEnvironment)
    /// These bundle IDs (1 to 400) in one environment. `related` is the ID of the one other topic-specific key that may
    /// share a connection with it.
    case topics([String], PushEnvironment, related: String?)

    /// Nil: both.
    package var environment: PushEnvironment? {
        switch self {
        case .team: nil
        case .environment(let environment), .topics(_, let environment, _): environment
        }
    }

    /// Nil: all of the team's.
    package var topics: [String]? { if case .topics(let topics, _, _) = self { topics } else { nil } }
    package var relatedKeyID: String? { if case .topics(_, _, let related) = self { related } else { nil } }
}

/// A key's entry in the portal, without the key itself.
package struct KeyRecord: Hashable, Sendable {
    /// Ten capital letters and digits each, as Apple's.
    package var keyID: String
    package var teamID: String
    package var scope: KeyScope

    package init(keyID: String, teamID: String, scope: KeyScope) {
        self.keyID = keyID
        self.teamID = teamID
        self.scope = scope
    }

    static let topicLimit = 400

    /// What is wrong with the record as such.
    func check() throws(Failure) {
        for (name, text) in [("key", keyID), ("team", teamID)] {
            guard text.utf8.count == 10, text.utf8.allSatisfy({ 48...57 ~= $0 || 65...90 ~= $0 }) else {
                throw Failure(.usage, "'\(text)' is no \(name) ID", hint: "it has ten capital letters and digits")
            }
        }
        guard let topics = scope.topics else { return }
        guard 1...Self.topicLimit ~= topics.count else {
            throw Failure(
                .usage, "key \(keyID) lists \(topics.count) topics", hint: "a topic-specific key has 1 to 400 of them")
        }
        for topic in topics where !TopicParts.isBareBundleID(topic) {
            throw Failure(
                .usage, "'\(topic)' is not a bundle ID", hint: "give one such as com.example.app, without suffix")
        }
    }
}

/// A key with what verifies its signatures. Never changes: an edited key is another object.
package final class ProviderKey: Sendable {
    package let record: KeyRecord
    let topicBytes: [[UInt8]]?
    let verifier: any SignatureVerifier

    init(_ record: KeyRecord, _ verifier: any SignatureVerifier) {
        self.record = record
        self.verifier = verifier
        topicBytes = record.scope.topics.map { $0.map { Array($0.utf8) } }
    }

    /// Whether it may be used on a connection whose first push was signed with `first` (§8): after a team's key another
    /// key of the team but no topic-specific one; after a topic-specific key only its relative.
    func isRelated(to first: ProviderKey) -> Bool {
        let (id, other) = (record.keyID, first.record.keyID)
        if id == other || (topicBytes == nil && first.topicBytes == nil) { return true }
        guard topicBytes != nil, first.topicBytes != nil else { return false }
        return record.scope.relatedKeyID == other || first.record.scope.relatedKeyID == id
    }
}
