// Faults on the timeline: `at` is ours, the rest is a rule of the mock, whose complaints are led back to their lines.

import Basics
import Faults
import YAML

struct FaultDecoder {
    let mistakes: Mistakes

    func fault(_ node: YAMLNode, number: Int) -> ScheduledFault? {
        guard case .mapping(let entries) = node.content else {
            mistakes.add(
                "a fault must be a mapping, not \(node.kindInWords)",
                hint: "such as `{ at: 20s, action: { respond: { reason: Unregistered } } }`", at: node.place)
            return nil
        }
        let knownHere = Shape.fault.keys.map(\.name)
        let unknown = entries.filter { !knownHere.contains($0.key) }
        for entry in unknown {
            mistakes.add(
                "unknown key `\(entry.key)` in `fault`", hint: suggestion(for: entry.key, in: knownHere),
                at: entry.keyPlace)
        }
        guard unknown.isEmpty else { return nil }
        let at = at(YAMLNode(.mapping(entries.filter { $0.key == "at" }), at: node.place)) ?? .zero
        do {
            let rule = try FaultRule(json: json(entries), id: node["id"] == nil ? "scenario-\(number)" : "")
            return ScheduledFault(at: at, rule: rule)
        } catch {
            let (found, entry) = node.nearest(toPointer: error.pointer)
            let isAboutKey = error.message.hasPrefix("unknown member")
            mistakes.add(
                error.message, hint: error.hint, at: isAboutKey ? entry?.keyPlace ?? found.place : found.place)
            return nil
        }
    }

    private func at(_ node: YAMLNode) -> Interval? {
        guard let value = node["at"] else { return nil }
        guard case .scalar(let text, _) = value.content, let at = Interval(parsing: text), at >= .zero else {
            mistakes.add(
                "`at` must be a duration with its unit, not \(value.kindInWords)", hint: "such as `at: 20s`",
                at: value.place)
            return nil
        }
        return at
    }

    /// A token of digits only, or of the form 1e5, is still a token and no number.
    private func json(_ entries: [YAMLEntry]) -> JSONValue {
        var object = JSONObject()
        for entry in entries where entry.key != "at" { object[entry.key] = entry.value.json }
        if case .object(var match) = object["match"], let node = entries.first(where: { $0.key == "match" })?.value {
            if case .scalar(let text, _)? = node["token"]?.content { match["token"] = .string(text) }
            if case .sequence(let items)? = node["tokens"]?.content {
                match["tokens"] = .array(
                    items.map { item in if case .scalar(let text, _) = item.content { .string(text) } else { item.json } })
            }
            object["match"] = .object(match)
        }
        return .object(object)
    }
}
