// What is wrong with the files of a scenario, gathered so that one look shows the first few.

import Basics
import YAML

/// Mistakes in the order they were found. Decoding goes on after one, with a stand-in value.
final class Mistakes {
    private(set) var found: [Failure] = []
    /// More than this are only counted.
    private let shownMax = 8

    func add(_ message: String, hint: String? = nil, at place: YAMLPlace) {
        found.append(Failure(.usage, message, hint: hint, place: place.description))
    }

    func add(_ failure: Failure) { found.append(failure) }

    /// One failure for all: the first with its own place, each further one on a line of its own.
    func check() throws(Failure) {
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
