// What calls take from answers. Names are one profile's, so that any call may use what another has taken.

import Basics
import YAML

struct CaptureDecoder {
    let mistakes: Mistakes

    /// All names that the calls capture, in the order of the file, each once.
    func names(_ calls: [YAMLEntry]) -> [String] {
        var names: [String] = []
        for call in calls {
            guard case .mapping(let entries) = call.value["captures"]?.content else { continue }
            for entry in entries where !names.contains(entry.key) {
                guard isLawful(entry) else { continue }
                names.append(entry.key)
                if names.count == Capture.mostNames + 1 {
                    mistakes.add(
                        "a profile captures at most \(Capture.mostNames) values, and `\(entry.key)` is one more",
                        hint: "strike one that no call uses, or use a name again", at: entry.keyPlace)
                }
            }
        }
        return Array(names.prefix(Capture.mostNames))
    }

    private func isLawful(_ entry: YAMLEntry) -> Bool {
        let isWord = entry.key.utf8.allSatisfy {
            48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 95
        }
        if !isWord || entry.key.isEmpty || entry.key.utf8.count > Capture.longestName {
            mistakes.add(
                "a captured value cannot be named `\(entry.key)`",
                hint: "letters, digits, - and _, at most \(Capture.longestName)", at: entry.keyPlace)
            return false
        }
        if TemplateCompiler.builtIn.contains(entry.key) {
            mistakes.add("`\(entry.key)` is a variable already", hint: "choose another name", at: entry.keyPlace)
            return false
        }
        return true
    }

    /// Those of one call.
    func captures(_ fields: Fields, names: [String]) -> [Capture] {
        fields.entries("captures").compactMap { entry in
            guard let name = names.firstIndex(of: entry.key) else { return nil }
            if case .mapping = entry.value.content {
                let header = Fields(entry.value, .capture, mistakes)
                guard let header, let field = header.text("header") else { return nil }
                return Capture(name: name, place: .header(field.lowercased(), behind: header.text("behind") ?? ""))
            }
            guard case .scalar(let text, _) = entry.value.content, let pointer = JSONPointerPath(text) else {
                mistakes.add(
                    "`\(entry.key)` must be captured by a JSON pointer, not \(entry.value.kindInWords)",
                    hint: "such as `\(entry.key): /activity/id`, or `{ header: location }`", at: entry.value.place)
                return nil
            }
            return Capture(name: name, pointer: pointer)
        }
    }

    /// Names among those that the call captures.
    func lacks(_ fields: Fields, _ captures: [Capture], names: [String]) -> CapturedNames {
        fields.items("lacks").reduce(into: []) { lacks, item in
            let own = captures.map { names[$0.name] }
            guard case .scalar(let text, _) = item.content, own.contains(text), let name = names.firstIndex(of: text) else {
                return mistakes.add(
                    "`lacks` names what the call's own `captures` look for", hint: "such as `captures: { key: /0/key }`",
                    at: item.place)
            }
            lacks.insert(CapturedNames(name))
        }
    }
}
