// Reading one mapping by its shape. Each reader gives a value or notes a mistake and gives nil.

import Basics
import Pushes
import YAML

/// A mapping whose keys are known to be lawful.
struct Fields {
    let node: YAMLNode
    let shape: Shape
    let mistakes: Mistakes

    /// Nil when `node` is no mapping. Notes unknown and missing keys.
    init?(_ node: YAMLNode, _ shape: Shape, _ mistakes: Mistakes) {
        self.node = node
        self.shape = shape
        self.mistakes = mistakes
        guard case .mapping(let entries) = node.content else {
            mistakes.add(
                "`\(shape.name)` must be a mapping, not \(node.kindInWords)",
                hint: "such as `{ \(shape.keys[0].name): \(shape.keys[0].example) }`", at: node.place)
            return nil
        }
        let known = shape.keys.map(\.name)
        for entry in entries where !known.contains(entry.key) {
            mistakes.add(
                "unknown key `\(entry.key)` in `\(shape.name)`", hint: suggestion(for: entry.key, in: known),
                at: entry.keyPlace)
        }
        for key in shape.keys where key.isRequired && node[key.name] == nil {
            mistakes.add(
                "`\(shape.name)` lacks `\(key.name)`", hint: "add `\(key.name): \(key.example)`", at: node.place)
        }
    }

    func value(_ key: String) -> YAMLNode? {
        precondition(shape.key(key) != nil, "the shape `\(shape.name)` has no key `\(key)`")
        return node[key]
    }

    func wrong(_ key: String, _ node: YAMLNode, _ wanted: String) {
        mistakes.add(
            "`\(key)` must be \(wanted), not \(node.kindInWords)",
            hint: shape.key(key).map { "such as `\(key): \($0.example)`" }, at: node.place)
    }

    func text(_ key: String) -> String? {
        guard let node = value(key) else { return nil }
        guard case .scalar(let text, _) = node.content, node.plainValue != .null, !text.isEmpty else {
            wrong(key, node, "text")
            return nil
        }
        return text
    }

    func flag(_ key: String) -> Bool? {
        guard let node = value(key) else { return nil }
        guard case .bool(let flag) = node.plainValue else {
            wrong(key, node, "true or false")
            return nil
        }
        return flag
    }

    func count(_ key: String) -> Int? {
        guard let node = value(key), let range = shape.key(key)?.counts else { return nil }
        guard case .integer(let count) = node.plainValue, range.contains(count) else {
            wrong(key, node, "a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return Int(count)
    }

    func number(_ key: String, _ given: ClosedRange<Double>? = nil) -> Double? {
        guard let node = value(key), let (above, bounds) = shape.key(key)?.numbers else { return nil }
        let range = given ?? bounds
        let wanted =
            above.map { "a number greater than \(trimmed($0)) and at most \(trimmed(range.upperBound))" }
            ?? "a number from \(trimmed(range.lowerBound)) to \(trimmed(range.upperBound))"
        guard let number = node.plainValue?.double, range.contains(number), number > above ?? -.infinity else {
            wrong(key, node, wanted)
            return nil
        }
        return number
    }

    func duration(_ key: String, _ range: ClosedRange<Interval> = Interval.zero...Fields.longest) -> Interval? {
        value(key).flatMap { duration($0, named: key, range) }
    }

    func duration(
        _ node: YAMLNode, named key: String, _ range: ClosedRange<Interval> = .zero...Fields.longest
    ) -> Interval? {
        guard case .scalar(let text, _) = node.content, let interval = Interval(parsing: text) else {
            wrong(key, node, "a duration with its unit")
            return nil
        }
        guard range.contains(interval) else {
            wrong(key, node, "a duration from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return interval
    }

    /// `address:port`; port 0: a free one.
    func address(_ key: String) -> String? {
        guard let text = text(key) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count < 2 || parts[0].isEmpty || parts.last.flatMap({ UInt16($0) }) == nil {
            wrong(key, value(key)!, "address:port")
        }
        return text
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) -> Choice? where Choice.RawValue == String {
        value(key).flatMap { choice($0, named: key) }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ node: YAMLNode, named key: String) -> Choice?
    where Choice.RawValue == String {
        choice(node, named: key, of: Choice.allCases.map(\.rawValue), Choice.init(rawValue:))
    }

    /// One of the words of pushes.
    func choice<Choice: PushWord>(_ key: String) -> Choice? {
        value(key).flatMap { choice($0, named: key, of: Choice.words, Choice.init(word:)) }
    }

    func choice<Choice: PushWord>(_ node: YAMLNode, named key: String) -> Choice? {
        choice(node, named: key, of: Choice.words, Choice.init(word:))
    }

    /// One word or a list of them.
    func words<Choice: PushWord & Hashable>(_ key: String) -> Set<Choice> {
        guard let node = value(key) else { return [] }
        var nodes = [node]
        if case .sequence(let items) = node.content { nodes = items }
        return Set(nodes.compactMap { choice($0, named: key) })
    }

    private func choice<Choice>(
        _ node: YAMLNode, named key: String, of words: [String], _ read: (String) -> Choice?
    ) -> Choice? {
        guard case .scalar(let text, _) = node.content else {
            wrong(key, node, "one word")
            return nil
        }
        guard let choice = read(text) else {
            mistakes.add(
                "`\(text)` is no value of `\(key)`", hint: suggestion(for: text, in: words), at: node.place)
            return nil
        }
        return choice
    }

    /// The items of a list; a missing key gives none.
    func items(_ key: String) -> [YAMLNode] {
        guard let node = value(key), let lengths = shape.key(key)?.lengths else { return [] }
        guard case .sequence(let items) = node.content, lengths.contains(items.count) else {
            let (least, most) = (lengths.lowerBound, lengths.upperBound)
            wrong(key, node, least == 0 ? "a list of at most \(most) items" : "a list of \(least) to \(most) items")
            return []
        }
        return items
    }

    func texts(_ key: String) -> [String] {
        items(key).compactMap { item in
            guard case .scalar(let text, _) = item.content, !text.isEmpty, item.plainValue != .null else {
                wrong(key, item, "a list of text")
                return nil
            }
            return text
        }
    }

    /// The entries of a mapping with free keys; a missing key gives none.
    func entries(_ key: String) -> [YAMLEntry] {
        guard let node = value(key) else { return [] }
        guard case .mapping(let entries) = node.content else {
            wrong(key, node, "a mapping")
            return []
        }
        return entries
    }

    /// Ten thousand hours: longer than any run, short enough to add up.
    static let longest = Interval.seconds(36_000_000)
}

private func trimmed(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
}
