// docs/conformance.md names every defect of the reference relay, with the claim and the rule that it breaks.

import Foundation
import ReferenceRelay
import Testing

@Suite("The map of defects and cases")
struct ConformanceMapTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    @Test("has a row for each defect, as it is declared, and no other")
    func rows() throws {
        let text = try String(contentsOfFile: Self.root + "/docs/conformance.md", encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|").prefix(3).map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }
        let declared = Defect.allCases.map { [$0.rawValue, $0.claim, $0.declared[0]] }
        #expect(Set(rows) == Set(declared))
        #expect(rows.count == declared.count)
    }
}
