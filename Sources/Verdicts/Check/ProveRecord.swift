// What a proof comes to: whether the honest relay is found right, and each defect wrong, by its own rules.

import Conformance

/// One defect, and what its cases said.
package struct DefectProof: Sendable {
    package enum Standing: String, CaseIterable, Hashable, Sendable {
        /// A case turned the defect's first rule red, and none a rule that it does not declare.
        case proven
        /// No case did.
        case missed
        /// A rule turned red that it declares neither as its own nor as possible.
        case excessive = "says too much"
        /// A run says nothing.
        case inconclusive
        /// No case is about its rule.
        case uncovered = "no case is about its rule"
    }

    package var defect: String
    package var claim: String
    /// Rules that it turns red, the primary one first, and those that may turn red besides.
    package var declared: [String]
    package var possible: [String]
    /// That were tried.
    package var cases: [String]
    /// By case: what turned red.
    package private(set) var red: [String: [String]] = [:]
    private var failed: Set<String> = []
    private var isUnsure = false
    /// Only a run that fails convicts; a warning does not.
    private let hasToFail: Bool

    package init(
        defect: String, claim: String, declared: [String], possible: [String], cases: [String], hasToFail: Bool = false
    ) {
        self.hasToFail = hasToFail
        self.defect = defect
        self.claim = claim
        self.declared = declared
        self.possible = possible
        self.cases = cases
    }

    /// `results` by `defect/case`.
    package mutating func take(_ results: [String: CaseResult]) {
        for name in cases {
            guard let result = results["\(defect)/\(name)"] else { continue }
            red[name] = result.broken.map(\.id)
            if result.verdict == .couldNotRun || hasToFail && result.verdict == .inconclusive { isUnsure = true }
            if result.verdict == .broken { failed.insert(name) }
        }
    }

    package var convictedIn: [String] {
        cases.filter { red[$0]?.contains(declared[0]) ?? false && (!hasToFail || failed.contains($0)) }
    }

    /// Red, and neither declared nor possible.
    package var excess: [String] {
        cases.flatMap { red[$0] ?? [] }.filter { !declared.contains($0) && !possible.contains($0) }
    }

    package var standing: Standing {
        if cases.isEmpty { return .uncovered }
        if !excess.isEmpty { return .excessive }
        if !convictedIn.isEmpty { return .proven }
        return isUnsure || red.isEmpty ? .inconclusive : .missed
    }
}

/// The record of one `pushrig prove`.
package struct ProveRecord: Sendable {
    package var dialect: String
    package var honest: [CaseResult]
    package var proofs: [DefectProof]
    package var isInterrupted = false

    package init(dialect: String, honest: [CaseResult], proofs: [DefectProof], isInterrupted: Bool) {
        self.dialect = dialect
        self.honest = honest
        self.proofs = proofs
        self.isInterrupted = isInterrupted
    }

    package func count(_ standing: DefectProof.Standing) -> Int { proofs.count { $0.standing == standing } }

    /// Honest cases that are not kept.
    package var blamed: [CaseResult] { honest.filter { $0.verdict != .kept } }

    /// 130 interrupted, 4 where the honest relay is blamed or a defect missed, 5 where something is not known, else 0.
    package var exitCode: Int32 {
        if isInterrupted { return 130 }
        if blamed.contains(where: { $0.verdict == .broken || $0.verdict == .warning }) { return 4 }
        if count(.missed) + count(.excessive) > 0 { return 4 }
        return blamed.isEmpty && count(.inconclusive) == 0 && !(honest.isEmpty && proofs.isEmpty) ? 0 : 5
    }
}
