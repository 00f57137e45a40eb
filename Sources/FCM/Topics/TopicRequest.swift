// What is asked about subscriptions to topics, in the two APIs that there are (docs/fcm.md §1, §3): that of FCM v1, one
// registration and topic a call, and that of Instance ID, which takes up to a thousand at once.

import Basics

package enum TopicRequest: Hashable, Sendable {
    /// Of FCM v1.
    case subscribe(project: String, registration: String, topic: String)
    /// There is nothing in a subscription to change: it is there, or made if that is asked for, or missing.
    case patch(project: String, registration: String, topic: String, mayBeMissing: Bool)
    case unsubscribe(project: String, registration: String, topic: String, mayBeMissing: Bool)
    case read(project: String, registration: String, topic: String)
    /// `start`: how many lie before the page.
    case list(project: String, registration: String, size: Int, start: Int)
    /// One of those, with a parameter that cannot be read, or without one that it needs.
    case misfit(project: String, registration: String, FieldViolation)
    /// Of Instance ID: `isAdding` or removing.
    case batch(isAdding: Bool)
    /// Tokens of APNs are to become registrations.
    case importing
    case relate(registration: String, topic: String)
    case info(registration: String, hasDetails: Bool)

    package static let largestPage = 2_000
    private static let usualPage = 1_000

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
            guard let topic = query["topic_name"] ?? query["topicName"] else {
                let violation = FieldViolation(field: "topic_name", description: "Missing required field: topic_name")
                self = .misfit(project: project, registration: registration, violation)
                return
            }
            self = .subscribe(project: project, registration: registration, topic: topic)
        case ("GET", 0): self = Self.list(project, registration, query)
        case ("GET", 1): self = .read(project: project, registration: registration, topic: rest[0])
        case ("PATCH", 1):
            self = .patch(project: project, registration: registration, topic: rest[0], mayBeMissing: query.mayBeMissing)
        case ("DELETE", 1):
            self = .unsubscribe(
                project: project, registration: registration, topic: rest[0], mayBeMissing: query.mayBeMissing)
        default: return nil
        }
    }

    /// Sizes beyond the largest are that; 0 is as good as none.
    private static func list(_ project: String, _ registration: String, _ query: QueryFields) -> TopicRequest {
        let (size, token) = (query["page_size"] ?? query["pageSize"] ?? "0", query["page_token"] ?? query["pageToken"] ?? "")
        guard let count = Int32(size), count >= 0 else {
            let said = "Invalid value at 'page_size' (TYPE_INT32), \"\(size)\""
            return .misfit(
                project: project, registration: registration, FieldViolation(field: "page_size", description: said))
        }
        guard let start = token.isEmpty ? 0 : Int(token), start >= 0, token.isEmpty || start > 0 else {
            return .misfit(
                project: project, registration: registration,
                FieldViolation(field: "page_token", description: "Invalid page token."))
        }
        let page = count == 0 ? usualPage : min(Int(count), largestPage)
        return .list(project: project, registration: registration, size: page, start: start)
    }

    /// What is wrong with the body of a subscription that is to be made: empty, or a TopicSubscription, whose fields say
    /// nothing that the address does not.
    package static func violations(ofBody body: Span<UInt8>) -> [FieldViolation] {
        guard body.count > 0 else { return [] }
        let reader = BodyReader()
        return reader.read(body, as: .topicSubscription) ? [] : reader.violations
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

    var mayBeMissing: Bool { (self["allow_missing"] ?? self["allowMissing"]) == "true" }
}
