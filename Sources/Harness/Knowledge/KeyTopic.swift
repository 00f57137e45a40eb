// The keys of scenarios, profiles and session scripts, from the rows of their schema.

import Basics
import Scenarios

extension KnowledgeTopic {
    /// By mapping and key, such as `workload.connections`; by the key alone see `keys(named:)`.
    static let keys = KnowledgeTopic(
        "keys", rows: { keyRows.map { ($0.name, $0.line) } },
        explain: { name in keyRows.first { $0.name == name }.map(explained) })

    /// All that is said of the keys of this name, of whichever mapping; nil where there is none.
    static func keys(named name: String) -> String? {
        let rows = keyRows.filter { $0.name.split(separator: ".").last.map(String.init) == name }
        return rows.isEmpty ? nil : rows.map(explained).joined()
    }

    private static func explained(_ row: (name: String, line: String)) -> String {
        "\(row.name), a key of scenario files: \(row.line).\n"
    }

    private static let keyRows: [(name: String, line: String)] = Shape.allCases.flatMap { shape in
        shape.keys.map { key in
            let said = key.row["description"]?.string.map(Glossary.plain)
            return ("\(shape.name).\(key.name)", said ?? "such as `\(key.example)`" + (key.isRequired ? "; required" : ""))
        }
    }
}
