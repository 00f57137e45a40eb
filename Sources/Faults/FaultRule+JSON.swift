// A rule as JSON:
//
//     {"match": {"pushType": "liveactivity", "fraction": 0.1},
//      "action": {"respond": {"reason": "Unregistered", "timestamp": "after-registration"}},
//      "times": 3, "for": "10s", "after": 2, "at": "20s", "id": "f1"}

package import Basics

extension FaultRule {
    private static let keys = ["id", "match", "action", "times", "for", "after", "at"]

    /// `id`, when not empty, takes the place of the one in the text.
    package init(json: JSONValue, id: String = "") throws(FaultRuleError) {
        let object = try ObjectReader(json, at: "", keys: Self.keys)
        guard let action = object["action"] else {
            throw FaultRuleError(
                pointer: "", message: "a fault needs an action",
                hint: #"such as "action": {"respond": {"reason": "BadDeviceToken"}}"#)
        }
        self.init(
            id: id.isEmpty ? try object.text("id") ?? "" : id,
            match: try object["match"].map { value throws(FaultRuleError) in try FaultMatch(json: value, at: "/match") }
                ?? FaultMatch(),
            action: try FaultAction(json: action, at: "/action"),
            times: try object.count("times", atLeast: 1),
            duration: try object.interval("for", isPositive: true),
            after: try object.count("after", atLeast: 0),
            at: try object.interval("at", isPositive: false))
    }

    /// What was read, in the same shape; absent members stay absent.
    package var json: JSONValue {
        var object = JSONObject()
        if !id.isEmpty { object["id"] = .string(id) }
        if match != FaultMatch() { object["match"] = match.json }
        object["action"] = action.json
        if let times { object["times"] = .integer(Int64(times)) }
        if let duration { object["for"] = .string(duration.exactText) }
        if let after { object["after"] = .integer(Int64(after)) }
        if let at { object["at"] = .string(at.exactText) }
        return .object(object)
    }
}
