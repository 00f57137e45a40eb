// `batch` of a call: its body, with one item in an array, becomes what stands around the items and an item.

import Basics
import YAML

struct BatchDecoder {
    let order: Profile.Order
    let mistakes: Mistakes

    /// Stands for the item while the body around it is compiled.
    private static let hole = "the item of a batch \u{1A}"

    /// Nil where the call has none, or after a mistake. `whole`: what all calls of the kind say beside the body.
    func batch(_ fields: Fields, _ compiler: inout TemplateCompiler, beside whole: [Template]) -> BatchSpec? {
        guard let node = fields.value("batch"), let inner = Fields(node, .batch, mistakes) else { return nil }
        let most = inner.count("of")
        let window = inner.duration("within", .milliseconds(1)...Interval.seconds(10))
        if order == .stream {
            mistakes.add(
                "a batch leaves when it is full, so events of `order: stream` would overtake it",
                hint: "take `order: answered`", at: node.place)
        }
        guard let json = fields.value("json") else {
            mistakes.add("a `batch` needs a `json` body with an array", hint: "write `json: [{ … }]`", at: node.place)
            return nil
        }
        guard let path = pointer(inner, "at"), let (around, item) = Self.parted(json, path.steps[...]) else {
            mistakes.add(
                "a `batch` needs an array with one item in the call's `json`",
                hint: "say where it stands, such as `at: /notifications`; nothing: the body itself",
                at: inner.value("at")?.place ?? node.place)
            return nil
        }
        let ends = Self.ends(of: compiler.compile(json: around))
        guard let ends, let most, let window else {
            if ends == nil { mistakes.add("a batch's array cannot stand within a text", hint: "see to `at`", at: node.place) }
            return nil
        }
        var spec = BatchSpec(
            most: most, window: window, before: ends.before, item: compiler.compile(json: item), after: ends.after)
        if inner.value("results") != nil { spec.results = pointer(inner, "results") }
        if inner.value("by") != nil { spec.by = pointer(inner, "by") }
        if let name = inner.text("is") {
            spec.name = compiler.compile(text: name, encoding: .raw, at: inner.value("is")!.place)
        }
        check(spec, inner, whole)
        return spec
    }

    private func check(_ spec: BatchSpec, _ fields: Fields, _ whole: [Template]) {
        if spec.results == nil, let node = fields.value("by") ?? fields.value("is") {
            mistakes.add("what a result is named needs `results`", hint: "say where they stand", at: node.place)
        }
        if spec.by != nil, spec.name == nil {
            mistakes.add(
                "`by` says where a result has its name, and nothing what that is", hint: "add `is: \"{{deviceToken}}\"`",
                at: fields.value("by")!.place)
        }
        let shared = [spec.before, spec.after] + whole
        if shared.contains(where: { $0.variables.contains { !$0.isShared } }) {
            mistakes.add(
                "path, headers, `auth` and what stands around the items of a batch are of all its events",
                hint: "take nothing there that is one event's or one session's", at: fields.node.place)
        }
    }

    private func pointer(_ fields: Fields, _ key: String) -> JSONPointerPath? {
        guard let node = fields.value(key) else { return JSONPointerPath("") }
        guard case .scalar(let text, _) = node.content, let pointer = JSONPointerPath(text) else {
            fields.wrong(key, node, "a JSON pointer")
            return nil
        }
        return pointer
    }

    /// The tree with the hole in the place of the array's one item, and that item.
    private static func parted(_ node: YAMLNode, _ path: ArraySlice<String>) -> (around: YAMLNode, item: YAMLNode)? {
        guard let step = path.first else {
            guard case .sequence(let items) = node.content, items.count == 1 else { return nil }
            return (YAMLNode(.sequence([YAMLNode(.scalar(hole, quoted: true), at: node.place)]), at: node.place), items[0])
        }
        switch node.content {
        case .mapping(var entries):
            guard let index = entries.firstIndex(where: { $0.key == step }),
                let (around, item) = parted(entries[index].value, path.dropFirst())
            else { return nil }
            entries[index].value = around
            return (YAMLNode(.mapping(entries), at: node.place), item)
        case .sequence(var items):
            guard let index = Int(step), items.indices.contains(index),
                let (around, item) = parted(items[index], path.dropFirst())
            else { return nil }
            items[index] = around
            return (YAMLNode(.sequence(items), at: node.place), item)
        case .scalar: return nil
        }
    }

    private static func ends(of template: Template) -> (before: Template, after: Template)? {
        let mark = Array(JSONValue.string(hole).text.utf8)
        for (index, segment) in template.segments.enumerated() {
            guard case .literal(let bytes) = segment, bytes.count >= mark.count,
                let start = (0...bytes.count - mark.count).first(where: { bytes[$0..<$0 + mark.count].elementsEqual(mark) })
            else { continue }
            let (front, back) = (Array(bytes[..<start]), Array(bytes[(start + mark.count)...]))
            return (
                Template(segments: template.segments[..<index] + [.literal(front)]),
                Template(segments: [.literal(back)] + template.segments[(index + 1)...])
            )
        }
        return nil
    }
}
