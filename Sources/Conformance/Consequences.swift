// Which broken rules only follow from another: what they found is about the same calls and pushes as what a rule found that
// stands before it in the rule book, where causes stand before symptoms.

import Metrics

/// What a finding is about.
enum Subject: Hashable, Sendable {
    case call(session: UInt32, step: UInt32?)
    /// Of a push that no call is known for: its journal entry.
    case push(UInt64)

    init?(_ finding: Finding) {
        if let session = finding.session {
            self = .call(session: session, step: finding.step)
        } else if let entry = finding.entries.last {
            self = .push(entry)
        } else {
            return nil
        }
    }
}

/// What all findings of a rule are about, also those that are counted and no longer kept.
struct Subjects: Sendable {
    static let most = 100_000
    private(set) var all: Set<Subject> = []
    /// What had to follow from what was found, whatever rule tells of it.
    private(set) var led: Set<Subject> = []
    /// A finding was about nothing that can be named, or there were too many.
    private(set) var isPart = false

    mutating func add(_ finding: Finding) {
        guard all.count < Self.most, let subject = Subject(finding) else { return isPart = true }
        all.insert(subject)
    }

    mutating func lead(to subject: Subject) {
        if led.count < Self.most { led.insert(subject) }
    }

    mutating func add(_ other: Subjects) {
        led.formUnion(other.led.prefix(Self.most - min(led.count, Self.most)))
        all.formUnion(other.all.prefix(Self.most - min(all.count, Self.most)))
        isPart = isPart || other.isPart || all.count >= Self.most
    }
}

extension RuleResult {
    /// A rule that stands before this one and was broken by so many of the same calls and pushes.
    package struct Cause: Hashable, Sendable {
        package var rule: String
        package var count: Int

        package init(rule: String, count: Int) {
            self.rule = rule
            self.count = count
        }
    }

    /// Of each, in the order of the rule book; each call or push is counted with the first rule that it broke. Empty unless
    /// *all* that this rule found is accounted for so: what has one finding of its own stands for itself. What most of the
    /// run's `calls` broke has nothing else for a consequence only because it is about some of the same; what a finding had to
    /// lead to is one all the same.
    static func causes(among subjects: [Subjects], ofCalls calls: Int) -> [[(place: Int, count: Int)]] {
        let areWide = subjects.map { 2 * $0.all.count > calls }
        func explains(_ cause: Int, _ subject: Subject) -> Bool {
            subjects[cause].led.contains(subject) || !areWide[cause] && subjects[cause].all.contains(subject)
        }
        return subjects.indices.map { place in
            let own = subjects[place]
            guard !own.isPart, !own.all.isEmpty else { return [] }
            var counts: [Int: Int] = [:]
            for subject in own.all {
                guard let first = (0..<place).first(where: { explains($0, subject) }) else { return [] }
                counts[first, default: 0] += 1
            }
            return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    /// All that it found follows from what others found.
    package var isConsequence: Bool { !causes.isEmpty }

    package var causeWords: String {
        let list = causes.map { "\($0.rule) (\($0.count))" }.joined(separator: ", ")
        return list + ": it is broken by the same calls and pushes, and by no other"
    }
}
