// What a proof comes to: whether the honest relay is found right, and each defect wrong, by its own rules.

import Conformance

/// One defect, and what its cases said.
package struct DefectProof: Sendable {
    package enum Standing: String, CaseIterable, Hashable, Sendable {
        /// Cases turned all rules red that the defect declares, and none that it does not.
        case proven
        /// No case turned its first rule red.
        case missed
        /// A rule turned red that it declares neither as its own nor as possible.
        case excessive = "says too much"
        /// Its first rule turned red, and another that it declares did not.
        case partial = "says too little"
        /// A run says nothing.
        case inconclusive
        /// No case is about its rule.
        case uncovered = "no case is about its rule"
    }

    /// A case that may be tried, and what it is about.
    package struct Candidate: Hashable, Sendable {
        package var name: String
        package var rules: [String]

        package init(name: String, rules: [String]) {
            self.name = name
            self.rules = rules
        }
    }

    package var defect: String
    package var claim: String
    /// Rules that it turns red, the primary one first, and those that may turn red besides.
    package var declared: [String]
    package var possible: [String]
    /// In the order in which they are tried.
    package var candidates: [Candidate]
    /// By case: what turned red.
    package private(set) var red: [String: [String]] = [:]
    private var failed: Set<String> = []
    private var isUnsure = false
    /// Of a file that names it: only a run that fails convicts, a warning does not; and its own rule is enough.
    private let hasToFail: Bool

    package init(
        defect: String, claim: String, declared: [String], possible: [String], candidates: [Candidate],
        hasToFail: Bool = false
    ) {
        self.hasToFail = hasToFail
        self.defect = defect
        self.claim = claim
        self.declared = declared
        self.possible = possible
        self.candidates = candidates
    }

    /// The cases of `candidates`.
    package var cases: [String] { candidates.map(\.name) }

    /// `results` by `defect/case`.
    package mutating func take(_ results: [String: CaseResult]) {
        for name in cases {
            guard let result = results["\(defect)/\(name)"] else { continue }
            // Where our own measuring was not sound that alone is proven which rests on nothing of it.
            guard result.verdict != .inconclusive || result.isSound else {
                red[name] = result.broken.filter(\.basis.isEmpty).map(\.id)
                isUnsure = true
                continue
            }
            // Nor what rests on instants, beside what does not.
            red[name] = result.broken.filter { result.isSound || !$0.basis.contains(.timing) }.map(\.id)
            if result.verdict == .couldNotRun || hasToFail && result.verdict == .inconclusive { isUnsure = true }
            if result.verdict == .broken { failed.insert(name) }
        }
    }

    package var convictedIn: [String] {
        cases.filter { red[$0]?.contains(declared[0]) ?? false && (!hasToFail || failed.contains($0)) }
    }

    /// Cases beside those that turned others of its rules red.
    package var completedIn: [String] {
        var seen = Set(convictedIn.flatMap { red[$0] ?? [] })
        return cases.filter { name in
            let news = Set(red[name] ?? []).intersection(declared).subtracting(seen)
            seen.formUnion(news)
            return !news.isEmpty
        }
    }

    /// Declared, and red in no case.
    package var lacking: [String] {
        let seen = Set(red.values.joined())
        return declared.filter { !seen.contains($0) }
    }

    /// Red, and neither declared nor possible.
    package var excess: [String] {
        cases.flatMap { red[$0] ?? [] }.filter { !declared.contains($0) && !possible.contains($0) }
    }

    /// The case to be tried next: about its first rule until that is red, then about another that is not.
    package var next: String? {
        let wanted = convictedIn.isEmpty ? [declared[0]] : lacking
        return candidates.first { item in red[item.name] == nil && !Set(item.rules).isDisjoint(with: wanted) }?.name
    }

    package var standing: Standing {
        if !excess.isEmpty { return .excessive }
        if !convictedIn.isEmpty { return hasToFail || lacking.isEmpty ? .proven : .partial }
        if !candidates.contains(where: { $0.rules.contains(declared[0]) }) { return .uncovered }
        return isUnsure || red.isEmpty ? .inconclusive : .missed
    }
}

/// The record of one `pushrig prove`: of one relay, or of scenario files.
package struct ProveRecord: Sendable {
    /// Empty: of files.
    package var dialect: String
    package var honest: [CaseResult]
    package var proofs: [DefectProof]
    package var isInterrupted = false
    /// How it came about, for the page that shows it.
    package var caption = ""

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
        if count(.missed) + count(.excessive) + count(.partial) + count(.uncovered) > 0 { return 4 }
        return blamed.isEmpty && count(.inconclusive) == 0 && !(honest.isEmpty && proofs.isEmpty) ? 0 : 5
    }
}
