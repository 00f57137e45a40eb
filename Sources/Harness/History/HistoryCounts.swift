// A history in a few lines: how long it is, what stands in it, how it ended.

import Basics
import Journal
import Reports
import Verdicts

struct HistoryCounts {
    /// More different answers than these are counted together.
    private static let mostWords = 1_000
    private static let shown = 6

    private var first: WallTime?
    private var last: WallTime?
    private var entries = 0
    private var notes = 0
    private var pushes: [String: Int] = [:]
    private var events: [String: Int] = [:]
    private var finish: FinishNote?

    mutating func see(_ entry: JournalEntry) {
        entries += 1
        first = first ?? entry.wall
        last = entry.wall
        switch entry {
        case .push(let push), .broadcast(let push): count(push.answerText, in: &pushes)
        case .event(let event): count(event.status == 0 ? event.answerText : "\(event.status)", in: &events)
        case .note(let note):
            notes += 1
            if case .finished(let finish) = note.run { self.finish = finish }
        }
    }

    private func count(_ word: String, in counts: inout [String: Int]) {
        counts[counts.count < Self.mostWords || counts[word] != nil ? word : "other", default: 0] += 1
    }

    func lines(_ frame: HistoryFrame, _ reader: JournalReader) -> [String] {
        var lines = [
            "history   \(Numbers.count(entries)) entries from \(first?.iso8601 ?? "–") to \(last?.iso8601 ?? "–")"
        ]
        if let plan = frame.plan {
            lines.append("run       \(plan.files.first?.path ?? "no scenario"), seed \(plan.seed); \(end)")
        } else {
            lines.append("run       none: a mock's own journal")
        }
        if !events.isEmpty { lines.append("events    \(text(events))") }
        lines.append("pushes    \(text(pushes))")
        lines.append("notes     \(Numbers.count(notes))")
        for cut in reader.cuts {
            lines.append(
                "cut       \(cut.file).journal at byte \(Numbers.count(cut.offset)): \(Numbers.count(cut.byteCount)) bytes "
                    + "after it are torn or damaged, and left out")
        }
        for name in reader.foreign { lines.append("cut       \(name).journal is no journal") }
        return lines.map(Escaping.terminal)
    }

    private var end: String {
        guard let finish else { return "it was killed, or still goes on" }
        return finish.trouble.map { "it failed: \($0)" } ?? (finish.isInterrupted ? "a signal ended it" : "it came to its end")
    }

    private func text(_ counts: [String: Int]) -> String {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard !sorted.isEmpty else { return "none" }
        return "\(Numbers.count(sorted.reduce(0) { $0 + $1.value })): "
            + sorted.prefix(Self.shown).map { "\($0.key) × \(Numbers.count($0.value))" }.joined(separator: ", ")
            + (sorted.count > Self.shown ? ", …" : "")
    }
}
