// From text to tree, within limits: events are folded into nodes, aliases into copies that are counted.

package import Basics

extension YAMLNode {
    /// The one document of `text`. Fails with `file:line:column` on anything that is not plain YAML: syntax errors,
    /// duplicate or structured keys, explicit tags, merge keys, unknown or recursive aliases, a second document, a
    /// limit that is passed. `file` is what messages call the text.
    package static func parse(
        text: String, file: String, limits: YAMLLimits = YAMLLimits()
    ) throws(Failure) -> YAMLNode {
        guard text.utf8.count <= limits.bytes else {
            throw Failure(
                .usage, "the file is larger than \(limits.bytes) bytes", hint: "split it into several files",
                place: file)
        }
        var builder = YAMLBuilder(events: YAMLEvents(text: text, file: file), limits: limits)
        return try builder.document()
    }
}

private struct YAMLBuilder: ~Copyable {
    let events: YAMLEvents
    let limits: YAMLLimits
    var anchors: [String: (node: YAMLNode, size: Int)] = [:]
    var nodeCount = 0

    init(events: consuming YAMLEvents, limits: YAMLLimits) {
        self.events = events
        self.limits = limits
    }

    mutating func document() throws(Failure) -> YAMLNode {
        let start = try events.next()
        guard case .documentStart = start.event else {
            throw failure("the file is empty", at: start.place, hint: nil)
        }
        let root = try node(try events.next(), depth: 0)
        _ = try events.next()
        let rest = try events.next()
        guard case .streamEnd = rest.event else {
            throw failure("a second document begins here", at: rest.place, hint: "keep one document to a file")
        }
        return root
    }

    private mutating func node(_ mark: YAMLMark, depth: Int) throws(Failure) -> YAMLNode {
        let countBefore = nodeCount
        nodeCount += 1
        try check(nodeCount <= limits.nodes, "more than \(limits.nodes) nodes, aliases counted in full", at: mark)
        try check(depth <= limits.depth, "nested deeper than \(limits.depth) levels", at: mark)
        if let tag = mark.tag, tag != "!" {
            throw failure("the tag `\(tag)` is not understood", at: mark.place, hint: "leave tags out")
        }
        let node: YAMLNode
        switch mark.event {
        case .alias(let name):
            guard let known = anchors[name] else {
                throw failure(
                    "no anchor `&\(name)` is complete before this alias", at: mark.place,
                    hint: "define the anchor earlier; it cannot contain itself")
            }
            nodeCount += known.size - 1
            try check(nodeCount <= limits.nodes, "more than \(limits.nodes) nodes, aliases counted in full", at: mark)
            return known.node
        case .scalar(let text, let quoted): node = YAMLNode(.scalar(text, quoted: quoted), at: mark.place)
        case .sequenceStart: node = YAMLNode(.sequence(try items(depth: depth)), at: mark.place)
        case .mappingStart: node = YAMLNode(.mapping(try entries(depth: depth)), at: mark.place)
        case .documentStart, .documentEnd, .streamEnd, .end: preconditionFailure("libyaml broke its own grammar")
        }
        if let anchor = mark.anchor { anchors[anchor] = (node, nodeCount - countBefore) }
        return node
    }

    private mutating func items(depth: Int) throws(Failure) -> [YAMLNode] {
        var items: [YAMLNode] = []
        while true {
            let mark = try events.next()
            if case .end = mark.event { return items }
            items.append(try node(mark, depth: depth + 1))
        }
    }

    private mutating func entries(depth: Int) throws(Failure) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        var firstLines: [String: Int] = [:]
        while true {
            let mark = try events.next()
            if case .end = mark.event { return entries }
            guard case .scalar(let key, let quoted) = mark.event else {
                throw failure("a key must be plain text", at: mark.place, hint: "write `key: value`")
            }
            if key == "<<", !quoted {
                throw failure("merge keys (<<) are not understood", at: mark.place, hint: "write the entries out")
            }
            if let line = firstLines.updateValue(mark.place.line, forKey: key) {
                throw failure(
                    "the key `\(key)` stands twice in this mapping", at: mark.place,
                    hint: "the first is at line \(line)")
            }
            let value = try node(try events.next(), depth: depth + 1)
            entries.append(YAMLEntry(key: key, keyPlace: mark.place, value: value))
        }
    }

    private func check(_ holds: Bool, _ message: String, at mark: YAMLMark) throws(Failure) {
        if !holds { throw failure(message, at: mark.place, hint: "make the file smaller or flatter") }
    }

    private func failure(_ message: String, at place: YAMLPlace, hint: String?) -> Failure {
        Failure(.usage, message, hint: hint, place: place.description)
    }
}
