// What a recorded run came to, as far as a replay has to come to the same; and how both compare in words.

import Basics
import Conformance
import Verdicts

struct RecordedVerdict: Hashable, Sendable {
    var exitCode: Int
    /// `conformance broken`, `passed`.
    var word: String
    /// Rules that failed the run, in the order of the rule book.
    var broken: [String]
    /// Gates that were breached.
    var breached: [String] = []
    /// It tells what was broken by some of its sessions, and not what all of it came to.
    var isOfPart = false

    init(exitCode: Int, word: String, broken: [String], breached: [String] = [], isOfPart: Bool = false) {
        self.exitCode = exitCode
        self.word = word
        self.broken = broken
        self.breached = breached
        self.isOfPart = isOfPart
    }

    init(_ record: RunRecord) {
        self.init(
            exitCode: Int(record.exit.code), word: record.exit.word,
            broken: record.verdicts.filter(\.standing.failsTheRun).map(\.id),
            breached: record.gates.filter { $0.passed == false }.map(\.text))
    }

    var json: JSONValue {
        [
            "exitCode": .integer(Int64(exitCode)), "word": .string(word),
            "broken": .array(broken.map { .string($0) }), "breached": .array(breached.map { .string($0) }),
            "isOfPart": .bool(isOfPart),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            exitCode: try reading["exitCode"].integer(), word: try reading["word"].text(),
            broken: try reading["broken"].texts(), breached: try reading["breached"].texts(),
            isOfPart: try reading["isOfPart"].flag())
    }

    // MARK: Comparison

    /// The same rules and gates are red; where none is, both ended alike, as far as this tells how it ended.
    func isSame(as other: RecordedVerdict) -> Bool {
        guard Set(broken) == Set(other.broken), Set(breached) == Set(other.breached) else { return false }
        if !broken.isEmpty || !breached.isEmpty || exitCode == other.exitCode { return true }
        return isOfPart && exitCode == 0 && other.exitCode == 5
    }

    /// `conformance broken (4): new-token-used`.
    var words: String {
        let red = broken + breached
        return "\(word) (\(exitCode))" + (red.isEmpty ? "" : ": \(red.joined(separator: ", "))")
    }

    /// What `record`, a replay of the run that came to this, came to beside it; a line each. `isStepped`: its clock stood, so
    /// that nothing depends on who is faster. `isOther`: what was played is not the relay that was recorded.
    func comparison(with record: RunRecord, isStepped: Bool, isOther: Bool = false) -> [String] {
        let now = RecordedVerdict(record)
        guard !isSame(as: now) else { return ["same verdict: \(now.words)"] }
        var lines = ["another verdict", "  then: \(words)", "  now:  \(now.words)"]
        let races = !isStepped && !isOther
        var hasRace = false
        func race(_ id: String) -> String {
            guard races, RuleBook.rule(named: id)?.basis.contains(.timing) == true else { return "" }
            hasRace = true
            return ": it turns on timing, so a race may have decided"
        }
        for id in broken where !now.broken.contains(id) {
            let result = record.verdicts.first { $0.id == id }
            lines.append("  \(id) was broken, and is \(result?.standing.word ?? "not known here")\(race(id))")
        }
        for id in now.broken where !broken.contains(id) { lines.append("  \(id) is broken only now\(race(id))") }
        if isOther {
            lines.append("  relay or settings are others than those that were recorded")
        } else if races, !hasRace, Set(broken) != Set(now.broken) {
            lines.append("  the clock runs: who is faster, the relay, its network or we, is no part of what was recorded")
        }
        if isOfPart {
            lines.append("  one session was played alone: what hangs on others takes the whole run, without --session")
        }
        return lines
    }
}
