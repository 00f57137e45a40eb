// What needs no statistics: rules that broke or healed, and what should be nothing and is not.

import Conformance
import Metrics
import Verdicts

enum ExactFacts {
    /// By the words of docs/scenarios.md; the last states that never came are what stays stale.
    private static let kinds: [(name: String, count: @Sendable (Correlation) -> Int)] = [
        ("lost", { $0.count(.lost) }),
        ("duplicated", { $0.count(.duplicated) }),
        ("laststate.missing", { $0.lastState.missingCount }),
        ("reordered", { $0.count(.reordered) }),
        ("misdirected", { $0.count(.misdirected) }),
        ("altered", { $0.count(.altered) }),
        ("unexpected", { $0.count(.unexpected) }),
        ("dead.pushesafter", { $0.deadTokens.pushesAfterDeath }),
    ]

    /// Of these sides counts of both are told apart by more than chance: 2 of 252 ways to deal ten runs.
    private static let enough = 5

    static func counts(_ base: [RunRecord], _ new: [RunRecord]) -> [ComparisonRecord.Count] {
        kinds.map { kind in
            let (one, other) = (base.map { kind.count($0.correlation) }, new.map { kind.count($0.correlation) })
            return ComparisonRecord.Count(name: kind.name, base: one, new: other, word: word(one, other))
        }
    }

    /// From nothing in every run to something in any, or back, is exact. Where both sides have some, only counts that are all
    /// above those of the other side say so, and only of enough runs.
    static func word(_ base: [Int], _ new: [Int]) -> ComparisonRecord.Word {
        let (least, most) = (base.min() ?? 0, base.max() ?? 0)
        let (newLeast, newMost) = (new.min() ?? 0, new.max() ?? 0)
        if most == 0 { return newMost == 0 ? .same : .worse }
        if newMost == 0, least > 0 { return .better }
        if least == most, newLeast == newMost, least == newLeast { return .same }
        guard min(base.count, new.count) >= enough else { return .undecided }
        return newLeast > most ? .worse : newMost < least ? .better : .undecided
    }

    static func rules(_ base: [RunRecord], _ new: [RunRecord]) -> [ComparisonRecord.Rule] {
        var order: [String] = []
        for record in base + new { for rule in record.verdicts where !order.contains(rule.id) { order.append(rule.id) } }
        return order.compactMap { id -> ComparisonRecord.Rule? in
            let (one, other) = (seen(id, base), seen(id, new))
            let (before, after) = (one.filter(\.result.isBroken), other.filter(\.result.isBroken))
            let change: ComparisonRecord.Rule.Change
            if before.isEmpty, !after.isEmpty {
                change = .broken
            } else if !before.isEmpty, after.isEmpty, other.contains(where: { $0.result.isPutToTheTest }) {
                change = .healed
            } else if before.count * new.count != after.count * base.count {
                change = .differs
            } else {
                return nil
            }
            guard let told = after.first ?? before.first else { return nil }
            let isProven = (after.isEmpty ? before : after).contains { $0.record.proof.broken.contains(id) }
            return ComparisonRecord.Rule(
                id: id, level: told.result.level, requirement: told.result.requirement, change: change, isProven: isProven,
                base: before.count, new: after.count, finding: told.result.verdict.findings.first?.message ?? "",
                directory: told.record.directory)
        }
    }

    private static func seen(_ id: String, _ records: [RunRecord]) -> [(record: RunRecord, result: RuleResult)] {
        records.compactMap { record in record.verdicts.first { $0.id == id }.map { (record, $0) } }
    }
}

extension RuleResult {
    fileprivate var isBroken: Bool { if case .broken = verdict { true } else { false } }
    fileprivate var isPutToTheTest: Bool { standing != .notExercised }
}
