// docs/reference-relay.md has a row for each trap of a relay as built, with the defects that make it and the rule that shows it.

import Conformance
import Foundation
import ReferenceRelay
import Testing

@Suite("A relay as built")
struct AsBuiltTests {
    @Test("has its traps in the documentation, each with a rule that its defects turn red")
    func documented() throws {
        let page = try String(contentsOfFile: Place.root + "/docs/reference-relay.md", encoding: .utf8)
        let section = try #require(page.components(separatedBy: "## As built\n").dropFirst().first)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }
        let traps = try #require(RelayDialect.opencode.asBuilt)
        #expect(rows.map { $0[0] } == traps.map(\.words))
        for (row, trap) in zip(rows, traps) {
            #expect(row[1].components(separatedBy: "`, `") == trap.defects.map(\.rawValue))
            #expect(RuleBook.rule(named: row[3]) != nil, "\(row[3])")
            #expect(trap.defects.contains { ($0.declared + $0.possible).contains(row[3]) }, "\(row[0])")
        }
        #expect(RelayDialect.allCases.filter { $0.asBuilt != nil } == [.opencode])
    }
}
