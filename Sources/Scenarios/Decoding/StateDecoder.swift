// The key `state` of a profile: how the relay's tables are asked which tokens it holds.

import Basics
import YAML

struct StateDecoder {
    let mistakes: Mistakes

    func state(_ fields: Fields) -> StateSpec? {
        guard let node = fields.value("state"), let inner = Fields(node, .state, mistakes), let file = inner.text("sqlite")
        else { return nil }
        for name in LaunchTemplate.names(in: file) where !LaunchTemplate.variables.contains(name) {
            mistakes.add(
                "unknown variable `\(name)`", hint: suggestion(for: name, in: LaunchTemplate.variables),
                at: inner.value("sqlite")!.place)
        }
        let roles: [(String, SessionVariable)] = [
            ("activity", .activityToken), ("start", .startToken), ("device", .deviceToken),
            ("registration", .registrationToken),
        ]
        let tables = roles.compactMap { key, role in inner.text(key).map { StateSpec.Table(role: role, query: $0) } }
        if tables.isEmpty {
            mistakes.add(
                "`state` asks for no tokens", hint: "add `activity: SELECT token FROM …`, `start`, `device` or `registration`",
                at: node.place)
        }
        return StateSpec(
            file: file, every: inner.duration("every", .milliseconds(100)...Fields.longest) ?? .seconds(1), tables: tables)
    }
}
