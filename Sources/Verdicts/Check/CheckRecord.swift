// What all cases of a check come to: each case's verdict, and each rule's over all of them.

package import Basics
package import Conformance

/// The record of one `pushrig check`. `check.json` is this and no more.
package struct CheckRecord: Sendable {
    /// The version of `check.json` this code writes.
    package static let version = 1

    /// What was checked, as the user named it.
    package var subject: String
    package var profile: String
    package var command: String
    package var seed: UInt64
    package var startedAt: WallTime
    /// Of wall time, all cases.
    package var duration: Interval
    package var toolVersion: String
    package var commit: String
    /// In the order of the catalogue.
    package var cases: [CaseResult]
    /// Ended by a signal before all were over.
    package var isInterrupted = false
    /// What the cases are about that were left out, or could be asked of this relay in another way alone: of these rules
    /// nobody knows whether they hold everywhere.
    package var unasked: Set<String> = []

    package init(
        subject: String, profile: String, command: String, seed: UInt64, startedAt: WallTime, duration: Interval,
        toolVersion: String, commit: String, cases: [CaseResult]
    ) {
        self.subject = subject
        self.profile = profile
        self.command = command
        self.seed = seed
        self.startedAt = startedAt
        self.duration = duration
        self.toolVersion = toolVersion
        self.commit = commit
        self.cases = cases
    }
}

/// What became of one case.
package struct CaseResult: Sendable {
    package enum Verdict: String, CaseIterable, Hashable, Sendable {
        /// The relay, the scenario or the machine: it never came to a history that could be judged.
        case couldNotRun = "could not run"
        case broken
        case inconclusive
        /// Only what a relay should do is broken.
        case warning
        case knownBroken = "known broken"
        case kept
        /// It was not run.
        case notExercised = "not exercised"
    }

    package var name: String
    package var question: String
    package var verdict: Verdict
    /// Why it is not kept, in lines for people.
    package var reasons: [String] = []
    /// What it is about.
    package var exercises: [String] = []
    /// Its scenario file and its run directory, where there are any.
    package var scenario: String?
    package var directory: String?
    package var command: String?
    package var duration = Interval.zero
    /// How often it was run, since our own measuring was not sound before.
    package var attempts = 1
    package var rules: [RuleResult] = []
    /// Ids of those that are broken by evidence which rests on nothing of ours that was not sound.
    package var proven: Set<String> = []
    /// All that it is about, beside what it has to put to the test.
    package var touches: [String] = []
    /// Our own measuring was sound.
    package var isSound = true
    /// Calls were sent, and the relay answered none.
    package var isMute = false
    /// It answered some.
    package var hasAnswers = false
    /// It never answered its ready probe.
    package var wasNeverReady = false

    package init(name: String, question: String, verdict: Verdict) {
        self.name = name
        self.question = question
        self.verdict = verdict
    }

    /// A case whose run has a record. `exercises` is what it had to put to the test.
    package init(name: String, question: String, exercises: [String], _ record: RunRecord) {
        self.init(name: name, question: question, verdict: .kept)
        self.exercises = exercises
        rules = record.verdicts
        isSound = record.soundness.allSatisfy(\.passed)
        isMute = record.load.sent > 0 && record.load.answered == 0
        hasAnswers = record.load.answered > 0
        wasNeverReady = record.proof.wasNeverReady
        duration = record.duration
        command = record.replayCommand
        proven = Set(record.proof.broken)
        let untested = exercises.filter { wanted in
            !rules.contains { $0.id == wanted && $0.verdict != .notExercised }
        }
        let standings = Set(rules.map(\.standing))
        // What only heals is told over all cases: each by itself may leave the break alone. It proves nothing of the rest.
        let onlyHeals = record.exit.code == 4 && proven.isEmpty
        switch record.exit.code {
        case 1, 2: verdict = .couldNotRun
        case 4 where !onlyHeals: verdict = .broken
        case 0, 4:
            verdict =
                !untested.isEmpty || !record.proof.doubts.isEmpty
                ? .inconclusive
                : standings.contains(.knownBroken) ? .knownBroken : standings.contains(.warning) ? .warning : .kept
        default: verdict = .inconclusive
        }
        if verdict == .inconclusive || verdict == .broken || verdict == .couldNotRun { reasons = record.exit.reasons }
        guard onlyHeals else { return }
        reasons = record.proof.doubts
        if reasons.isEmpty { reasons = untested.map { "\($0) was not put to the test" } }
    }

    /// It was ended since it took far longer than planned; what it has been proven to break by then counts.
    package mutating func wasOverdue() {
        guard verdict == .inconclusive else { return }
        if !proven.isEmpty { verdict = .broken }
        reasons.insert("it was ended since it took far longer than planned: does the relay answer?", at: 0)
    }

    /// The relay, which nobody but its user may end, had answered the cases before and was not there for this one.
    /// `isConvicted`: one of those has convicted it already.
    package mutating func relayWasGone(isConvicted: Bool) {
        let words = "the relay had been there, and is gone"
        reasons = [words + ": " + (reasons.first ?? "it does not answer")]
        verdict = .notExercised
        guard !isConvicted, wasNeverReady, let place = rules.firstIndex(where: { $0.id == "relay-serves" }) else { return }
        let finding = Finding(
            message: words, expected: "a relay that serves until it is told to stop", seen: reasons[0])
        rules[place].verdict = .broken([finding], count: 1)
        verdict = rules[place].standing == .broken ? .broken : .knownBroken
        if verdict == .broken { proven = ["relay-serves"] }
    }

    /// The rules that make it what it is.
    package var broken: [RuleResult] {
        rules.filter { [.broken, .warning, .knownBroken].contains($0.standing) }
    }

    /// Those that are to be mended: warnings, and what is proven.
    package var toMend: [RuleResult] {
        rules.filter { $0.standing == .warning || $0.standing == .broken && proven.contains($0.id) }
    }
}

