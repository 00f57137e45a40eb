// The page that shows the map of defects and cases (docs/conformance.md), between two markers for each dialect.

import Basics
import OperatingSystem
import Reports
import Verdicts

/// A page with a table for each dialect.
struct ProvePage {
    let path: String
    private let text: String

    init(_ path: String) throws(Failure) {
        self.path = path
        text = try CheckBase.read(path)
    }

    private static func begin(_ dialect: String) -> String { "<!-- prove: \(dialect) -->\n" }
    private static let end = "<!-- prove: end -->"

    private func range(of dialect: String) throws(Failure) -> Range<String.Index> {
        guard let begin = text.firstRange(of: Self.begin(dialect)),
            let end = text[begin.upperBound...].firstRange(of: Self.end)
        else {
            throw Failure(
                .usage, "\(path) has no place for the dialect \(dialect)",
                hint: "add the lines `\(Self.begin(dialect).dropLast())` and `\(Self.end)`")
        }
        return begin.upperBound..<end.lowerBound
    }

    /// By defect: the cases that convict it, and those that show the rest of its rules.
    func rows(of dialect: String) throws(Failure) -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for line in text[try range(of: dialect)].split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
                cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
            }
            guard cells.count > 5, let defect = cells[1].first else { continue }
            rows[defect] = cells[4] + cells[5]
        }
        return rows
    }

    func write(_ records: [ProveRecord]) throws(Failure) {
        var text = text
        for record in records {
            let range = try ProvePage(path: path, text: text).range(of: record.dialect)
            text.replaceSubrange(range, with: "\n" + ProveText.map(record) + "\n")
        }
        try FileSystem.write(text, to: path)
    }

    private init(path: String, text: String) {
        (self.path, self.text) = (path, text)
    }
}
