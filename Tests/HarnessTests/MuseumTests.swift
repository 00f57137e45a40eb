// docs/museum.md and docs/reactions.md name files, defects and rules that there are, and that belong together.

import Conformance
import Foundation
import ReferenceRelay
import Scenarios
import Testing

@Suite("The museum of bugs and the matrix of reactions")
struct MuseumTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The cells of each row of a page's tables, without their heads.
    private static func rows(_ page: String) throws -> [[String]] {
        let text = try String(contentsOfFile: root + "/docs/" + page, encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }.map { row in
            row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
        }
    }

    private static func load(_ name: String) throws -> Scenario { try Scenario.load(path: "\(root)/Scenarios/\(name).yaml") }

    private static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(root)/Scenarios/\(folder)").map { "\(folder)/\($0.dropLast(5))" }
            .sorted()
    }

    /// A file convicts a defect by itself, or `script/truth` proves it.
    private func check(_ file: String, _ defect: String, _ rule: String) throws {
        let known = try #require(Defect(rawValue: defect), "there is no defect \(defect)")
        #expect(RuleBook.rule(named: rule)?.id == rule, "there is no rule \(rule)")
        #expect((known.declared + known.possible).contains(rule), "\(defect) does not turn \(rule) red")
        let scenario = try Self.load(file)
        if scenario.convicts.isEmpty {
            let truth = try String(contentsOfFile: Self.root + "/script/truth", encoding: .utf8)
            #expect(truth.contains("\"\(defect)\": "), "nobody proves \(defect)")
        } else {
            #expect(scenario.convicts.contains(defect), "\(file) does not convict \(defect)")
        }
    }

    @Test("Each row of the museum is a file, a defect and a rule, or says why it cannot be seen")
    func museum() throws {
        let rows = try Self.rows("museum.md").filter { $0.count == 6 && $0[1] != "the bug" }
        for row in rows {
            if row[3] == "–" {
                #expect(row[5].hasPrefix("cannot be seen from outside: "), "\(row)")
            } else {
                try check(row[3], row[4], row[5])
            }
        }
        let ids = Set(rows.map { $0[0] })
        for number in 1...22 { #expect(ids.contains("G\(number)")) }
        for number in 1...27 { #expect(ids.contains("P\(number)")) }
        let text = try String(contentsOfFile: Self.root + "/docs/museum.md", encoding: .utf8)
        let told = text.components(separatedBy: "These are a *should*: ")[1].prefix { $0 != "." }
        let shoulds = Set(rows.map { $0[5] }).filter { RuleBook.rule(named: $0)?.level == .should }
        #expect(Set(told.split(separator: "`").filter { $0.contains("-") }.map(String.init)) == shoulds)
        let shown = Set(rows.map { $0[3] })
        for file in try Self.files(in: "token-bugs") { #expect(shown.contains(file), "\(file) is in no row") }
    }

    @Test("Each file of a bug says how it is run, and with which defect it fails")
    func headers() throws {
        for file in try Self.files(in: "token-bugs") {
            let scenario = try Self.load(file)
            let text = scenario.text
            #expect(text.contains("#   pushrig run Scenarios/\(file).yaml "), "\(file)")
            let first = try #require(scenario.convicts.first, "\(file) convicts nothing")
            #expect(text.contains("0; with `--defect \(first)` 4\n"), "\(file)")
            #expect(text.contains("\n# Right: "), "\(file)")
            #expect(scenario.isStrict && scenario.isStepped && scenario.name == file.split(separator: "/")[1], "\(file)")
            for name in scenario.convicts {
                let defect = try #require(Defect(rawValue: name), "\(file): \(name)")
                #expect(scenario.exercises.contains { defect.declared.contains($0) || defect.possible.contains($0) }, "\(file): \(name)")
            }
        }
    }

    @Test("Each cell of the matrix is proven where it says so, and nowhere else")
    func matrix() throws {
        let rows = try Self.rows("reactions.md")
        let dialects = ["opencode", "opencode-ios", "epilogue", "busymate", "sendora"]
        let files = try dialects.map { try Self.load("reactions/\($0)") }
        let cells = rows.filter { $0.count == 9 && $0[0] != "answer" }
        #expect(cells.count > 20)
        for row in cells {
            try check("reactions/opencode", row[3], row[2])
            for (file, cell) in zip(files, row[4...]) where !cell.hasPrefix("–") {
                #expect(cell == (file.convicts.contains(row[3]) ? "proven" : "driven, judged"), "\(file.name): \(row[3])")
                #expect(file.exercises.contains(row[2]), "\(file.name) does not ask for \(row[2])")
            }
        }
        let proven = Set(cells.map { $0[3] })
        for file in files { #expect(Set(file.convicts).subtracting(proven) == [], "\(file.name)") }
        let others = rows.filter { $0.count == 5 && $0[0] != "answer" }
        for row in others { try check(row[2], row[3], row[4]) }
        // What FCM answers stands in a table, and a file, of its own.
        let messages = try Self.load("reactions/sendora-fcm")
        let shown = others.filter { $0[2] == "reactions/sendora-fcm" }
        #expect(Set(messages.convicts) == Set(shown.map { $0[3] }))
        for row in shown { #expect(messages.exercises.contains(row[4]), "\(row)") }
    }
}
