// What a relay has to do, one numbered requirement to a row, and which rule judges it or which input is missing for one.
// The rows stand in Claims/, a file a chapter.

/// One numbered requirement on a relay: a row of the table that `pushrig list claims` prints.
package struct Claim: Sendable {
    package typealias Level = Rule.Level

    /// How a run decides about a claim.
    package enum Judgement: Hashable, Sendable {
        /// Ids of rules, at least one. `unseen`: the part of the claim that no rule sees, by the input that is missing.
        case rules([String], unseen: String?)
        /// No rule can judge it: the input that is missing.
        case missing(input: String)
    }

    /// Chapter and number, such as `R0.9` or `P13`: for ever, never given to something else.
    package let id: String
    package let level: Level
    /// One sentence for the author of a relay.
    package let sentence: String
    /// What it rests on: a page, a section of an RFC, a relay's own words; and where needed the reason of the level.
    package let norm: String
    /// Which relays owe it; never empty.
    package let systems: [System]
    package let judgement: Judgement
    /// Defects of the reference relay that break it, by the names that `--defect` takes.
    package let defects: [String]

    /// A claim that these rules judge.
    init(
        _ id: String, _ level: Level, _ sentence: String, norm: String, on systems: [System] = [],
        rules: [String], unseen: String? = nil, defects: [String] = []
    ) {
        self.init(id, level, sentence, norm, systems, .rules(rules, unseen: unseen), defects)
    }

    /// A claim that nothing in a run can put to the test, for want of this input.
    init(
        _ id: String, _ level: Level, _ sentence: String, norm: String, on systems: [System] = [], missing input: String
    ) {
        self.init(id, level, sentence, norm, systems, .missing(input: input), [])
    }

    private init(
        _ id: String, _ level: Level, _ sentence: String, _ norm: String, _ systems: [System],
        _ judgement: Judgement, _ defects: [String]
    ) {
        self.id = id
        self.level = level
        self.sentence = sentence
        self.norm = norm
        self.systems = systems.isEmpty ? [Chapter(of: id).system] : systems
        self.judgement = judgement
        self.defects = defects
    }

    package var chapter: Chapter { Chapter(of: id) }

    /// Ids of the rules that judge it; none when an input is missing.
    package var rules: [String] {
        if case .rules(let ids, _) = judgement { ids } else { [] }
    }
}

extension Claim {
    /// Every claim, chapter by chapter, each chapter in the order of its numbers.
    package static let all: [Claim] = Chapter.allCases.flatMap(\.claims)

    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id.lowercased(), $0) })

    /// The claim with this id, in any case of letters.
    package static func named(_ id: String) -> Claim? { byID[id.lowercased()] }

    /// What a rule judges, in the order of the table.
    package static func judged(by rule: String) -> [Claim] { all.filter { $0.rules.contains(rule) } }

    /// What a defect of the reference relay breaks, in the order of the table.
    package static func broken(by defect: String) -> [Claim] { all.filter { $0.defects.contains(defect) } }
}