extension CheckRecord {
    /// A rule over all cases.
    package struct RuleSum: Sendable {
        package var rule: RuleResult
        package var keptIn: [String] = []
        package var brokenIn: [String] = []
        /// It was kept, and all cases about it were asked and came to an end that proves something.
        package var isSettled = false

        package var standing: RuleResult.Standing {
            if !brokenIn.isEmpty { return rule.standing }
            if keptIn.isEmpty { return .notExercised }
            return rule.isKnownFailing && isSettled ? .healed : .kept
        }
    }

    /// In the order of the rule book, with the evidence of a case that broke it, where there is one.
    package var rules: [RuleSum] {
        var sums: [RuleSum] = []
        var places: [String: Int] = [:]
        func isOpen(_ item: CaseResult) -> Bool { [.couldNotRun, .inconclusive, .notExercised].contains(item.verdict) }
        let open = cases.filter(isOpen)
        let doubtful = unasked.union(open.flatMap { $0.exercises + $0.touches })
        for item in cases {
            for result in item.rules {
                if places[result.id] == nil {
                    places[result.id] = sums.count
                    sums.append(RuleSum(rule: result))
                }
                let place = places[result.id]!
                switch result.verdict {
                case .kept:
                    sums[place].keptIn.append(item.name)
                    if !isOpen(item), !doubtful.contains(result.id) { sums[place].isSettled = true }
                case .broken:
                    if sums[place].brokenIn.isEmpty || sums[place].rule.isConsequence && !result.isConsequence {
                        sums[place].rule = result
                    }
                    sums[place].brokenIn.append(item.name)
                case .notExercised: break
                }
            }
        }
        return sums
    }

    package func count(_ verdict: CaseResult.Verdict) -> Int { cases.count { $0.verdict == verdict } }

    /// In the order of DESIGN's exit codes: could not run, interrupted, broken, inconclusive, passed.
    package var exit: RunRecord.Exit {
        let healed = rules.filter { $0.standing == .healed }
        func names(_ verdict: CaseResult.Verdict) -> String {
            cases.filter { $0.verdict == verdict }.map(\.name).joined(separator: ", ")
        }
        if let failed = cases.first(where: { $0.verdict == .couldNotRun }) {
            return RunRecord.Exit(
                code: 1, word: "could not run", reasons: ["\(failed.name): \(failed.reasons.first ?? "no record was left")"])
        }
        if isInterrupted { return RunRecord.Exit(code: 130, word: "interrupted", reasons: ["ended by a signal"]) }
        if count(.broken) > 0 || !healed.isEmpty {
            let proven = cases.filter { $0.verdict == .broken }.reduce(into: Set<String>()) { $0.formUnion($1.proven) }
            let failing = rules.map(\.rule).filter { $0.standing == .broken && proven.contains($0.id) }
            let broken = RunRecord.Exit.reasons(of: failing)
            return RunRecord.Exit(
                code: 4, word: "conformance broken",
                reasons: broken + healed.map { "\($0.rule.id) is kept again: strike it from the list of known breaks" })
        }
        if count(.inconclusive) > 0 {
            return RunRecord.Exit(code: 5, word: "inconclusive", reasons: ["not proven: \(names(.inconclusive))"])
        }
        if cases.allSatisfy({ $0.verdict == .notExercised }) {
            return RunRecord.Exit(code: 5, word: "inconclusive", reasons: ["no case could be run"])
        }
        return RunRecord.Exit(code: 0, word: "passed", reasons: [])
    }
}
