// What a user probably meant: the nearest of the words that exist.

package enum Suggestion {
    /// The nearest known word, if it is near enough to have been meant: at most a third of its letters differ. The
    /// beginning of a word is as near as one letter.
    package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        // Nobody means a word by a page of text, and comparing one would take long.
        guard word.utf8.count <= 256 else { return nil }
        let letters = Array(word.lowercased())
        var best: (word: String, distance: Int)?
        for candidate in known {
            let other = Array(candidate.lowercased())
            let isBeginning = letters.count >= 3 && other.count > letters.count && other.starts(with: letters)
            let distance = isBeginning ? 1 : distance(letters, other)
            guard distance <= max(1, max(candidate.count, letters.count) / 3) else { continue }
            if best == nil || distance < best!.distance { best = (candidate, distance) }
        }
        return best?.word
    }

    /// A hint for an error: the nearest word, or else all of them.
    package static func hint(for word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { "did you mean `\($0)`?" } ?? "known: \(known.joined(separator: ", "))"
    }

    /// Edits that make one word of the other: insert, delete, replace, swap neighbours (Damerau, restricted).
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var before: [Int] = []
        var previous = Array(0...b.count)
        for i in 0..<a.count {
            var current = [i + 1]
            for j in 0..<b.count {
                var best = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                current.append(best)
            }
            before = previous
            previous = current
        }
        return previous[b.count]
    }
}
