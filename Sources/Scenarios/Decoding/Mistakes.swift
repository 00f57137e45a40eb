// What is wrong with the files of a scenario, gathered so that one look shows the first few.

import Basics
import YAML

/// Mistakes in the order they were found. Decoding goes on after one, with a stand-in value.
final class Mistakes {
    private(set) var found: [Failure] = []
    /// What is no mistake, and hardly meant.
    private(set) var doubts: [Failure] = []
    /// More than this are only counted.
    private let shownMax = 8

    /// How often each was found again, beside `found`.
    private var again: [Int] = []

    func add(_ message: String, hint: String? = nil, at place: YAMLPlace) {
        add(Failure(.usage, message, hint: hint, place: place.description))
    }

    func doubt(_ message: String, hint: String, at place: YAMLPlace) {
        let doubt = Failure(.usage, message, hint: hint, place: place.description)
        if doubts.count < shownMax, !doubts.contains(doubt) { doubts.append(doubt) }
    }

    /// The same mistake in another place is told once.
    func add(_ failure: Failure) {
        let known = found.firstIndex { $0.message == failure.message && $0.hint == failure.hint && $0.place != nil }
        if let known, found[known].place == failure.place { return }
        if let known, failure.place != nil {
            again[known] += 1
        } else {
            found.append(failure)
            again.append(0)
        }
    }

    /// One failure for all: the first with its own place, each further one on a line of its own.
    func check() throws(Failure) {
        let found = zip(found, again).map { mistake, count in
            var mistake = mistake
            if count > 0 { mistake.message += ", here and in \(count) more place\(count == 1 ? "" : "s")" }
            return mistake
        }
        guard let first = found.first else { return }
        if found.count == 1 { throw first }
        var text = first.message + (first.hint.map { " (\($0))" } ?? "")
        for mistake in found.dropFirst().prefix(shownMax - 1) { text += "\n" + mistake.description }
        if found.count > shownMax { text += "\nand \(found.count - shownMax) more" }
        throw Failure(.usage, text, place: first.place)
    }
}

/// "did you mean `relay`?", or the list of what there is.
func suggestion(for word: String, in known: [String]) -> String {
    known.isEmpty ? "there is none" : Suggestion.hint(for: word, among: known)
}
