// Commands that a person can copy into a shell.

import Basics
import Conformance
import Metrics

package enum ShellWords {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,")

    /// The words as one line, each quoted where a shell would read something else in it.
    package static func line(_ words: [String]) -> String {
        words.map { word in
            word.allSatisfy(plain.contains) && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
        }.joined(separator: " ")
    }

    /// `pushrig journal` of that directory, around the session and the entry that are known.
    static func journal(_ directory: String, session: UInt32?, entry: UInt64?) -> String {
        var words = ["pushrig", "journal", directory.isEmpty ? "RUN" : directory]
        if let session { words += ["--session", String(session)] }
        if let entry { words += ["--around", String(entry)] }
        return line(words)
    }
}

extension Finding {
    /// The command that shows more of the history around it. `directory` is where the run's journal stands.
    package func more(in directory: String) -> String {
        ShellWords.journal(directory, session: session, entry: entries.last ?? call?.entry)
    }

    /// The command that plays its session again, or the whole run where it speaks of none or of others as well; nil where
    /// nothing was played.
    /// `directory` is where the run's journal stands.
    package func replay(in directory: String) -> String? {
        guard session != nil || isOfWholeRun else { return nil }
        let chosen = isOfWholeRun ? [] : session.map { ["--session", String($0)] } ?? []
        return ShellWords.line(["pushrig", "replay", directory.isEmpty ? "RUN" : directory] + chosen)
    }
}

extension Example {
    /// The command that shows more of the history around it. `directory` is where the run's journal stands.
    package func more(in directory: String) -> String {
        ShellWords.journal(directory, session: kind.isEmpty ? nil : session, entry: entries.last)
    }
}
