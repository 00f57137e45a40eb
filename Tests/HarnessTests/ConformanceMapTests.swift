// docs/conformance.md, which `pushrig prove --write` makes: it names every defect of the reference relay and a case that convicts
// it, and no MUST of the claims is without a proof.

import Conformance
import Foundation
import ReferenceRelay
import Testing

@Suite("The map of defects and cases")
struct ConformanceMapTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Each row's cells, without code marks.
    private static func rows() throws -> [[String]] {
        let text = try String(contentsOfFile: Self.root + "/docs/conformance.md", encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
        }
    }

    @Test("has a row for each defect, as it is declared, and no other")
    func rows() throws {
        let rows = try Self.rows()
        let declared = Defect.allCases.map { [$0.rawValue, $0.claim, $0.declared[0]] }
        #expect(Set(rows.map { Array($0.prefix(3)) }) == Set(declared))
        #expect(rows.count == declared.count)
    }

    @Test("names cases for each, and nothing else")
    func convicted() throws {
        let words = ["missed", "says too much", "says too little", "inconclusive", "no case is about its rule", "not asked"]
        for row in try Self.rows() {
            #expect(row.count == 6 && !row[3].isEmpty && !words.contains(row[3]), "\(row)")
        }
    }

    /// A defect that breaks the claim by a rule that is a MUST and judges it.
    private static func isProven(_ claim: Claim) -> Bool {
        claim.defects.contains { name in
            guard let first = Defect(rawValue: name)?.declared[0], claim.rules.contains(first) else { return false }
            return RuleBook.rule(named: first)?.level == .must
        }
    }

    /// Those that no defect of theirs proves so, each with the reason.
    private static let unproven: [String: String] = [
        "G23": "the reference relay keeps its tokens: script/stand-ins has gorush hide a death",
        "G24": "the same: it has Mattermost and Sygnal call living tokens dead",
        "P7": "libnghttp2 counts streams itself, so no defect overruns: Tests/OddRelays in the mode crowds does (OddRelayTests)",
        "P22": "the reference relay broadcasts nothing: script/stand-ins has the relay of scores lose goals, and mix channels",
        "F23": "saves-messages-up breaks a SHOULD: the minute is Google's, and what is a peak beside our calls our choice",
    ]

    @Test("leaves no MUST that is judged without a proof of its own, by a rule that fails a run")
    func musts() throws {
        let chapters = ["R0.", "R1.", "R2.", "R3.", "R4.", "G", "P", "F"]
        for claim in Claim.all where claim.level == .must && chapters.contains(where: claim.id.hasPrefix) {
            guard !claim.rules.isEmpty else { continue }
            #expect(Self.isProven(claim) == (Self.unproven[claim.id] == nil), "\(claim.id): \(claim.rules) \(claim.defects)")
        }
        #expect(Self.unproven.keys.allSatisfy { id in Claim.all.contains { $0.id == id } })
    }
}
