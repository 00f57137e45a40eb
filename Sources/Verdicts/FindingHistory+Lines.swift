// Which lines of a history tell whoever reads a finding what he needs.

import Basics
import Conformance
import Journal
import Pushes

extension FindingHistory {
    /// Lines of one finding, and those of them behind the last that it speaks of.
    private static let mostLines = 12
    private static let linesBehind = 2

    /// Around what the finding speaks of; empty where it speaks of no session, or nothing of it is known.
    func lines(of finding: Finding) -> [HistoryLine] {
        guard let session = finding.session, let own = sessions[session] else { return [] }
        let place = finding.step.map { EventNumber.place(session: session, step: $0) }
        // A token that no call of its own has named is somebody else's.
        let strange = Set(own.lazy.filter { finding.entries.contains($0.entry) }.flatMap(\.tokens))
            .subtracting(own.lazy.filter { $0.weight == .token }.flatMap(\.tokens))
        var items = (own + ofAll + strange.compactMap { owners[$0] }).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        for index in items.indices {
            let item = items[index]
            if finding.entries.contains(item.entry) || (item.place != nil && item.place == place) {
                items[index].weight = .meant
            }
        }
        guard let first = items.firstIndex(where: { $0.weight == .meant }),
            let last = items.lastIndex(where: { $0.weight == .meant })
        else { return [] }
        // Where the finding names pushes, those to other tokens tell nothing of it.
        let meant = items.reduce(into: Set<TokenHash>()) { if finding.entries.contains($1.entry) { $0.formUnion($1.tokens) } }
        func tells(_ index: Int) -> Bool {
            let tokens = items[index].tokens
            return meant.isEmpty || tokens.isEmpty || !tokens.isDisjoint(with: meant)
        }
        let (before, behind) = (items.indices[..<first].filter(tells), items.indices[(last + 1)...].filter(tells))
        let named = items.indices[..<first].filter { items[$0].weight == .token }
        // What took their place.
        let slots = Set(items.lazy.flatMap(\.brought).filter { meant.contains($0.value) }.map(\.key))
        let newest = slots.compactMap { slot in named.last { items[$0].brought[slot] != nil } }
        var chosen = (first...last).filter { tells($0) || items[$0].weight == .token }
        // Where its tokens come from, and what was said last of any.
        chosen += Set(before.filter { items[$0].weight == .token }.suffix(2)).union(named.suffix(1)).union(newest)
        chosen += before.filter { items[$0].weight == .push }.suffix(1)
        // What came next, and the next push: of a loss it says whether anything followed.
        chosen += Set(behind.prefix(Self.linesBehind)).union(behind.filter { items[$0].weight == .push }.prefix(1))
        if let end = behind.dropFirst(Self.linesBehind).last(where: { items[$0].words == Self.end }) { chosen.append(end) }
        let kept = chosen.sorted { (items[$1].weight.rawValue, $0) < (items[$0].weight.rawValue, $1) }
            .prefix(Self.mostLines).sorted()
        var shown: Int?
        return kept.map { index in
            defer { shown = index }
            let skipped = shown.map { index - $0 - 1 } ?? 0
            return HistoryLine(
                at: items[index].at - origin, words: items[index].words, isMeant: items[index].weight == .meant,
                skipped: skipped)
        }
    }
}
