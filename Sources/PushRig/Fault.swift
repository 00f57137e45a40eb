// A fault as a test writes it. Words are checked when it is given to a mock.

import Basics

/// Which pushes the mock treats badly, how, and how often. Criteria that are nil match all; all that are given must
/// hold.
///
/// ```swift
/// try mock.fault(Fault(.respond("Unregistered"), token: token, times: 1))
/// try mock.fault(Fault(.delay(.milliseconds(200)), pushType: "liveactivity", fraction: 0.1))
/// ```
public struct Fault: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// Refuses with this reason, spelled as APNs does. Its status follows from it. A 410 says that the token died
        /// now, so after it was registered.
        case respond(String)
        /// Refuses with 410 `Unregistered`, and says that the token died a day ago: before the relay registered it. A
        /// relay should keep such a token.
        case respondUnregisteredBeforeRegistration
        /// The right answer, so much later.
        case delay(Duration)
        /// Takes the push and never answers.
        case silence
    }

    public var action: Action
    /// Hex digits.
    public var token: String?
    /// A topic, or a bundle ID for all topics of that app.
    public var topic: String?
    /// Such as `alert` or `liveactivity`.
    public var pushType: String?
    /// Of a Live Activity: `start`, `update` or `end`.
    public var event: String?
    /// 1, 5 or 10.
    public var priority: Int?
    /// This share of the pushes, above 0 and at most 1.
    public var fraction: Double?
    /// This share of the tokens, above 0 and at most 1; the same ones each time.
    public var tokenFraction: Double?
    /// Lets that many pushes that match pass first.
    public var after: Int?
    /// Acts at most that often.
    public var times: Int?
    /// In force for so long.
    public var duration: Duration?

    public init(
        _ action: Action, token: String? = nil, topic: String? = nil, pushType: String? = nil, event: String? = nil,
        priority: Int? = nil, fraction: Double? = nil, tokenFraction: Double? = nil, after: Int? = nil,
        times: Int? = nil, duration: Duration? = nil
    ) {
        self.action = action
        self.token = token
        self.topic = topic
        self.pushType = pushType
        self.event = event
        self.priority = priority
        self.fraction = fraction
        self.tokenFraction = tokenFraction
        self.after = after
        self.times = times
        self.duration = duration
    }
}

extension Fault {
    /// The rule as it stands in scenarios and the admin API.
    var json: JSONValue {
        var match = JSONObject()
        match["token"] = token.map(JSONValue.string)
        match["topic"] = topic.map(JSONValue.string)
        match["pushType"] = pushType.map(JSONValue.string)
        match["event"] = event.map(JSONValue.string)
        match["priority"] = priority.map { .integer(Int64($0)) }
        match["fraction"] = fraction.map(JSONValue.number)
        match["tokenFraction"] = tokenFraction.map(JSONValue.number)
        var rule = JSONObject()
        if match.count > 0 { rule["match"] = .object(match) }
        rule["action"] = action.json
        rule["after"] = after.map { .integer(Int64($0)) }
        rule["times"] = times.map { .integer(Int64($0)) }
        rule["for"] = duration.map(text)
        return .object(rule)
    }
}

extension Fault.Action {
    fileprivate var json: JSONValue {
        switch self {
        case .respond(let reason): ["respond": ["reason": .string(reason)]]
        case .respondUnregisteredBeforeRegistration:
            ["respond": ["reason": "Unregistered", "timestamp": "before-registration"]]
        case .delay(let duration): ["delay": text(duration)]
        case .silence: ["silence": true]
        }
    }
}

private func text(_ duration: Duration) -> JSONValue { .string("\(Interval(duration).nanoseconds)ns") }
