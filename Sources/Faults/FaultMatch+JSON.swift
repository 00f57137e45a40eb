// The `match` member of a rule.

import APNs
import Basics

extension FaultMatch {
    private static let keys = [
        "provider", "token", "topic", "pushType", "event", "nth", "fraction", "tokenFraction", "priority",
    ]

    init(json: JSONValue, at pointer: String) throws(FaultRuleError) {
        let object = try ObjectReader(json, at: pointer, keys: Self.keys)
        self.init(
            provider: try object.word("provider", of: ["apns"]),
            token: try object.text("token"),
            topic: try object.text("topic"),
            pushType: try object.word("pushType", of: PushType.allCases.map(\.word.description))
                .flatMap { PushType(word: $0) },
            event: try object.word("event", of: ActivityEvent.allCases.map(\.word.description))
                .flatMap { word in ActivityEvent.allCases.first { $0.word.description == word } },
            nth: try object.count("nth", atLeast: 1),
            fraction: try object.share("fraction"),
            tokenFraction: try object.share("tokenFraction"),
            priority: try object.count("priority", atLeast: 1).map { UInt8(clamping: $0) })
        if let token, withBytes(of: token, { TokenHash(checking: $0) }) == nil {
            throw object.error("token", "a device token is an even number of hex digits")
        }
        if let priority, ![1, 5, 10].contains(priority) {
            throw object.error("priority", "a priority is 1, 5 or 10")
        }
    }

    var json: JSONValue {
        var object = JSONObject()
        if let provider { object["provider"] = .string(provider) }
        if let token { object["token"] = .string(token) }
        if let topic { object["topic"] = .string(topic) }
        if let pushType { object["pushType"] = .string(pushType.word.description) }
        if let event { object["event"] = .string(event.word.description) }
        if let nth { object["nth"] = .integer(Int64(nth)) }
        if let fraction { object["fraction"] = .number(fraction) }
        if let tokenFraction { object["tokenFraction"] = .number(tokenFraction) }
        if let priority { object["priority"] = .integer(Int64(priority)) }
        return .object(object)
    }
}
