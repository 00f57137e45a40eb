// `--set path=value`: a value put into the tree before it is decoded, as if the file said so.

import Basics
import YAML

/// One override, such as `workload.maxSessions=100` or `faults[0].at=5s`.
struct Override {
    enum Part: Hashable {
        case key(String)
        case index(Int)
    }

    let text: String
    let parts: [Part]
    let value: YAMLNode

    init(path: String, value: String) throws(Failure) {
        text = "\(path)=\(value)"
        let place = YAMLPlace(file: "--set \(text)", line: 0, column: 0)
        var parts: [Part] = []
        for word in path.split(separator: ".", omittingEmptySubsequences: false) {
            let name = word.prefix { $0 != "[" }
            if !name.isEmpty { parts.append(.key(String(name))) }
            var rest = word.dropFirst(name.count)
            guard !word.isEmpty else { throw Self.badPath(place) }
            while !rest.isEmpty {
                let digits = rest.dropFirst().prefix { $0 != "]" }
                guard rest.first == "[", let index = Int(digits), index >= 0,
                    rest.dropFirst(digits.count + 1).first == "]"
                else { throw Self.badPath(place) }
                parts.append(.index(index))
                rest = rest.dropFirst(digits.count + 2)
            }
        }
        guard case .key = parts.first else { throw Self.badPath(place) }
        guard parts.count <= YAMLLimits().depth else {
            throw Failure(
                .usage, "the path is deeper than the \(YAMLLimits().depth) levels of a file",
                hint: "such as workload.maxSessions=100", place: place.description)
        }
        self.parts = parts
        if value.isEmpty {
            self.value = YAMLNode(.scalar("", quoted: false), at: place)
        } else {
            do {
                self.value = try YAMLNode.parse(text: value, file: place.file).moved(to: place)
            } catch {
                throw Failure(.usage, error.message, hint: "quote the value", place: place.description)
            }
        }
    }

    /// The tree with the value in its place. Missing keys are made; missing list items are not.
    func applied(to root: YAMLNode) throws(Failure) -> YAMLNode {
        try put(in: root, parts[...], path: "")
    }

    private func put(in node: YAMLNode, _ parts: ArraySlice<Part>, path: String) throws(Failure) -> YAMLNode {
        guard let part = parts.first else { return value }
        var node = node
        switch (part, node.content) {
        case (.key(let key), .mapping(var entries)):
            let here = path.isEmpty ? key : path + "." + key
            if let index = entries.firstIndex(where: { $0.key == key }) {
                entries[index].value = try put(in: entries[index].value, parts.dropFirst(), path: here)
            } else {
                let empty = YAMLNode(.mapping([]), at: value.place)
                entries.append(
                    YAMLEntry(
                        key: key, keyPlace: value.place, value: try put(in: empty, parts.dropFirst(), path: here)))
            }
            node.content = .mapping(entries)
        case (.index(let index), .sequence(var items)):
            guard items.indices.contains(index) else {
                throw failure("`\(path)` has \(items.count) items", "indices begin at 0; an override adds none")
            }
            items[index] = try put(in: items[index], parts.dropFirst(), path: "\(path)[\(index)]")
            node.content = .sequence(items)
        case (.key(let key), _):
            throw failure(
                "`\(path)` is \(node.kindInWords) and has no `\(key)`", "only keys of the scenario file can be set")
        case (.index, _):
            throw failure("`\(path)` is no list", "write `[n]` only after a list")
        }
        return node
    }

    private func failure(_ message: String, _ hint: String) -> Failure {
        Failure(.usage, message, hint: hint, place: value.place.description)
    }

    private static func badPath(_ place: YAMLPlace) -> Failure {
        Failure(
            .usage, "this is no path to a setting", hint: "such as workload.maxSessions=100 or faults[0].at=5s",
            place: place.description)
    }
}

extension YAMLNode {
    /// The same tree, all of it at one place.
    fileprivate func moved(to place: YAMLPlace) -> YAMLNode {
        switch content {
        case .scalar: return YAMLNode(content, at: place)
        case .sequence(let items): return YAMLNode(.sequence(items.map { $0.moved(to: place) }), at: place)
        case .mapping(let entries):
            return YAMLNode(
                .mapping(entries.map { YAMLEntry(key: $0.key, keyPlace: place, value: $0.value.moved(to: place)) }),
                at: place)
        }
    }
}
