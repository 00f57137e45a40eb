// Parameters of a session script: `$name` stands for a value that the script gives and a scenario may replace.

import Basics
import YAML

struct Parameters {
    private let values: [String: YAMLNode]
    private let mistakes: Mistakes
    private var used: Set<String> = []
    private var sawUnknown = false

    /// `declared`: the script's own, with their defaults; `given`: the scenario's `with`.
    init(declared: [YAMLEntry], given: [YAMLEntry], mistakes: Mistakes) {
        self.mistakes = mistakes
        var values: [String: YAMLNode] = [:]
        for entry in declared { values[entry.key] = entry.value }
        for entry in given {
            guard values[entry.key] != nil else {
                mistakes.add(
                    "the script has no parameter `\(entry.key)`",
                    hint: suggestion(for: entry.key, in: declared.map(\.key)), at: entry.keyPlace)
                continue
            }
            values[entry.key] = entry.value
        }
        self.values = values
    }

    /// The tree with every unquoted `$name` replaced. A parameter's own value is taken as it stands.
    mutating func filled(_ node: YAMLNode) -> YAMLNode {
        var node = node
        switch node.content {
        case .scalar(let text, let quoted):
            guard !quoted, text.hasPrefix("$"), text.utf8.count > 1 else { break }
            let name = String(text.dropFirst())
            if let value = values[name] {
                used.insert(name)
                return value
            }
            sawUnknown = true
            mistakes.add(
                "unknown parameter `\(text)`",
                hint: Suggestion.nearest(to: name, among: values.keys.sorted()).map { "did you mean `$\($0)`?" }
                    ?? "declare it under `parameters`, or quote it if it is text", at: node.place)
            node.content = .scalar("0", quoted: false)
        case .sequence(let items): node.content = .sequence(items.map { filled($0) })
        case .mapping(let entries):
            node.content = .mapping(
                entries.map { YAMLEntry(key: $0.key, keyPlace: $0.keyPlace, value: filled($0.value)) })
        }
        return node
    }

    func checkAllUsed(_ declared: [YAMLEntry]) {
        guard !sawUnknown else { return }
        for entry in declared where !used.contains(entry.key) {
            mistakes.add(
                "the parameter `\(entry.key)` is never used", hint: "write `$\(entry.key)` in a step or strike it",
                at: entry.keyPlace)
        }
    }
}
