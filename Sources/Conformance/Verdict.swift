// What a rule says in the end, and what that comes to for the run.

import Metrics

/// What a rule found in the evidence.
package enum Verdict: Hashable, Sendable {
    /// Held each time it was put to the test; `evidenceCount` says how often (at least 1).
    case kept(evidenceCount: Int)
    /// Never empty; `count` says how many there were in all.
    case broken([Finding], count: Int)
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
        if case .broken(let findings, _) = self { findings } else { [] }
    }

    package var isBroken: Bool {
        if case .broken = self { true } else { false }
    }

    /// What even its firmest findings rest on, beyond what the rule does.
    package var basis: Rule.Basis {
        findings.dropFirst().reduce(findings.first?.basis ?? []) { $0.intersection($1.basis) }
    }
}

/// One piece of evidence against the relay.
package struct Finding: Hashable, Sendable {
    package var message: String
    package var expected: String
    package var seen: String
    /// Whose event it was, where one is meant.
    package var session: UInt32?
    package var step: UInt32?
    /// Journal entry ids of the pushes it speaks of, in order of arrival.
    package var entries: [UInt64]
    /// What to change, where that is more than the rule's advice says.
    package var change: String?
    /// What it rests on beyond what its rule does.
    package var basis: Rule.Basis = []
    /// The event itself and the pushes, as far as they were looked up.
    package var call: CallSeen?
    package var exchanges: [Exchange] = []
    /// What happened around them in its session, in order of time.
    package var history: [HistoryLine] = []
    /// Sessions of another user have part in it.
    package var involvesOthers = false
    /// It speaks of no session, or of several users', and playing the whole run again shows it.
    package var isOfWholeRun = false

    package init(
        message: String, expected: String, seen: String, session: UInt32? = nil, step: UInt32? = nil,
        entries: [UInt64] = []
    ) {
        self.message = message
        self.expected = expected
        self.seen = seen
        self.session = session
        self.step = step
        self.entries = entries
    }
}

/// A rule and its verdict in one run, as it is kept in files.
package struct RuleResult: Hashable, Sendable {
    package var id: String
    package var claims: [String]
    package var level: Rule.Level
    package var basis: Rule.Basis
    package var requirement: String
    package var norm: String
    package var advice: String
    package var verdict: Verdict
    /// Why it could not be put to the test, where that is known.
    package var hindrance: String?
    /// Listed as a known break.
    package var isKnownFailing: Bool
    /// A broken `should` fails the run as well.
    package var isStrict: Bool
    /// The broken rules that all its findings follow from; empty where it stands for itself.
    package var causes: [Cause] = []

    package init(
        id: String, claims: [String], level: Rule.Level, basis: Rule.Basis = [], requirement: String, norm: String,
        advice: String = "", verdict: Verdict, isKnownFailing: Bool = false, isStrict: Bool = false
    ) {
        self.id = id
        self.claims = claims
        self.level = level
        self.basis = basis
        self.requirement = requirement
        self.norm = norm
        self.advice = advice
        self.verdict = verdict
        self.isKnownFailing = isKnownFailing
        self.isStrict = isStrict
    }

    /// What to change so that its first finding goes away.
    package var change: String { verdict.findings.first?.change ?? advice }

    /// What the verdict comes to, once its level and the list of known breaks are taken into account.
    package var standing: Standing {
        switch verdict {
        case .notExercised: .notExercised
        case .kept: isKnownFailing ? .healed : .kept
        case .broken where isKnownFailing: .knownBroken
        case .broken:
            switch level {
            case .must: .broken
            case .should: isStrict ? .broken : .warning
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

/// Findings up to a limit, the number of all, and how often a rule was put to the test.
package struct Tally: Sendable {
    static let limit = 10

    private var list: [Finding] = []
    private(set) var subjects = Subjects()
    private(set) var found = 0
    /// How often the requirement was put to the test, whether it held or not.
    private var tested = 0

    mutating func test(_ count: Int = 1) { tested += count }

    /// What follows from the last finding: it is about those calls, too.
    mutating func lead(to rows: some Sequence<Expectation>) {
        for row in rows { subjects.lead(to: .call(session: row.session, step: row.step)) }
    }

    mutating func find(
        _ message: @autoclosure () -> String, expected: @autoclosure () -> String, seen: @autoclosure () -> String,
        change: @autoclosure () -> String? = nil, session: UInt32? = nil, step: UInt32? = nil,
        restsOn basis: Rule.Basis = [], _ entries: UInt64...
    ) {
        add(message(), expected(), seen(), change(), session, step, basis, false, entries)
    }

    private mutating func add(
        _ message: @autoclosure () -> String, _ expected: @autoclosure () -> String, _ seen: @autoclosure () -> String,
        _ change: @autoclosure () -> String?, _ session: UInt32?, _ step: UInt32?, _ basis: Rule.Basis,
        _ involvesOthers: Bool, _ entries: [UInt64]
    ) {
        found += 1
        var finding = Finding(
            message: "", expected: "", seen: "", session: session, step: step, entries: entries.filter { $0 != 0 })
        subjects.add(finding)
        // A firm finding takes the place of one that is less so.
        if list.count >= Self.limit {
            guard basis.isEmpty, list.last?.basis.isEmpty == false else { return }
            list.removeLast()
        }
        (finding.message, finding.expected, finding.seen) = (message(), expected(), seen())
        finding.change = change()
        finding.basis = basis
        finding.involvesOthers = involvesOthers
        list.append(finding)
    }

    /// What another found stands behind what is there.
    mutating func add(_ other: Tally) {
        tested += other.tested
        found += other.found
        subjects.add(other.subjects)
        for finding in other.list where list.count < Self.limit { list.append(finding) }
    }

    /// `push`: whose session and step it is, where it bears a marker. `involvesOthers`: so have sessions of another user.
    mutating func find(
        _ message: @autoclosure () -> String, expected: @autoclosure () -> String, seen: @autoclosure () -> String,
        of push: SeenPush, involvesOthers: Bool = false, restsOn basis: Rule.Basis = [], _ entries: UInt64...
    ) {
        add(
            message(), expected(), seen(), nil, push.isMarked ? push.session : nil, push.isMarked ? push.step : nil, basis,
            involvesOthers, entries)
    }

    var verdict: Verdict {
        if found > 0 { return .broken(list, count: found) }
        return tested > 0 ? .kept(evidenceCount: tested) : .notExercised
    }
}
