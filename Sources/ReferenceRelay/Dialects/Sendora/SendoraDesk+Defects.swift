// What the desk does wrong on purpose.

import Basics

extension SendoraDesk {
    /// Defect `writes-numbers-as-texts`.
    static func inTexts(_ state: JSONObject) -> JSONObject {
        var texts = state
        for (key, value) in state { if let number = value.int { texts[key] = .string(String(number)) } }
        return texts
    }

    /// Defect `merges-states`.
    static func merge(_ older: String, with newer: JSONValue) -> JSONValue {
        guard case .object(var members)? = try? JSONValue(parsing: older), case .object(let said) = newer else { return newer }
        for (key, value) in said { members[key] = value }
        return .object(members)
    }

    /// Defect `starts-by-push`.
    func start(_ row: SendoraRow, _ state: JSONObject, _ relay: RelayService) {
        guard !row.isAndroid,
            let session = relay.core.registry.accounts[Self.secret(of: row.id)]?.sessions[row.id],
            let lane = session.lanes.first
        else { return }
        let aps: JSONObject = [
            "timestamp": .integer(relay.moment.wall.seconds), "event": "start", "content-state": .object(state),
            "attributes-type": .string(row.activityType), "attributes": (try? JSONValue(parsing: row.attributes)) ?? [:],
            "alert": ["title": "Your order", "body": "It is on its way"],
        ]
        relay.core.greet(lane, payload: JSONValue.object(["aps": .object(aps)]).encoded(), now: relay.moment)
    }
}
