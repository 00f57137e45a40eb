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
        "P7": "no relay here can open more streams than it is granted: libnghttp2 counts them",
        "P14": "no defect signs anew for 429 alone; its rules are proven by others (signs-per-push, prunes-on-token-updates)",
        "R0.12": "permission-at-5 breaks a SHOULD (urgent-states-at-10); no defect tells another status, as loses-retry-info does",
        "R1.10": "guesses-rate is convicted by content-fits-contract, which judges R1.4: what the app had counted is seen by no rule",
        "R1.11": "what the app shows of a stored message is part of no run; that it is stored, hides-rows-from-people tells",
        "R3.6": "normal-live-updates breaks a SHOULD (live-update-high); data that is changed breaks content-unchanged for others",
        "R3.7": "notifies-live-updates breaks a SHOULD: FCM takes such a message",
        "R4.13": "no defect of the replacing relay starts twice; starts-again does in another dialect",
        "R4.15": "no defect of the replacing relay cuts nothing; oversized-payloads and uncut-paths do in others",
        "F23": "saves-messages-up breaks a SHOULD: how steep a rise may be no page says",
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
