// What a rule is and what it says: a requirement with its norm, a pure judge over saved evidence, and a verdict.
// Must not know sockets, clocks or live state; everything is read from the journal after the fact.

/// One requirement and the code that judges it.
package struct Rule: Sendable {
    /// How much a broken rule weighs: `must` fails the run, `should` warns, `environment` is only reported.
    package enum Level: String, Hashable, Sendable, CaseIterable { case must, should, environment }

    /// Names the rule for ever: lower-case words joined by hyphens, never reused for something else.
    package let id: String
    /// The numbered claims it judges, such as `R0.22, P9`.
    package let claim: String
    package let level: Level
    /// One sentence for whoever failed it.
    package let requirement: String
    /// What the requirement rests on: a section of Apple's pages, or the relay's own words.
    package let norm: String
    package let judge: @Sendable (Evidence) -> Verdict

    package init(
        id: String, claim: String, level: Level, requirement: String, norm: String,
        judge: @escaping @Sendable (Evidence) -> Verdict
    ) {
        self.id = id
        self.claim = claim
        self.level = level
        self.requirement = requirement
        self.norm = norm
        self.judge = judge
    }
}

/// What a rule found in the evidence.
package enum Verdict: Hashable, Sendable {
    /// Held each time it was put to the test; `evidenceCount` says how often (at least 1).
    case kept(evidenceCount: Int)
    /// Never empty.
    case broken([Finding])
    /// Nothing in the evidence put it to the test; neither praise nor blame.
    case notExercised

    /// The word used in files and on pages.
    package var word: String {
        switch self {
        case .kept: "kept"
        case .broken: "broken"
        case .notExercised: "not exercised"
        }
    }

    package var findings: [Finding] {
        if case .broken(let findings) = self { findings } else { [] }
    }
}

/// One piece of evidence against the relay.
package struct Finding: Hashable, Sendable {
    package var message: String
    package var expected: String
    package var seen: String
    /// Journal entry ids of the pushes it speaks of, in order of arrival.
    package var entries: [UInt64]

    package init(message: String, expected: String, seen: String, entries: [UInt64]) {
        self.message = message
        self.expected = expected
        self.seen = seen
        self.entries = entries
    }
}

/// A rule and its verdict in one run, as it is kept in files.
package struct RuleResult: Hashable, Sendable {
    package var id: String
    package var claim: String
    package var level: Rule.Level
    package var requirement: String
    package var norm: String
    package var verdict: Verdict
    /// The profile lists this rule as a known break.
    package var isKnownFailing: Bool

    package init(
        id: String, claim: String, level: Rule.Level, requirement: String, norm: String, verdict: Verdict,
        isKnownFailing: Bool = false
    ) {
        self.id = id
        self.claim = claim
        self.level = level
        self.requirement = requirement
        self.norm = norm
        self.verdict = verdict
        self.isKnownFailing = isKnownFailing
    }

    /// What the verdict comes to, once its level and the list of known breaks are taken into account.
    package var standing: Standing {
        switch verdict {
        case .notExercised: .notExercised
        case .kept: isKnownFailing ? .healed : .kept
        case .broken where isKnownFailing: .knownBroken
        case .broken:
            switch level {
            case .must: .broken
            case .should: .warning
            case .environment: .environment
            }
        }
    }

    package enum Standing: String, Hashable, Sendable, CaseIterable {
        case kept
        /// Fails the run.
        case broken
        /// A broken `should`.
        case warning
        /// A broken `environment` claim: reported, never held against the relay.
        case environment
        /// Broken, and listed as such.
        case knownBroken
        /// Listed as broken but kept: fails the run until it is struck from the list.
        case healed
        case notExercised

        package var failsTheRun: Bool { self == .broken || self == .healed }

        package var word: String {
            switch self {
            case .kept: "kept"
            case .broken: "broken"
            case .warning: "warning"
            case .environment: "environment"
            case .knownBroken: "known break"
            case .healed: "healed"
            case .notExercised: "not exercised"
            }
        }
    }
}
