// What is asked about subscriptions to topics, in the two APIs that there are (spec/fcm.md §1.1, §3.5): that of FCM v1, one
// registration and topic a call, and that of Instance ID, which takes up to a thousand at once.

import Basics

package enum TopicRequest: Hashable, Sendable {
    /// Of FCM v1.
    case subscribe(project: String, registration: String, topic: String)
    case unsubscribe(project: String, registration: String, topic: String, mayBeMissing: Bool)
    case read(project: String, registration: String, topic: String)
    case list(project: String, registration: String, size: Int, after: String?)
    /// Of Instance ID: `isAdding` or removing.
    case batch(isAdding: Bool)
    /// Tokens of APNs are to become registrations.
    case importing
    case relate(registration: String, topic: String)
    case info(registration: String, hasDetails: Bool)

    package static let largestPage = 2_000

    /// Nil: the path is another one. `path` with its query.
    package init?(method: String, path: String) {
        let sides = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = sides.count > 1 ? QueryFields(sides[1]) : QueryFields("")
        let parts = sides[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { PercentText.decoded($0) }
        guard parts.allSatisfy({ $0 != nil }) else { return nil }
        let words = parts.compactMap { $0 }
        switch (method, words.first) {
        case ("POST", "iid"): self.init(instanceID: words)
        case ("GET", "iid") where words.count == 3 && words[1] == "info":
            self = .info(registration: words[2], hasDetails: query["details"] == "true")
        case (_, "v1") where words.count >= 6 && words[1] == "projects" && words[3] == "registrations"
            && words[5] == "topicSubscriptions" && words[2].utf8.count <= SendPath.longestProject:
            self.init(method, project: words[2], registration: words[4], rest: Array(words.dropFirst(6)), query)
        default: return nil
        }
    }

    private init?(instanceID words: [String]) {
        switch words.dropFirst() {
        case ["v1:batchAdd"]: self = .batch(isAdding: true)
        case ["v1:batchRemove"]: self = .batch(isAdding: false)
        case ["v1:batchImport"]: self = .importing
        default:
            guard words.count == 6, words[1] == "v1", words[3] == "rel", words[4] == "topics" else { return nil }
            self = .relate(registration: words[2], topic: words[5])
        }
    }

    private init?(_ method: String, project: String, registration: String, rest: [String], _ query: QueryFields) {
        switch (method, rest.count) {
        case ("POST", 0):
            guard let topic = query["topic_name"] ?? query["topicName"] else { return nil }
            self = .subscribe(project: project, registration: registration, topic: topic)
        case ("GET", 0):
            let size = (query["page_size"] ?? query["pageSize"]).flatMap { Int($0) } ?? 1_000
            self = .list(
                project: project, registration: registration, size: min(max(size, 1), Self.largestPage),
                after: query["page_token"] ?? query["pageToken"])
        case ("GET", 1): self = .read(project: project, registration: registration, topic: rest[0])
        case ("PATCH", 1): self = .subscribe(project: project, registration: registration, topic: rest[0])
        case ("DELETE", 1):
            let missing = query["allow_missing"] ?? query["allowMissing"]
            self = .unsubscribe(
                project: project, registration: registration, topic: rest[0], mayBeMissing: missing == "true")
        default: return nil
        }
    }
}

/// A batch of Instance ID: `{"to": "/topics/T", "registration_tokens": [...]}`.
package struct TopicBatch: Hashable, Sendable {
    package static let mostTokens = 1_000

    package var topic: String
    package var tokens: [String]

    /// Throws the error's text.
    package init(_ body: Span<UInt8>) throws(TopicBatchError) {
        guard let value = try? JSONValue(parsing: body), value.object != nil else { throw .invalid("InvalidJSON") }
        guard let to = value["to"]?.string else { throw .invalid("MissingTopic") }
        let name = to.hasPrefix("/topics/") ? String(to.dropFirst(8)) : to
        guard withBytes(of: name, { TopicForm.isName($0) }) else { throw .invalid("InvalidTopicName") }
        guard let list = value["registration_tokens"]?.array, !list.isEmpty else { throw .invalid("MissingRegistrationTokens") }
        guard list.count <= Self.mostTokens else { throw .invalid("TooManyRegistrationTokens") }
        topic = name
        tokens = list.map { $0.string ?? "" }
    }
}

/// An import of Instance ID: `{"application": "com.example.app", "sandbox": false, "apns_tokens": [...]}`.
package struct ImportBatch: Hashable, Sendable {
    package static let mostTokens = 100

    package var application: String
    package var tokens: [String]

    /// Throws the error's text.
    package init(_ body: Span<UInt8>) throws(TopicBatchError) {
        guard let value = try? JSONValue(parsing: body), value.object != nil else { throw .invalid("InvalidJSON") }
        guard let application = value["application"]?.string, !application.isEmpty else { throw .invalid("MissingApplication") }
        guard let list = value["apns_tokens"]?.array, !list.isEmpty else { throw .invalid("MissingApnsTokens") }
        guard list.count <= Self.mostTokens else { throw .invalid("TooManyApnsTokens") }
        self.application = application
        tokens = list.map { $0.string ?? "" }
    }
}

/// Answered as `{"error": "…"}`, a text and no envelope.
package enum TopicBatchError: Error, Hashable, Sendable {
    case invalid(String)

    package var word: String { switch self { case .invalid(let word): word } }
}

/// The fields of a query; of a name that stands twice the last counts.
struct QueryFields {
    private var fields: [String: String] = [:]

    init(_ text: some StringProtocol) {
        for part in text.split(separator: "&").prefix(64) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentText.decoded(sides[0]) else { continue }
            fields[name] = sides.count > 1 ? PercentText.decoded(sides[1]) : ""
        }
    }

    subscript(name: String) -> String? { fields[name] }
}
