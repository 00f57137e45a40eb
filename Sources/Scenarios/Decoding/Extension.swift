// `extends`: a file that has another one's keys where it has none of its own.

import Basics
import YAML

/// What a kind of file takes over from the one that it names.
struct Extension {
    /// What such a file is called, with its article.
    let kind: String
    let example: String
    /// Keys whose mappings are joined key by key; of all others the file's own counts as a whole.
    var joined: Set<String> = []
    /// Of a mapping that is not joined, what is taken over all the same where the file has the mapping and not the key.
    var passed: [String: Set<String>] = [:]

    static let profile = Extension(kind: "a profile", example: "opencode.yaml")
    static let scenario = Extension(
        kind: "a scenario", example: "../smoke.yaml", joined: ["relay", "mock", "phases"], passed: ["workload": ["feeders"]])

    /// At most so many files one behind the other.
    private static let most = 4

    /// The file with the keys of those that it extends. A wrong name is noted; a file that is not there is thrown.
    func applied(to node: YAMLNode, _ files: FileFinder, _ mistakes: Mistakes) throws(Failure) -> YAMLNode {
        var node = node
        for _ in 0..<Self.most {
            guard case .mapping(let own) = node.content, let named = own.first(where: { $0.key == "extends" }) else {
                return node
            }
            let rest = own.filter { $0.key != "extends" }
            guard case .scalar(let name, _) = named.value.content, !name.isEmpty else {
                mistakes.add(
                    "`extends` must be the name of \(kind), not \(named.value.kindInWords)",
                    hint: "such as `extends: \(example)`", at: named.value.place)
                return YAMLNode(.mapping(rest), at: node.place)
            }
            let base: YAMLNode
            do throws(Failure) {
                let source = try files.read(name, namedIn: node.place.file)
                base = try YAMLNode.parse(text: source.text, file: source.path)
            } catch {
                var mistake = error
                if mistake.place == nil { mistake.place = named.value.place.description }
                throw mistake
            }
            guard case .mapping(let inherited) = base.content else { return base }
            node = YAMLNode(.mapping(join(rest, inherited)), at: base.place)
        }
        throw Failure(
            .usage, "more than \(Self.most) files extend each other", hint: "does one extend itself?",
            place: node.place.description)
    }

    private func join(_ own: [YAMLEntry], _ inherited: [YAMLEntry]) -> [YAMLEntry] {
        let whole = own.map { entry -> YAMLEntry in
            guard joined.contains(entry.key) || passed[entry.key] != nil, case .mapping(let mine) = entry.value.content,
                let base = inherited.first(where: { $0.key == entry.key }), case .mapping(let theirs) = base.value.content
            else { return entry }
            var entry = entry
            let lent = theirs.filter { other in
                !mine.contains { $0.key == other.key } && passed[entry.key]?.contains(other.key) ?? true
            }
            entry.value.content = .mapping(mine + lent)
            return entry
        }
        return whole + inherited.filter { other in !own.contains { $0.key == other.key } }
    }
}
