// `{"respond": {"reason": "Unregistered", "timestamp": "before-registration"}}`: a refusal with any reason of
// spec/apns.md §6.

import APNs
package import Basics

/// The `timestamp` of a scripted 410 in relation to the token's registration with the relay. A relay must drop the
/// token only if the death is younger than the registration (spec/apns.md §13).
package enum RelativeTimestamp: Sendable, Equatable {
    case beforeRegistration, afterRegistration
    case absolute(WallTime)

    /// The mock does not know when a relay's client registered, but it was within this run: a day ago is before, now is
    /// after. Milliseconds since 1970.
    package func milliseconds(now: WallTime) -> Int64 {
        switch self {
        case .beforeRegistration: now.milliseconds - 86_400_000
        case .afterRegistration: now.milliseconds
        case .absolute(let time): time.milliseconds
        }
    }
}

extension ActionForm {
    static let respond = ActionForm(name: "respond", example: #"{"reason": "BadDeviceToken"}"#) {
        value, pointer throws(FaultRuleError) in
        let object = try ObjectReader(value, at: pointer, keys: ["reason", "timestamp"])
        guard let word = try object.text("reason") else {
            throw FaultRuleError(
                pointer: pointer, message: "a reason is missing", hint: #"such as {"reason": "BadDeviceToken"}"#)
        }
        guard let reason = Reason(word: word) else {
            throw object.unknownWord("reason", word, among: Reason.rows.map(\.word.description))
        }
        let timestamp = try readTimestamp(object)
        if timestamp != nil, !reason.hasTimestamp {
            throw object.error(
                "timestamp", "\(reason.word) carries no timestamp", hint: "only Unregistered and ExpiredToken do")
        }
        return .respond(reason, timestamp: timestamp)
    } write: { action in
        guard case .respond(let reason, let timestamp) = action else { return nil }
        var object = JSONObject()
        object["reason"] = .string(reason.word.description)
        switch timestamp {
        case .beforeRegistration: object["timestamp"] = "before-registration"
        case .afterRegistration: object["timestamp"] = "after-registration"
        case .absolute(let time): object["timestamp"] = .integer(time.milliseconds)
        case nil: break
        }
        return .object(object)
    }

    private static func readTimestamp(_ object: ObjectReader) throws(FaultRuleError) -> RelativeTimestamp? {
        switch object["timestamp"] {
        case nil: return nil
        case .string("before-registration"): return .beforeRegistration
        case .string("after-registration"): return .afterRegistration
        case .integer(let milliseconds) where abs(milliseconds) < .max / 1_000_000:
            return .absolute(WallTime(milliseconds: milliseconds))
        case .string(let text):
            if let time = WallTime(iso8601: text) { return .absolute(time) }
            fallthrough
        default:
            throw object.error(
                "timestamp", "this is no point in time",
                hint: "before-registration, after-registration, 2026-01-31T10:00:00Z, or milliseconds since 1970")
        }
    }
}
