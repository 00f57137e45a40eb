// What a push says, but for when: who sends again what was refused makes it anew, with another time in it.

import Basics
import Metrics
import Pushes

struct Sayings {
    /// Tokens of which a push was refused for good.
    private var refused: Set<TokenHash> = []
    private static let mostRefused = 100_000
    /// Members of `aps` that say when, and differ each time a push is made anew.
    private static let dates = ["timestamp", "stale-date", "dismissal-date"]
    /// So near to its arrival a time in a message's data is the one at which it was made.
    private static let nearness = Interval.minute * 60
    /// Texts within texts that are looked into.
    private static let mostDepth = 4

    /// A number for it; 0: nobody will ask. `body`: the payload, where it is whole and JSON.
    mutating func number(of push: SeenPush, _ body: () -> JSONValue?) -> Int {
        if push.isRefusedForGood, refused.count < Self.mostRefused { refused.insert(push.token) }
        guard refused.contains(push.token), case .object(let body)? = body() else { return 0 }
        let said = push.provider == .fcm ? Self.timelessMessage(body, push.arrivedWall) : Self.timeless(body)
        return JSONValue.object(said).hashValue | 1
    }

    private static func timeless(_ payload: JSONObject) -> JSONObject {
        guard case .object(var aps)? = payload["aps"] else { return payload }
        var payload = payload
        for key in dates { aps[key] = nil }
        payload["aps"] = .object(aps)
        return payload
    }

    /// Of an Android app's data nobody says which texts are times.
    private static func timelessMessage(_ request: JSONObject, _ now: WallTime) -> JSONObject {
        guard case .object(var message)? = request["message"] else { return request }
        var request = request
        if let data = message["data"] { message["data"] = timeless(data, now, depth: 0) }
        for platform in ["android", "webpush"] {
            guard case .object(var own)? = message[platform], let data = own["data"] else { continue }
            own["data"] = timeless(data, now, depth: 0)
            message[platform] = .object(own)
        }
        if case .object(var apns)? = message["apns"] {
            if case .object(let payload)? = apns["payload"] { apns["payload"] = .object(timeless(payload)) }
            if case .object(var headers)? = apns["headers"], headers["apns-expiration"] != nil {
                headers["apns-expiration"] = .null
                apns["headers"] = .object(headers)
            }
            message["apns"] = .object(apns)
        }
        request["message"] = .object(message)
        return request
    }

    private static func timeless(_ value: JSONValue, _ now: WallTime, depth: Int) -> JSONValue {
        guard depth < mostDepth else { return value }
        switch value {
        case .object(var members):
            for (key, member) in members { members[key] = timeless(member, now, depth: depth + 1) }
            return .object(members)
        case .array(let list): return .array(list.map { timeless($0, now, depth: depth + 1) })
        case .integer(let number): return isNear(number, now) ? .null : value
        case .string(let text):
            if let number = Int64(text) { return isNear(number, now) ? .null : value }
            if let time = WallTime(iso8601: text) { return isNear(time.seconds, now) ? .null : value }
            guard text.first == "{" || text.first == "[", let inner = try? JSONValue(parsing: text) else { return value }
            return timeless(inner, now, depth: depth + 1)
        case .null, .bool, .number: return value
        }
    }

    /// In seconds or milliseconds since 1970.
    private static func isNear(_ number: Int64, _ now: WallTime) -> Bool {
        let near = nearness.wholeSeconds
        return (now.seconds - near...now.seconds + near).contains(number)
            || (now.milliseconds - near * 1_000...now.milliseconds + near * 1_000).contains(number)
    }
}
