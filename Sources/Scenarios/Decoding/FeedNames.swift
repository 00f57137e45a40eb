// `{{feed.NAME}}`: a column of a feeder, in a profile's templates and in the values that steps give.

import Basics
import YAML

/// Which columns the feeders of a workload have, in their order.
enum FeedColumns {
    case known([String])
    /// A file is wrong, which is told already: any name may be right.
    case unread
}

/// Columns as a step's values name them.
struct FeedNames {
    static let prefix = "feed."

    let columns: FeedColumns
    let mistakes: Mistakes

    /// Text with columns in it; a column alone is its value itself.
    func value(_ text: String, at place: YAMLPlace) -> VariableValue {
        guard case .known(let names) = columns else { return .null }
        guard !names.isEmpty else {
            mistakes.add(
                "`\(text.prefix(60))` names a column, and the workload has no feeder",
                hint: "add `feeders: [{ file: users.csv }]` to the `workload`", at: place)
            return .null
        }
        var value = VariableValue(text: "")
        var compiler = TemplateCompiler(ownNames: [], feeds: names, mistakes: mistakes)
        for piece in compiler.pieces(of: text, at: place) {
            switch piece {
            case .text(let text): value.fed.append(.text(Array(text.utf8)))
            case .variable(.fed(let column), nil, nil): value.fed.append(.column(column))
            case .variable(.fed, _, _):
                mistakes.add(
                    "a filter has no meaning here", hint: "put it into the call, behind the name of its variable", at: place)
            case .variable:
                mistakes.add(
                    "only columns of feeders have a meaning here, such as {{\(Self.prefix)user}}",
                    hint: "put other variables into the call", at: place)
            }
        }
        return value.fed.isEmpty ? .null : value
    }

    /// All that stand in the tree, each once, in order. What is wrong with a template is told by its compiler.
    static func named(in node: YAMLNode) -> [String] {
        var names: [String] = []
        func look(_ node: YAMLNode) {
            switch node.content {
            case .scalar(let text, _): look(text[...])
            case .sequence(let items): for item in items { look(item) }
            case .mapping(let entries): for entry in entries { look(entry.value) }
            }
        }
        func look(_ text: Substring) {
            var rest = text
            while let open = rest.firstRange(of: "{{") {
                rest = rest[open.upperBound...]
                guard let close = rest.firstRange(of: "}}") else { return }
                let name = rest[..<close.lowerBound].prefix { $0 != "|" }.trimmed
                rest = rest[close.upperBound...]
                guard name.hasPrefix(prefix) else { continue }
                let column = String(name.dropFirst(prefix.count))
                if !column.isEmpty, !names.contains(column) { names.append(column) }
            }
        }
        look(node)
        return names
    }
}
