// The `match` member of a rule.

import Basics
import Pushes

extension FaultMatch {
    static let keys = [
        "provider", "endpoint", "environment", "token", "tokens", "topic", "pushType", "event", "priority", "nth", "fraction",
        "tokenFraction", "nthOfConnection", "connection", "connectionFraction",
    ]
    /// What can be asked of a connection, which is met before any push.
    private static let connectionKeys = ["provider", "environment", "connection", "connectionFraction"]
    /// What can be asked of a broadcast or an operation on channels; `topic` is the bundle ID in its path.
    private static let broadcastKeys = [
        "provider", "environment", "topic", "event", "priority", "fraction", "nthOfConnection", "connection",
        "connectionFraction",
    ]
    /// What can be asked of a request for an access token.
    private static let tokenEndpointKeys = [
        "provider", "endpoint", "environment", "nth", "fraction", "nthOfConnection", "connection", "connectionFraction",
    ]
    /// And of one about topics, where `token` is the registration.
    private static let topicEndpointKeys = tokenEndpointKeys + ["token", "tokens", "topic", "tokenFraction"]
    private static let maxTokens = 100_000

    init(json: JSONValue, at pointer: String, target: FaultTarget) throws(FaultRuleError) {
        let object = try ObjectReader(json, at: pointer, keys: Self.keys)
        let endpoint = try object.word("endpoint", of: FaultEndpoint.allCases.map(\.rawValue))
            .flatMap { FaultEndpoint(rawValue: $0) }
        let known =
            switch (target, endpoint) {
            case (.push, .token): Self.tokenEndpointKeys
            case (.push, .topic): Self.topicEndpointKeys
            case (.push, _): Self.keys
            case (.connection, _): Self.connectionKeys
            case (.broadcast, _): Self.broadcastKeys
            }
        if let key = Self.keys.first(where: { object[$0] != nil && !known.contains($0) }) {
            throw object.error(
                key, "\(key) is of a push, and this rule meets "
                    + (target == .push ? endpoint?.call ?? "others" : "\(target)s"),
                hint: "it may ask for " + known.joined(separator: ", "))
        }
        self.init(
            provider: try object.word("provider", of: Provider.words).flatMap { Provider(word: $0) },
            token: try object.text("token"),
            tokens: try Self.tokens(object),
            topic: try object.text("topic"),
            pushType: try object.word("pushType", of: PushType.words).flatMap { PushType(word: $0) },
            event: try object.word("event", of: ActivityEvent.words).flatMap { ActivityEvent(word: $0) },
            nth: try object.ordinals("nth"),
            fraction: try object.share("fraction"),
            tokenFraction: try object.share("tokenFraction"),
            priority: try object.count("priority", atLeast: 1).map { UInt8(clamping: $0) },
            environment: try object.word("environment", of: PushEnvironment.words)
                .flatMap { PushEnvironment(word: $0) },
            endpoint: endpoint,
            nthOfConnection: try object.ordinals("nthOfConnection"),
            connection: try object.ordinals("connection"),
            connectionFraction: try object.share("connectionFraction"))
        if let token, !Self.isToken(token) {
            throw object.error("token", "a device token is an even number of hex digits, a registration of FCM has one colon")
        }
        if let priority, ![1, 5, 10].contains(priority) {
            throw object.error("priority", "a priority is 1, 5 or 10")
        }
    }

    /// Hex digits of APNs, or a registration of FCM: a token with its colon, or an installation of 22 characters.
    private static func isToken(_ text: String) -> Bool {
        if withBytes(of: text, { Hash128(checking: $0) }) != nil { return true }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 1 && text.utf8.count == 22, text.utf8.count <= 4_096 else { return false }
        return parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 95 }
        }
    }

    private static func tokens(_ object: ObjectReader) throws(FaultRuleError) -> [String]? {
        guard let value = object["tokens"] else { return nil }
        guard let items = value.array, 1...maxTokens ~= items.count else {
            throw object.error("tokens", "a list of 1 to \(maxTokens) device tokens is expected here")
        }
        var tokens: [String] = []
        for (index, item) in items.enumerated() {
            guard let token = item.string, isToken(token) else {
                throw object.errorBelow("tokens/\(index)", "a device token is an even number of hex digits")
            }
            tokens.append(token)
        }
        return tokens
    }

    var json: JSONValue {
        var object = JSONObject()
        if let provider { object["provider"] = .string(provider.word.description) }
        if let endpoint { object["endpoint"] = .string(endpoint.rawValue) }
        if let environment { object["environment"] = .string(environment.word.description) }
        if let token { object["token"] = .string(token) }
        if let tokens { object["tokens"] = .array(tokens.map(JSONValue.string)) }
        if let topic { object["topic"] = .string(topic) }
        if let pushType { object["pushType"] = .string(pushType.word.description) }
        if let event { object["event"] = .string(event.word.description) }
        if let nth { object["nth"] = nth.json }
        if let fraction { object["fraction"] = .number(fraction) }
        if let tokenFraction { object["tokenFraction"] = .number(tokenFraction) }
        if let priority { object["priority"] = .integer(Int64(priority)) }
        if let nthOfConnection { object["nthOfConnection"] = nthOfConnection.json }
        if let connection { object["connection"] = connection.json }
        if let connectionFraction { object["connectionFraction"] = .number(connectionFraction) }
        return .object(object)
    }
}

extension Ordinals {
    fileprivate var json: JSONValue {
        if to == from, every == 1 { return .integer(Int64(from)) }
        var object: JSONObject = ["from": .integer(Int64(from))]
        if let to { object["to"] = .integer(Int64(to)) }
        if every > 1 { object["every"] = .integer(Int64(every)) }
        return .object(object)
    }
}

extension ObjectReader {
    /// `3`, `{"from": 2, "to": 5}` or `{"every": 10}`, which is the 10th, the 20th and so on.
    fileprivate func ordinals(_ key: String) throws(FaultRuleError) -> Ordinals? {
        guard let value = self[key] else { return nil }
        guard value.object != nil else {
            return try count(key, atLeast: 1).map { Ordinals(from: $0, to: $0) }
        }
        let object = try ObjectReader(value, at: pointer(key), keys: ["from", "to", "every"])
        let every = try object.count("every", atLeast: 1)
        let from = try object.count("from", atLeast: 1) ?? every ?? 1
        let to = try object.count("to", atLeast: 1)
        if let to, to < from { throw object.error("to", "the range ends before it begins") }
        return Ordinals(from: from, to: to, every: every ?? 1)
    }
}
