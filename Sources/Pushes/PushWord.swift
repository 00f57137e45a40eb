// What all the closed vocabularies of pushes have in common: each case is one word, and a number in journal files.

import Basics

/// A word of pushes. The raw value is its number in journal files and in tables: it is written out beside each case,
/// never changes, and is never used for another.
package protocol PushWord: CaseIterable, Hashable, RawRepresentable, Sendable where RawValue == UInt8 {
    /// As it stands on the wire, in rules and in reports.
    var word: StaticString { get }
}

extension PushWord {
    /// Nil unless it is one of the words, as spelled.
    package init?(word: String) {
        let match = withBytes(of: word) { bytes in Self.allCases.first { bytes.equals($0.word) } }
        guard let match else { return nil }
        self = match
    }

    /// All the words, in the order of the cases.
    package static var words: [String] { allCases.map(\.word.description) }
}
