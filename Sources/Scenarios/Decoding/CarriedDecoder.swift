// The keys `carries` of a profile and `sets` of a call: what a card shows until a call says otherwise.

import Basics
import YAML

struct CarriedDecoder {
    let contents: ContentDecoder
    let mistakes: Mistakes

    /// `bodies`: the JSON trees of the calls, for pointers that lead into them.
    func values(_ fields: Fields, bodies: [JSONValue]) -> [CarriedValue] {
        var values: [CarriedValue] = []
        for entry in fields.entries("carries") {
            guard let inner = Fields(entry.value, .carried, mistakes), let at = contents.pointer(inner, "at") else { continue }
            var value = CarriedValue(name: entry.key, at: at)
            if let from = contents.pointer(inner, "from") {
                contents.check(from, leadsInto: bodies, at: inner.value("from")!.place)
                value.from = from
            }
            value.rises = inner.flag("rises") ?? false
            value.countsSeconds = inner.flag("countsSeconds") ?? false
            if value.countsSeconds, let from = inner.value("from") {
                mistakes.add(
                    "`countsSeconds` is for what the relay counts by itself", hint: "strike `from`", at: from.place)
            }
            if let node = inner.value("follows") {
                value.following = following(inner, node, values)
            } else if let stray = inner.value("as") ?? inner.value("else") {
                mistakes.add("`as` and `else` belong to `follows`", hint: "add `follows: status`", at: stray.place)
            }
            values.append(value)
        }
        return values
    }

    private func following(_ fields: Fields, _ node: YAMLNode, _ values: [CarriedValue]) -> CarriedValue.Following? {
        guard let name = fields.text("follows") else { return nil }
        guard let other = values.firstIndex(where: { $0.name == name }) else {
            mistakes.add(
                "`follows` names no value above this one: `\(name)`", hint: suggestion(for: name, in: values.map(\.name)),
                at: node.place)
            return nil
        }
        var words: [String: JSONValue] = [:]
        for entry in fields.entries("as") { words[entry.key] = entry.value.json }
        return CarriedValue.Following(other: other, words: words, otherwise: fields.value("else")?.json)
    }

    /// What a call says of the profile's values.
    func sets(_ fields: Fields, _ values: [CarriedValue]) -> [Int: JSONValue] {
        var sets: [Int: JSONValue] = [:]
        for entry in fields.entries("sets") {
            guard let index = values.firstIndex(where: { $0.name == entry.key }) else {
                let names = values.map(\.name)
                mistakes.add(
                    "`sets` names no value that the profile carries: `\(entry.key)`",
                    hint: names.isEmpty ? "add it to `carries`" : suggestion(for: entry.key, in: names), at: entry.keyPlace)
                continue
            }
            sets[index] = entry.value.json
        }
        return sets
    }
}
