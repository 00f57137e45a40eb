// The words of PushRig itself, from the page that has them: docs/glossary.md is compiled in.

import Basics

extension KnowledgeTopic {
    /// Where the words of a report say more of one, it is silent.
    static let glossary = KnowledgeTopic(
        "glossary", rows: { glossaryRows },
        explain: { name in
            guard words.explain(name) == nil else { return nil }
            let meant = glossaryRows.filter { row in
                let word = row.name.lowercased()
                return word == name.lowercased() || word.hasPrefix(name.lowercased() + " (")
            }
            return meant.isEmpty ? nil : meant.map { "\($0.name), in PushRig's glossary: \($0.line).\n" }.joined()
        })

    /// From the table's lines, `| word | means |`; links are left as their words.
    private static let glossaryRows: [(name: String, line: String)] =
        compiledFile("glossary.md").split(separator: "\n").compactMap { line in
            // Each cell stands between spaces.
            let cells = line.split(separator: "|").map { String($0.dropFirst().dropLast()) }
            guard line.hasPrefix("| "), cells.count == 2, cells[0] != "word", !cells[0].hasPrefix("-") else { return nil }
            return (Glossary.plain(cells[0]), Glossary.plain(cells[1]))
        }
}

enum Glossary {
    /// The text with its links left as their words.
    static func plain(_ text: String) -> String {
        var words = ""
        for part in text.split(separator: "[", omittingEmptySubsequences: false) {
            guard let end = part.firstIndex(of: "]"), part[end...].hasPrefix("]("), let close = part[end...].firstIndex(of: ")")
            else {
                words += words.isEmpty && part.startIndex == text.startIndex ? part : "[" + part
                continue
            }
            words += part[..<end] + part[part.index(after: close)...]
        }
        return words
    }
}
